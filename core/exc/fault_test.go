package exc

import (
	"encoding/binary"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
	"pushmask/core/memmap"
)

// faults makes Faults of register values.
func faults(values map[FaultReg]uint32) Faults {
	var f Faults
	for r, v := range values {
		f.Set(r, v)
	}
	return f
}

func TestSummary(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		values map[FaultReg]uint32
		want   string
	}{
		{"nothing known", nil, ""},
		{"nothing happened", map[FaultReg]uint32{CFSR: 0, HFSR: 0, MMFAR: 0xe000ed34}, ""},
		{"precise", map[FaultReg]uint32{CFSR: 0x8200, BFAR: 0xb0000000}, "precise data bus error, address 0xb0000000"},
		{"precise, escalated", map[FaultReg]uint32{CFSR: 0x8200, BFAR: 0xb0000000, HFSR: 1 << 30},
			"precise data bus error, address 0xb0000000, escalated to HardFault"},
		{"precise, address lost", map[FaultReg]uint32{CFSR: 0x0200, BFAR: 0xb0000000}, "precise data bus error"},
		{"precise, address not dumped", map[FaultReg]uint32{CFSR: 0x8200}, "precise data bus error"},
		{"imprecise", map[FaultReg]uint32{CFSR: 0x0400}, "imprecise data bus error"},
		{"imprecise beside a stale address", map[FaultReg]uint32{CFSR: 0x8400, BFAR: 4}, "imprecise data bus error"},
		{"fetch from execute never", map[FaultReg]uint32{CFSR: 1}, "instruction fetch from a forbidden address"},
		{"data access violation", map[FaultReg]uint32{CFSR: 0x82, MMFAR: 0}, "data access to a forbidden address, address 0x00000000"},
		{"violation and stacking", map[FaultReg]uint32{CFSR: 0x92, MMFAR: 0x1ffffff0},
			"data access to a forbidden address, address 0x1ffffff0; memory protection fault while stacking for an exception entry"},
		{"stacking has no address", map[FaultReg]uint32{CFSR: 0x90, MMFAR: 0x1ffffff0},
			"memory protection fault while stacking for an exception entry"},
		{"stack limit", map[FaultReg]uint32{CFSR: 1 << 20}, "stack pointer passed its limit"},
		{"no Thumb bit", map[FaultReg]uint32{CFSR: 1 << 17, HFSR: 1 << 30},
			"invalid execution state: Thumb bit clear or bad IT state, escalated to HardFault"},
		{"division", map[FaultReg]uint32{CFSR: 1 << 25}, "division by zero"},
		{"escalation of nothing", map[FaultReg]uint32{CFSR: 0, HFSR: 1 << 30}, "a fault was escalated to HardFault and its cause is not recorded"},
		{"vector table", map[FaultReg]uint32{HFSR: 2}, "bus error on a vector table read"},
		{"debug event", map[FaultReg]uint32{HFSR: 1 << 31}, "debug event with no debugger to take it"},
		{"bkpt", map[FaultReg]uint32{HFSR: 1 << 31, DFSR: 2}, "breakpoint with no debugger to take it"},
		{"debugger halted it", map[FaultReg]uint32{CFSR: 0, HFSR: 0, DFSR: 0xb}, ""},
		{"secure memory", map[FaultReg]uint32{SFSR: 0x48, SFAR: 0x30000000}, "access to secure memory from non-secure code, address 0x30000000"},
		{"secure entry", map[FaultReg]uint32{SFSR: 1}, "entry to secure code that is not at an SG instruction"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := faults(c.values).Summary(); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestDetails(t *testing.T) {
	t.Parallel()
	f := faults(map[FaultReg]uint32{
		ICSR: 0x0040_e803, SHCSR: 0x0007_0002, CFSR: 0x0000_8200, HFSR: 0x4000_0000,
		DFSR: 0, MMFAR: 0xb000_0000, BFAR: 0xb000_0000, AFSR: 0x55, SFSR: 1 << 30,
	})
	want := []string{
		"ICSR = 0x0040e803: HardFault is active (VECTACTIVE 3); PendSV is the next pending exception (VECTPENDING 14); no other exception is active (RETTOBASE); an external interrupt is pending (ISRPENDING)",
		"SHCSR = 0x00070002: BusFault is active (BUSFAULTACT); MemManage is enabled (MEMFAULTENA); BusFault is enabled (BUSFAULTENA); UsageFault is enabled (USGFAULTENA)",
		"CFSR = 0x00008200: precise data bus error (PRECISERR); BFAR holds the fault address (BFARVALID)",
		"HFSR = 0x40000000: a configurable fault was escalated to HardFault (FORCED)",
		"BFAR = 0xb0000000",
		"AFSR = 0x00000055",
		"SFSR = 0x40000000: bits 0x40000000 are not defined",
	}
	if d := cmp.Diff(want, f.Details()); d != "" {
		t.Error(d)
	}
	null := faults(map[FaultReg]uint32{CFSR: 0x82, HFSR: 0, MMFAR: 0, BFAR: 0, AFSR: 0})
	want = []string{
		"CFSR = 0x00000082: data access to a forbidden address (DACCVIOL); MMFAR holds the fault address (MMARVALID)",
		"MMFAR = 0x00000000",
	}
	if d := cmp.Diff(want, null.Details()); d != "" {
		t.Error(d)
	}
}

// TestEveryBit sets one bit at a time: each bit is worded once, and the bits
// that state a fault are exactly those that have a cause.
func TestEveryBit(t *testing.T) {
	t.Parallel()
	const noCause = "MMARVALID BFARVALID SFARVALID FORCED"
	for _, r := range []FaultReg{CFSR, HFSR, SFSR} {
		for bit := range uint8(32) {
			f := faults(map[FaultReg]uint32{r: 1 << bit})
			b, defined := faultBits[r][bit]
			line := strings.Join(f.Details(), "\n")
			if defined != strings.Contains(line, "("+b.name+")") || defined == strings.Contains(line, "not defined") {
				t.Errorf("%v bit %d: %q", r, bit, line)
			}
			causes := f.Causes()
			want := 0
			if defined && !strings.Contains(noCause, b.name) {
				want = 1
			}
			if len(causes) != want || want == 1 && (causes[0].Bit != b.name || causes[0].Text != b.text) {
				t.Errorf("%v bit %d: causes %+v, want %d", r, bit, causes, want)
			}
		}
	}
}

func TestFrameUntrue(t *testing.T) {
	t.Parallel()
	var got []string
	for bit := range uint8(32) {
		if faults(map[FaultReg]uint32{CFSR: 1 << bit}).FrameUntrue() {
			got = append(got, faultBits[CFSR][bit].name)
		}
	}
	if d := cmp.Diff([]string{"MSTKERR", "STKERR", "STKOF"}, got); d != "" {
		t.Error(d)
	}
}

func TestReadFaults(t *testing.T) {
	t.Parallel()
	scs := make([]byte, 0x1000) // 0xe000e000
	le := binary.LittleEndian
	for i, a := range []int{0xd04, 0xd24, 0xd28, 0xd2c, 0xd30, 0xd34, 0xd38, 0xd3c, 0xde4, 0xde8} {
		le.PutUint32(scs[a:], uint32(0x1000+i))
	}
	all := []FaultReg{ICSR, SHCSR, CFSR, HFSR, DFSR, MMFAR, BFAR, AFSR, SFSR, SFAR}
	for _, c := range []struct {
		name     string
		from, to int // what the dump holds of scs
		want     []FaultReg
		ok       bool
	}{
		{"all", 0, 0x1000, all, true},
		{"up to AFSR", 0xd00, 0xd40, all[:8], true},
		{"CFSR alone", 0xd28, 0xd2c, []FaultReg{CFSR}, true},
		{"half of CFSR", 0xd28, 0xd2a, nil, true},
		{"no cause register", 0xd00, 0xd28, []FaultReg{ICSR, SHCSR}, false},
		{"nothing", 0, 0, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var m memmap.Map
			m.AddBytes(core.Addr(0xe000e000+c.from), scs[c.from:c.to])
			f, ok := ReadFaults(&m)
			if ok != c.ok {
				t.Errorf("ok = %v", ok)
			}
			var got []FaultReg
			for r := range numFaultRegs {
				if v, ok := f.Get(r); ok {
					got = append(got, r)
					if v != 0x1000+uint32(r) {
						t.Errorf("%v = %#x", r, v)
					}
				}
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestBadFaultReg: a register that is none has no address, value or panic.
func TestBadFaultReg(t *testing.T) {
	t.Parallel()
	var f Faults
	f.Set(numFaultRegs, 1)
	if _, ok := f.Get(numFaultRegs); ok || numFaultRegs.Addr() != 0 || numFaultRegs.String() != "?" {
		t.Error("a register that does not exist has a value, an address or a name")
	}
}

// TestCauseBitsAreDefined guards the tables against each other.
func TestCauseBitsAreDefined(t *testing.T) {
	t.Parallel()
	seen := map[causeBit]bool{}
	for _, c := range causeBits {
		if _, ok := faultBits[c.reg][c.bit]; !ok || seen[causeBit{reg: c.reg, bit: c.bit}] {
			t.Errorf("%v bit %d is not defined or listed twice", c.reg, c.bit)
		}
		seen[causeBit{reg: c.reg, bit: c.bit}] = true
	}
	for r, bitsOf := range faultBits {
		names := map[string]bool{}
		for _, bit := range slices.Collect(maps.Keys(bitsOf)) {
			if bits.Len8(bit) > 5 || names[bitsOf[bit].name] {
				t.Errorf("%v: bit %d is out of range or its name is used twice", FaultReg(r), bit)
			}
			names[bitsOf[bit].name] = true
		}
	}
}

// TestPartialStatus: artefacts may have one of the parts of CFSR alone.
func TestPartialStatus(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		at      core.Addr
		data    []byte
		mask    uint32
		summary string
		details []string
	}{
		{"MMFSR", 0xe000ed28, []byte{0x82}, 0xff, "data access to a forbidden address",
			[]string{"MMFSR = 0x82: data access to a forbidden address (DACCVIOL); MMFAR holds the fault address (MMARVALID)"}},
		{"BFSR", 0xe000ed29, []byte{0x04}, 0xff00, "imprecise data bus error", []string{"BFSR = 0x04: imprecise data bus error (IMPRECISERR)"}},
		{"UFSR", 0xe000ed2a, []byte{0x00, 0x02}, 0xffff0000, "division by zero", []string{"UFSR = 0x0200: division by zero (DIVBYZERO)"}},
		{"UFSR of no fault", 0xe000ed2a, []byte{0, 0}, 0xffff0000, "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var m memmap.Map
			m.AddBytes(c.at, c.data)
			f, ok := ReadFaults(&m)
			if _, whole := f.Get(CFSR); !ok || whole || f.Known(CFSR) != c.mask {
				t.Errorf("ok %v, whole %v, known %#x, want %#x", ok, whole, f.Known(CFSR), c.mask)
			}
			if got := f.Summary(); got != c.summary {
				t.Errorf("summary %q, want %q", got, c.summary)
			}
			if d := cmp.Diff(c.details, f.Details()); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestWhyEscalated(t *testing.T) {
	t.Parallel()
	const forced = 1 << 30
	for _, c := range []struct {
		values map[FaultReg]uint32
		want   string
	}{
		{map[FaultReg]uint32{CFSR: 0x200, HFSR: forced}, ""},
		{map[FaultReg]uint32{CFSR: 0x200, HFSR: 0, SHCSR: 0}, ""},
		{map[FaultReg]uint32{CFSR: 0, HFSR: forced, SHCSR: 0}, ""},
		{map[FaultReg]uint32{CFSR: 0x200, HFSR: forced, SHCSR: 0}, "the fault became a HardFault because BusFault was not enabled"},
		{map[FaultReg]uint32{CFSR: 2, HFSR: forced, SHCSR: 1 << 17}, "the fault became a HardFault because MemManage was not enabled"},
		{map[FaultReg]uint32{CFSR: 1 << 25, HFSR: forced, SHCSR: 1 << 18},
			"the fault became a HardFault although UsageFault was enabled: it was masked, or code of its priority or above was running"},
	} {
		if got := faults(c.values).WhyEscalated(); got != c.want {
			t.Errorf("%v: %q, want %q", c.values, got, c.want)
		}
	}
}

// TestFrameNotes lists the bits that bear on the exception frame.
func TestFrameNotes(t *testing.T) {
	t.Parallel()
	got := map[string]string{}
	for r, bits := range map[FaultReg]uint8{CFSR: 32, SFSR: 8} {
		for bit := range bits {
			for _, n := range faults(map[FaultReg]uint32{r: 1 << bit}).FrameNotes() {
				got[r.String()+" "+faultBits[r][bit].name] = n[:strings.Index(n, " could")]
			}
		}
	}
	want := map[string]string{
		"CFSR MSTKERR": "the exception frame", "CFSR STKERR": "the exception frame", "CFSR STKOF": "the exception frame",
		"CFSR MUNSTKERR": "an exception frame", "CFSR UNSTKERR": "an exception frame",
		"CFSR MLSPERR": "the FP registers of an exception frame", "CFSR LSPERR": "the FP registers of an exception frame",
		"SFSR LSPERR": "the FP registers of an exception frame",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestIsLockup(t *testing.T) {
	t.Parallel()
	for a, want := range map[core.Addr]bool{
		0xfffffffe: true, 0xffffffff: true, 0xeffffffe: true, 0xfffffffc: false, 0: false, 0xfffffff9: false,
	} {
		if IsLockup(a) != want {
			t.Errorf("%v: %v", a, !want)
		}
	}
}
