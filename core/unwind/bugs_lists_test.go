package unwind

import (
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"pushmask/core"
)

// TestPushLists checks the rows behind every push of T32: 4 bytes for each
// register of the list, the return address in the highest word where LR is one
// of them, r4 to r11 below in their order.
func TestPushLists(t *testing.T) {
	t.Parallel()
	for low := range uint16(1 << 9) {
		if low != 0 {
			list := low & 0xff
			if low>>8 != 0 {
				list |= 1 << 14
			}
			checkPush(t, list, 0xb400|low, 0xbf00)
		}
	}
	for list := range uint16(1 << 15) {
		const sp = 1 << 13
		if list&sp == 0 && bits.OnesCount16(list) > 1 {
			checkPush(t, list, 0xe92d, list, 0xbf00)
		}
	}
}

// checkPush analyses a push and compares the row of what follows it.
func checkPush(t *testing.T, list uint16, code ...uint16) {
	t.Helper()
	text := bareText{&extent{lo: 0x1000}}
	for _, h := range code {
		text.data = append(text.data, byte(h), byte(h>>8))
	}
	end := text.lo + core.Addr(2*len(code))
	p := analyse(Func{Entry: text.lo, End: end, Thumb: true}, text, text)
	rows := p.Rows(end - 2)
	if len(rows) != 1 {
		t.Fatalf("list %#04x: %d rows", list, len(rows))
	}
	r := &rows[0]
	size := 4 * bits.OnesCount16(list)
	if want := fmt.Sprintf("CFA=sp+%d ra=lr", size); r.String() != want {
		t.Fatalf("list %#04x: %v; want %v", list, r, want)
	}
	for m, off := list, int32(-size); m != 0; m, off = m&(m-1), off+4 {
		q := core.Reg(bits.TrailingZeros16(m))
		want := SavedRule{Reg: q, Loc: Loc{Kind: LocAtCFA, Off: off}}
		kept := q >= core.R4 && q <= core.R11 || q == core.LR
		if kept != slices.Contains(r.spare, want) {
			t.Fatalf("list %#04x: copies %v; %v is at CFA%+d", list, r.spare, q, off)
		}
	}
}
