package a32

import (
	"pushmask/core"
	"pushmask/core/insn"
)

// The bits P, U and W of loads and stores.
const (
	bitP = 24
	bitU = 23
	bitW = 21
)

// transfer completes a load or store of one or two registers, whose address
// is set: Defs, writeback, and the branch of a load to PC.
func transfer(i insn.Inst, o insn.Op) insn.Inst {
	i.Op = o
	if i.Writeback {
		i.Defs |= 1 << i.Rn
	}
	switch o {
	case insn.OpLoad, insn.OpLoadSub:
		i.Defs |= 1 << i.Rd
		if i.Rd == core.PC {
			i.Flow = insn.FlowLoad
		}
	case insn.OpLoadDual:
		i.Defs |= 1<<i.Rd | 1<<i.Rd2
	}
	return i
}

// indexing reads P and W. Without P the base is always written back; W then
// makes the access unprivileged.
func indexing(raw uint32) (insn.Index, bool) {
	switch {
	case !bit(raw, bitP):
		return insn.PostIndex, true
	case bit(raw, bitW):
		return insn.PreIndex, true
	}
	return insn.Offset, false
}

// signed gives v the sign of bit U.
func signed(raw, v uint32) int32 {
	if bit(raw, bitU) {
		return int32(v)
	}
	return -int32(v)
}

// wordOrByte has the address [Rn, #±imm12] and its indexed forms.
func wordOrByte(o insn.Op) semantics {
	return func(i insn.Inst) insn.Inst {
		i.Rd, i.Rn = rd(i.Raw), rn(i.Raw)
		i.Imm = signed(i.Raw, i.Raw&0xfff)
		i.Index, i.Writeback = indexing(i.Raw)
		return transfer(i, o)
	}
}

// wordOrByteReg has the address [Rn, ±Rm, shift] and its indexed forms.
func wordOrByteReg(o insn.Op) semantics {
	return func(i insn.Inst) insn.Inst {
		i.Rd = rd(i.Raw)
		shift := i.Raw >> 7 & 31
		return registerOffset(i, o, uint8(shift), i.Raw>>5&3 == 0)
	}
}

// extra is a halfword, signed or dual access, with imm4H:imm4L or Rm.
func extra(o insn.Op) semantics {
	return func(i insn.Inst) insn.Inst {
		i.Rd = rd(i.Raw)
		if o == insn.OpLoadDual || o == insn.OpStoreDual {
			i.Rd2 = (i.Rd + 1) & 15
		}
		if !bit(i.Raw, 22) {
			return registerOffset(i, o, 0, true)
		}
		i.Rn, i.Imm = rn(i.Raw), signed(i.Raw, i.Raw>>4&0xf0|i.Raw&15)
		i.Index, i.Writeback = indexing(i.Raw)
		return transfer(i, o)
	}
}

// registerOffset completes an access whose offset is Rm. The form that
// [insn.RegOffset] stands for is modelled, the others as far as Defs go.
func registerOffset(i insn.Inst, o insn.Op, shift uint8, left bool) insn.Inst {
	i.Rn = rn(i.Raw)
	_, i.Writeback = indexing(i.Raw)
	if left && bit(i.Raw, bitU) && !i.Writeback {
		i.Rm, i.Index, i.Shift = rm(i.Raw), insn.RegOffset, shift
		return transfer(i, o)
	}
	i = transfer(i, o)
	i.Op, i.Writeback = insn.OpOther, false
	i.Rd, i.Rd2, i.Rn = core.NoReg, core.NoReg, core.NoReg
	return i
}

// multiple is LDM or STM. With the S bit they transfer the registers of User
// mode, or, when PC is loaded, return from an exception.
func multiple(o insn.Op) semantics {
	return func(i insn.Inst) insn.Inst {
		list := uint16(i.Raw)
		writeback := bit(i.Raw, bitW)
		if writeback {
			i.Defs |= 1 << rn(i.Raw)
		}
		if o == insn.OpLoadMulti {
			i.Defs |= list
		}
		switch {
		case !bit(i.Raw, 22):
		case list>>core.PC&1 != 0 && o == insn.OpLoadMulti:
			return exceptionReturn(i)
		default:
			i.UserBank = true
			if o == insn.OpLoadMulti {
				return i
			}
		}
		i.Op, i.Rn, i.List, i.Writeback = o, rn(i.Raw), list, writeback
		i.Multi = multiModes[i.Raw>>bitU&3]
		if o == insn.OpLoadMulti && list>>core.PC&1 != 0 {
			i.Flow = insn.FlowLoad
		}
		return i
	}
}

// multiModes is the address mode of LDM and STM by P and U.
var multiModes = [4]insn.Multi{insn.DA, insn.IA, insn.DB, insn.IB}

// coprocessorMemory is LDC and STC: only the base may change.
func coprocessorMemory(i insn.Inst) insn.Inst {
	if bit(i.Raw, bitW) {
		i.Defs |= 1 << rn(i.Raw)
	}
	return i
}
