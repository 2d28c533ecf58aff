package unwind

import "pushmask/core/insn"

// itBlock is the ITSTATE register of the Arm ARM (A2.5.2 in Armv7-M): the
// condition of the next instruction in its upper four bits, the rest of the
// mask below. Zero outside of an IT block.
type itBlock uint8

func startIT(i *insn.Inst) itBlock {
	return itBlock(uint8(i.Cond)<<4 | uint8(i.Imm)&15)
}

// cond is the condition of the next instruction.
func (t itBlock) cond() insn.Cond {
	if t&15 == 0 {
		return insn.AL
	}
	return insn.Cond(t >> 4)
}

// next advances past one instruction.
func (t itBlock) next() itBlock {
	if t&7 == 0 {
		return 0
	}
	return t&0xe0 | t<<1&0x1f
}
