package unwind

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
)

// codeMemory is T32 code at an address.
type codeMemory struct {
	lo   core.Addr
	data []byte
}

func (m codeMemory) ReadAt(a core.Addr, p []byte) (int, error) {
	if a < m.lo || uint64(a-m.lo) >= uint64(len(m.data)) {
		return 0, &core.ReadError{Addr: a, Len: uint32(len(p))}
	}
	n := copy(p, m.data[a-m.lo:])
	if n < len(p) {
		return n, &core.ReadError{Addr: a + core.Addr(n), Len: uint32(len(p) - n)}
	}
	return n, nil
}

func halfwords(lo core.Addr, h ...uint16) codeMemory {
	m := codeMemory{lo: lo}
	for _, x := range h {
		m.data = binary.LittleEndian.AppendUint16(m.data, x)
	}
	return m
}

// TestPushMask checks the published method on bodies it is right for; the
// first case is its worked example.
func TestPushMask(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		code codeMemory
		pc   core.Addr
		want PushFrame
	}{
		{"stmdb sp!, {r4, r5, r7, r8, r9, lr}; sub sp, #24",
			halfwords(0x10834826, 0xe92d, 0x43b0, 0xb086, 0xbf00, 0xbf00), 0x10834830,
			PushFrame{Push: 0x10834826, Mask: 0x43b0, CFA: 48, LR: 44, Moved: 24}},
		{"push {r4, lr}",
			halfwords(0x1000, 0xb510, 0xbf00), 0x1002,
			PushFrame{Push: 0x1000, Mask: 0x4010, CFA: 8, LR: 4}},
		{"push {r0-r3} before push {lr}",
			halfwords(0x1000, 0xb40f, 0xb500, 0xb083, 0xbf00), 0x1006,
			PushFrame{Push: 0x1002, Mask: 0x4000, CFA: 32, LR: 12, Moved: 12}},
		{"vpush of a D pair behind the push",
			halfwords(0x1000, 0xb5f8, 0xed2d, 0x8b04, 0xbf00), 0x1006,
			PushFrame{Push: 0x1000, Mask: 0x40f8, CFA: 40, LR: 36, Moved: 16}},
		{"vpush of S registers",
			halfwords(0x1000, 0xb510, 0xed2d, 0x8a01, 0xbf00), 0x1006,
			PushFrame{Push: 0x1000, Mask: 0x4010, CFA: 12, LR: 8, Moved: 4}},
		{"subw sp, sp, #0x404",
			halfwords(0x1000, 0xb510, 0xf2ad, 0x4d04, 0xbf00), 0x1006,
			PushFrame{Push: 0x1000, Mask: 0x4010, CFA: 8 + 0x404, LR: 4 + 0x404, Moved: 0x404}},
		{"sub.w sp, sp, #0x1000 (modified immediate)",
			halfwords(0x1000, 0xb510, 0xf5ad, 0x5d80, 0xbf00), 0x1006,
			PushFrame{Push: 0x1000, Mask: 0x4010, CFA: 8 + 0x1000, LR: 4 + 0x1000, Moved: 0x1000}},
		{"two sub sp",
			halfwords(0x1000, 0xb510, 0xb082, 0xb081, 0xbf00), 0x1006,
			PushFrame{Push: 0x1000, Mask: 0x4010, CFA: 20, LR: 16, Moved: 12}},
	} {
		got, err := PushMask(c.code, c.code.lo, c.pc)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
}

// TestPushMaskNone checks that a function without a push of LR ends the search
// at its start, and that code that is not there ends it too.
func TestPushMaskNone(t *testing.T) {
	t.Parallel()
	leaf := halfwords(0x1000, 0xb510, 0xbd10, 0xb480, 0xbc80, 0x4770)
	for _, c := range []struct{ start, pc core.Addr }{{0x1004, 0x1008}, {0x800, 0x900}} {
		if got, err := PushMask(leaf, c.start, c.pc); !errors.Is(err, ErrNoPush) {
			t.Errorf("from %v to %v: %+v, %v; want %v", c.pc, c.start, got, err, ErrNoPush)
		}
	}
}

// TestPushMaskLists checks the size and the place of LR for every register
// list of stmdb sp! that has LR and neither SP nor PC.
func TestPushMaskLists(t *testing.T) {
	t.Parallel()
	n := 0
	for low := range uint16(1 << 13) {
		mask := 1<<14 | low
		if low == 0 {
			continue // a list of one register is another encoding
		}
		n++
		got, err := PushMask(halfwords(0x1000, 0xe92d, mask, 0xbf00), 0x1000, 0x1004)
		want := uint32(0)
		for m := mask; m != 0; m &= m - 1 {
			want += 4
		}
		if err != nil || got.Mask != mask || got.CFA != want || got.LR != want-4 {
			t.Fatalf("list %#04x: %+v, %v; want %d bytes", mask, got, err, want)
		}
	}
	if n != 1<<13-1 {
		t.Errorf("%d lists checked", n)
	}
}
