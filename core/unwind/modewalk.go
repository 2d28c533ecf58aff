package unwind

import (
	"fmt"

	"pushmask/core"
	"pushmask/core/insn"
)

// maxModeEntries bounds the exceptions of one stack: those without a hardware
// frame need not use any of it.
const maxModeEntries = 32

// entryKey names the analysis of a function as an exception's handler.
type entryKey struct {
	bounds bounds
	home   core.Mode
}

// entryPlan analyses f as a handler that is entered in mode home.
func (w *Walker) entryPlan(f Func, home core.Mode) *Plan {
	f.exception, f.home = true, home
	k := entryKey{f.bounds(), home}
	w.p.mu.Lock()
	pl, ok := w.p.entries[k]
	w.p.mu.Unlock()
	if ok {
		return pl
	}
	pl = analyse(f, w.text, w.calls())
	if w.p.text.at(f.Entry) == nil {
		return pl // code that only this target holds
	}
	w.p.mu.Lock()
	defer w.p.mu.Unlock()
	w.p.entries[k] = pl
	return pl
}

// modeEntry crosses the entry of an exception of A- and R-profile if f is the
// handler of one, and reports whether that settled how the walk goes on. c is
// the caller that an ordinary function in its place would have, nil for none.
// Hardware leaves the return address and CPSR in the LR and the SPSR of the
// handler's mode and stacks nothing; where the handler keeps them follows from
// its code.
func (w *Walker) modeEntry(f *Func, c *candidate) bool {
	if w.opt.Profile != core.ProfileA {
		return false
	}
	called := c != nil && c.grade >= proofReached || w.p.resets[f.Entry]
	number, vector := w.p.modeVectors[f.Entry]
	if at := w.cur.frame.PC; w.cur.exact && w.p.modeVectors[at] != 0 && at != f.Entry {
		number, vector = w.p.modeVectors[at], true // stopped in the table itself
		*f = Func{Entry: at, End: at + 4}
	}
	switch {
	case vector:
	case called:
		return false
	case !w.plan(f).exceptionReturn && !w.mode.Exception():
		return false
	}
	exc := modeExceptions[number]
	if number == 0 && w.mode.Exception() {
		exc = modeException{mode: w.mode}
	}
	pl := w.entryPlan(*f, exc.mode)
	if home := pl.home; exc.mode == core.ModeNone && home != core.ModeNone {
		exc.mode = home
		pl = w.entryPlan(*f, home)
	}
	states := pl.states(w.cur.lookup())
	var missing core.Stop
	for i := range states {
		e := modeFrame{w: w, s: &states[i].state, exc: exc}
		if !w.cur.exact {
			e.s.call()
		}
		stop := e.cross()
		if stop.Kind == core.StopNone {
			return true
		}
		missing = stop
	}
	if !vector && !w.mode.Exception() && (missing.Kind == core.StopNone || missing.Kind == core.StopBadException) {
		return false // code that shares a range with a handler, without symbols
	}
	if missing.Kind == core.StopNone {
		missing = core.Stop{Kind: core.StopNoRule, Detail: fmt.Sprintf("%s at %v: %v", nameOf(f), w.cur.frame.PC, errNotReach)}
	}
	w.stop = missing
	return true
}

// modeFrame is the entry of an exception whose handler is in state s.
type modeFrame struct {
	w    *Walker
	s    *state
	exc  modeException
	told bool // exc is what it was
	cfa  core.Addr
	full bool // cfa is known
}

// cross queues the exception and the code it interrupted, or says why not.
func (e *modeFrame) cross() core.Stop {
	w := e.w
	e.homeSP()
	lr, stop := e.returnAddress()
	if stop.Kind != core.StopNone {
		return stop
	}
	status, known := e.status()
	if known && core.ModeOf(status) == core.ModeNone {
		return core.Stop{Kind: core.StopBadException, Detail: fmt.Sprintf("%#08x, kept as the status of the interrupted code, names no mode", status)}
	}
	pc, thumbState, stop := e.interrupted(lr, status, known)
	if stop.Kind != core.StopNone {
		return stop
	}
	if w.entries++; w.entries > maxModeEntries {
		return core.Stop{Kind: core.StopLimit, Detail: fmt.Sprintf("more than %d exceptions, each of which interrupted the one before", maxModeEntries)}
	}
	entry := core.Frame{
		Kind: core.FrameException, CFA: e.cfa, HasCFA: e.full, Trust: core.TrustException,
		Regs: w.cur.frame.Regs, Exception: &core.ExceptionEntry{Name: e.exc.name},
		Why: fmt.Sprintf("entry of an exception, return address %#08x", lr),
	}
	regs := e.registers()
	if known {
		regs.Set(core.PSR, status)
	} else if thumbState {
		pc |= 1
	}
	w.mode, w.missing = core.ModeNone, ""
	if known {
		w.mode = core.ModeOf(status)
		w.missing = e.bank(&regs, w.mode)
	} else {
		w.missing = "the mode of the interrupted code is not known: SPSR is not in the artefact, and with that not its SP and LR"
	}
	if e.full {
		w.cur.frame.CFA, w.cur.frame.HasCFA = e.cfa, true
	}
	inner := w.exactLevel(regs, core.Addr(pc), core.TrustException, "interrupted: LR and SPSR of the exception's mode")
	w.queue = append(w.queue, level{frame: entry}, inner)
	return core.Stop{}
}

// homeSP finds the SP at the handler's entry.
func (e *modeFrame) homeSP() {
	regs, m := &e.w.cur.frame.Regs, &e.s.modes
	if v, ok := e.stack(cfa(0).base); ok {
		e.cfa, e.full = core.Addr(v), true
		return
	}
	if m.now != core.ModeNone && m.homeSP.isCFA() {
		if v, ok := regs.Banked(m.home, core.BankedSP); ok {
			e.cfa, e.full = core.Addr(v-uint32(m.homeSP.off)), true
		}
	}
}

// stack is what a stack pointer was at the handler's entry, by the registers
// that hold it with an offset.
func (e *modeFrame) stack(want base) (uint32, bool) {
	regs, a := &e.w.cur.frame.Regs, &e.s.modes.aligned
	for q := core.R0; q <= core.LR; q++ {
		v, ok := regs.Get(q)
		switch held := e.s.regs[q]; {
		case !ok || !held.isAddr():
		case held.base == want:
			return v - uint32(held.off), true
		case held.base == a.sym && a.from.base == want:
			if mask, _, ok := e.find(baseMask); ok {
				return v - uint32(held.off) + mask - uint32(a.from.off), true
			}
		}
	}
	return 0, false
}

// slot is the address of a stack word.
func (e *modeFrame) slot(at value) (core.Addr, bool) {
	if at.isCFA() {
		return e.cfa + core.Addr(at.off), e.full
	}
	if at.isBankSP() {
		v, ok := e.bankedSP(core.Mode(at.base - baseBankSP))
		return core.Addr(v + uint32(at.off)), ok
	}
	for q := core.R0; q <= core.LR; q++ {
		if v, ok := e.w.cur.frame.Regs.Get(q); ok && e.s.regs[q].base == at.base {
			return core.Addr(v + uint32(at.off-e.s.regs[q].off)), true
		}
	}
	return 0, false
}

// find reads a value that the handler keeps: the word, and what was added to it.
// there reports that it is kept in a known place, which may not be readable.
func (e *modeFrame) find(want base) (word uint32, there, ok bool) {
	regs := &e.w.cur.frame.Regs
	for i := range e.s.slots[:e.s.n] {
		sl := e.s.slots[i]
		if sl.val.base != want {
			continue
		}
		there = true
		at, located := e.slot(sl.at)
		if !located {
			continue
		}
		if v, err := core.ReadU32(e.w.mem, at); err == nil {
			return v - uint32(sl.val.off), true, true
		}
	}
	for q := core.R0; q <= core.LR; q++ {
		if e.s.regs[q].base != want {
			continue
		}
		there = true
		if v, known := regs.Get(q); known {
			return v - uint32(e.s.regs[q].off), true, true
		}
	}
	return 0, there, false
}

// returnAddress is what LR was at the handler's entry.
func (e *modeFrame) returnAddress() (uint32, core.Stop) {
	lr, there, ok := e.find(entry(core.LR).base)
	if ok {
		return lr, core.Stop{}
	}
	m, regs := &e.s.modes, &e.w.cur.frame.Regs
	if m.now != core.ModeNone && m.homeLR.base == entry(core.LR).base {
		if v, ok := regs.Banked(m.home, core.BankedLR); ok {
			return v - uint32(m.homeLR.off), core.Stop{}
		}
		there = true
	}
	switch {
	case there && m.now != core.ModeNone && !e.full:
		return 0, core.Stop{Kind: core.StopBank, Detail: fmt.Sprintf("the return address of the exception is on the stack of %s mode, and %s is not in the artefact", m.home, core.BankedName(m.home, core.BankedSP))}
	case there:
		return 0, core.Stop{Kind: core.StopNoMemory, Detail: "the stack of the exception's handler is not in the artefact"}
	}
	return 0, core.Stop{Kind: core.StopNoRule, Detail: "the handler of the exception does not keep its return address"}
}

// status is the CPSR of the interrupted code.
func (e *modeFrame) status() (uint32, bool) {
	if v, _, ok := e.find(baseSPSR); ok {
		return v, true
	}
	home := e.exc.mode
	if home == core.ModeNone {
		home = e.s.modes.home
	}
	return e.w.cur.frame.Regs.Banked(home, core.BankedSPSR)
}

// interrupted tells the PC of the interrupted code and its state.
func (e *modeFrame) interrupted(lr, status uint32, known bool) (pc uint32, thumbState bool, stop core.Stop) {
	w := e.w
	const cpsrT = 1 << 5 // CPSR.T, Armv7-A ARM B1.3.3
	thumbState = lr&2 != 0 || w.p.thumb(core.Addr(lr&^1))
	if known {
		thumbState = status&cpsrT != 0
	}
	if e.told = e.exc.name != ""; !e.told {
		e.kind(lr, thumbState)
	}
	if !e.told {
		return 0, false, core.Stop{Kind: core.StopBadException, Detail: fmt.Sprintf("the exception that left LR %#08x cannot be told: a prefetch abort, a data abort, or another", lr)}
	}
	pc = lr - e.exc.ahead
	if e.exc.mode == core.ModeUndefined && thumbState {
		pc = lr - 2 // Armv7-A ARM B1.8.3: LR is 2 ahead in T32 state
	}
	align := uint32(4)
	if thumbState {
		align = 2
	}
	aborted := e.exc == modeExceptions[vectorPrefetch]
	if pc%align != 0 || len(w.text.at(core.Addr(pc))) < 2 && !aborted {
		return 0, false, core.Stop{Kind: core.StopBadException, Detail: fmt.Sprintf("%#08x, interrupted by the exception %s, is no code", pc, e.exc.name)}
	}
	return pc, thumbState, core.Stop{}
}

// kind tells the exception of a handler that no vector table names, by its mode
// and by the instructions before LR.
func (e *modeFrame) kind(lr uint32, thumbState bool) {
	w := e.w
	mode := e.exc.mode
	if mode == core.ModeNone {
		mode = e.s.modes.home
	}
	before := func(n uint32) (insn.Inst, bool) {
		i, err := fetch(w.text, core.Addr(lr-n), thumbState)
		return i, err == nil
	}
	size := uint32(4)
	if thumbState {
		size = 2
	}
	number := 0
	switch svc, ok := before(size); {
	case mode == core.ModeIRQ:
		number = vectorIRQ
	case mode == core.ModeFIQ:
		number = vectorFIQ
	case mode == core.ModeUndefined:
		number = vectorUndefined
	case mode == core.ModeAbort:
		at, there := before(modeExceptions[vectorPrefetch].ahead)
		data, readable := before(modeExceptions[vectorData].ahead)
		switch {
		case !there || at.Op == insn.OpBKPT:
			number = vectorPrefetch
		case readable && accessesMemory(&data):
			number = vectorData
		}
	case ok && svc.Op == insn.OpSVC && (mode == core.ModeSupervisor || mode == core.ModeNone):
		number = vectorSVC
	case mode == core.ModeNone && e.returnsTo() == -4:
		e.exc.ahead, e.told = 4, true // IRQ or FIQ: it goes on where it was
	}
	if number != 0 {
		e.exc, e.told = modeExceptions[number], true
	}
}

// returnsTo is what the handler has added to the return address so far.
func (e *modeFrame) returnsTo() int32 {
	want := entry(core.LR).base
	for i := range e.s.slots[:e.s.n] {
		if v := e.s.slots[i].val; v.base == want {
			return v.off
		}
	}
	return e.s.regs[core.LR].off
}

// accessesMemory tells loads and stores.
func accessesMemory(i *insn.Inst) bool {
	switch i.Op {
	case insn.OpLoad, insn.OpStore, insn.OpLoadDual, insn.OpStoreDual, insn.OpLoadMulti, insn.OpStoreMulti,
		insn.OpVLoad, insn.OpVStore, insn.OpLoadSub, insn.OpStoreSub:
		return true
	}
	return false
}

// registers recovers R0 to R12 of the interrupted code; FIQ mode has R8 to R12
// of its own.
func (e *modeFrame) registers() core.Regs {
	var regs core.Regs
	from := &e.w.cur.frame.Regs
	for q := core.R0; q <= core.R12; q++ {
		if q >= core.R8 && e.exc.mode == core.ModeFIQ {
			break
		}
		if e.s.regs[q] == entry(q) {
			if v, ok := from.Get(q); ok {
				regs.Set(q, v)
				continue
			}
		}
		if v, _, ok := e.find(entry(q).base); ok {
			regs.Set(q, v)
		}
	}
	e.keepBanks(&regs)
	return regs
}

// keepBanks gives regs the banked registers as they were at the exception.
func (e *modeFrame) keepBanks(regs *core.Regs) {
	from, m := &e.w.cur.frame.Regs, &e.s.modes
	regs.CopyBanked(from)
	if m.other == core.ModeNone {
		return
	}
	sp, ok := e.bankedSP(m.other)
	lr, okLR := e.bankedLR(m.other)
	regs.ForgetBanked(m.other)
	if ok {
		regs.SetBanked(m.other, core.BankedSP, sp)
	}
	if okLR {
		regs.SetBanked(m.other, core.BankedLR, lr)
	}
}

// bankedLR is the LR of mode m at the handler's entry.
func (e *modeFrame) bankedLR(m core.Mode) (uint32, bool) {
	if lr, _, ok := e.find(bankLR(m).base); ok {
		return lr, true
	}
	if e.s.modes.now == m.Bank() {
		return 0, false // what the artefact has is not of this time
	}
	return e.w.cur.frame.Regs.Banked(m, core.BankedLR)
}

// bank finds SP and LR of the interrupted code, which ran in mode m, and says
// what of them is missing.
func (e *modeFrame) bank(regs *core.Regs, m core.Mode) (missing string) {
	home := e.exc.mode
	if home == core.ModeNone {
		home = e.s.modes.home
	}
	if m.Bank() == home {
		if e.full {
			regs.Set(core.SP, uint32(e.cfa))
		}
		return fmt.Sprintf("the interrupted code ran in %s mode as the handler does: the exception overwrote its LR", m)
	}
	sp, ok := e.bankedSP(m)
	if ok {
		regs.Set(core.SP, sp)
	}
	lr, okLR := e.bankedLR(m)
	if okLR {
		regs.Set(core.LR, lr)
	}
	if e.full {
		regs.SetBanked(home, core.BankedSP, uint32(e.cfa))
	}
	switch {
	case !ok:
		return fmt.Sprintf("the interrupted code ran in %s mode, and %s is not in the artefact", m, core.BankedName(m, core.BankedSP))
	case !okLR:
		return fmt.Sprintf("the interrupted code ran in %s mode, and %s is not in the artefact", m, core.BankedName(m, core.BankedLR))
	}
	return ""
}

// bankedSP is the SP of mode m at the handler's entry.
func (e *modeFrame) bankedSP(m core.Mode) (uint32, bool) {
	want := bankSP(m).base
	if v, ok := e.stack(want); ok {
		return v, true
	}
	v, ok := e.w.cur.frame.Regs.Banked(m, core.BankedSP)
	if !ok {
		return 0, false
	}
	switch moved := e.s.modes.otherSP; {
	case e.s.modes.now == m.Bank():
		return 0, false // what the artefact has is not of this time
	case e.s.modes.other == m.Bank() && moved.base == want:
		return v - uint32(moved.off), true
	case e.s.modes.other == m.Bank():
		return 0, false
	}
	return v, true
}
