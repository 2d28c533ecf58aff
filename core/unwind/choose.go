package unwind

import (
	"errors"

	"pushmask/core"
	"pushmask/core/exc"
)

func isNoMemory(err error) bool { return errors.Is(err, core.ErrNoMemory) }

// plan returns the analysis of f, from the image or from the target's memory.
func (w *Walker) plan(f *Func) *Plan {
	if w.p.text.at(f.Entry) != nil {
		return w.p.Plan(*f)
	}
	if pl, ok := w.plans[f.bounds()]; ok {
		return pl
	}
	if w.plans == nil {
		w.plans = make(map[bounds]*Plan)
	}
	pl := analyse(*f, w.text, w.calls())
	w.plans[f.bounds()] = pl
	return pl
}

// search collects candidates for the caller of the current frame.
type search struct {
	w     *Walker
	f     *Func
	known bool
	best  *candidate
	err   error // why a row could not be executed
	// reached is set where the function's control flow reaches the PC.
	reached bool
	// firm is set where the function's own code says that its return address is
	// one in code that is missing: then only a direct call proves another.
	firm    bool
	missing *candidate // the first of such a row
	// context is set where the function saved registers for the code below it to
	// work on, the return address among them.
	context bool
}

// candidate executes the rows that may hold for the current frame and returns
// the caller with the best proof.
func (w *Walker) candidate(f *Func, known bool) (*candidate, error) {
	s := search{w: w, f: f, known: known, err: errNotReach}
	if known {
		pl := w.plan(f)
		s.inner(pl.inner)
		if !s.proven() {
			rows := pl.rowsAt(w.cur.lookup(), !w.cur.exact)
			s.reached = len(rows) > 0
			s.rows(rows)
		}
	}
	if !known {
		s.entered()
	}
	if !s.proven() {
		s.tables()
	}
	if !s.proven() {
		s.forward()
	}
	if !s.proven() {
		s.hidden()
	}
	if !s.proven() {
		s.enclosing()
	}
	if !s.proven() && known && !s.reached {
		s.landingPad()
	}
	if !s.proven() && known {
		s.hiddenPad()
	}
	if !s.proven() && known {
		s.switchTable()
	}
	if !s.proven() && known && !w.p.resets[f.Entry] {
		s.infer(w.plan(f).rowsAt(w.cur.lookup(), !w.cur.exact))
	}
	if s.best == nil {
		return nil, s.err
	}
	return s.best, nil
}

// ends tells return addresses that mean nobody called.
func ends(ra uint32) bool { return ra == 0 || ra == exc.LREnd }

// proven reports whether a candidate was found that no other can better.
func (s *search) proven() bool { return s.best != nil && s.best.grade > proofMissing }

// rows considers the rows of one plan; copies of the return address only where
// the first does not hold.
func (s *search) rows(rows []Row) {
	s.afterSwitch(rows)
	if s.proven() {
		return
	}
	for i := range rows {
		s.consider(&rows[i])
	}
	s.settle()
	for i := range rows {
		if s.proven() || s.firm {
			return
		}
		spares := rows[i].spareRAs()
		for k := range spares {
			s.consider(&spares[k])
		}
	}
}

// settle prefers a return address in code that is missing to the LR that a call
// has left: on a way to the PC without one, both are the same.
func (s *search) settle() {
	if s.missing != nil && (!s.proven() || s.best.grade == proofIndirect && s.best.act.row.fromLR()) {
		s.best, s.firm = s.missing, true
	}
}

// consider executes a row and keeps the result if its proof is the best.
func (s *search) consider(r *Row) {
	w := s.w
	if psr, ok := w.cur.frame.Regs.Get(core.PSR); ok && w.cur.exact && r.guard.set && holds(r.guard.cond, psr) != r.guard.taken {
		return
	}
	act, err := r.apply(&w.cur.frame.Regs, w.mem)
	if err != nil {
		s.err = err
		return
	}
	if !r.high.admits(act.ra) {
		return
	}
	if r.outdated(act.ra) {
		s.err = errSwitched
		return
	}
	c := w.grade(act, s.f, s.known)
	s.context = s.context || r.context
	if c.grade == proofIndirect && s.context && s.known && !w.p.otherWays(s.f.Entry) {
		c.grade = proofWrong // no pointer can call it: the code below wrote the image
	}
	switch {
	case r.source != core.TrustContext:
		c.trust = r.source
	case r.RA.Kind == LocReg && w.cur.exact:
		c.trust = core.TrustLinkRegister
	default:
		c.trust = core.TrustAnalysis
	}
	if s.firm && (c.grade < proofReached || !c.site.ok) {
		return
	}
	c.agrees, c.copies = r.agrees(&w.cur.frame.Regs, act.cfa, w.mem)
	if c.grade == proofMissing && s.missing == nil {
		s.missing = c
	}
	if s.best == nil || c.betters(s.best) {
		s.best = c
	}
}

// betters reports whether c is to be believed rather than d: by the copies of
// registers, where both can be, by its proof, and of the same caller if it knows
// more of them: one way through a handler saves a thread's registers and another
// does not.
func (c *candidate) betters(d *candidate) bool {
	switch {
	case c.agrees != d.agrees && (c.grade == d.grade || min(c.grade, d.grade) > proofMissing):
		return c.agrees
	case c.grade != d.grade:
		return c.grade > d.grade
	}
	return c.copies > d.copies && c.act.cfa == d.act.cfa && c.act.ra == d.act.ra
}

// inner considers the subroutines that hand-written code calls inside of
// itself (libgcc's arithmetic): while one runs, its caller is the function
// around it. Only a proof by the direct call counts here.
func (s *search) inner(entries []core.Addr) {
	f := s.f
	for _, e := range entries {
		sub := Func{Name: f.Name, Entry: e, End: f.End, Thumb: f.Thumb, Known: f.Known}
		rows := s.w.plan(&sub).rowsAt(s.w.cur.lookup(), !s.w.cur.exact)
		s.f = &sub
		for i := range rows {
			s.consider(&rows[i])
		}
		s.f = f
		if s.best != nil && s.best.grade == proofDirect {
			return
		}
		s.best = nil
	}
}

// Limits of the search for a function around a found entry.
const (
	maxEnclosing     = 0x4000 // bytes back
	enclosingEntries = 64     // found entries looked at
)

// forward considers what the code ahead says of itself.
func (s *search) forward() {
	if r, ok := s.w.forward(s.f); ok {
		s.consider(&r)
	}
}

// enclosing considers, without symbols, that the entry found before the PC is
// only the target of a far branch (BL inside of one function, gcc for v6-M):
// then the function starts at an earlier entry that pushes LR.
func (s *search) enclosing() {
	w := s.w
	if !s.known || s.f.Known {
		return
	}
	from := s.f.Entry
	for range enclosingEntries {
		g, ok := w.p.discovered().at(from - 2)
		if !ok || s.f.Entry-g.Entry > maxEnclosing {
			return
		}
		from = g.Entry
		if _, ok := pushBefore(w.text, g.Entry+8, g.Entry, g.Thumb, pushesLR); !ok {
			continue
		}
		s.tryEntry(g.Entry)
		return
	}
}

// grade proves the return address of an activation. EXC_RETURN and FNC_RETURN
// count as proof, as the hardware puts them into LR; what lies behind them is
// checked when it is read.
func (w *Walker) grade(act activation, f *Func, known bool) *candidate {
	c := &candidate{act: act}
	ra := c.act.ra
	if w.opt.Profile == core.ProfileM && (exc.IsReturn(ra) || exc.IsFncReturn(ra)) {
		c.grade = proofReached
		return c
	}
	grows := w.grows(&c.act)
	if !grows && (!c.act.row.elsewhere || w.moves == maxMoves) {
		return c
	}
	if w.cur.exact && c.act.row.fromLR() && core.Addr(ra&^1) == w.cur.frame.PC {
		c.grade = proofWrong // it has just come back here
		return c
	}
	if c.grade, c.site = w.prove(ra, f, known); !grows && c.grade < proofReached {
		c.grade = proofNone
		return c
	}
	if c.grade == proofNone && grows && c.act.row.RA.Kind == LocAtCFA && w.isMissing(ra) {
		c.grade = proofMissing
	}
	if c.grade == proofIndirect && !f.Known && c.act.row.fromLR() && !w.atPush(f) && !w.p.pointedTo(f.Entry) && w.callsFrom(f, c.site.inst.Addr) {
		c.grade = proofWrong // what LR was left with by a call of this function
	}
	return c
}

// callsFrom reports whether the call at site may be one of f's own. Without
// symbols f's range can hold functions that nothing calls directly, which its
// control flow does not reach.
func (w *Walker) callsFrom(f *Func, site core.Addr) bool {
	if site < f.Entry || site >= f.End {
		return false
	}
	pl := w.plan(f)
	return pl.indirectJump || pl.blockAt(site) != nil
}

// atPush reports whether f starts with a push of LR: then LR is its caller's in
// all rows that have it there.
func (w *Walker) atPush(f *Func) bool {
	i, err := fetch(w.text, f.Entry, f.Thumb)
	return err == nil && pushesLR(&i)
}
