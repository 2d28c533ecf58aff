package unwind

import (
	"pushmask/core"
	"pushmask/core/exc"
	"pushmask/elfsym/cfi"
	"pushmask/elfsym/exidx"
)

// keptHigh says of all of S16 to S31 that they hold the caller's values.
const keptHigh = 1<<16 - 1

// cfiFloats says where the caller's S16 to S31 are by call frame information:
// registers without a rule hold their value still (IHI 0040, 4.4). D8 to D15 and
// the obsolete numbers of S16 to S31 may both occur.
func cfiFloats(c *cfi.Row) floats {
	f := floats{kept: keptHigh}
	for _, g := range c.Regs {
		first, n := firstHigh, core.Reg(1)
		switch {
		case g.Reg >= cfi.S0+16 && g.Reg < cfi.S0+32:
			first = core.S0 + core.Reg(g.Reg-cfi.S0)
		case g.Reg >= cfi.D0+8 && g.Reg < cfi.D0+16:
			first, n = core.S0+2*core.Reg(g.Reg-cfi.D0), 2
		default:
			continue
		}
		if g.Rule.Kind == cfi.SameValue {
			continue
		}
		l, ok := cfiLoc(g)
		for k := range n {
			f.kept &^= 1 << (first + k - firstHigh)
			if ok && l.Kind == LocAtCFA {
				f.saved = append(f.saved, SavedRule{Reg: first + k, Loc: Loc{Kind: LocAtCFA, Off: l.Off + 4*int32(k)}})
			}
		}
	}
	return f
}

// exidxFloats is cfiFloats by an entry of the exception index table, which holds
// at call sites.
func exidxFloats(u *exidx.Unwind) floats {
	f := floats{kept: keptHigh}
	for _, s := range u.Saved {
		if s.Reg < exidx.D0+8 || s.Reg >= exidx.D0+16 {
			continue
		}
		first := core.S0 + 2*core.Reg(s.Reg-exidx.D0)
		for k := range core.Reg(2) {
			f.kept &^= 1 << (first + k - firstHigh)
			f.saved = append(f.saved, SavedRule{Reg: first + k, Loc: Loc{Kind: LocAtCFA, Off: s.Offset + 4*int32(k)}})
		}
	}
	return f
}

// floatsByTables recovers S16 to S31 of the caller where the row does not say
// where any of them is, by what the image's tables say of a frame that has the
// same caller. Handlers are left out: compilers write tables for the assembly of a
// context switch that know nothing of what it loads.
func (w *Walker) floatsByTables(c *candidate) {
	known := &c.act.row.floats
	switch {
	case c.trust == core.TrustCFI, c.trust == core.TrustEXIDX, c.act.noCFA, exc.IsReturn(c.act.ra):
		return
	case known.kept != 0, len(known.saved) != 0:
		return
	}
	at := w.cur.lookup()
	t, ok := w.p.cfiRow(at)
	if !ok && !w.cur.exact {
		t, ok = w.p.exidxRow(at)
	}
	if !ok {
		return
	}
	regs := &w.cur.frame.Regs
	act, err := t.apply(regs, w.mem)
	if err != nil || act.cfa != c.act.cfa || act.ra != c.act.ra {
		return
	}
	for q := firstHigh; q <= core.S31; q++ {
		if v, ok := act.regs.Get(q); ok {
			c.act.regs.Set(q, v)
		}
	}
	for _, s := range act.saved {
		if s.Reg >= firstHigh {
			c.act.saved = append(c.act.saved, s)
		}
	}
}
