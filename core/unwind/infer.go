package unwind

import (
	"pushmask/core"
)

// maxSites bounds the call sites tried for one function.
const maxSites = 64

// infer finds the caller of a function that did not keep its return address
// (one that never returns), or whose copies were overwritten: the one direct
// call of it, in the whole image, behind which the stack goes on with a proven
// return address. Where several calls fit, none is taken.
func (s *search) infer(rows []Row) {
	w := s.w
	sites := w.p.discovered().calls[s.f.Entry]
	if len(sites) == 0 || len(sites) > maxSites {
		return
	}
	for i := range rows {
		r := &rows[i]
		cfa, err := r.cfa(&w.cur.frame.Regs, w.mem)
		if err != nil || cfa < core.Addr(w.cur.frame.Regs.Value(core.SP)) {
			continue
		}
		var fit *candidate
		for _, at := range sites {
			c := s.fits(r, cfa, at)
			if c == nil {
				continue
			}
			if fit != nil {
				return
			}
			fit = c
		}
		if fit != nil {
			s.best = fit
			return
		}
	}
}

// fits reports the caller at the call at, if the frame behind it is proven.
func (s *search) fits(r *Row, cfa, at core.Addr) *candidate {
	w := s.w
	th := w.cur.frame.Thumb
	call, err := fetch(w.text, at, th)
	if err != nil {
		return nil
	}
	ra := uint32(call.Next())
	if th {
		ra |= 1
	}
	c := &candidate{grade: proofDirect, site: callSite{call, true}, trust: core.TrustAnalysis}
	c.act = r.restore(&w.cur.frame.Regs, cfa, ra, w.mem)
	f, ok := w.p.FuncAt(at)
	if !ok {
		return nil
	}
	outer := &Walker{p: w.p, mem: w.mem, text: w.text, plans: w.plans, opt: w.opt}
	outer.cur = w.callerLevel(c)
	for _, row := range w.plan(&f).rowsAt(at, true) {
		act, err := row.apply(&outer.cur.frame.Regs, w.mem)
		if err != nil {
			continue
		}
		if outer.grade(act, &f, true).grade >= proofReached {
			return c
		}
	}
	return nil
}
