package exc

// ArmFaultReg names a fault register of an A- or R-profile core, a CP15
// register (Armv7-A ARM B4.1.51 DFSR, B4.1.52 DFAR, B4.1.96 IFSR, B4.1.97
// IFAR).
type ArmFaultReg uint8

// The fault registers of A- and R-profile cores.
const (
	ArmDFSR ArmFaultReg = iota // data fault status
	ArmIFSR                    // instruction fault status
	ArmDFAR                    // data fault address
	ArmIFAR                    // instruction fault address
	numArmFaultRegs
)

var armFaultNames = [numArmFaultRegs]string{"DFSR", "IFSR", "DFAR", "IFAR"}

// String returns the architecture's name: "DFSR".
func (r ArmFaultReg) String() string {
	if r < numArmFaultRegs {
		return armFaultNames[r]
	}
	return "?"
}

// ArmFaults holds fault registers of an A- or R-profile core of which any may
// be unknown. The zero value knows none.
type ArmFaults struct {
	val   [numArmFaultRegs]uint32
	valid uint8
}

// Get returns the value of a register and whether it is known.
func (f ArmFaults) Get(r ArmFaultReg) (uint32, bool) {
	if r >= numArmFaultRegs || f.valid>>r&1 == 0 {
		return 0, false
	}
	return f.val[r], true
}

// Set makes the value of a register known.
func (f *ArmFaults) Set(r ArmFaultReg, v uint32) {
	if r < numArmFaultRegs {
		f.val[r], f.valid = v, f.valid|1<<r
	}
}
