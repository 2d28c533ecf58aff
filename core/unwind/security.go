package unwind

import (
	"context"
	"fmt"

	"pushmask/core"
	"pushmask/core/exc"
	"pushmask/core/insn"
)

// mainStack and processStack are the stack pointers of a security state.
func mainStack(secure bool) core.Reg {
	if secure {
		return core.MSPS
	}
	return core.MSPNS
}

func processStack(secure bool) core.Reg {
	if secure {
		return core.PSPS
	}
	return core.PSPNS
}

// currentBank is the banked stack pointer that SP is, NoReg where the artefact
// does not tell.
func currentBank(regs *core.Regs) core.Reg {
	sp, ok := regs.Get(core.SP)
	for _, r := range [...]core.Reg{core.MSPS, core.PSPS, core.MSPNS, core.PSPNS} {
		if v, known := regs.Get(r); ok && known && v == sp {
			return r
		}
	}
	return core.NoReg
}

// otherStack corrects the stack that ret selects where a thread of the other
// security state was interrupted: SPSEL is that of the handler's state (Armv8-M ARM
// D1.2, EXC_RETURN.SPSEL and ES), whose threads need not use the same. It takes the
// other one if a frame lies there and not where SPSEL says.
func (w *Walker) otherStack(c *candidate, ret exc.Return) exc.Return {
	other := ret.OtherStack()
	if ret.OtherState() && ret.Thread() && !w.frameOn(c, ret) && w.frameOn(c, other) {
		return other
	}
	return ret
}

// frameOn reports whether a frame lies at the banked stack pointer that ret selects.
func (w *Walker) frameOn(c *candidate, ret exc.Return) bool {
	r, _ := bankedSP(ret)
	sp, ok := c.act.regs.Get(r)
	var b [frameBytes]byte
	_, err := w.mem.ReadAt(core.Addr(sp), b[:])
	return ok && err == nil && w.looksLikeFrame(b[:], core.Addr(sp), ret)
}

// possibleStacks lists the stack pointers that code of a security state may
// use: handlers run on the main stack; for a thread CONTROL.SPSEL of that state
// says which, and artefacts have it of the current state alone.
func (w *Walker) possibleStacks(secure bool) []core.Reg {
	if w.active != 0 {
		return []core.Reg{mainStack(secure)}
	}
	return []core.Reg{processStack(secure), mainStack(secure)}
}

// parkStack keeps what SP is once the current function has returned, as its
// bank has it while code of the other security state runs. secure is the state
// that is left. Where it is not known which bank SP is, neither can be relied on.
func (w *Walker) parkStack(regs *core.Regs, secure bool, sp core.Addr) {
	for _, r := range w.possibleStacks(secure) {
		switch {
		case w.bank == r && regs.Has(r):
			regs.Set(r, uint32(sp))
		case w.bank == core.NoReg:
			regs.Forget(r)
		}
	}
}

// takeStack makes the bank r the current one.
func (w *Walker) takeStack(regs *core.Regs, r core.Reg, sp core.Addr) {
	w.bank = r
	secure := r == core.MSPS || r == core.PSPS
	if r != core.NoReg {
		regs.Set(r, uint32(sp))
	}
	regs.Set(core.SP, uint32(sp))
	for plain, banked := range map[core.Reg]core.Reg{core.MSP: mainStack(secure), core.PSP: processStack(secure)} {
		regs.Forget(plain)
		if v, ok := regs.Get(banked); ok && r != core.NoReg {
			regs.Set(plain, v)
		}
	}
}

// fncFrameSize is what BLXNS pushes on the secure stack: the return address
// and the exception number with CONTROL.SFPA, bytes (Armv8-M ARM, BLXNS).
const fncFrameSize = 8

// secureCaller goes on from a non-secure function that secure code called: its
// return address lies on the secure stack, behind a BLXNS. c is the activation
// of that function.
func (w *Walker) secureCaller(c *candidate) {
	if w.ahead {
		w.end(core.StopEntry, "the other security state called") // and its stack says nothing of this one
		return
	}
	w.saw(false)
	regs := c.act.regs
	w.parkStack(&regs, false, c.act.cfa)
	var found []level
	var banks []core.Reg
	missing := true
	for _, bank := range w.possibleStacks(true) {
		sp, ok := regs.Get(bank)
		if !ok {
			continue
		}
		missing = false
		l, ok := w.behindBLXNS(regs, core.Addr(sp))
		if !ok && bank == w.unsure {
			l, ok = w.behindBLXNS(regs, core.Addr(sp)+exc.SecureFPBytes)
		}
		if ok {
			found, banks = append(found, l), append(banks, bank)
		}
	}
	switch {
	case missing:
		w.end(core.StopBank, "called from the secure state, whose stack pointer is not in the artefact")
	case len(found) == 0:
		w.end(core.StopBadException, "called from the secure state, and its stack does not begin with the return address of a BLXNS")
	case len(found) > 1:
		w.end(core.StopBadException, "called from the secure state, and both of its stacks begin with the return address of a BLXNS")
	default:
		l := found[0]
		w.unsure = core.NoReg
		w.takeStack(&l.frame.Regs, banks[0], core.Addr(l.frame.Regs.Value(core.SP)))
		psr := l.frame.Regs.Value(core.PSR)
		w.active = int(psr & 0x1ff)
		l.frame.Regs.Forget(core.PSR)
		w.queue = append(w.queue, l)
	}
}

// behindBLXNS is the secure caller whose return address BLXNS pushed at sp. Its
// PSR is what was pushed beside it.
func (w *Walker) behindBLXNS(regs core.Regs, sp core.Addr) (level, bool) {
	const meaning = 0x1ff | 1<<20 // exception number, SFPA
	ra, err := core.ReadU32(w.mem, sp)
	if err != nil {
		return level{}, false
	}
	psr, err := core.ReadU32(w.mem, sp+4)
	if err != nil || psr&^meaning != 0 {
		return level{}, false
	}
	grade, site := w.prove(ra, nil, false)
	if grade <= proofWrong || !isBLXNS(&site.inst) {
		return level{}, false
	}
	pc, _ := core.CodeAddr(ra)
	regs.Set(core.PC, uint32(pc))
	regs.Set(core.PSR, psr)
	regs.Set(core.SP, uint32(sp)+fncFrameSize)
	trust := core.TrustAnalysis
	if w.guessed {
		trust = core.TrustScan
	}
	return level{call: site.inst.Addr, frame: core.Frame{
		PC: pc, Lookup: site.inst.Addr, Thumb: true, Regs: regs, Trust: trust,
		Why: fmt.Sprintf("FNC_RETURN, return address at %v on the secure stack", sp),
	}}, true
}

// Encodings of BXNS and BLXNS (Armv8-M ARM C2.4.25, C2.4.22), Rm masked out.
const (
	mNS      = 0xff87
	bxns     = 0x4704
	blxns    = 0x4784
	secureSG = 0xe97fe97f // SG (C2.4.162)
)

func isGateway(i *insn.Inst) bool { return i.Thumb && i.Raw == secureSG }

func isBXNS(i *insn.Inst) bool { return i.Size == 2 && i.Raw&mNS == bxns }

func isBLXNS(i *insn.Inst) bool { return i.Size == 2 && i.Raw&mNS == blxns }

// gateway reports whether non-secure code may have called f: it starts at a
// secure gateway or returns by BXNS. Only then bit 0 of its return address,
// which tells the caller's security state, may be clear (Armv8-M ARM, SG).
func (w *Walker) gateway(f *Func) bool {
	if i, err := fetch(w.text, f.Entry, true); err == nil && isGateway(&i) {
		return true
	}
	return w.plan(f).nonSecure
}

// nonSecureCaller is the caller of a secure function that was called through a
// gateway: it goes on with a stack pointer of the non-secure state. Where both
// are on record and lead equally far, none is taken.
func (w *Walker) nonSecureCaller(c *candidate) {
	if w.ahead {
		w.end(core.StopEntry, "the other security state called")
		return
	}
	w.parkStack(&c.act.regs, true, c.act.cfa)
	w.saw(true)
	l := w.callerLevel(c)
	w.bank = core.NoReg
	best, far, tie := core.NoReg, 0, false
	for _, bank := range w.possibleStacks(false) {
		sp, ok := l.frame.Regs.Get(bank)
		if !ok {
			continue
		}
		on := l
		on.frame.Regs.Set(core.SP, sp)
		n := w.reach(on)
		tie = n == far
		if n > far {
			best, far = bank, n
		}
	}
	if best == core.NoReg || tie {
		for _, r := range [...]core.Reg{core.SP, core.MSP, core.PSP} {
			l.frame.Regs.Forget(r)
		}
	} else {
		w.takeStack(&l.frame.Regs, best, core.Addr(l.frame.Regs.Value(best)))
	}
	w.queue = append(w.queue, l)
}

// maxAhead bounds the frames that are walked to choose between two stacks.
const maxAhead = 8

// reach grades how far the stack of l leads within its security state: by the
// frames, up to maxAhead, that no saved register contradicts, and then by a true
// end.
func (w *Walker) reach(l level) int {
	opt := w.opt
	opt.MaxFrames = maxAhead
	inner := &Walker{
		p: w.p, mem: w.mem, text: w.text, plans: w.plans, opt: opt,
		active: w.active, crossed: true, ahead: true, bank: core.NoReg, queue: []level{l},
	}
	frames := 0
	for _, ok := inner.Next(context.Background()); ok; _, ok = inner.Next(context.Background()) {
		frames++
	}
	frames -= inner.contradicted
	switch inner.Stop().Kind {
	case core.StopEntry:
		return 3*frames + 2
	case core.StopLRZero: // or memory that was never written
		return 3*frames + 1
	}
	return 3 * frames
}

// securityState is that of a core, unknown until something tells. Cores without
// the Security Extension pass for secure.
type securityState uint8

const (
	stateUnknown securityState = iota
	stateSecure
	stateNonSecure
)

// saw notes the state of the code that a change of states comes back from: the
// first on the way is that of the core.
func (w *Walker) saw(secure bool) {
	switch {
	case w.state != stateUnknown:
	case secure:
		w.state = stateSecure
	default:
		w.state = stateNonSecure
	}
}

// secureFP decides whether a secure frame goes on with S16-S31 where the
// artefact does not have the secure FPCCR: it does if the interrupted stack leads
// further then. Where both lead equally far, the next secure caller tells.
func (w *Walker) secureFP(c *candidate, fr *exc.Frame) {
	larger := *fr
	larger.AddSecureFP()
	if larger.SP == fr.SP || fr.SizeKnown(w.mem, w.fpView(fr.Return)) || w.ahead || !c.act.regs.Has(core.MSPS) && !fr.Return.OtherState() {
		return
	}
	at := func(f *exc.Frame) level {
		return level{exact: true, frame: core.Frame{PC: f.PC(), Lookup: f.PC(), Thumb: true, Regs: f.Restore(c.act.regs)}}
	}
	switch near, far := w.reach(at(fr)), w.reach(at(&larger)); {
	case far > near:
		*fr = larger
	case far == near:
		w.unsure, _ = bankedSP(fr.Return)
	}
}

// withoutUnsure takes out of f what follows from a stack pointer that is not sure,
// see secureFP. bank is the stack pointer that f runs on.
func withoutUnsure(f *core.Frame, unsure, bank core.Reg) {
	if unsure == core.NoReg {
		return
	}
	f.Regs.Forget(unsure)
	if bank != unsure {
		return
	}
	f.CFA, f.HasCFA, f.Saved = 0, false, nil
	if f.Kind == core.FrameFunction {
		f.Regs.Forget(core.SP)
		f.Regs.Forget(core.MSP)
		f.Regs.Forget(core.PSP)
	}
}

// forgetSaved forgets what was read from the stack.
func (a *activation) forgetSaved() {
	for _, s := range a.saved {
		a.regs.Forget(s.Reg)
	}
}
