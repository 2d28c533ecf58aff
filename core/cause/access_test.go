package cause

import (
	"fmt"
	"testing"

	"pushmask/core"
	"pushmask/core/a32"
	"pushmask/core/memmap"
)

// accessText writes an access: "r 4 at 0x00001004 align 1".
func accessText(a access, ok bool) string {
	if !ok {
		return "none"
	}
	dir := "r"
	if a.write {
		dir = "w"
	}
	return fmt.Sprintf("%s %d at %v align %d", dir, a.size, a.addr, a.align)
}

var accessRegs = map[core.Reg]uint32{core.R1: 0x10, core.R2: 0x1000, core.R3: 8, core.SP: 0x2000}

// TestAccessThumb has r1 = 0x10, r2 = 0x1000, r3 = 8, sp = 0x2000. The encodings
// are those of GNU as.
func TestAccessThumb(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		code []uint16
		want string
	}{
		{"ldr r3, [r2, #4]", []uint16{0x6853}, "r 4 at 0x00001004 align 1"},
		{"ldr r3, [r2, r1]", []uint16{0x5853}, "r 4 at 0x00001010 align 1"},
		{"ldrb r3, [r2, #5]", []uint16{0x7953}, "r 1 at 0x00001005 align 1"},
		{"ldrsh r3, [r2, r1]", []uint16{0x5e53}, "r 2 at 0x00001010 align 1"},
		{"strh r3, [r2, #6]", []uint16{0x80d3}, "w 2 at 0x00001006 align 1"},
		{"str.w r3, [r2, #-8]", []uint16{0xf842, 0x3c08}, "w 4 at 0x00000ff8 align 1"},
		{"ldrh.w r3, [r2], #2", []uint16{0xf832, 0x3b02}, "r 2 at 0x00001000 align 1"},
		{"ldrsb.w r3, [r2, r1, lsl #3]", []uint16{0xf912, 0x3031}, "r 1 at 0x00001080 align 1"},
		{"ldrd r0, r1, [r2, #8]", []uint16{0xe9d2, 0x0102}, "r 8 at 0x00001008 align 4"},
		{"strd r0, r1, [r2, #-8]!", []uint16{0xe962, 0x0102}, "w 8 at 0x00000ff8 align 4"},
		{"ldmia r2!, {r0, r1, r3}", []uint16{0xca0b}, "r 12 at 0x00001000 align 4"},
		{"stmdb r2!, {r0, r1, r3}", []uint16{0xe922, 0x000b}, "w 12 at 0x00000ff4 align 4"},
		{"push {r4, r5, lr}", []uint16{0xb530}, "w 12 at 0x00001ff4 align 4"},
		{"vldr s0, [r2, #8]", []uint16{0xed92, 0x0a02}, "r 4 at 0x00001008 align 4"},
		{"vstr d0, [r2, #-8]", []uint16{0xed02, 0x0b02}, "w 8 at 0x00000ff8 align 4"},
		{"vldmia r2, {s0-s3}", []uint16{0xec92, 0x0a04}, "r 16 at 0x00001000 align 4"},
		{"vpush {d8, d9}", []uint16{0xed2d, 0x8b04}, "w 16 at 0x00001ff0 align 4"},
		{"ldrex r0, [r2, #8]", []uint16{0xe852, 0x0f02}, "r 4 at 0x00001008 align 4"},
		{"strex r0, r1, [r2]", []uint16{0xe842, 0x1000}, "w 4 at 0x00001000 align 4"},
		{"ldrexb r0, [r2]", []uint16{0xe8d2, 0x0f4f}, "r 1 at 0x00001000 align 1"},
		{"strexh r0, r1, [r2]", []uint16{0xe8c2, 0x1f50}, "w 2 at 0x00001000 align 2"},
		{"lda r0, [r2]", []uint16{0xe8d2, 0x0faf}, "r 4 at 0x00001000 align 4"},
		{"stlb r0, [r2]", []uint16{0xe8c2, 0x0f8f}, "w 1 at 0x00001000 align 1"},
		{"ldaex r0, [r2]", []uint16{0xe8d2, 0x0fef}, "r 4 at 0x00001000 align 4"},
		{"tbh [r2, r1, lsl #1]", []uint16{0xe8d2, 0xf011}, "r 2 at 0x00001020 align 1"},
		{"ldr r0, [pc, #4]", []uint16{0x4801}, "r 4 at 0x00000108 align 1"},
		{"add r0, r1", []uint16{0x4408}, "none"},
		{"tt r0, r2", []uint16{0xe842, 0xf000}, "none"},
		{"udiv r0, r1, r2", []uint16{0xfbb1, 0xf0f2}, "none"},
		{"ldr r0, [r7]: r7 is not known", []uint16{0x6838}, "none"},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			var m memmap.Map
			m.AddBytes(0x100, halfwords(c.code...))
			i, ok := decode(&m, 0x100, true)
			if !ok {
				t.Fatal("not decoded")
			}
			regs := regsOf(accessRegs)
			if got := accessText(accessOf(&i.Inst, &regs)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestAccessARM is the same for A32.
func TestAccessARM(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		code uint32
		want string
	}{
		{"ldr r3, [r2, #4]", 0xe5923004, "r 4 at 0x00001004 align 1"},
		{"ldrb r3, [r2, -r1]", 0xe7523001, "r 1 at 0x00000ff0 align 1"},
		{"str r3, [r2, r1, lsl #2]", 0xe7823101, "w 4 at 0x00001040 align 1"},
		{"ldr r3, [r2], r1", 0xe6923001, "r 4 at 0x00001000 align 1"},
		{"ldrh r3, [r2, -r1]", 0xe11230b1, "r 2 at 0x00000ff0 align 1"},
		{"strd r0, r1, [r2, r3]", 0xe18200f3, "w 8 at 0x00001008 align 4"},
		{"ldrd r0, r1, [r2, #8]", 0xe1c200d8, "r 8 at 0x00001008 align 4"},
		{"ldrsb r3, [r2, r1]", 0xe19230d1, "r 1 at 0x00001010 align 1"},
		{"ldmib r2, {r0, r1}", 0xe9920003, "r 8 at 0x00001004 align 4"},
		{"stmda r2!, {r0, r1}", 0xe8220003, "w 8 at 0x00000ffc align 4"},
		{"ldrexd r0, r1, [r2]", 0xe1b20f9f, "r 8 at 0x00001000 align 8"},
		{"strexb r0, r1, [r2]", 0xe1c20f91, "w 1 at 0x00001000 align 1"},
		{"vldr s0, [r2, #8]", 0xed920a02, "r 4 at 0x00001008 align 4"},
		{"vstrne d0, [r2, #-8]", 0x1d020b02, "w 8 at 0x00000ff8 align 4"},
		{"ldr r3, [r2, r1, lsr #2]", 0xe7923121, "none"},
		{"mul r0, r1, r2", 0xe0000291, "none"},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			i, err := a32.Decode(word(c.code), 0x100)
			if err != nil {
				t.Fatal(err)
			}
			regs := regsOf(accessRegs)
			if got := accessText(accessOf(&i, &regs)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
