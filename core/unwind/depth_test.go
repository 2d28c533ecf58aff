package unwind

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
)

// usageText is "16+? sets-sp unresolved | site->target@depth", with "?" for an
// indirect target, "+?" for an unknown part, and "tail" for the depth of a jump.
func usageText(u StackUsage) string {
	var b strings.Builder
	size := func(n uint32, dynamic bool) string {
		if dynamic {
			return fmt.Sprintf("%d+?", n)
		}
		return fmt.Sprint(n)
	}
	b.WriteString(size(u.Frame, u.Dynamic))
	if u.SetsSP {
		b.WriteString(" sets-sp")
	}
	if u.Unresolved {
		b.WriteString(" unresolved")
	}
	for _, c := range u.Calls {
		target, depth := fmt.Sprintf("%x", uint32(c.Target)), size(c.Depth, c.Dynamic)
		if c.Indirect {
			target = "?"
		}
		if c.Tail {
			depth = "tail"
		}
		if c.Assumed {
			depth += " assumed"
		}
		fmt.Fprintf(&b, " | %x->%s@%s", uint32(c.Site), target, depth)
	}
	return b.String()
}

// TestStackUsage measures small functions at 0x1000, given by their halfwords.
func TestStackUsage(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		code []uint16
		want string
	}{
		{"leaf: bx lr", []uint16{0x4770}, "0"},
		{
			"push {r4, lr}; sub sp, #8; blx r0; add sp, #8; pop {r4, pc}",
			[]uint16{0xb510, 0xb082, 0x4780, 0xb002, 0xbd10}, "16 | 1004->?@16",
		},
		{
			"a call before the rest of the frame: push {lr}; bl 0x1100; sub sp, #12; bl 0x1100; add sp, #12; pop {pc}",
			[]uint16{0xb500, 0xf000, 0xf87d, 0xb083, 0xf000, 0xf87a, 0xb003, 0xbd00},
			"16 | 1002->1100@4 | 1008->1100@16",
		},
		{
			"a literal call: push {r4, lr}; ldr r3, [pc, #4]; blx r3; pop {r4, pc}; .word 0x1201",
			[]uint16{0xb510, 0x4b01, 0x4798, 0xbd10, 0x1201, 0x0000}, "8 | 1004->1200@8",
		},
		{"tail call: push {r4, lr}; blx r0; ldmia sp!, {r4, lr}; bx r3", []uint16{0xb510, 0x4780, 0xe8bd, 0x4010, 0x4718}, "8 | 1002->?@8 | 1008->?@tail"},
		{
			"thunk: push {r0, r1}; ldr r0, [pc, #4]; str r0, [sp, #4]; pop {r0, pc}; .word 0x1201",
			[]uint16{0xb403, 0x4801, 0x9001, 0xbd01, 0x1201, 0x0000}, "8 | 1006->1200@tail",
		},
		{"leaf that saves LR: push {r4, lr}; pop {r4, pc}", []uint16{0xb510, 0xbd10}, "8"},
		{"b 0x1100", []uint16{0xe07e}, "0 | 1000->1100@tail"},
		{
			"conditional push: cmp r0, #0; ittt ne; pushne {r4, lr}; subne sp, #8; blxne r1; itt ne; addne sp, #8; popne {r4, pc}; bx lr",
			[]uint16{0x2800, 0xbf1e, 0xb510, 0xb082, 0x4788, 0xbf1c, 0xb002, 0xbd10, 0x4770}, "16 | 1008->?@16",
		},
		{
			"array of run time size: push {r7, lr}; add r7, sp, #0; mov r3, sp; subs r3, r0; mov sp, r3; blx r1; mov sp, r7; pop {r7, pc}",
			[]uint16{0xb580, 0xaf00, 0x466b, 0x1a1b, 0x469d, 0x4788, 0x46bd, 0xbd80}, "8+? | 100a->?@8+?",
		},
		{
			"arguments below such an array: push {r7, lr}; mov r7, sp; sub.w sp, sp, r0; sub sp, #16; blx r1; mov sp, r7; pop {r7, pc}",
			[]uint16{0xb580, 0x466f, 0xebad, 0x0d00, 0xb084, 0x4788, 0x46bd, 0xbd80}, "24+? | 100a->?@24+?",
		},
		{
			"a loop that allocates: push {r7, lr}; add r7, sp, #0; 1: sub sp, #16; subs r0, #1; bne 1b; blx r1; mov sp, r7; pop {r7, pc}",
			[]uint16{0xb580, 0xaf00, 0xb084, 0x3801, 0xd1fc, 0x4788, 0x46bd, 0xbd80}, "24+? | 100a->?@24",
		},
		{
			"aligned: mov r0, sp; bic.w r1, r0, #7; mov sp, r1; push {r0, lr}; blx r3; ldmia sp!, {r0, lr}; mov sp, r0; bx lr",
			[]uint16{0x4668, 0xf020, 0x0107, 0x468d, 0xb501, 0x4798, 0xe8bd, 0x4001, 0x4685, 0x4770}, "12 | 100a->?@12",
		},
		{"another stack: push {r4, lr}; movs r3, #64; mov sp, r3; blx r2; bkpt", []uint16{0xb510, 0x2340, 0x469d, 0x4790, 0xe7fe}, "8 sets-sp | 1006->?@8"},
		{"a computed jump: push {r4, lr}; add pc, r0", []uint16{0xb510, 0x4487}, "8 unresolved"},
		{
			"behind the end: push {r4, lr}; pop {r4, pc}; blx r1; b .-2 is reached by no branch",
			[]uint16{0xb510, 0xbd10, 0x4788, 0xe7fd}, "8 | 1004->?@8 assumed",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var code []byte
			for _, h := range tt.code {
				code = binary.LittleEndian.AppendUint16(code, h)
			}
			p := newProgram(nil, noSymbols{}, imageText{{lo: 0x1000, data: code}}, core.ProfileM, 0)
			u := p.Stacks().Usage(Func{Entry: 0x1000, End: 0x1000 + core.Addr(len(code)), Thumb: true, Known: true})
			if d := cmp.Diff(tt.want, usageText(u)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// FuzzStackUsage measures arbitrary code: calls must lie in it and be no deeper
// than the frame.
func FuzzStackUsage(f *testing.F) {
	f.Add([]byte{0x10, 0xb5, 0x82, 0xb0, 0x80, 0x47, 0x02, 0xb0, 0x10, 0xbd}, true)
	f.Add([]byte{0x80, 0xb5, 0x00, 0xaf, 0x84, 0xb0, 0x01, 0x38, 0xfc, 0xd1, 0xbd, 0x46, 0x80, 0xbd}, true)
	f.Add([]byte{0x04, 0xe0, 0x2d, 0xe5, 0xfe, 0xff, 0xff, 0xeb, 0x04, 0xf0, 0x9d, 0xe4}, false)
	f.Fuzz(func(t *testing.T, code []byte, thumbState bool) {
		if len(code) > 4096 {
			return
		}
		profile := core.ProfileM
		if !thumbState {
			profile = core.ProfileA
		}
		p := newProgram(nil, noSymbols{}, imageText{{lo: 0x1000, data: code}}, profile, 0)
		u := p.Stacks().Usage(Func{Entry: 0x1000, End: 0x1000 + core.Addr(len(code)), Thumb: thumbState, Known: true})
		for _, c := range u.Calls {
			if c.Depth > u.Frame || c.Site < 0x1000 || c.Site >= 0x1000+core.Addr(len(code)) {
				t.Errorf("call %+v in a frame of %d bytes", c, u.Frame)
			}
		}
	})
}
