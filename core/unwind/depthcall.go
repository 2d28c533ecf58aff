package unwind

import (
	"pushmask/core"
	"pushmask/core/insn"
)

// leaves returns the call or the tail call that i is in state s.
func (m *measure) leaves(i *insn.Inst, s *state) (StackCall, bool) {
	f := &m.plan.Func
	switch i.Flow {
	case insn.FlowCall:
		inside := i.Target > f.Entry && i.Target < f.End
		ok := m.stacks.p.switchHelper(i.Target) == switchNone && (!inside || m.stacks.p.subroutine(i.Target, f))
		return StackCall{Target: i.Target}, ok
	case insn.FlowCallReg:
		return calls(s.reg(i.Rm, i)), true
	case insn.FlowBranch:
		if s.linked(i) {
			return StackCall{Target: i.Target}, true
		}
		return StackCall{Target: i.Target, Tail: true}, m.outside(i.Target) && s.atEntryLevel()
	case insn.FlowReg:
		return m.jumps(i, s, s.reg(i.Rm, i))
	case insn.FlowLoad:
		if i.Op == insn.OpLoadMulti {
			return pops(i, s)
		}
		return m.jumps(i, s, m.loaded(i, s))
	}
	fallsOut := i.Next() == f.End && s.atEntryLevel() && i.Flow == insn.FlowNext && i.Defs&(1<<core.SP|1<<core.LR) == 0
	_, follows := m.stacks.p.FuncAt(f.End)
	return StackCall{Target: f.End, Tail: true}, fallsOut && follows
}

// calls is a call of the function whose address is v.
func calls(v value) StackCall {
	if !v.isConst() {
		return StackCall{Indirect: true}
	}
	t, _ := core.CodeAddr(uint32(v.off))
	return StackCall{Target: t}
}

// jumps is the call or tail call of an instruction that writes v to PC: none
// where it returns or takes a jump table.
func (m *measure) jumps(i *insn.Inst, s *state, v value) (StackCall, bool) {
	c := calls(v)
	switch {
	case s.linked(i):
		return c, true
	case !s.atEntryLevel() || v == entry(core.LR) || v.base == baseTable:
		return c, false
	}
	c.Tail = true
	return c, c.Indirect || m.outside(c.Target)
}

// loaded is the value that a single load gives to PC.
func (m *measure) loaded(i *insn.Inst, s *state) value {
	ea, _ := s.address(i)
	switch {
	case ea.base == baseIndex:
		return value{base: baseTable}
	case ea.isConst():
		if w, ok := word(m.plan.text, core.Addr(ea.off)); ok {
			return constant(int32(w))
		}
	}
	return s.load(ea)
}

// pops is the tail call of a function that has pushed the address it goes to
// (pop {r0, pc}, the thunks of LLVM for v6-M): LR is still the caller's then,
// and the word that PC gets is not. Anything else is a return.
func pops(i *insn.Inst, s *state) (StackCall, bool) {
	n := int32(popcount(i.List))
	low, after := span(s.reg(i.Rn, i), i.Multi, n)
	v := s.load(low.add(4 * (n - 1))) // PC is the highest register
	c := calls(v)
	c.Tail = true
	return c, i.Writeback && after == cfa(0) && s.regs[core.LR] == entry(core.LR) && v != entry(core.LR)
}

func (m *measure) outside(a core.Addr) bool {
	return a < m.plan.Func.Entry || a >= m.plan.Func.End
}

// unreached looks linearly at the code of f that no control flow was found to
// reach for calls: they are taken to have all of the frame above them.
func (m *measure) unreached() {
	f := &m.plan.Func
	if !f.Known {
		return // without symbols there is no telling code from data
	}
	for pc := f.Entry; pc < f.End; {
		if b := m.plan.blockAt(pc); b != nil {
			pc = max(b.end, pc+2)
			continue
		}
		i, err := fetch(m.plan.text, pc, f.Thumb)
		switch {
		case m.stacks.p.isData(pc):
			pc += 2
			continue
		case err != nil:
			return
		case i.Defs&(1<<core.SP) != 0:
			m.usage.Unresolved = true // not a landing pad, and its frame is not known
		case isCall(&i):
			c := calls(unknown)
			if i.Flow == insn.FlowCall {
				c = StackCall{Target: i.Target}
			}
			c.Site, c.Depth, c.Dynamic, c.Assumed = pc, m.usage.Frame, m.usage.Dynamic, true
			m.call(c)
		}
		pc = i.Next()
	}
}
