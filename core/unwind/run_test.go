package unwind

import (
	"encoding/binary"
	"testing"

	"pushmask/core"
	"pushmask/elfsym"
)

// TestCallAtTheEnd checks that nothing runs on into the function behind one
// that ends with a call and padding: that one jumps back with another stack.
func TestCallAtTheEnd(t *testing.T) {
	t.Parallel()
	var code []byte
	for _, h := range []uint16{
		0xb510,         // 1000 work: push {r4, lr}
		0xb108,         // 1002 cbz r0, 1008
		0x3001,         // 1004 adds r0, #1
		0xbd10,         // 1006 pop {r4, pc}
		0xf000, 0xf804, // 1008 bl thrower
		0xbf00,         // 100c nop, of no function
		0xb510,         // 100e next: push {r4, lr}
		0xe7f6,         // 1010 b work
		0xbf00,         // 1012
		0x681b, 0x4718, // 1014 thrower: ldr r3, [r3]; bx r3
	} {
		code = binary.LittleEndian.AppendUint16(code, h)
	}
	funcs := []elfsym.Func{
		{Name: "work", Entry: 0x1000, End: 0x100c, Thumb: true, Sized: true},
		{Name: "next", Entry: 0x100e, End: 0x1012, Thumb: true, Sized: true},
		{Name: "thrower", Entry: 0x1014, End: 0x1018, Thumb: true, Sized: true},
	}
	p := newProgram(nil, listingSymbols{funcs: funcs, state: elfsym.StateThumb}, imageText{{lo: 0x1000, data: code}}, core.ProfileM, 0)
	f, _ := p.FuncAt(0x1004)
	rows := p.Plan(f).Rows(0x1004)
	if len(rows) != 1 || rows[0].CFA[0] != (CFARule{Reg: core.SP, Off: 8}) {
		t.Errorf("rows in the body of work: %v, want one with CFA=sp+8", rows)
	}
}
