package exc

import "pushmask/core"

// FaultReg names a fault or exception status register of the system control
// space.
type FaultReg uint8

// The fault registers (Armv7-M ARM B3.2.2, DFSR there in C1.6; Armv8-M ARM
// D1.2). ARMv6-M and ARMv8-M Baseline have ICSR, SHCSR and DFSR only and read
// the others as zero; SFSR and SFAR need the Security Extension.
const (
	ICSR  FaultReg = iota // interrupt control and state
	SHCSR                 // system handler control and state
	CFSR                  // configurable fault status: MMFSR, BFSR, UFSR
	HFSR                  // HardFault status
	DFSR                  // debug fault status
	MMFAR                 // MemManage fault address
	BFAR                  // BusFault address
	AFSR                  // auxiliary fault status, implementation defined
	SFSR                  // SecureFault status
	SFAR                  // SecureFault address
	numFaultRegs
)

// faultRegs gives the name and the address of each register.
var faultRegs = [numFaultRegs]struct {
	name string
	addr core.Addr
}{
	ICSR:  {"ICSR", 0xe000ed04},
	SHCSR: {"SHCSR", 0xe000ed24},
	CFSR:  {"CFSR", 0xe000ed28},
	HFSR:  {"HFSR", 0xe000ed2c},
	DFSR:  {"DFSR", 0xe000ed30},
	MMFAR: {"MMFAR", 0xe000ed34},
	BFAR:  {"BFAR", 0xe000ed38},
	AFSR:  {"AFSR", 0xe000ed3c},
	SFSR:  {"SFSR", 0xe000ede4},
	SFAR:  {"SFAR", 0xe000ede8},
}

// String returns the architecture's name: "CFSR".
func (r FaultReg) String() string {
	if r < numFaultRegs {
		return faultRegs[r].name
	}
	return "?"
}

// Addr returns the address of the register, 0 for one that is not defined.
func (r FaultReg) Addr() core.Addr {
	if r < numFaultRegs {
		return faultRegs[r].addr
	}
	return 0
}

// Faults holds fault registers of which any may be unknown, or known in part:
// many artefacts have one of MMFSR, BFSR and UFSR, which are the bytes of CFSR.
// The zero value knows none. The status bits are sticky: they stay set until
// software clears them, so that an old fault that was survived may still show.
type Faults struct {
	val   [numFaultRegs]uint32 // 0 in the bits that are not known
	known [numFaultRegs]uint32 // mask of the bits that are
}

// ReadFaults reads the fault registers from m, byte by byte where m does not
// have the whole word. It reports false unless m holds a part of a register
// that tells a cause: CFSR, HFSR or SFSR.
func ReadFaults(m core.Memory) (Faults, bool) {
	var f Faults
	for r := range numFaultRegs {
		if v, err := core.ReadU32(m, r.Addr()); err == nil {
			f.Set(r, v)
			continue
		}
		for shift := uint32(0); shift < 32; shift += 8 {
			var b [1]byte
			if _, err := m.ReadAt(r.Addr()+core.Addr(shift/8), b[:]); err == nil {
				f.val[r] |= uint32(b[0]) << shift
				f.known[r] |= 0xff << shift
			}
		}
	}
	return f, f.known[CFSR]|f.known[HFSR]|f.known[SFSR] != 0
}

// Get returns the value of a register and whether all of it is known.
func (f Faults) Get(r FaultReg) (uint32, bool) {
	if r >= numFaultRegs || f.known[r] != allBits {
		return 0, false
	}
	return f.val[r], true
}

// Known returns the mask of the bits of a register that are known.
func (f Faults) Known(r FaultReg) uint32 {
	if r >= numFaultRegs {
		return 0
	}
	return f.known[r]
}

// Set makes the value of a register known.
func (f *Faults) Set(r FaultReg, v uint32) {
	if r < numFaultRegs {
		f.val[r], f.known[r] = v, allBits
	}
}

const allBits = 0xffffffff

// Cause is one reason for a fault that the registers state.
type Cause struct {
	Bit  string // the architecture's name of the status bit: "PRECISERR"
	Text string // in words: "precise data bus error"
	// Exception is the number of the exception that the bit is of.
	Exception int
	// Addr is the address of the failed access. It is known only while the
	// valid bit of its address register is set.
	Addr    core.Addr
	HasAddr bool
}

// Causes lists what the registers say went wrong, the most telling first. It
// does not list that a fault was escalated; see [Faults.Escalated].
func (f Faults) Causes() []Cause {
	var out []Cause
	for _, c := range causeBits {
		if f.val[c.reg]>>c.bit&1 == 0 {
			continue
		}
		b := faultBits[c.reg][c.bit]
		cause := Cause{Bit: b.name, Text: b.text, Exception: exceptionOf(c.reg, c.bit)}
		if c.reg == HFSR && c.bit == hfsrDebugEvent && f.val[DFSR]>>dfsrBreakpoint&1 != 0 {
			cause.Text = "breakpoint with no debugger to take it"
		}
		if c.addressed {
			cause.Addr, cause.HasAddr = f.address(c.reg, c.bit)
		}
		out = append(out, cause)
	}
	return out
}

// exceptionOf returns the number of the exception that a status bit is of.
func exceptionOf(r FaultReg, bit uint8) int {
	switch {
	case r == HFSR:
		return numHardFault
	case r == SFSR:
		return numSecureFault
	case bit >= ufsrShift:
		return numUsageFault
	case bit >= bfsrShift:
		return numBusFault
	}
	return numMemManage
}

// address returns the address register that belongs to a status bit, if its
// valid bit says that it holds an address.
func (f Faults) address(status FaultReg, bit uint8) (core.Addr, bool) {
	reg := MMFAR
	switch {
	case status == SFSR:
		reg = SFAR
	case bit >= bfsrShift:
		reg = BFAR
	}
	v, ok := f.Get(reg)
	return core.Addr(v), ok && f.addressValid(reg)
}

// isAddress reports whether the register holds a fault address.
func (r FaultReg) isAddress() bool { return r == MMFAR || r == BFAR || r == SFAR }

// addressValid reports whether the valid bit of an address register is set.
// It is true for registers that are none.
func (f Faults) addressValid(r FaultReg) bool {
	switch r {
	case MMFAR:
		return f.val[CFSR]>>mmarValid&1 != 0
	case BFAR:
		return f.val[CFSR]>>bfarValid&1 != 0
	case SFAR:
		return f.val[SFSR]>>sfarValid&1 != 0
	}
	return true
}

// Escalated reports whether a configurable fault became a HardFault because
// it was disabled or its priority was too low (HFSR.FORCED).
func (f Faults) Escalated() bool {
	return f.val[HFSR]>>hfsrForced&1 != 0
}

// WhyEscalated says why a fault became a HardFault, as far as SHCSR tells: its
// own exception was not enabled, or it was and could not be taken. It is ""
// where no fault was escalated or SHCSR is not known (Armv7-M ARM B1.5.14,
// "Priority escalation").
func (f Faults) WhyEscalated() string {
	shcsr, ok := f.Get(SHCSR)
	if !ok || !f.Escalated() {
		return ""
	}
	for _, g := range []struct {
		bits   uint32 // of CFSR
		enable uint8  // bit of SHCSR
		name   string
	}{{0xff, 16, "MemManage"}, {0xff00, 17, "BusFault"}, {0xffff0000, 18, "UsageFault"}} {
		switch {
		case f.val[CFSR]&g.bits == 0:
		case shcsr>>g.enable&1 == 0:
			return "the fault became a HardFault because " + g.name + " was not enabled"
		default:
			return "the fault became a HardFault although " + g.name + " was enabled: it was masked, or code of its priority or above was running"
		}
	}
	return ""
}

// FrameUntrue reports whether stacking the exception frame failed, so that
// the words where it should be are not what the hardware saved: MSTKERR,
// STKERR or STKOF. A failed lazy save (MLSPERR, LSPERR) concerns only the FP
// registers of a frame.
func (f Faults) FrameUntrue() bool {
	return f.val[CFSR]&(1<<4|1<<12|1<<20) != 0
}

// FrameNotes says what faults of stacking mean for the exception frame and so
// for the registers that are shown.
func (f Faults) FrameNotes() []string {
	var notes []string
	if f.FrameUntrue() {
		notes = append(notes, "the exception frame could not be stored: the registers shown are not those of the fault")
	}
	// A fault on an exception return is taken by tail-chaining (Armv7-M ARM
	// B1.5.8): nothing is stacked anew.
	if f.val[CFSR]&(1<<3|1<<11) != 0 {
		notes = append(notes, "an exception frame could not be read back: it is the one that a handler was returning to")
	}
	if f.val[CFSR]&(1<<5|1<<13) != 0 || f.val[SFSR]&(1<<5) != 0 {
		notes = append(notes, "the FP registers of an exception frame could not be stored: its other registers are right")
	}
	return notes
}

// IsLockup reports whether pc is what the PC reads as in lock-up, the state
// after a fault in the HardFault or NMI handler (0xfffffffe in Armv7-M ARM
// B1.5.15, 0xeffffffe in the Armv8-M ARM, "Lockup"). Bit 0 is ignored.
func IsLockup(pc core.Addr) bool {
	return pc&^1 == 0xfffffffe || pc&^1 == 0xeffffffe
}
