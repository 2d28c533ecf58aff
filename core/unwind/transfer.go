package unwind

import (
	"math/bits"

	"pushmask/core"
	"pushmask/core/insn"
)

// address returns the effective address of a single or dual transfer and the
// value of the base register after it.
func (s *state) address(i *insn.Inst) (ea, base value) {
	rn := s.reg(i.Rn, i)
	switch i.Index {
	case insn.PreIndex:
		return rn.add(i.Imm), rn.add(i.Imm)
	case insn.PostIndex:
		return rn, rn.add(i.Imm)
	case insn.RegOffset:
		return rn.plus(shifted(s.reg(i.Rm, i), i.Shift)), rn
	}
	return rn.add(i.Imm), rn
}

func writesBase(i *insn.Inst) bool {
	return i.Rn < core.PC && (i.Index == insn.PreIndex || i.Index == insn.PostIndex)
}

func regMask(regs ...core.Reg) (m uint16) {
	for _, r := range regs {
		if r <= core.PC {
			m |= 1 << r
		}
	}
	return m
}

func (s *state) loadReg(i *insn.Inst, sym base, word func(core.Addr) (uint32, bool)) {
	ea, after := s.address(i)
	var v, v2 value
	if i.Op != insn.OpLoadSub {
		v = s.load(ea)
		if ea.isConst() && !v.known() {
			if w, ok := word(core.Addr(ea.off)); ok {
				v = constant(int32(w))
			}
		}
		if ea.base == baseIndex {
			v = value{baseTable, ea.off}
		}
	} else if ea.base == baseIndex {
		v = value{narrow(i), ea.off}
	}
	if i.Op == insn.OpLoadDual {
		v2 = s.load(ea.add(4))
	}
	s.clobber(i.Defs&^regMask(i.Rn, i.Rd, i.Rd2), sym)
	if writesBase(i) {
		s.assign(i.Rn, after, sym)
	}
	if i.Rd < core.PC {
		s.assign(i.Rd, v, sym)
	}
	if i.Op == insn.OpLoadDual && i.Rd2 < core.PC {
		s.assign(i.Rd2, v2, sym)
	}
}

func (s *state) storeReg(i *insn.Inst, sym base) {
	ea, after := s.address(i)
	v := unknown
	if i.Rd < core.PC && i.Op != insn.OpStoreSub {
		v = s.regs[i.Rd]
	}
	var v2 value
	if i.Op == insn.OpStoreDual && i.Rd2 < core.PC {
		v2 = s.regs[i.Rd2]
	}
	if i.Op == insn.OpStoreSub {
		// exclusive stores write a status register
		s.clobber(i.Defs&^regMask(i.Rn), sym)
	}
	if writesBase(i) {
		s.assign(i.Rn, after, sym)
	}
	s.store(ea, v)
	if i.Op == insn.OpStoreDual {
		s.store(ea.add(4), v2)
	}
}

// span returns the lowest address of a multiple transfer of n words and the
// base after writeback.
func span(rn value, m insn.Multi, n int32) (low, after value) {
	switch m {
	case insn.DB:
		return rn.add(-4 * n), rn.add(-4 * n)
	case insn.IB:
		return rn.add(4), rn.add(4 * n)
	case insn.DA:
		return rn.add(-4*n + 4), rn.add(-4 * n)
	}
	return rn, rn.add(4 * n)
}

func (s *state) storeMulti(i *insn.Inst, sym base) {
	n := int32(bits.OnesCount16(i.List))
	low, after := span(s.reg(i.Rn, i), i.Multi, n)
	var vals [16]value
	for m, k := i.List, 0; m != 0; m, k = m&(m-1), k+1 {
		if r := core.Reg(bits.TrailingZeros16(m)); r < core.PC {
			vals[k] = s.regs[r]
			if i.UserBank && (r == core.SP || r == core.LR) {
				vals[k] = s.userReg(r)
			}
		}
	}
	if i.Writeback {
		s.assign(i.Rn, after, sym)
	}
	for k := range n {
		s.store(low.add(4*k), vals[k])
	}
}

func (s *state) loadMulti(i *insn.Inst, sym base) {
	n := int32(bits.OnesCount16(i.List))
	low, after := span(s.reg(i.Rn, i), i.Multi, n)
	var vals [16]value
	for k := range n {
		vals[k] = s.load(low.add(4 * k))
	}
	if i.Writeback && i.List>>i.Rn&1 == 0 {
		s.assign(i.Rn, after, sym)
	}
	for m, k := i.List, 0; m != 0; m, k = m&(m-1), k+1 {
		if r := core.Reg(bits.TrailingZeros16(m)); r < core.PC {
			s.assign(r, vals[k], sym)
		}
	}
}

// moveFloats applies a VFP multiple transfer.
func (s *state) moveFloats(i *insn.Inst, sym base) {
	low, after := span(s.reg(i.Rn, i), i.Multi, int32(i.Words))
	if i.Op == insn.OpVLoad {
		s.loadFloats(i, low)
	}
	if i.Writeback {
		s.assign(i.Rn, after, sym)
	}
	if i.Op == insn.OpVStore {
		s.savesHigh(i)
		s.storeFloats(i, low)
	}
}

func popcount(m uint16) int { return bits.OnesCount16(m) }
