package unwind

import "pushmask/core"

// landingPad considers, for code that the function's control flow does not
// reach (C++ landing pads, cases of a jump that was not understood), the rows
// that hold in its body. Only a proof by a direct call counts here, or a call of
// a pointer behind which the stack goes on.
func (s *search) landingPad() {
	best := s.best
	s.rows(s.w.plan(s.f).bodyRows())
	if s.best != nil && s.best.grade < proofReached && !s.goesOn(s.best) {
		s.best = best
	}
}

// hiddenPad considers, without symbols, that the PC is in a landing pad of a
// function that nothing calls directly: the one with the last push of LR before
// it, in what is not reached of the function found there.
func (s *search) hiddenPad() {
	w := s.w
	if s.f.Known || w.cur.exact && !w.inBody() {
		return
	}
	pc := w.cur.lookup()
	push, ok := pushBefore(w.text, pc, w.plan(s.f).reachedBelow(pc), w.cur.frame.Thumb, pushesLR)
	if !ok {
		return
	}
	f, best := *s.f, s.best
	*s.f = Func{Entry: w.prologue(&push), End: max(f.End, pc+2), Thumb: w.cur.frame.Thumb}
	if s.landingPad(); !s.proven() {
		*s.f, s.best = f, best
	}
}

// inBody reports whether the code at the PC comes to a return by a frame that
// is on the stack already, and none by LR: it is not a function of its own.
func (w *Walker) inBody() bool {
	pc := w.cur.frame.PC
	e := escape{
		text: w.text, thumb: w.cur.frame.Thumb, scout: new(scout),
		isEntry: func(a core.Addr) bool { return w.p.isEntry(a, pc) },
		calls:   w.calls(),
	}
	e.enter(pc)
	return e.above && !e.back && len(e.leaves) == 0
}

// goesOn reports whether c is the call of a pointer behind which the stack goes
// on with a proven return address, and the registers are as they were saved.
func (s *search) goesOn(c *candidate) bool {
	w := s.w
	if c.grade != proofIndirect || !c.agrees {
		return false
	}
	g, ok := w.p.FuncAt(c.site.inst.Addr)
	if !ok {
		return false
	}
	outer := &Walker{p: w.p, mem: w.mem, text: w.text, plans: w.plans, opt: w.opt}
	outer.cur = w.callerLevel(c)
	return outer.proves(w.plan(&g).rowsAt(c.site.inst.Addr, true), &g)
}
