package exc

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
)

// armFaults makes ArmFaults of register values.
func armFaults(values map[ArmFaultReg]uint32) ArmFaults {
	var f ArmFaults
	for r, v := range values {
		f.Set(r, v)
	}
	return f
}

// TestArmCauses has the status encodings of Armv7-AR ARM tables B3-23 and B3-24.
func TestArmCauses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		values map[ArmFaultReg]uint32
		want   []string
	}{
		{"nothing known", nil, nil},
		{"no status", map[ArmFaultReg]uint32{ArmDFSR: 0, ArmIFSR: 0, ArmDFAR: 4}, nil},
		{"section translation, read", map[ArmFaultReg]uint32{ArmDFSR: 0x005, ArmDFAR: 4},
			[]string{"data abort on a read, translation fault of a section: the address is not mapped, address 0x00000004"}},
		{"page translation, write", map[ArmFaultReg]uint32{ArmDFSR: 0x817, ArmDFAR: 0xc0000000},
			[]string{"data abort on a write, translation fault of a page: the address is not mapped, address 0xc0000000"}},
		{"page permission", map[ArmFaultReg]uint32{ArmDFSR: 0x80f, ArmDFAR: 0x8000},
			[]string{"data abort on a write, permission fault of a page, address 0x00008000"}},
		{"alignment", map[ArmFaultReg]uint32{ArmDFSR: 1, ArmDFAR: 0x8001}, []string{"data abort on a read, alignment fault, address 0x00008001"}},
		{"R-profile permission", map[ArmFaultReg]uint32{ArmDFSR: 0x80d, ArmDFAR: 0x100},
			[]string{"data abort on a write, permission fault of a section or MPU region, address 0x00000100"}},
		{"R-profile background, write", map[ArmFaultReg]uint32{ArmDFSR: 0x800, ArmDFAR: 0x100},
			[]string{"data abort on a write, background fault: no MPU region has the address, address 0x00000100"}},
		{"asynchronous has no address", map[ArmFaultReg]uint32{ArmDFSR: 0xc06, ArmDFAR: 0x100},
			[]string{"data abort on a write, asynchronous external abort"}},
		{"parity", map[ArmFaultReg]uint32{ArmDFSR: 0x409}, []string{"data abort on a read, parity error of memory"}},
		{"debug event has no address", map[ArmFaultReg]uint32{ArmIFSR: 2, ArmIFAR: 0x100}, []string{"prefetch abort, debug event"}},
		{"reserved", map[ArmFaultReg]uint32{ArmDFSR: 0x41f, ArmDFAR: 1}, []string{"data abort on a read, fault status 0x1f, which is reserved"}},
		{"prefetch", map[ArmFaultReg]uint32{ArmIFSR: 7, ArmIFAR: 0x30000000},
			[]string{"prefetch abort, translation fault of a page: the address is not mapped, address 0x30000000"}},
		{"WnR is of DFSR", map[ArmFaultReg]uint32{ArmIFSR: 0x808}, []string{"prefetch abort, synchronous external abort: the bus answered with an error"}},
		{"both", map[ArmFaultReg]uint32{ArmDFSR: 5, ArmIFSR: 5}, []string{
			"data abort on a read, translation fault of a section: the address is not mapped",
			"prefetch abort, translation fault of a section: the address is not mapped"}},
		{"long, translation level 2", map[ArmFaultReg]uint32{ArmDFSR: 0x206, ArmDFAR: 8},
			[]string{"data abort on a read, translation fault: the address is not mapped (level 2), address 0x00000008"}},
		{"long, permission level 3", map[ArmFaultReg]uint32{ArmDFSR: 0xa0f, ArmDFAR: 8},
			[]string{"data abort on a write, permission fault (level 3), address 0x00000008"}},
		{"long, access flag level 1", map[ArmFaultReg]uint32{ArmDFSR: 0x209}, []string{"data abort on a read, access flag fault (level 1)"}},
		{"long, alignment", map[ArmFaultReg]uint32{ArmDFSR: 0x221}, []string{"data abort on a read, alignment fault"}},
		{"long, asynchronous", map[ArmFaultReg]uint32{ArmDFSR: 0x211, ArmDFAR: 8}, []string{"data abort on a read, asynchronous external abort"}},
		{"long, walk", map[ArmFaultReg]uint32{ArmDFSR: 0x215}, []string{"data abort on a read, external abort on a table walk (level 1)"}},
		{"long, reserved", map[ArmFaultReg]uint32{ArmDFSR: 0x23f, ArmDFAR: 8}, []string{"data abort on a read, fault status 0x3f, which is reserved"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, cause := range armFaults(c.values).Causes() {
				got = append(got, cause.String())
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestArmStatusIsWorded: each value of the status fields has words, of which
// only those of the tables are not reserved.
func TestArmStatusIsWorded(t *testing.T) {
	t.Parallel()
	count := func(lpae, values uint32, encode func(uint32) uint32) (defined int) {
		for v := range values {
			if s := statusOf(lpae | encode(v)); s.text == "" {
				t.Errorf("status %#x has no words", v)
			} else if !s.noAddr || s.text == "debug event" {
				defined++
			}
		}
		return defined
	}
	if n := count(0, 32, func(v uint32) uint32 { return v&15 | v>>4<<10 }); n != len(shortStatus) {
		t.Errorf("%d short statuses are defined, want %d", n, len(shortStatus))
	}
	if n := count(fsrLPAE, 64, func(v uint32) uint32 { return v }); n != len(longStatus)+4*len(longLevels) {
		t.Errorf("%d long statuses are defined, want %d", n, len(longStatus)+4*len(longLevels))
	}
}

func TestArmDetails(t *testing.T) {
	t.Parallel()
	f := armFaults(map[ArmFaultReg]uint32{ArmDFSR: 0x3857, ArmIFSR: 0, ArmDFAR: 0x10})
	want := []string{
		"DFSR = 0x00003857: translation fault of a page: the address is not mapped; on a write (WnR); external abort type 1 (ExT); on cache maintenance (CM); domain 5",
		"IFSR = 0x00000000: no fault, or the background fault of an MPU on a read",
		"DFAR = 0x00000010",
	}
	if d := cmp.Diff(want, f.Details()); d != "" {
		t.Error(d)
	}
}

func TestAbortedAt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		cpsr        uint32
		data, thumb bool
		want        core.Addr
		ok          bool
	}{
		{"data abort", 0x600001d7, true, false, 0xff8, true},
		{"data abort of T32", 0x600001d7, true, true, 0xff8, true},
		{"prefetch abort", 0x600001d7, false, false, 0xffc, true},
		{"undefined", 0x600001db, false, false, 0xffc, true},
		{"undefined in T32", 0x600001db, false, true, 0xffe, true},
		{"user mode", 0x10, true, false, 0, false},
		{"supervisor mode", 0x13, true, false, 0, false},
	} {
		if got, ok := AbortedAt(c.cpsr, 0x1000, c.data, c.thumb); got != c.want || ok != c.ok {
			t.Errorf("%s: %v, %v, want %v, %v", c.name, got, ok, c.want, c.ok)
		}
	}
}
