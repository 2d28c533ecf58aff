package unwind

import (
	"pushmask/core"
	"pushmask/core/insn"
	"pushmask/core/thumb"
)

// runner follows one state through one block. As part of an analysis it hands
// the states it leaves with to the analyser; as a query it collects the states
// that hold before the instruction at until.
type runner struct {
	plan  *Plan
	an    *analyser // nil in a query
	block *block
	query bool
	until core.Addr
	found []state
	// taken decides the conditions of the IT block being followed when it is
	// followed both ways.
	taken, decided bool
	first          insn.Cond // condition that taken speaks of
}

// run executes instructions from pc on until control leaves the block.
func (r *runner) run(pc core.Addr, s state, it thumb.ITState) {
	f := r.plan.Func
	for start := pc; ; {
		if r.query && pc >= r.until {
			if sp := s.sp(); pc == r.until && !(sp.isCFA() && sp.off > 0) {
				r.found = append(r.found, s)
			}
			return
		}
		if pc != start && !r.query {
			if pc == f.End && s.atEntryLevel() {
				r.plan.addTail(pc) // a second entry follows
				return
			}
			if r.an.isLeader(pc) || pc == f.End {
				r.leave(pc, s, it)
				return
			}
		}
		i, err := fetch(r.plan.text, pc, f.Thumb)
		if err != nil || i.Flow == insn.FlowUndef {
			return
		}
		if !r.query {
			r.an.visits++
			r.block.end = max(r.block.end, i.Next())
			if r.an.visits >= maxVisits {
				return
			}
		}
		cond := i.Cond
		if it.InBlock() {
			cond = it.Cond()
		}
		it = it.Next(i)
		if i.Op == insn.OpIT && r.forkIT(&i, s, it) {
			return
		}
		if !r.execute(&i, &s, cond, it) {
			return
		}
		pc = i.Next()
		if !it.InBlock() && r.decided {
			r.leave(pc, s, 0) // both ways of an IT block meet here
			return
		}
	}
}

// forkIT follows an IT block both ways where it moves SP or changes the flow,
// so that its instructions are taken together, and reports whether it did.
func (r *runner) forkIT(i *insn.Inst, s state, it thumb.ITState) bool {
	if !r.movesStack(i.Next(), it) {
		return false
	}
	first := it.Cond()
	for _, taken := range [...]bool{true, false} {
		q := *r
		q.found = nil
		q.taken, q.decided, q.first = taken, true, first
		q.run(i.Next(), s, it)
		r.found = append(r.found, q.found...)
	}
	return true
}

// movesStack looks through an IT block for instructions that write SP or PC.
func (r *runner) movesStack(pc core.Addr, it thumb.ITState) bool {
	for it.InBlock() {
		i, err := fetch(r.plan.text, pc, true)
		if err != nil {
			return false
		}
		if i.Defs&(1<<core.SP) != 0 || i.Flow != insn.FlowNext {
			return true
		}
		pc, it = i.Next(), it.Next(i)
	}
	return false
}

// execute applies i to s under cond and reports whether control goes on to the
// next instruction. it is the IT state behind i.
func (r *runner) execute(i *insn.Inst, s *state, cond insn.Cond, it thumb.ITState) bool {
	conditional := cond < insn.AL && i.Flow != insn.FlowBranch
	if conditional && r.decided {
		if (cond == r.first) != r.taken {
			return true // not executed on this way
		}
		conditional = false
	}
	if !conditional {
		return r.flow(i, s, cond)
	}
	done := *s
	if !r.flow(i, &done, insn.AL) {
		return true // executed: gone; not executed: s goes on
	}
	if done.key() == s.key() {
		s.join(&done)
		return true
	}
	r.leave(i.Next(), done, it)
	return true
}

// leave hands a state to the block at pc.
func (r *runner) leave(pc core.Addr, s state, it thumb.ITState) {
	if r.query {
		return
	}
	r.an.reach(pc, s, it, false)
}

// symbol is the base of a value made by the instruction at pc.
func (r *runner) symbol(pc core.Addr) base {
	n := (uint32(pc) - uint32(r.plan.Func.Entry)) / 2
	if n > uint32(baseLast-baseSym) {
		n %= uint32(baseLast - baseSym)
	}
	return baseSym + base(n)
}

func (r *runner) word(a core.Addr) (uint32, bool) { return word(r.plan.text, a) }
