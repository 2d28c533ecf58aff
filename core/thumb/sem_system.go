package thumb

import (
	"pushmask/core"
	"pushmask/core/insn"
)

// storeReturn is SRS, which stores to the stack of any mode: SP changes if it
// is the current one.
func storeReturn(i insn.Inst, f *form) insn.Inst {
	i.Op, i.Rn = insn.OpSRS, core.SP
	i.Imm, i.Multi = int32(f.get(i.Raw, 'i')), insn.IA
	if i.Raw>>24&1 == 0 {
		i.Multi = insn.DB
	}
	i.Writeback = f.get(i.Raw, 'W') != 0
	if i.Writeback {
		i.Defs |= 1 << core.SP
	}
	return i
}

// changeMode is CPS with a mode, which selects other registers for SP and LR
// and writes none.
func changeMode(i insn.Inst, f *form) insn.Inst {
	i.Op, i.Imm = insn.OpMode, int32(f.get(i.Raw, 'i'))
	return i
}

// exceptionReturn is SUBS PC, LR.
func exceptionReturn(i insn.Inst, f *form) insn.Inst {
	i.Flow, i.ExceptionReturn = insn.FlowOther, true
	i.Defs |= 1 << core.PC
	return i
}

// returnFrom is RFE.
func returnFrom(i insn.Inst, f *form) insn.Inst {
	i.Flow, i.ExceptionReturn = insn.FlowOther, true
	i.Writeback = f.get(i.Raw, 'W') != 0
	if i.Writeback {
		i.Defs |= 1 << i.Rn
	}
	return i
}

// sysReg is MRS and MSR of the M-profile: SYSm is the low byte.
func sysReg(o insn.Op) semantics {
	return func(i insn.Inst, _ *form) insn.Inst {
		i.Op, i.Imm = o, int32(i.Raw&0xff)
		return i
	}
}

// signR12 is PAC and PACBTI: the code of LR and SP goes to R12.
func signR12(i insn.Inst, _ *form) insn.Inst {
	i.Op, i.Rd = insn.OpPAC, core.R12
	return i
}
