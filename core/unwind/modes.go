package unwind

import (
	"pushmask/core"
	"pushmask/core/insn"
)

// modes follows the stack pointers and link registers of the modes of A- and
// R-profile cores, which code selects by CPS and MSR. Two are enough for the
// handlers there are: that of the exception, and the one it goes on in.
type modes struct {
	// exception is set in the handler of an exception, home is the mode of that
	// exception where it is known.
	exception bool
	home      core.Mode
	now       core.Mode // mode of SP and LR; ModeNone for the one at the entry
	other     core.Mode // mode that the code was in beside
	homeSP    value     // SP and LR of the mode at the entry, while in another
	homeLR    value
	otherSP   value // those of the other mode
	otherLR   value
	aligned   aligned
}

// aligned is an SP that was aligned by what AND found to be too much, as Arm's
// manuals have handlers do it (and r1, sp, #4; sub sp, sp, r1; push {r1, lr}):
// sym is from less that, which lies in the value of baseMask.
type aligned struct {
	sym  base
	from value
}

// alignStack handles a subtraction of two registers from an SP, or the addition
// that takes it back, and reports the new SP.
func (s *state) alignStack(i *insn.Inst, sym base) (value, bool) {
	if i.Rd != core.SP || i.Rn != core.SP || i.Rm >= core.SP || i.Shift != 0 || s.regs[i.Rm].base != baseMask {
		return unknown, false
	}
	sp, a := s.sp(), &s.modes.aligned
	switch {
	case i.Op == insn.OpSubReg:
		s.rename(sym)
		a.sym, a.from = sym, sp
		return value{base: sym}, true
	case i.Op == insn.OpAddReg && sp.base == a.sym:
		return a.from.add(sp.off), true
	}
	return unknown, false
}

// join weakens m to what also holds in o and reports whether it changed.
func (m *modes) join(o *modes) bool {
	if *m == *o {
		return false
	}
	was := *m
	if m.now != o.now || m.other != o.other {
		m.other = core.ModeNone
	}
	if m.aligned != o.aligned {
		m.aligned = aligned{}
	}
	for _, p := range [...][2]*value{{&m.homeSP, &o.homeSP}, {&m.homeLR, &o.homeLR}, {&m.otherSP, &o.otherSP}, {&m.otherLR, &o.otherLR}} {
		if *p[0] != *p[1] {
			*p[0] = unknown
		}
	}
	return *m != was
}

// switchMode selects the SP and LR of mode to. Where a function that is no
// handler switches, nothing is known of them: it may have been in that mode.
func (s *state) switchMode(to core.Mode, sym base) {
	m := &s.modes
	if to == m.now || to == m.home && m.now == core.ModeNone {
		return
	}
	if !m.exception {
		s.assign(core.LR, unknown, sym)
		s.assign(core.SP, unknown, sym)
		return
	}
	sp, lr := &m.homeSP, &m.homeLR
	if m.now != core.ModeNone {
		sp, lr = &m.otherSP, &m.otherLR
	}
	*sp, *lr = s.regs[core.SP], s.regs[core.LR]
	switch {
	case m.now != core.ModeNone && (to == m.home || m.home == core.ModeNone && to.Exception()):
		m.home, m.now = to, core.ModeNone
		s.regs[core.SP], s.regs[core.LR] = m.homeSP, m.homeLR
		return
	case m.now != core.ModeNone:
		s.rename(sym)
		m.otherSP, m.otherLR = value{base: sym}, unknown // a third mode
	case to != m.other:
		m.otherSP, m.otherLR = bankSP(to), bankLR(to)
	}
	m.now, m.other = to, to
	s.regs[core.SP], s.regs[core.LR] = m.otherSP, m.otherLR
}

// storeReturn is SRS: LR and SPSR go to the stack of a mode.
func (s *state) storeReturn(i *insn.Inst, sym base) {
	m := &s.modes
	to := core.Mode(i.Imm).Bank()
	status := value{base: baseSPSR}
	if m.now != core.ModeNone {
		status = unknown
	}
	rn := s.regs[core.SP]
	own := to == m.now || m.now == core.ModeNone && to == m.home
	switch {
	case own:
	case !m.exception || m.now != core.ModeNone:
		if i.Writeback {
			s.assign(core.SP, unknown, sym)
		}
		return
	case to != m.other:
		m.other, m.otherSP, m.otherLR = to, bankSP(to), bankLR(to)
		rn = m.otherSP
	default:
		rn = m.otherSP
	}
	low, after := span(rn, i.Multi, 2)
	switch {
	case own && i.Writeback:
		s.assign(core.SP, after, sym)
	case i.Writeback:
		m.otherSP = after
	}
	s.store(low, s.regs[core.LR])
	s.store(low.add(4), status)
}

// userReg is SP or LR of User mode, as STM with ^ stores them.
func (s *state) userReg(r core.Reg) value {
	m := &s.modes
	switch {
	case !m.exception:
		return unknown
	case m.now == core.ModeSystem:
		return s.regs[r]
	case m.other == core.ModeSystem && r == core.SP:
		return m.otherSP
	case m.other == core.ModeSystem:
		return m.otherLR
	case r == core.SP:
		return bankSP(core.ModeSystem)
	}
	return bankLR(core.ModeSystem)
}

// ofException tells values that an exception's handler keeps for the return:
// LR with what was subtracted from it, SPSR, LR of another mode.
func (v value) ofException() bool {
	return v.base == entry(core.LR).base || v.base >= baseMask && v.base < baseBankSP
}
