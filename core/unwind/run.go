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
	found []reached
	guard guard
	// inst is the last instruction that did not come from the listing.
	inst insn.Inst
}

// reached is a state that holds before an instruction, if the guard does.
type reached struct {
	state
	guard guard
}

// run executes instructions on s from pc on until control leaves the block.
func (r *runner) run(pc core.Addr, s *state, it thumb.ITState) {
	f := &r.plan.Func
	called := false // the instruction before was a call, padding apart
	for start := pc; ; {
		if r.query && pc >= r.until {
			if sp := s.sp(); pc == r.until && !(sp.isCFA() && sp.off > 0) {
				r.found = append(r.found, reached{*s, r.guard})
			}
			return
		}
		if pc != start && !r.query {
			if pc == f.End && s.atEntryLevel() {
				r.plan.addTail(r.at(pc)) // a second entry follows
				return
			}
			if called && pc == f.End && f.Known {
				return // it does not come back: another function follows
			}
			if called && !r.an.inData && r.an.info.isData(pc) {
				return // behind a call that does not come back
			}
			if pc == f.End && r.startsFunction(pc) {
				return // behind a call that does not come back, and data
			}
			if r.an.leads(pc) || pc == f.End {
				r.leave(pc, s, it)
				return
			}
		}
		i, err := r.fetch(pc)
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
		if r.guard.set && !it.InBlock() && !r.guard.decides(cond) {
			r.leave(pc, s, 0) // both ways of the guarded code meet here
			return
		}
		it = it.Next(*i)
		if !r.guard.set && r.fork(i, s, it) {
			return
		}
		if !r.execute(i, s, cond, it) {
			return
		}
		pc, called = i.Next(), isCall(i) || called && pads(i)
	}
}

// startsFunction tells code that keeps the LR it is entered with: nothing runs
// into it with a frame of its own.
func (r *runner) startsFunction(pc core.Addr) bool {
	i, err := r.fetch(pc)
	return err == nil && pushesLR(i)
}

// fetch returns the instruction at pc. It holds until the next call.
func (r *runner) fetch(pc core.Addr) (*insn.Inst, error) {
	if r.an != nil && r.block.thumb == r.an.code.thumb {
		if i := r.an.code.inst(pc); i != nil {
			return i, nil
		}
	}
	var err error
	r.inst, err = fetch(r.plan.text, pc, r.block.thumb)
	return &r.inst, err
}

// execute applies i to s under cond and reports whether control goes on to the
// next instruction. it is the IT state behind i.
func (r *runner) execute(i *insn.Inst, s *state, cond insn.Cond, it thumb.ITState) bool {
	if r.guard.decides(cond) {
		if !r.guard.holds(cond) {
			return true // not executed on this way
		}
		cond = insn.AL
	}
	if cond >= insn.AL || i.Flow == insn.FlowBranch {
		return r.flow(i, s, cond)
	}
	done := *s
	if !r.flow(i, &done, insn.AL) {
		return true // executed: gone; not executed: s goes on
	}
	s.skipsHigh(i)
	if done.key() == s.key() {
		s.join(&done)
		return true
	}
	r.leave(i.Next(), &done, it)
	return true
}

// leave hands a state to the block at pc.
func (r *runner) leave(pc core.Addr, s *state, it thumb.ITState) {
	if r.query {
		return
	}
	r.an.reach(r.at(pc), s, it, false)
}

// at is code in the state of the block.
func (r *runner) at(pc core.Addr) codePtr { return codePtr{pc, r.block.thumb} }

// symbol is the base of a value made by the instruction at pc.
func (r *runner) symbol(pc core.Addr) base {
	n := (uint32(pc) - uint32(r.plan.Func.Entry)) / 2
	if n > uint32(baseLast-baseSym) {
		n %= uint32(baseLast - baseSym)
	}
	return baseSym + base(n)
}

func (r *runner) word(a core.Addr) (uint32, bool) { return word(r.plan.text, a) }
