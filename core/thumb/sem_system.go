package thumb

import (
	"pushmask/core"
	"pushmask/core/insn"
)

// storeReturn is SRS, which stores to the stack of any mode: SP changes if it
// is the current one.
func storeReturn(i insn.Inst, f *form) insn.Inst {
	i.Writeback = f.get(i.Raw, 'W') != 0
	if i.Writeback {
		i.Defs |= 1 << core.SP
	}
	return i
}

// returnFrom is RFE.
func returnFrom(i insn.Inst, f *form) insn.Inst {
	i.Flow = insn.FlowOther
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
