package a32

import (
	"pushmask/core"
	"pushmask/core/insn"
)

// readStatus is MRS. The number 0 stands for CPSR as it stands for APSR on
// M-profile.
func readStatus(i insn.Inst) insn.Inst {
	i.Defs |= 1 << rd(i.Raw)
	i.Op, i.Rd = insn.OpMRS, rd(i.Raw)
	if bit(i.Raw, 22) {
		i.Imm = insn.SavedStatus
	}
	return i
}

// writeStatus is MSR from a register. It can switch to another mode and with
// that to other SP and LR; code that saves and restores the interrupt masks
// does it far more often, so neither counts as written.
func writeStatus(i insn.Inst) insn.Inst {
	if !bit(i.Raw, 22) {
		i.Op, i.Rn = insn.OpMSR, rm(i.Raw)
	}
	return i
}

// modeField is CPSR.M, and the mode in CPS and SRS (Armv7-A ARM B1.3.3).
const modeField = 0x1f

// bankedRegs are the registers that every mode but System and User has of its own.
const bankedRegs = 1<<core.SP | 1<<core.LR

// writeStatusImmediate is MSR with a constant; one that holds the control
// field of CPSR names a mode.
func writeStatusImmediate(i insn.Inst) insn.Inst {
	if !bit(i.Raw, 22) && bit(i.Raw, 16) {
		i.Defs |= bankedRegs
		i.Op, i.Imm = insn.OpMode, int32(expandImm(i.Raw)&modeField)
	}
	return i
}

// changeState is CPS; with bit M it switches to another mode.
func changeState(i insn.Inst) insn.Inst {
	if bit(i.Raw, 17) {
		i.Defs |= bankedRegs
		i.Op, i.Imm = insn.OpMode, int32(i.Raw&modeField)
	}
	return i
}

// storeReturnState is SRS, which stores to the stack of any mode: SP changes
// if it is the current one.
func storeReturnState(i insn.Inst) insn.Inst {
	i.Op, i.Rn = insn.OpSRS, core.SP
	i.Imm, i.Multi = int32(i.Raw&modeField), multiModes[i.Raw>>bitU&3]
	i.Writeback = bit(i.Raw, bitW)
	if i.Writeback {
		i.Defs |= 1 << core.SP
	}
	return i
}

func returnFromException(i insn.Inst) insn.Inst {
	if bit(i.Raw, bitW) {
		i.Defs |= 1 << rn(i.Raw)
	}
	return exceptionReturn(i)
}

// readSystem is MRC, VMRS and VMOV from a scalar: Rt 15 stands for the flags.
func readSystem(i insn.Inst) insn.Inst {
	if rd(i.Raw) != core.PC {
		i.Defs |= 1 << rd(i.Raw)
	}
	return i
}
