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

// Faults holds fault registers of which any may be unknown. The zero value
// knows none. The status bits are sticky: they stay set until software clears
// them, so that an old fault that was survived may still show.
type Faults struct {
	val   [numFaultRegs]uint32 // 0 while not known
	valid uint16
}

// ReadFaults reads the fault registers from m. It reports false unless m holds
// a register that tells a cause: CFSR, HFSR or SFSR.
func ReadFaults(m core.Memory) (Faults, bool) {
	var f Faults
	for r := range numFaultRegs {
		if v, err := core.ReadU32(m, r.Addr()); err == nil {
			f.Set(r, v)
		}
	}
	const causes = 1<<CFSR | 1<<HFSR | 1<<SFSR
	return f, f.valid&causes != 0
}

// Get returns the value of a register and whether it is known.
func (f Faults) Get(r FaultReg) (uint32, bool) {
	if r >= numFaultRegs || f.valid>>r&1 == 0 {
		return 0, false
	}
	return f.val[r], true
}

// Set makes the value of a register known.
func (f *Faults) Set(r FaultReg, v uint32) {
	if r < numFaultRegs {
		f.val[r], f.valid = v, f.valid|1<<r
	}
}

// Cause is one reason for a fault that the registers state.
type Cause struct {
	Bit  string // the architecture's name of the status bit: "PRECISERR"
	Text string // in words: "precise data bus error"
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
		cause := Cause{Bit: b.name, Text: b.text}
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

// FrameUntrue reports whether stacking the exception frame failed, so that
// the words where it should be are not what the hardware saved: MSTKERR,
// STKERR or STKOF. A failed lazy save (MLSPERR, LSPERR) concerns only the FP
// registers of a frame.
func (f Faults) FrameUntrue() bool {
	return f.val[CFSR]&(1<<4|1<<12|1<<20) != 0
}
