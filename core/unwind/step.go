package unwind

import (
	"math/bits"

	"pushmask/core"
	"pushmask/core/insn"
)

// step applies the effect of one executed instruction to s. sym is the base
// that a value made here gets when it has no better name; word reads
// constants from code memory (literal pools).
func (s *state) step(i *insn.Inst, sym base, word func(core.Addr) (uint32, bool)) {
	s.stepFloats(i)
	switch i.Op {
	case insn.OpLoad, insn.OpLoadDual, insn.OpLoadSub:
		s.loadReg(i, sym, word)
	case insn.OpStore, insn.OpStoreDual, insn.OpStoreSub:
		s.storeReg(i, sym)
	case insn.OpLoadMulti:
		s.loadMulti(i, sym)
	case insn.OpStoreMulti:
		s.storeMulti(i, sym)
	case insn.OpVLoad, insn.OpVStore:
		s.moveFloats(i, sym)
	case insn.OpMode:
		s.switchMode(core.Mode(i.Imm).Bank(), sym)
	case insn.OpSRS:
		s.storeReturn(i, sym)
	case insn.OpCmp:
		s.cmpReg, s.cmpImm = i.Rn, i.Imm
	default:
		if i.Writeback && writesBase(i) { // VSTR of a system register, STC
			_, after := s.address(i)
			s.clobber(i.Defs&^regMask(i.Rn), sym)
			s.assign(i.Rn, after, sym)
			break
		}
		v, ok := s.compute(i, sym)
		if ok && i.Rd < core.PC {
			s.clobber(i.Defs&^regMask(i.Rd), sym)
			s.assign(i.Rd, v, sym)
		} else {
			defs := i.Defs
			if i.UserBank {
				defs &^= 1<<core.SP | 1<<core.LR
			}
			s.clobber(defs, sym)
		}
		s.takeFloats(i, sym)
	}
	if i.Flow == insn.FlowCall || i.Flow == insn.FlowCallReg {
		s.call()
	}
}

// call forgets what a conforming callee may change (AAPCS32 6.1.1).
func (s *state) call() {
	for _, r := range [...]core.Reg{core.R0, core.R1, core.R2, core.R3, core.R12, core.LR} {
		s.regs[r] = unknown
	}
	s.fp.forget(1<<(firstHigh-core.S0) - 1)
}

// assign sets a core register; an SP that is not known becomes a new symbol.
func (s *state) assign(r core.Reg, v value, sym base) {
	if r == s.cmpReg {
		s.cmpReg = core.NoReg
	}
	if r != core.SP {
		s.regs[r] = v
		return
	}
	if !v.isAddr() {
		s.rename(sym)
		v, s.moved = value{base: sym}, true
	}
	s.setSP(v)
}

// clobber forgets the registers in mask.
func (s *state) clobber(mask uint16, sym base) {
	for m := mask & 0x7fff; m != 0; m &= m - 1 {
		s.assign(core.Reg(bits.TrailingZeros16(m)), unknown, sym)
	}
}

// compute returns the value that i assigns to Rd.
func (s *state) compute(i *insn.Inst, sym base) (value, bool) {
	switch i.Op {
	case insn.OpMove:
		return s.reg(i.Rm, i), true
	case insn.OpConst:
		return constant(i.Imm), true
	case insn.OpMovTop:
		if v := s.reg(i.Rd, i); v.isConst() {
			return constant(i.Imm<<16 | v.off&0xffff), true
		}
	case insn.OpAdd:
		return s.reg(i.Rn, i).add(i.Imm), true
	case insn.OpAddReg:
		if v, ok := s.alignStack(i, sym); ok {
			return v, true
		}
		return s.fresh(s.reg(i.Rn, i).plus(shifted(s.reg(i.Rm, i), i.Shift)), i, sym), true
	case insn.OpSubReg:
		if v, ok := s.alignStack(i, sym); ok {
			return v, true
		}
		return s.fresh(s.reg(i.Rn, i).minus(shifted(s.reg(i.Rm, i), i.Shift)), i, sym), true
	case insn.OpMRS:
		if i.Imm == insn.SavedStatus && s.modes.now == core.ModeNone {
			return value{base: baseSPSR}, true
		}
	case insn.OpRsb:
		if v := s.reg(i.Rn, i); v.isConst() {
			return constant(i.Imm - v.off), true
		}
	case insn.OpAnd:
		v := s.reg(i.Rn, i)
		if v.isConst() {
			return constant(v.off & i.Imm), true
		}
		if s.modes.exception && v.isAddr() && i.Rd != core.SP && i.Imm >= 0 && i.Imm < 8 {
			return value{base: baseMask}, true
		}
		return s.fresh(unknown, i, sym), true
	case insn.OpOrr:
		if v := s.reg(i.Rn, i); v.isConst() {
			return constant(v.off | i.Imm), true
		}
		return s.fresh(unknown, i, sym), true
	case insn.OpLsl:
		return shifted(s.reg(i.Rm, i), uint8(i.Imm)), true
	case insn.OpLsr:
		if v := s.reg(i.Rm, i); v.isConst() && i.Imm < 32 {
			return constant(int32(uint32(v.off) >> i.Imm)), true
		}
		return s.fresh(unknown, i, sym), true
	}
	return unknown, false
}

// fresh names a result that depends on a stack address in a way that is not
// followed (a realigned or variably moved SP): it can still be a base.
func (s *state) fresh(v value, i *insn.Inst, sym base) value {
	if v.known() {
		return v
	}
	for _, r := range [...]core.Reg{i.Rn, i.Rm} {
		if r < core.PC && s.regs[r].isAddr() {
			s.rename(sym)
			return value{base: sym}
		}
	}
	return unknown
}

// reg is the value of a source register; PC reads as the Arm ARM has it.
func (s *state) reg(r core.Reg, i *insn.Inst) value {
	if r < core.PC {
		return s.regs[r]
	}
	if r == core.PC {
		return constant(int32(readPC(i)))
	}
	return unknown
}

// readPC is the value of PC as an operand: the instruction's address plus 4 in
// T32, word aligned where it is a base, plus 8 in A32 (Arm ARM A2.3.1).
func readPC(i *insn.Inst) core.Addr {
	if !i.Thumb {
		return i.Addr + 8
	}
	if i.Op == insn.OpAddReg || i.Op == insn.OpMove {
		return i.Addr + 4
	}
	return (i.Addr + 4) &^ 3
}

func shifted(v value, n uint8) value {
	if n == 0 {
		return v
	}
	switch {
	case v.isConst() && n < 32:
		return constant(v.off << n)
	case v.base == baseByte && n == 1:
		return value{baseByte2, v.off}
	case v.base == baseHalf && n == 1:
		return value{baseHalf2, v.off}
	}
	return unknown
}

// Special registers of MRS and MSR (SYSm, Armv7-M ARM B5.2.2).
const (
	sysMSP     = 8
	sysPSP     = 9
	sysCONTROL = 20
)
