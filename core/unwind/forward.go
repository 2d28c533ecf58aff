package unwind

import (
	"pushmask/core"
	"pushmask/core/insn"
	"pushmask/core/thumb"
)

// maxForward bounds the instructions followed from a PC to a return.
const maxForward = 4000

// forward simulates the current frame's code from its PC to the return and
// derives the row from what the return pops, with no knowledge of the
// prologue. It succeeds only if every return that is found agrees.
func (w *Walker) forward(f *Func) (Row, bool) {
	c := &w.cur
	s := entryState()
	s.lazy = true
	if !c.exact {
		s.call()
	}
	pc := c.frame.PC
	e := escape{
		text: w.text, thumb: c.frame.Thumb, scout: new(scout),
		isEntry: func(a core.Addr) bool { return w.p.isEntry(a, pc) },
		calls:   w.calls(),
	}
	if f.End > pc {
		e.end = f.End
	}
	if psr, ok := c.frame.Regs.Get(core.PSR); ok && c.exact {
		e.start(c.frame.PC, psr)
	}
	e.run(c.frame.PC, s)
	if !e.found || e.conflict {
		return Row{}, false
	}
	if e.steps == maxForward {
		e.row.floats = floats{} // there may be other returns
	}
	return e.row, true
}

// start sets out from pc with the flags and the IT state of psr (EPSR.IT, Armv7-M
// ARM B1.4.2; CPSR.IT, Armv7-A ARM B1.3.3).
func (e *escape) start(pc core.Addr, psr uint32) {
	i, err := fetch(e.text, pc, e.thumb)
	if err != nil {
		return
	}
	cond := i.Cond
	if e.thumb {
		e.it = thumb.ITState(psr>>8&0xfc | psr>>25&3)
		cond = e.it.Cond()
	}
	if cond < insn.AL {
		e.guard = guard{set: true, cond: cond, taken: holds(cond, psr)}
	}
}

// subroutine implements callInfo: the code at entry comes back if some way
// through it ends with the LR it was entered with.
func (p *Program) subroutine(entry core.Addr, f *Func) bool {
	p.mu.Lock()
	back, ok := p.subs[entry]
	p.mu.Unlock()
	if ok {
		return back
	}
	back, _ = p.comesBack(p.text, entry, f, p)
	p.mu.Lock()
	p.subs[entry] = back
	p.mu.Unlock()
	return back
}

// comesBack looks through the code in t that starts at entry, called from f. back
// is set where it returns by its LR, above where by a frame that it did not push.
func (p *Program) comesBack(t text, entry core.Addr, f *Func, calls callInfo) (back, above bool) {
	e := escape{
		text: t, thumb: f.Thumb, scout: new(scout),
		isEntry: func(a core.Addr) bool { return p.isEntry(a, entry) },
		calls:   calls,
		brief:   true,
	}
	e.enter(entry)
	return e.back, e.above
}

// isEntry reports whether a is the entry of another function than the one
// around from.
func (p *Program) isEntry(a, from core.Addr) bool {
	f, ok := p.FuncAt(a)
	if !ok || f.Entry != a {
		return false
	}
	here, ok := p.FuncAt(from)
	return !ok || here.Entry != a
}

// escape follows code from a PC to its returns, breadth first.
type escape struct {
	text     text
	thumb    bool
	isEntry  func(core.Addr) bool // tells the entries of other functions
	isFar    func(core.Addr) bool // tells targets of far branches; nil for none
	calls    callInfo
	scout    *scout
	row      Row
	found    bool
	conflict bool
	back     bool        // a return uses the LR the code was entered with
	above    bool        // a frame is popped that was on the stack before
	leaves   []core.Addr // where it branches to with the stack as at the start
	within   *Func       // leaves are followed inside of it only; nil for anywhere
	steps    int
	brief    bool          // it ends with the first return that uses that LR
	end      core.Addr     // of the function, not to be run past; 0 when unknown
	it       thumb.ITState // at the start
	guard    guard         // at the start
}

// enter follows the code of a function from its entry.
func (e *escape) enter(entry core.Addr) {
	s := entryState()
	s.lazy = true
	e.run(entry, s)
}

func (e *escape) run(pc core.Addr, s state) {
	e.scout.reset()
	e.scout.queue = append(e.scout.queue, escapePoint{pc: pc, thumb: e.thumb, s: s, it: e.it, guard: e.guard})
	for n := 0; n < len(e.scout.queue) && e.steps < maxForward && !(e.brief && e.back); n++ {
		p := e.scout.queue[n]
		e.follow(&p)
	}
}

// later notes where the code of i leads beside the next instruction.
func (e *escape) later(i *insn.Inst, to core.Addr, s *state) {
	e.scout.queue = append(e.scout.queue, escapePoint{pc: to, thumb: i.Thumb, s: *s})
}

// follow runs p to the end of straight-line code.
func (e *escape) follow(p *escapePoint) {
	for ; e.steps < maxForward; e.steps++ {
		if p.pc == e.end || !e.scout.visit(p.key()) {
			return
		}
		i, err := fetch(e.text, p.pc, p.thumb)
		if err != nil {
			return
		}
		executes := e.condition(&i, p)
		switch {
		case executes == never:
		case executes == maybe && i.Flow == insn.FlowNext:
			done := p.s
			e.step(&i, &done)
			p.s.join(&done)
		default:
			if !e.flow(&i, p, executes == always) {
				return
			}
		}
		p.pc = i.Next()
	}
}

// execution says whether an instruction executes on the way that is followed.
type execution uint8

const (
	always execution = iota
	never
	maybe
)

// condition tells whether i executes at p, and moves the IT state on. Where a
// conditional instruction moves SP it notes the other way to take.
func (e *escape) condition(i *insn.Inst, p *escapePoint) execution {
	cond := i.Cond
	if p.it.InBlock() {
		cond = p.it.Cond()
	}
	p.it = p.it.Next(*i)
	switch {
	case cond >= insn.AL:
		p.guard = guard{}
		return always
	case p.guard.decides(cond):
		if p.guard.holds(cond) {
			return always
		}
		return never
	}
	p.guard = guard{}
	if i.Flow != insn.FlowNext || i.Defs&(1<<core.SP) == 0 {
		return maybe
	}
	other := *p
	other.pc, other.guard = i.Next(), guard{set: true, cond: cond}
	e.scout.queue = append(e.scout.queue, other)
	p.guard = guard{set: true, cond: cond, taken: true}
	return always
}

func (e *escape) step(i *insn.Inst, s *state) { s.step(i, baseSym+base(e.steps), e.word) }

// flow applies an instruction that executes, always or maybe, notes where it
// leads and reports whether the next instruction is reached.
func (e *escape) flow(i *insn.Inst, p *escapePoint, always bool) bool {
	s := &p.s
	e.above = e.above || s.takesFrame(i)
	if s.linked(i) {
		s.call()
		return true
	}
	switch i.Flow {
	case insn.FlowBranch:
		e.branch(i, s, always)
		return !always
	case insn.FlowReg, insn.FlowLoad:
		if half, ok := e.otherHalf(i, s); ok && always {
			e.step(i, s)
			e.scout.queue = append(e.scout.queue, escapePoint{pc: half.addr, thumb: half.thumb, s: *s})
			return false
		}
		e.leave(i, *s)
		return !always
	case insn.FlowCall:
		e.step(i, s)
		switch k := e.calls.switchHelper(i.Target); {
		case k != switchNone:
			e.cases(i, s, k)
			return false
		case e.calls.noReturn(called(i)):
			return !always
		case e.isFar != nil && e.isFar(i.Target):
			e.later(i, i.Target, s)
			return false
		}
		return true
	case insn.FlowTable, insn.FlowOther, insn.FlowTrap, insn.FlowUndef:
		return !always
	}
	e.step(i, s)
	// Behind a switch of threads the return is that of another one.
	e.conflict = e.conflict || i.Op == insn.OpMSR && i.Imm == sysPSP
	return true
}

// otherHalf is where a function goes on in the other instruction set state.
func (e *escape) otherHalf(i *insn.Inst, s *state) (codePtr, bool) {
	if i.Flow != insn.FlowReg {
		return codePtr{}, false
	}
	v := s.reg(i.Rm, i)
	t, odd := core.CodeAddr(uint32(v.off))
	return codePtr{t, odd}, v.isConst() && odd != i.Thumb && !s.atEntryLevel() && t > i.Addr && t < e.end
}

// branch notes where the branch i leads: nowhere where it counts as a return.
func (e *escape) branch(i *insn.Inst, s *state, always bool) {
	e.step(i, s)
	if always && (s.atEntryLevel() || e.isFar != nil && s.sp() == cfa(0)) {
		e.leaves = append(e.leaves, i.Target)
		if e.within != nil && !e.within.contains(i.Target) {
			return
		}
	}
	if always && e.tail(i, s) {
		return
	}
	e.later(i, i.Target, s)
}

// cases notes where the table behind the call i to a switch helper leads. The
// table ends where the code of the first of its cases starts.
func (e *escape) cases(i *insn.Inst, s *state, k switchKind) {
	s.regs[core.R0], s.regs[core.R12], s.regs[core.LR] = unknown, unknown, unknown
	end := e.end
	for at, target := range helperTargets(e.text, i.Next(), k) {
		if end != 0 && at >= end || e.end != 0 && target >= e.end {
			break
		}
		if target > at && (end == 0 || target < end) {
			end = target
		}
		e.later(i, target, s)
	}
}

// takesFrame tells instructions that set SP from a callee-saved register as the
// caller left it: the epilogue of a function that was not entered here.
func (s *state) takesFrame(i *insn.Inst) bool {
	var from core.Reg
	switch {
	case i.Rd != core.SP:
		return false
	case i.Op == insn.OpMove:
		from = i.Rm
	case i.Op == insn.OpAdd:
		from = i.Rn
	default:
		return false
	}
	return from >= core.R4 && from <= core.R11 && s.regs[from].base == entry(from).base
}

// tail takes a branch to the start of a function as a return: the frame is
// gone by then, LR is the caller's.
func (e *escape) tail(i *insn.Inst, s *state) bool {
	if !s.sp().isCFA() || !e.isEntry(i.Target) {
		return false
	}
	if e.isFar == nil {
		e.note(s, s.regs[core.LR])
	}
	return true
}

// leave handles the instruction that loads PC: the row follows from where the
// value comes from and what SP is afterwards.
func (e *escape) leave(i *insn.Inst, s state) {
	var ra value
	switch {
	case i.Flow == insn.FlowReg:
		ra = s.reg(i.Rm, i)
		// A call of a pointer through a thunk (bx rN) comes back by LR. T32's MOV
		// to PC is the jump of a switch.
		e.back = e.back || s.atEntryLevel() && !(i.Thumb && i.Op == insn.OpMove)
	case i.Op == insn.OpLoadMulti:
		n := int32(popcount(i.List))
		low, _ := span(s.reg(i.Rn, i), i.Multi, n)
		ra = s.load(low.add(4 * (n - 1)))
	case i.Op == insn.OpLoad:
		ea, _ := s.address(i)
		ra = s.load(ea)
	default:
		return
	}
	e.step(i, &s)
	if ra.isConst() {
		ra = s.regs[core.LR] // a veneer: it goes on to a function
	}
	if s.sp().isCFA() {
		e.note(&s, ra)
	}
}

// note records a return: SP at the PC plus what SP has moved is the CFA.
func (e *escape) note(s *state, ra value) {
	off := s.sp().off
	e.back = e.back || ra == entry(core.LR)
	e.above = e.above || ra.base == baseSlot
	r := Row{CFA: []CFARule{{Reg: core.SP, Off: off}}}
	if r.RA, r.HasRA = before(ra, off); !r.HasRA {
		return
	}
	for q := core.R4; q <= core.R11; q++ {
		switch l, _ := before(s.regs[q], off); {
		case s.regs[q] == ra:
			r.Saved = append(r.Saved, SavedRule{Reg: q}) // it had the caller's before
		case s.regs[q] != entry(q):
			r.Saved = append(r.Saved, SavedRule{Reg: q, Loc: l})
		}
	}
	r.floats.kept = s.floats().kept
	if e.found {
		r.floats.kept &= e.row.floats.kept
	}
	if e.found && (e.row.CFA[0] != r.CFA[0] || e.row.RA != r.RA) {
		e.conflict = true
		return
	}
	e.row, e.found = r, true
}

// before is where a value lies at the PC, with the CFA off bytes above SP.
func before(v value, off int32) (Loc, bool) {
	if q, ok := v.entryReg(); ok {
		return Loc{Kind: LocReg, Reg: q}, true
	}
	if v.base == baseSlot {
		return Loc{Kind: LocAtCFA, Off: v.off - off}, true
	}
	if q, o, ok := v.heldAt(); ok {
		return Loc{Kind: LocAtReg, Reg: q, Off: o}, true
	}
	return Loc{}, false
}

func (e *escape) word(a core.Addr) (uint32, bool) { return word(e.text, a) }
