package thumb

import "pushmask/core/insn"

// ITState is the state of an IT block (Arm ARM, ITSTATE): the base condition
// in the upper and the mask of instructions to come in the lower part. The
// zero value is outside of a block. Feed it every instruction in address
// order: [ITState.Cond] before the instruction is printed, [ITState.Next]
// after it.
type ITState uint8

// Cond returns the condition of the next instruction, AL outside of a block.
func (s ITState) Cond() insn.Cond {
	if s&15 == 0 {
		return insn.AL
	}
	return insn.Cond(s >> 4)
}

// InBlock reports whether the next instruction is part of an IT block.
func (s ITState) InBlock() bool { return s&15 != 0 }

// Next returns the state after i: a new block for IT, one instruction less
// in the block otherwise (Arm ARM, ITAdvance).
func (s ITState) Next(i insn.Inst) ITState {
	switch {
	case i.Op == insn.OpIT && i.Thumb:
		return ITState(uint8(i.Cond)<<4 | uint8(i.Imm)&15)
	case s&7 == 0:
		return 0
	}
	return s&0xe0 | s<<1&0x1f
}

// itPattern returns the t and e letters that follow "it" for a mask.
func itPattern(first insn.Cond, mask uint8) string {
	var b []byte
	for ; mask&7 != 0; mask = mask << 1 & 15 {
		if mask>>3 == uint8(first)&1 {
			b = append(b, 't')
		} else {
			b = append(b, 'e')
		}
	}
	return string(b)
}

// itCondName names a condition operand, where AL and the reserved 15 have names.
func itCondName(c insn.Cond) string {
	switch c {
	case insn.AL:
		return "al"
	case insn.AL + 1:
		return "nv"
	}
	return condName(c)
}
