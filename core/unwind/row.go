package unwind

import (
	"slices"

	"pushmask/core"
)

// A Row tells, for one instruction, how to compute the CFA and where the
// registers of the caller lie. Every source of unwind knowledge produces rows
// and [Row.apply] executes them.
type Row struct {
	// CFA lists the ways to compute the CFA, the most reliable first. They
	// agree where the row is true; the first whose inputs are known is used.
	CFA []CFARule
	// RA is where the return address is. A row without one cannot be used.
	RA    Loc
	HasRA bool
	// Saved lists the callee-saved registers that do not hold the caller's
	// value any more, and where that is. A register that is lost has no Loc.
	Saved []SavedRule

	// PSP lists the ways to compute PSP as the interrupted thread has it, the
	// most reliable first; none where it is PSP as it is.
	PSP []PSPRule

	// switched is set behind a write of PSP: the interrupted thread is another
	// than it was at the entry of the handler, and the row not true of it.
	switched bool
	// elsewhere is set where SP was moved to another stack, or holds data: the CFA
	// need not lie above it.
	elsewhere bool
	high      highRegs
	// spare are copies in memory of what a register still holds, and of LR in
	// other registers: of use where the artefact does not have the register, or
	// has it wrong.
	spare  []SavedRule
	floats floats
	// context is set where the caller's SP and the return address lie side by
	// side: registers that were saved for the code below to work on.
	context bool
	// guard says under which flags the row holds, inside of guarded code.
	guard  guard
	source core.Trust // what made it; zero is analysis
	text   string     // String, made once for rows that plans keep
}

// CFARule is CFA = Reg + Off, or CFA = [Reg + Off] + Add when Deref is set. Where
// Reg is NoReg, Off is the address of a variable.
type CFARule struct {
	Reg   core.Reg
	Off   int32
	Deref bool
	Add   int32
}

// LocKind says what a [Loc] counts from.
type LocKind uint8

// The kinds of location.
const (
	LocLost  LocKind = iota // the value is gone
	LocReg                  // in register Reg
	LocAtCFA                // in memory at CFA + Off
	LocAtReg                // in memory at Reg + Off
)

// Loc is where a value lies.
type Loc struct {
	Kind LocKind
	Reg  core.Reg
	Off  int32
}

// SavedRule says where the caller's value of Reg is.
type SavedRule struct {
	Reg core.Reg
	Loc Loc
}

// row derives the row that holds in state s.
func (s *state) row() Row {
	r := Row{PSP: s.pspRules(), switched: s.switched(), high: s.high, elsewhere: s.moved && !s.sp().isCFA()}
	s.cfaRules(&r)
	if p, ok := s.locate(core.LR); ok {
		r.RA, r.HasRA = s.loc(p)
	}
	s.spareCopies(&r)
	r.context = s.savesContext()
	if !r.switched {
		r.floats = s.floats()
	}
	for q := core.R4; q <= core.R11; q++ {
		if s.regs[q] == entry(q) {
			continue
		}
		rule := SavedRule{Reg: q}
		if p, ok := s.locate(q); ok {
			if l, ok := s.loc(p); ok {
				rule.Loc = l
			}
		}
		r.Saved = append(r.Saved, rule)
	}
	return r
}

// savesContext reports whether SP and LR as the caller left them lie side by
// side on the stack, as in the register images that libgcc's _Unwind_* and
// debug monitors make.
func (s *state) savesContext() bool {
	for i := range s.slots[:s.n] {
		if s.slots[i].val == cfa(0) && s.load(s.slots[i].at.add(4)) == entry(core.LR) {
			return true
		}
	}
	return false
}

// spareCopies lists the saved copies of registers that are still in place, and
// of the return address all but the one that is used, those in other registers
// too.
func (s *state) spareCopies(r *Row) {
	for q := core.R0; r.fromLR() && q <= core.R12; q++ {
		if s.regs[q] == entry(core.LR) {
			r.spare = append(r.spare, SavedRule{Reg: core.LR, Loc: Loc{Kind: LocReg, Reg: q}})
		}
	}
	for i := range s.slots[:s.n] {
		q, ok := s.slots[i].val.entryReg()
		if !ok || q > core.LR || q != core.LR && s.regs[q] != entry(q) {
			continue
		}
		l, ok := s.loc(place{reg: core.NoReg, at: s.slots[i].at})
		if ok && l != r.RA {
			r.spare = append(r.spare, SavedRule{Reg: q, Loc: l})
		}
	}
}

// same reports whether o is the same rule: the CFA by the same first way, the
// return address and the saved registers in the same places.
func (r *Row) same(o *Row) bool {
	if len(r.CFA) != 0 && len(o.CFA) != 0 && r.CFA[0] != o.CFA[0] {
		return false
	}
	return (len(r.CFA) == 0) == (len(o.CFA) == 0) &&
		r.switched == o.switched && r.high == o.high && slices.Equal(r.PSP, o.PSP) &&
		r.HasRA == o.HasRA && r.RA == o.RA && slices.Equal(r.Saved, o.Saved)
}

// fromLR reports whether the return address is still in LR.
func (r *Row) fromLR() bool { return r.HasRA && r.RA == Loc{Kind: LocReg, Reg: core.LR} }

// Admits reports whether o, a row of another source, says nothing that r does
// not: the CFA by one of r's ways, the return address in one of the places that
// hold it.
func (r *Row) Admits(o *Row) bool {
	if len(o.CFA) == 0 || !slices.Contains(r.CFA, o.CFA[0]) || r.HasRA != o.HasRA {
		return false
	}
	return r.RA == o.RA || slices.Contains(r.spare, SavedRule{Reg: core.LR, Loc: o.RA})
}

// Distinct drops the rows that another of the list makes needless: where LR
// still holds what was pushed on one path and not on the other, the pushed copy
// is right on both.
func Distinct(rows []Row) []Row {
	var kept []Row
	for i := range rows {
		needless := slices.ContainsFunc(rows, func(o Row) bool {
			return !o.same(&rows[i]) && rows[i].Admits(&o) && slices.Equal(o.Saved, rows[i].Saved)
		})
		if !needless {
			kept = append(kept, rows[i])
		}
	}
	return kept
}

// agrees reports whether, and how many, copies of registers still in place equal
// them, as far as both are known.
func (r *Row) agrees(regs *core.Regs, cfa core.Addr, mem core.Memory) (yes bool, copies int) {
	regs = r.withPSP(regs, cfa, mem)
	for _, s := range r.spare {
		if s.Reg == core.LR && (r.RA.Kind != LocReg || r.RA.Reg != core.LR) {
			continue // LR itself is not in place
		}
		held, ok := regs.Get(s.Reg)
		if !ok {
			continue
		}
		v, err := s.Loc.value(regs, cfa, mem)
		if err == nil && v != held {
			return false, 0
		}
		if err == nil {
			copies++
		}
	}
	return true, copies
}

// spareRAs are the rows with the return address taken from another copy: the
// code that runs below may have changed the first (the C++ runtime rewrites
// the registers it was entered with).
func (r *Row) spareRAs() []Row {
	var rows []Row
	for _, s := range r.spare {
		if s.Reg == core.LR {
			c := *r
			c.RA, c.text = s.Loc, ""
			rows = append(rows, c)
		}
	}
	return rows
}

// cfaRules lists the registers, then the saved words, that give the CFA.
func (s *state) cfaRules(r *Row) {
	add := func(q core.Reg) {
		if v := s.regs[q]; v.isCFA() {
			r.CFA = append(r.CFA, CFARule{Reg: q, Off: -v.off})
		}
	}
	add(core.SP)
	for q := core.R4; q <= core.R11; q++ {
		add(q)
	}
	for _, q := range [...]core.Reg{core.R0, core.R1, core.R2, core.R3, core.R12, core.LR} {
		add(q)
	}
	for i := range s.slots[:s.n] {
		sl := s.slots[i]
		if sl.val.isCFA() && sl.at.isConst() {
			r.CFA = append(r.CFA, CFARule{Reg: core.NoReg, Off: sl.at.off, Deref: true, Add: -sl.val.off})
		}
		if !sl.val.isCFA() || !sl.at.isSym() {
			continue
		}
		if l, ok := s.loc(place{reg: core.NoReg, at: sl.at}); ok {
			r.CFA = append(r.CFA, CFARule{Reg: l.Reg, Off: l.Off, Deref: true, Add: -sl.val.off})
		}
	}
}

// loc expresses a place relative to the CFA or to a register.
func (s *state) loc(p place) (Loc, bool) {
	if p.reg != core.NoReg {
		return Loc{Kind: LocReg, Reg: p.reg}, true
	}
	if p.at.isCFA() {
		return Loc{Kind: LocAtCFA, Off: p.at.off}, true
	}
	if p.at.isProcess() {
		return Loc{Kind: LocAtReg, Reg: core.PSP, Off: p.at.off}, true
	}
	for _, q := range [...]core.Reg{core.SP, core.R7, core.R11, core.R4, core.R5, core.R6, core.R8, core.R9, core.R10, core.R0, core.R1, core.R2, core.R3, core.R12, core.LR} {
		if v := s.regs[q]; v.base == p.at.base {
			return Loc{Kind: LocAtReg, Reg: q, Off: p.at.off - v.off}, true
		}
	}
	return Loc{}, false
}

// activation is what executing a row yields.
type activation struct {
	cfa   core.Addr
	ra    uint32 // with its Thumb bit
	regs  core.Regs
	saved []core.SavedReg
	row   *Row
	// noCFA says that neither cfa nor what lies on the stack is known.
	noCFA bool
}

// calleeSaved are r4 to r11.
const calleeSaved = 1<<core.R12 - 1<<core.R4

// preserved are the registers that a callee leaves as they were or saves: r4
// to r11 (AAPCS32 6.1.1) and what no ordinary function writes. For S16 to S31
// see floats.
const preserved = calleeSaved | 1<<core.MSP | 1<<core.PSP | 1<<core.CONTROL |
	1<<core.PRIMASK | 1<<core.BASEPRI | 1<<core.FAULTMASK | 1<<core.MSPLIM | 1<<core.PSPLIM |
	1<<core.MSPS | 1<<core.PSPS | 1<<core.MSPNS | 1<<core.PSPNS

// apply executes the row: regs are the registers of the frame it belongs to,
// the result holds those of the caller. Registers that a callee may destroy
// and that the row does not recover are unknown in the caller.
func (r *Row) apply(regs *core.Regs, mem core.Memory) (activation, error) {
	cfa, err := r.cfa(regs, mem)
	switch {
	case err != nil && r.HasRA && r.RA.Kind == LocReg && (r.elsewhere || !regs.Has(core.SP)):
		return r.withoutStack(regs)
	case err != nil:
		return activation{}, err
	case !r.HasRA:
		return activation{}, errNoRA
	}
	regs = r.withPSP(regs, cfa, mem)
	ra, err := r.RA.value(regs, cfa, mem)
	if err != nil {
		return activation{}, err
	}
	a := r.restore(regs, cfa, ra, mem)
	if addr, ok := r.RA.address(regs, cfa); ok {
		a.saved = append(a.saved, core.SavedReg{Reg: core.LR, Addr: addr})
	}
	return a, nil
}

// withoutStack finds the caller of code that keeps its return address in a
// register where the caller's SP is not known: logs print a few registers and no
// SP, and code that starts another program gives up the stack that it is on.
func (r *Row) withoutStack(regs *core.Regs) (activation, error) {
	ra, ok := regs.Get(r.RA.Reg)
	if !ok {
		return activation{}, errNoRA
	}
	a := activation{ra: ra, row: r, regs: *regs, noCFA: true}
	a.regs.Keep(preserved | uint64(r.floats.kept)<<firstHigh)
	for _, s := range r.Saved {
		a.regs.Forget(s.Reg)
	}
	if r.elsewhere {
		a.regs.Forget(core.MSP)
		a.regs.Forget(core.PSP)
	}
	a.regs.Set(core.PC, ra&^1)
	return a, nil
}

// Values computes the CFA and the return address, with its Thumb bit, from the
// registers of the frame that the row belongs to. It fails where a register is
// not known or a word is not in memory.
func (r *Row) Values(regs *core.Regs, mem core.Memory) (cfa core.Addr, ra uint32, err error) {
	a, err := r.apply(regs, mem)
	if err == nil && a.noCFA {
		err = errNoCFA
	}
	if err != nil {
		return 0, 0, err
	}
	return a.cfa, a.ra, nil
}

// restore recovers the caller's registers.
func (r *Row) restore(regs *core.Regs, cfa core.Addr, ra uint32, mem core.Memory) activation {
	a := activation{cfa: cfa, ra: ra, row: r, regs: *regs}
	a.saved = make([]core.SavedReg, 0, len(r.Saved)+len(r.spare)+len(r.floats.saved)+1)
	a.regs.Keep(preserved | uint64(r.floats.kept)<<firstHigh)
	for _, s := range r.Saved {
		v, err := s.Loc.value(regs, cfa, mem)
		if err != nil {
			a.regs.Forget(s.Reg)
			continue
		}
		a.regs.Set(s.Reg, v)
		if addr, ok := s.Loc.address(regs, cfa); ok {
			a.saved = append(a.saved, core.SavedReg{Reg: s.Reg, Addr: addr})
		}
	}
	for _, s := range r.spare {
		if v, err := s.Loc.value(regs, cfa, mem); err == nil && !a.regs.Has(s.Reg) && s.Reg != core.LR {
			a.regs.Set(s.Reg, v)
		}
		if addr, ok := s.Loc.address(regs, cfa); ok && s.Reg != core.LR {
			a.saved = append(a.saved, core.SavedReg{Reg: s.Reg, Addr: addr})
		}
	}
	r.floats.restore(&a, regs, mem)
	a.regs.Set(core.SP, uint32(cfa))
	a.regs.Set(core.PC, a.ra&^1)
	return a
}

func (r *Row) cfa(regs *core.Regs, mem core.Memory) (core.Addr, error) {
	err := error(errNoCFA)
	for _, c := range r.CFA {
		v, ok := regs.Get(c.Reg)
		if !ok && c.Reg != core.NoReg {
			continue
		}
		if !c.Deref {
			return core.Addr(v + uint32(c.Off)), nil
		}
		w, rerr := core.ReadU32(mem, core.Addr(v+uint32(c.Off)))
		if rerr != nil {
			err = rerr
			continue
		}
		return core.Addr(w + uint32(c.Add)), nil
	}
	return 0, err
}

// address is the memory address of l, false for registers.
func (l Loc) address(regs *core.Regs, cfa core.Addr) (core.Addr, bool) {
	switch l.Kind {
	case LocAtCFA:
		return cfa + core.Addr(l.Off), true
	case LocAtReg:
		if v, ok := regs.Get(l.Reg); ok {
			return core.Addr(v + uint32(l.Off)), true
		}
	}
	return 0, false
}

func (l Loc) value(regs *core.Regs, cfa core.Addr, mem core.Memory) (uint32, error) {
	if l.Kind == LocReg {
		if v, ok := regs.Get(l.Reg); ok {
			return v, nil
		}
		return 0, errNoRA
	}
	if a, ok := l.address(regs, cfa); ok {
		return core.ReadU32(mem, a)
	}
	return 0, errNoRA
}
