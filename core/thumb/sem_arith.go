package thumb

import (
	"pushmask/core"
	"pushmask/core/insn"
)

// op is the semantics of instructions whose registers say everything.
func op(o insn.Op) semantics {
	return func(i insn.Inst, _ *form) insn.Inst {
		i.Op = o
		return i
	}
}

// toSelf makes Rd the first source too: add r0, #1.
func toSelf(s semantics) semantics {
	return func(i insn.Inst, f *form) insn.Inst {
		i.Rn = i.Rd
		return s(i, f)
	}
}

// move copies a register; MOV to PC is a branch to it, MOVS to PC is not.
func move(i insn.Inst, f *form) insn.Inst {
	i.Op = insn.OpMove
	if i.Rd == core.PC && f.get(i.Raw, 'S') == 0 {
		i.Flow = insn.FlowReg
	}
	return i
}

func constImm(i insn.Inst, f *form) insn.Inst {
	i.Op, i.Imm = insn.OpConst, int32(f.get(i.Raw, 'i'))
	return i
}

func constWide(i insn.Inst, f *form) insn.Inst {
	i.Op, i.Imm = insn.OpConst, imm16(f, i.Raw)
	return i
}

func constTop(i insn.Inst, f *form) insn.Inst {
	i.Op, i.Imm = insn.OpMovTop, imm16(f, i.Raw)
	return i
}

// imm16 is the immediate imm4:i:imm3:imm8 of MOVW and MOVT; the bit i, which
// stands before imm4 in the encoding, is field j.
func imm16(f *form, raw uint32) int32 {
	v := f.get(raw, 'i')
	return int32(v>>11<<12 | f.get(raw, 'j')<<11 | v&0x7ff)
}

func addImm(i insn.Inst, f *form) insn.Inst {
	i.Op, i.Imm = insn.OpAdd, int32(f.get(i.Raw, 'i'))
	return i
}

func subImm(i insn.Inst, f *form) insn.Inst {
	i.Op, i.Imm = insn.OpAdd, -int32(f.get(i.Raw, 'i'))
	return i
}

func cmpImm(i insn.Inst, f *form) insn.Inst {
	i.Op, i.Imm = insn.OpCmp, int32(f.get(i.Raw, 'i'))
	return i
}

// addBase adds a scaled immediate to SP or PC.
func addBase(base core.Reg, scale int32) semantics {
	return func(i insn.Inst, f *form) insn.Inst {
		i.Op, i.Rn, i.Imm = insn.OpAdd, base, scale*int32(f.get(i.Raw, 'i'))
		return i
	}
}

// adjustSP moves SP by a scaled immediate.
func adjustSP(scale int32) semantics {
	return func(i insn.Inst, f *form) insn.Inst {
		i.Op, i.Rd, i.Rn, i.Imm = insn.OpAdd, core.SP, core.SP, scale*int32(f.get(i.Raw, 'i'))
		i.Defs |= 1 << core.SP
		return i
	}
}

func shiftLeft(i insn.Inst, f *form) insn.Inst {
	i.Op, i.Imm = insn.OpLsl, int32(f.get(i.Raw, 'i'))
	return i
}

// shiftRight is LSR (immediate), where 0 encodes 32.
func shiftRight(i insn.Inst, f *form) insn.Inst {
	i.Op, i.Imm = insn.OpLsr, int32(f.get(i.Raw, 'i'))
	if i.Imm == 0 {
		i.Imm = 32
	}
	return i
}

// The modified immediate forms: the field i is expanded by expandImm.

func constMod(i insn.Inst, f *form) insn.Inst {
	i.Op, i.Imm = insn.OpConst, int32(expandImm(f.get(i.Raw, 'i')))
	return i
}

func constNotMod(i insn.Inst, f *form) insn.Inst {
	i.Op, i.Imm = insn.OpConst, int32(^expandImm(f.get(i.Raw, 'i')))
	return i
}

func addMod(i insn.Inst, f *form) insn.Inst {
	i.Op, i.Imm = insn.OpAdd, int32(expandImm(f.get(i.Raw, 'i')))
	return i
}

func subMod(i insn.Inst, f *form) insn.Inst {
	i.Op, i.Imm = insn.OpAdd, -int32(expandImm(f.get(i.Raw, 'i')))
	return i
}

func rsbMod(i insn.Inst, f *form) insn.Inst {
	i.Op, i.Imm = insn.OpRsb, int32(expandImm(f.get(i.Raw, 'i')))
	return i
}

func cmpMod(i insn.Inst, f *form) insn.Inst {
	i.Op, i.Imm = insn.OpCmp, int32(expandImm(f.get(i.Raw, 'i')))
	return i
}

func andMod(i insn.Inst, f *form) insn.Inst {
	i.Op, i.Imm = insn.OpAnd, int32(expandImm(f.get(i.Raw, 'i')))
	return i
}

func orrMod(i insn.Inst, f *form) insn.Inst {
	i.Op, i.Imm = insn.OpOrr, int32(expandImm(f.get(i.Raw, 'i')))
	return i
}

func bicMod(i insn.Inst, f *form) insn.Inst {
	i.Op, i.Imm = insn.OpAnd, int32(^expandImm(f.get(i.Raw, 'i')))
	return i
}

// clearField is BFC: lsb in field i, msb in field b.
func clearField(i insn.Inst, f *form) insn.Inst {
	lsb, msb := f.get(i.Raw, 'i'), f.get(i.Raw, 'b')
	if msb < lsb { // UNPREDICTABLE: the value is not known
		return i
	}
	i.Op, i.Rn, i.Imm = insn.OpAnd, i.Rd, int32(^((2<<msb - 1) &^ (1<<lsb - 1)))
	return i
}

// addShifted and subShifted are modelled for LSL, the only shift of an
// operand that address arithmetic uses.

func addShifted(i insn.Inst, f *form) insn.Inst { return shifted(i, f, insn.OpAddReg) }
func subShifted(i insn.Inst, f *form) insn.Inst { return shifted(i, f, insn.OpSubReg) }

func shifted(i insn.Inst, f *form, o insn.Op) insn.Inst {
	if f.get(i.Raw, 'y') == 0 {
		i.Op, i.Shift = o, uint8(f.get(i.Raw, 'i'))
	}
	return i
}

// number stores an immediate that only names something: SVC, BKPT.
func number(o insn.Op) semantics {
	return func(i insn.Inst, f *form) insn.Inst {
		i.Op, i.Imm = o, int32(f.get(i.Raw, 'i'))
		return i
	}
}

// longPair adds the register pair of a 64-bit shift to Defs: RdaLo is even
// and RdaHi odd, so the fields l and h lack the lowest bit.
func longPair(i insn.Inst, f *form) insn.Inst {
	i.Defs |= 1<<(f.get(i.Raw, 'l')<<1) | 1<<(f.get(i.Raw, 'h')<<1|1)
	return i
}

// evenDest is a 32-bit accumulator of MVE: an even register whose field d
// lacks the lowest bit.
func evenDest(i insn.Inst, f *form) insn.Inst {
	i.Rd = core.Reg(f.get(i.Raw, 'd') << 1)
	i.Defs |= 1 << i.Rd
	return i
}

// incrementBase is VIDUP and its relatives, which advance the even register
// whose field n lacks the lowest bit.
func incrementBase(i insn.Inst, f *form) insn.Inst {
	i.Rn = core.Reg(f.get(i.Raw, 'n') << 1)
	i.Defs |= 1 << i.Rn
	return i
}
