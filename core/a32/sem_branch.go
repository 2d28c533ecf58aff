package a32

import (
	"pushmask/core"
	"pushmask/core/insn"
)

// pcRead is the value PC has when an A32 instruction reads it, relative to
// the instruction (Arm ARM A2.3: its address plus 8).
const pcRead = 8

// offset24 is the signed word offset of B, BL and BLX in bytes.
func offset24(raw uint32) int32 { return int32(raw<<8) >> 6 }

func branch(i insn.Inst) insn.Inst {
	i.Flow = insn.FlowBranch
	i.Target = i.Addr + pcRead + core.Addr(offset24(i.Raw))
	i.Defs |= 1 << core.PC
	return i
}

func call(i insn.Inst) insn.Inst {
	i = branch(i)
	i.Flow = insn.FlowCall
	i.Defs |= 1 << core.LR
	return i
}

// callExchange is BLX (immediate) to T32 code; bit H adds a halfword.
func callExchange(i insn.Inst) insn.Inst {
	i = call(i)
	i.Target += core.Addr(i.Raw >> 24 & 1 << 1)
	i.TargetThumb = true
	return i
}

// branchReg is BX and BXJ, which branches like BX where there is no Jazelle.
func branchReg(i insn.Inst) insn.Inst {
	i.Flow, i.Rm = insn.FlowReg, rm(i.Raw)
	i.Defs |= 1 << core.PC
	return i
}

func callReg(i insn.Inst) insn.Inst {
	i.Flow, i.Rm = insn.FlowCallReg, rm(i.Raw)
	i.Defs |= 1<<core.PC | 1<<core.LR
	return i
}

func exceptionReturn(i insn.Inst) insn.Inst {
	i.Flow, i.ExceptionReturn = insn.FlowOther, true
	i.Defs |= 1 << core.PC
	return i
}

func trap(i insn.Inst) insn.Inst {
	i.Flow, i.Imm = insn.FlowTrap, imm16(i.Raw)
	return i
}

// imm16 is the number of BKPT and UDF: imm12:imm4.
func imm16(raw uint32) int32 { return int32(raw>>4&0xfff0 | raw&15) }

// breakpoint is BKPT, which has a condition field but must always execute.
func breakpoint(i insn.Inst) insn.Inst {
	i.Op, i.Imm = insn.OpBKPT, imm16(i.Raw)
	return i
}

func supervisorCall(i insn.Inst) insn.Inst {
	i.Op, i.Imm = insn.OpSVC, int32(i.Raw&0xffffff)
	return i
}
