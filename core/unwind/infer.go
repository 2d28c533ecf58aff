package unwind

import (
	"slices"

	"pushmask/core"
	"pushmask/core/insn"
)

// Limits of the search for the call of a function.
const (
	maxSites  = 64      // call sites tried
	maxLikely = 4 << 10 // bytes of stack that tell which sites those are
)

// infer finds the caller of a function that did not keep its return address
// (one that never returns), or whose copies were overwritten: the one direct
// call of it, in the whole image, behind which the stack goes on with a proven
// return address, or, where no return address was kept or all its copies on the
// stack were overwritten, the only way into it. Where several calls fit, none is
// taken.
func (s *search) infer(rows []Row) {
	w := s.w
	keeps := slices.ContainsFunc(rows, func(r Row) bool { return r.HasRA })
	sites := w.p.callSites().sites(s.f.Entry)
	if len(sites) == 0 || keeps && s.best != nil && s.best.grade != proofWrong {
		return
	}
	for i := range rows {
		r := rows[i]
		cfa, err := r.cfa(&w.cur.frame.Regs, w.mem)
		sp := core.Addr(w.cur.frame.Regs.Value(core.SP))
		if err != nil || cfa < sp {
			continue
		}
		overwritten := s.best != nil && s.best.grade == proofWrong && !w.cur.exact && cfa > sp
		lost := !r.HasRA || overwritten
		r.HasRA = false // it is not taken from anywhere
		if fit := s.onlyFit(&r, cfa, sites, lost); fit != nil {
			s.best = fit
			return
		}
	}
}

// onlyFit returns the caller at the one call of sites that can be it. lost says
// that the function kept no return address, or that it was overwritten.
func (s *search) onlyFit(r *Row, cfa core.Addr, sites []core.Addr, lost bool) *candidate {
	only := len(sites) == 1
	if len(sites) > maxSites {
		sites = s.likely(sites, cfa)
	}
	var fit *candidate
	for _, at := range sites {
		c, proven := s.fits(r, cfa, at)
		inside := at >= s.f.Entry && at < s.f.End // it cannot be the only way in
		if c == nil || !proven && (!lost || inside || !only || s.w.p.otherWays(s.f.Entry)) {
			continue
		}
		if fit != nil {
			return nil
		}
		fit = c
	}
	return fit
}

// likely keeps the sites in functions whose own direct call shows on the stack
// above cfa, at most maxSites.
func (s *search) likely(sites []core.Addr, cfa core.Addr) []core.Addr {
	w := s.w
	buf := make([]byte, maxLikely)
	n, _ := w.mem.ReadAt(cfa, buf)
	entered := make(map[core.Addr]bool)
	for off := 0; off+4 <= n; off += 4 {
		a, odd := core.CodeAddr(le32(buf[off:]))
		if w.opt.Profile == core.ProfileM && !odd || len(w.text.at(a-2)) < 2 {
			continue
		}
		if site := siteBefore(w.text, a, odd); site.ok && site.inst.Flow == insn.FlowCall {
			entered[site.inst.Target] = true
		}
	}
	var kept []core.Addr
	for _, at := range sites {
		if f, ok := w.p.FuncAt(at); ok && entered[f.Entry] && len(kept) < maxSites {
			kept = append(kept, at)
		}
	}
	return kept
}

// fits returns the caller at the call at, and whether the frame behind it is
// proven.
func (s *search) fits(r *Row, cfa, at core.Addr) (c *candidate, proven bool) {
	w := s.w
	f, ok := w.p.FuncAt(at)
	if !ok {
		return nil, false
	}
	call, err := fetch(w.text, at, f.Thumb)
	if err != nil {
		return nil, false
	}
	ra := uint32(call.Next())
	if f.Thumb {
		ra |= 1
	}
	c = &candidate{grade: proofDirect, site: callSite{inst: call, ok: true}, trust: core.TrustAnalysis}
	c.act = r.restore(&w.cur.frame.Regs, cfa, ra, w.mem)
	outer := &Walker{p: w.p, mem: w.mem, text: w.text, plans: w.plans, opt: w.opt}
	outer.cur = w.callerLevel(c)
	pl := w.plan(&f)
	// A landing pad is not reached, or only behind a call that does not return.
	return c, outer.proves(pl.rowsAt(at, true), &f) || outer.proves(pl.bodyRows(), &f)
}

// proves reports whether one of rows, of the current frame's function f, leads
// to a direct call of f.
func (w *Walker) proves(rows []Row, f *Func) bool {
	for i := range rows {
		act, err := rows[i].apply(&w.cur.frame.Regs, w.mem)
		if err == nil && w.grade(act, f, true).grade >= proofReached {
			return true
		}
	}
	return false
}
