package unwind

import (
	"pushmask/core"
	"pushmask/elfsym/cfi"
	"pushmask/elfsym/exidx"
)

// frameTables are the tables of an image that describe frames; nil ones are
// absent.
type frameTables struct {
	cfi   *cfi.Table
	exidx *exidx.Table
}

// tables returns those of the image that an address belongs to. Damage is
// reported by the image itself; what could be read is used.
func (p *Program) tables(a core.Addr) (t frameTables) {
	if m := p.images.At(uint32(a)); m != nil {
		t.cfi, _ = m.CFI()
		t.exidx, _ = m.EXIDX()
	}
	return t
}

// SourceRows returns the rows that hold before the instruction at pc according
// to one source: core.TrustAnalysis, core.TrustCFI or core.TrustEXIDX. The
// tables of EHABI describe a function's body only, not its prologue and
// epilogues.
func (p *Program) SourceRows(source core.Trust, pc core.Addr) []Row {
	switch source {
	case core.TrustAnalysis:
		if f, ok := p.FuncAt(pc); ok {
			return p.Plan(f).Rows(pc)
		}
	case core.TrustCFI:
		if r, ok := p.cfiRow(pc); ok {
			return []Row{r}
		}
	case core.TrustEXIDX:
		if r, ok := p.exidxRow(pc); ok {
			return []Row{r}
		}
	}
	return nil
}

// CallRows returns what SourceRows does while the call that is the instruction
// at pc runs: a row of the analysis does not count on LR then, nor on other
// registers that a callee may destroy.
func (p *Program) CallRows(source core.Trust, pc core.Addr) []Row {
	if source != core.TrustAnalysis {
		return p.SourceRows(source, pc)
	}
	if f, ok := p.FuncAt(pc); ok {
		return p.Plan(f).rowsAt(pc, true)
	}
	return nil
}

// ForwardRow returns the row of f that the code ahead of it tells by what its
// returns pop, without the code before it. It finds none where returns differ.
func (p *Program) ForwardRow(f *core.Frame, mem core.Memory) (Row, bool) {
	w := &Walker{p: p, mem: mem, text: &liveText{image: p.text, mem: mem}, opt: Options{Profile: p.profile}}
	w.cur = level{frame: *f, exact: f.Lookup == f.PC, call: f.Lookup}
	fn, ok := p.FuncAt(w.cur.lookup())
	if !ok {
		fn = Func{Entry: f.PC, End: f.PC, Thumb: f.Thumb}
	}
	r, ok := w.forward(&fn)
	if r.RA.Kind == LocReg && r.RA.Reg != core.LR {
		return Row{}, false // bx r3 may be a jump
	}
	return r, ok
}

// cfiRow converts the row of the call frame information.
func (p *Program) cfiRow(pc core.Addr) (Row, bool) {
	fde, ok := p.tables(pc).cfi.Lookup(uint32(pc))
	if !ok {
		return Row{}, false
	}
	c, err := fde.RowAt(uint32(pc))
	if err != nil || c.CFA.Expr != nil || c.CFA.Reg > cfi.PC {
		return Row{}, false
	}
	r := Row{
		CFA:    []CFARule{{Reg: core.Reg(c.CFA.Reg), Off: c.CFA.Offset}},
		RA:     Loc{Kind: LocReg, Reg: core.LR},
		HasRA:  true,
		source: core.TrustCFI,
	}
	for _, g := range c.Regs {
		l, ok := cfiLoc(g)
		switch {
		case g.Reg == c.ReturnReg:
			if !ok {
				return Row{}, false
			}
			r.RA = l
		case g.Reg >= cfi.Register(core.R4) && g.Reg <= cfi.Register(core.R11) && g.Rule.Kind != cfi.SameValue:
			r.Saved = append(r.Saved, SavedRule{Reg: core.Reg(g.Reg), Loc: l})
		}
	}
	r.floats = cfiFloats(&c)
	return r, true
}

// cfiLoc converts the rule of a register; false for rules that find nothing.
func cfiLoc(g cfi.RegRule) (Loc, bool) {
	switch g.Rule.Kind {
	case cfi.Offset:
		return Loc{Kind: LocAtCFA, Off: g.Rule.Offset}, true
	case cfi.SameValue:
		return Loc{Kind: LocReg, Reg: core.Reg(g.Reg)}, g.Reg <= cfi.PC
	case cfi.InRegister:
		return Loc{Kind: LocReg, Reg: core.Reg(g.Rule.Reg)}, g.Rule.Reg <= cfi.PC
	}
	return Loc{}, false
}

// exidxRow converts an entry of the exception index table.
func (p *Program) exidxRow(pc core.Addr) (Row, bool) {
	e, ok := p.tables(pc).exidx.Lookup(uint32(pc))
	if !ok {
		return Row{}, false
	}
	u, err := e.Unwind()
	if err != nil || u.CantUnwind || u.Refuses || !u.Constant || u.CFAReg > exidx.Register(core.PC) {
		return Row{}, false
	}
	r := Row{
		CFA:    []CFARule{{Reg: core.Reg(u.CFAReg), Off: u.CFAOffset}},
		RA:     Loc{Kind: LocReg, Reg: core.LR},
		HasRA:  true,
		source: core.TrustEXIDX,
	}
	for _, s := range u.Saved {
		l := Loc{Kind: LocAtCFA, Off: s.Offset}
		switch {
		case s.Reg == exidx.Register(core.LR) || s.Reg == exidx.Register(core.PC):
			r.RA = l
		case s.Reg >= exidx.Register(core.R4) && s.Reg <= exidx.Register(core.R11):
			r.Saved = append(r.Saved, SavedRule{Reg: core.Reg(s.Reg), Loc: l})
		}
	}
	r.floats = exidxFloats(&u)
	return r, true
}

// tables considers what the image's tables say: CFI anywhere, EHABI at call
// sites.
func (s *search) tables() {
	at := s.w.cur.lookup()
	if r, ok := s.w.p.cfiRow(at); ok {
		s.consider(&r)
	}
	if s.proven() || s.w.cur.exact {
		return
	}
	if r, ok := s.w.p.exidxRow(at); ok {
		s.consider(&r)
	}
}
