package a32

import (
	"math/bits"

	"pushmask/core"
	"pushmask/core/insn"
)

// nothing is the semantics of what changes no core register.
func nothing(i insn.Inst) insn.Inst { return i }

func undefined(i insn.Inst) insn.Inst {
	i.Flow = insn.FlowUndef
	return i
}

// def is the semantics of instructions that write the registers of the fields
// at the given bits and are not modelled further. Written to PC by a data
// processing instruction, the result is a branch.
func def(fields ...uint) semantics {
	return func(i insn.Inst) insn.Inst {
		for _, lsb := range fields {
			i.Defs |= 1 << regAt(i.Raw, lsb)
		}
		return i
	}
}

// defPair is LDREXD and LDAEXD, which load Rt and the next register.
func defPair(i insn.Inst) insn.Inst {
	i.Defs |= 1<<rd(i.Raw) | 1<<((rd(i.Raw)+1)&15)
	return i
}

// setsFlags tells the S variants, which return from an exception when they
// write PC (Arm ARM, "SUBS PC, LR and related instructions").
func setsFlags(raw uint32) bool { return bit(raw, 20) }

// move is MOV (register) and the shifts by an immediate.
func move(i insn.Inst) insn.Inst {
	i.Rd, i.Rm = rd(i.Raw), rm(i.Raw)
	i.Defs |= 1 << i.Rd
	amount := i.Raw >> 7 & 31
	switch kind := i.Raw >> 5 & 3; {
	case kind == 0 && amount == 0:
		i.Op = insn.OpMove
		if i.Rd == core.PC && !setsFlags(i.Raw) {
			i.Flow = insn.FlowReg
		}
	case kind == 0:
		i.Op, i.Imm = insn.OpLsl, int32(amount)
	case kind == 1:
		i.Op, i.Imm = insn.OpLsr, int32((amount+31)&31+1) // 0 encodes 32
	}
	return i
}

// arithmeticReg is ADD or SUB of registers; only LSL of the second is modelled.
func arithmeticReg(o insn.Op) semantics {
	return func(i insn.Inst) insn.Inst {
		i.Defs |= 1 << rd(i.Raw)
		if i.Raw>>5&3 != 0 {
			return i
		}
		i.Op, i.Rd, i.Rn, i.Rm = o, rd(i.Raw), rn(i.Raw), rm(i.Raw)
		i.Shift = uint8(i.Raw >> 7 & 31)
		return i
	}
}

// expandImm is ARMExpandImm (Arm ARM A5.2.4): 8 bits rotated right by twice
// the 4 bits above them.
func expandImm(raw uint32) uint32 {
	return bits.RotateLeft32(raw&0xff, -2*int(raw>>8&15))
}

func plain(v uint32) int32    { return int32(v) }
func negated(v uint32) int32  { return -int32(v) }
func inverted(v uint32) int32 { return ^int32(v) }

// immediate is Rd = Rn op constant.
func immediate(o insn.Op, value func(uint32) int32) semantics {
	return func(i insn.Inst) insn.Inst {
		i.Op, i.Rd, i.Rn, i.Imm = o, rd(i.Raw), rn(i.Raw), value(expandImm(i.Raw))
		i.Defs |= 1 << i.Rd
		return i
	}
}

// constant is MOV or MVN of an immediate.
func constant(value func(uint32) int32) semantics {
	return func(i insn.Inst) insn.Inst {
		i.Op, i.Rd, i.Imm = insn.OpConst, rd(i.Raw), value(expandImm(i.Raw))
		i.Defs |= 1 << i.Rd
		return i
	}
}

// constantHalf is MOVW or MOVT: imm4:imm12.
func constantHalf(o insn.Op) semantics {
	return func(i insn.Inst) insn.Inst {
		i.Op, i.Rd, i.Imm = o, rd(i.Raw), int32(i.Raw>>4&0xf000|i.Raw&0xfff)
		i.Defs |= 1 << i.Rd
		return i
	}
}

func compare(i insn.Inst) insn.Inst {
	i.Op, i.Rn, i.Imm = insn.OpCmp, rn(i.Raw), int32(expandImm(i.Raw))
	return i
}

// clearField is BFC: bits lsb to msb of Rd become 0.
func clearField(i insn.Inst) insn.Inst {
	i.Defs |= 1 << rd(i.Raw)
	lsb, msb := i.Raw>>7&31, i.Raw>>16&31
	if msb < lsb { // UNPREDICTABLE: the value is not known
		return i
	}
	i.Op, i.Rd, i.Rn = insn.OpAnd, rd(i.Raw), rd(i.Raw)
	i.Imm = int32(^((2<<msb - 1) &^ (1<<lsb - 1)))
	return i
}

// parallelByte is the half of the parallel instructions in which only ADD8
// and SUB8 are allocated.
func parallelByte(i insn.Inst) insn.Inst {
	if op := i.Raw >> 5 & 7; op != 4 && op != 7 {
		return undefined(i)
	}
	return def(12)(i)
}
