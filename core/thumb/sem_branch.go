package thumb

import (
	"pushmask/core"
	"pushmask/core/insn"
)

// pcRead is the value PC has when a T32 instruction reads it, relative to the
// instruction (Arm ARM: its address plus 4).
const pcRead = 4

// relative makes i a branch by offset from the PC it reads.
func relative(i insn.Inst, flow insn.Flow, offset int32) insn.Inst {
	i.Flow, i.TargetThumb = flow, true
	i.Target = i.Addr + pcRead + core.Addr(offset)
	i.Defs |= 1 << core.PC
	return i
}

func branch16(i insn.Inst, f *form) insn.Inst {
	return relative(i, insn.FlowBranch, 2*signExtend(f.get(i.Raw, 'i'), 11))
}

func branchCond16(i insn.Inst, f *form) insn.Inst {
	i.Cond = insn.Cond(f.get(i.Raw, 'c'))
	return relative(i, insn.FlowBranch, 2*signExtend(f.get(i.Raw, 'i'), 8))
}

// compareBranch is CBZ and CBNZ, which branch forward only.
func compareBranch(i insn.Inst, f *form) insn.Inst {
	i.Cond = insn.CondReg
	return relative(i, insn.FlowBranch, 2*int32(f.get(i.Raw, 'i')))
}

// branchCond32 is B (T3): offset S:J2:J1:imm6:imm11.
func branchCond32(i insn.Inst, f *form) insn.Inst {
	i.Cond = insn.Cond(f.get(i.Raw, 'c'))
	r := i.Raw
	v := r>>26&1<<19 | r>>11&1<<18 | r>>13&1<<17 | r>>16&0x3f<<11 | r&0x7ff
	return relative(i, insn.FlowBranch, 2*signExtend(v, 20))
}

// offset24 is the offset in halfwords of B (T4) and BL:
// S:NOT(J1 EOR S):NOT(J2 EOR S):imm10:imm11.
func offset24(r uint32) int32 {
	s := r >> 26 & 1
	i1, i2 := ^(r>>13^s)&1, ^(r>>11^s)&1
	return signExtend(s<<23|i1<<22|i2<<21|r>>16&0x3ff<<11|r&0x7ff, 24)
}

func branch32(i insn.Inst, _ *form) insn.Inst {
	return relative(i, insn.FlowBranch, 2*offset24(i.Raw))
}

func call(i insn.Inst, _ *form) insn.Inst {
	return relative(i, insn.FlowCall, 2*offset24(i.Raw))
}

// callExchange is BLX (immediate): the target is A32 code at a word address.
func callExchange(i insn.Inst, _ *form) insn.Inst {
	i = relative(i, insn.FlowCall, 2*offset24(i.Raw))
	i.Target, i.TargetThumb = i.Target&^3, false
	return i
}

func branchReg(i insn.Inst, _ *form) insn.Inst {
	i.Flow = insn.FlowReg
	return i
}

// branchAuthenticated is BXAUT, whose target is the operand Rn; Inst names the
// target of every branch to a register Rm.
func branchAuthenticated(i insn.Inst, _ *form) insn.Inst {
	i.Op, i.Flow = insn.OpAUT, insn.FlowReg
	i.Rn, i.Rm = i.Rm, i.Rn
	return i
}

func callReg(i insn.Inst, _ *form) insn.Inst {
	i.Flow = insn.FlowCallReg
	i.Defs |= 1 << core.PC
	return i
}

// tableBranch is TBB and TBH: the field H is log2 of the entry size.
func tableBranch(i insn.Inst, f *form) insn.Inst {
	i.Flow, i.Scale = insn.FlowTable, 1<<f.get(i.Raw, 'H')
	return i
}

func trap(i insn.Inst, f *form) insn.Inst {
	i.Flow, i.Imm = insn.FlowTrap, int32(f.get(i.Raw, 'i'))
	return i
}

func ifThen(i insn.Inst, f *form) insn.Inst {
	i.Op, i.Cond, i.Imm = insn.OpIT, insn.Cond(f.get(i.Raw, 'c')), int32(f.get(i.Raw, 'i'))
	return i
}

// loopOffset is the distance imm10:immL of the low-overhead loops in bytes.
func loopOffset(i insn.Inst, f *form) int32 {
	return int32(f.get(i.Raw, 'i')<<2 | f.get(i.Raw, 'j')<<1)
}

// loopStart is WLS and WLSTP: they skip the loop when the count is 0.
func loopStart(i insn.Inst, f *form) insn.Inst {
	i.Cond = insn.CondReg
	return relative(i, insn.FlowBranch, loopOffset(i, f))
}

// loopEnd is LE and LETP: back to the start of the loop, always or while the
// count in LR is not used up.
func loopEnd(c insn.Cond) semantics {
	return func(i insn.Inst, f *form) insn.Inst {
		i.Cond = c
		return relative(i, insn.FlowBranch, -loopOffset(i, f))
	}
}
