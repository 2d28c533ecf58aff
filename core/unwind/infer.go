package unwind

import (
	"pushmask/core"
)

// maxSites bounds the call sites tried for one function.
const maxSites = 64

// infer finds the caller of a function that did not keep its return address
// (one that never returns), or whose copies were overwritten: the one direct
// call of it, in the whole image, behind which the stack goes on with a proven
// return address, or, where no return address was kept or all its copies on the
// stack were overwritten, the only way into it. Where several calls fit, none is
// taken.
func (s *search) infer(rows []Row) {
	w := s.w
	sites := w.p.discovered().calls[s.f.Entry]
	if len(sites) == 0 || len(sites) > maxSites {
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
	var fit *candidate
	for _, at := range sites {
		c, proven := s.fits(r, cfa, at)
		inside := at >= s.f.Entry && at < s.f.End // it cannot be the only way in
		if c == nil || !proven && (!lost || inside || len(sites) > 1 || s.w.p.otherWays(s.f.Entry)) {
			continue
		}
		if fit != nil {
			return nil
		}
		fit = c
	}
	return fit
}

// otherWays reports whether the function at entry can be entered otherwise
// than by a direct call: by a branch, or through a pointer that the image
// holds.
func (p *Program) otherWays(entry core.Addr) bool {
	if p.discovered().jumps[entry] {
		return true
	}
	for _, e := range p.text {
		for off := 0; off+4 <= len(e.data); off += 4 {
			if core.Addr(le32(e.data[off:])&^1) == entry {
				return true
			}
		}
	}
	return p.pointerInData(uint32(entry))
}

// pointerInData looks for a pointer to entry in what the image holds beside
// its code.
func (p *Program) pointerInData(entry uint32) bool {
	if p.img == nil {
		return false
	}
	for _, g := range p.img.Segments() {
		if g.Exec || g.FileSize > maxCode {
			continue
		}
		buf := make([]byte, g.FileSize)
		n, _ := p.img.ReadAt(g.Addr, buf)
		for off := 0; off+4 <= n; off += 4 {
			if le32(buf[off:])&^1 == entry {
				return true
			}
		}
	}
	return false
}

// fits returns the caller at the call at, and whether the frame behind it is
// proven.
func (s *search) fits(r *Row, cfa, at core.Addr) (c *candidate, proven bool) {
	w := s.w
	th := w.cur.frame.Thumb
	call, err := fetch(w.text, at, th)
	if err != nil {
		return nil, false
	}
	ra := uint32(call.Next())
	if th {
		ra |= 1
	}
	c = &candidate{grade: proofDirect, site: callSite{call, true}, trust: core.TrustAnalysis}
	c.act = r.restore(&w.cur.frame.Regs, cfa, ra, w.mem)
	f, ok := w.p.FuncAt(at)
	if !ok {
		return nil, false
	}
	outer := &Walker{p: w.p, mem: w.mem, text: w.text, plans: w.plans, opt: w.opt}
	outer.cur = w.callerLevel(c)
	pl := w.plan(&f)
	rows := pl.rowsAt(at, true)
	if len(rows) == 0 {
		rows = pl.bodyRows() // a landing pad
	}
	for _, row := range rows {
		act, err := row.apply(&outer.cur.frame.Regs, w.mem)
		if err != nil {
			continue
		}
		if outer.grade(act, &f, true).grade >= proofReached {
			return c, true
		}
	}
	return c, false
}
