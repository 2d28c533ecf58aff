package thumb

import (
	"pushmask/core"
	"pushmask/core/insn"
)

// push is PUSH (T1): the low registers of field r, LR by field l.
func push(i insn.Inst, f *form) insn.Inst {
	i.List = uint16(f.get(i.Raw, 'r') | f.get(i.Raw, 'l')<<core.LR)
	i.Rn, i.Multi, i.Writeback = core.SP, insn.DB, true
	return multi(i, insn.OpStoreMulti)
}

// pop is POP (T1): the low registers of field r, PC by field l.
func pop(i insn.Inst, f *form) insn.Inst {
	i.List = uint16(f.get(i.Raw, 'r') | f.get(i.Raw, 'l')<<core.PC)
	i.Rn, i.Writeback = core.SP, true
	return multi(i, insn.OpLoadMulti)
}

// storeMulti is the T16 STM, which always writes the base back.
func storeMulti(i insn.Inst, f *form) insn.Inst {
	i.List, i.Writeback = uint16(f.get(i.Raw, 'r')), true
	return multi(i, insn.OpStoreMulti)
}

// loadMulti is the T16 LDM: writeback unless the base is loaded.
func loadMulti(i insn.Inst, f *form) insn.Inst {
	i.List = uint16(f.get(i.Raw, 'r'))
	i.Writeback = i.List>>i.Rn&1 == 0
	return multi(i, insn.OpLoadMulti)
}

// wideMulti is the T32 LDM or STM with writeback by the field W.
func wideMulti(o insn.Op, m insn.Multi) semantics {
	return func(i insn.Inst, f *form) insn.Inst {
		i.List, i.Multi = uint16(f.get(i.Raw, 'r')), m
		i.Writeback = f.get(i.Raw, 'W') != 0
		return multi(i, o)
	}
}

// multi completes a multiple transfer: Defs and the branch of a load to PC.
func multi(i insn.Inst, o insn.Op) insn.Inst {
	i.Op = o
	if i.Writeback {
		i.Defs |= 1 << i.Rn
	}
	if o == insn.OpLoadMulti {
		i.Defs |= i.List
		if i.List>>core.PC&1 != 0 {
			i.Flow = insn.FlowLoad
		}
	}
	return i
}

// vectorMulti is VLDM, VSTM, VPUSH or VPOP and the deprecated FLDMX, FSTMX.
// The count of words is the low byte, odd in the X forms; the first register is field v with D above
// it for double-precision registers and below it for single-precision ones.
func vectorMulti(o insn.Op, m insn.Multi, double bool) semantics {
	return func(i insn.Inst, f *form) insn.Inst {
		i.Op, i.Multi = o, m
		i.Words = uint8(i.Raw)
		v, d := f.get(i.Raw, 'v'), f.get(i.Raw, 'D')
		i.VFirst = uint8(v<<1 | d)
		if double {
			i.VFirst = uint8(d<<4|v) << 1
		}
		i.Writeback = i.Writeback || m == insn.DB || f.get(i.Raw, 'W') != 0
		if i.Writeback {
			i.Defs |= 1 << i.Rn
		}
		return i
	}
}

// onSP gives an encoding of its own, such as VPUSH, the base SP with writeback.
func onSP(s semantics) semantics {
	return func(i insn.Inst, f *form) insn.Inst {
		i.Rn, i.Writeback = core.SP, true
		return s(i, f)
	}
}

// clearMulti is CLRM: the registers of the list become 0. Bit 15 of the list
// stands for APSR.
func clearMulti(i insn.Inst, _ *form) insn.Inst {
	i.List = uint16(i.Raw)
	i.Defs |= i.List &^ (1 << core.PC)
	return i
}
