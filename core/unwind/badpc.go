package unwind

import (
	"pushmask/core"
	"pushmask/core/exc"
)

// badPC handles a PC that is no code: a call or jump through a bad pointer.
// LR then still has the caller, if it follows a call through a register, or one
// of a function that can have gone there.
func (w *Walker) badPC() {
	cur := &w.cur.frame
	lr, ok := cur.Regs.Get(core.LR)
	sp, okSP := cur.Regs.Get(core.SP)
	if !ok || !okSP {
		w.end(core.StopBadPC, "there is no code at the PC %v and LR is not known", cur.PC)
		return
	}
	row := Row{CFA: []CFARule{{Reg: core.SP}}, RA: Loc{Kind: LocReg, Reg: core.LR}, HasRA: true}
	act, err := row.apply(&cur.Regs, w.mem)
	if err != nil {
		w.end(core.StopBadPC, "there is no code at the PC %v: %v", cur.PC, err)
		return
	}
	f := Func{Entry: cur.PC, End: cur.PC}
	c := &candidate{act: act, trust: core.TrustLinkRegister}
	if w.opt.Profile == core.ProfileM && exc.IsReturn(lr) {
		w.exception(&f, false, c, exc.Return(lr))
		return
	}
	if w.opt.Profile == core.ProfileM && exc.IsFncReturn(lr) {
		w.secureCaller(c)
		return
	}
	if c.grade, c.site = w.prove(lr, &f, false); c.grade <= proofWrong {
		w.end(core.StopBadPC, "there is no code at the PC %v, and LR %#08x does not follow a call of it", cur.PC, lr)
		return
	}
	if w.codeMissing() && !w.continues(c) {
		w.end(core.StopBadPC, "neither the dump nor the ELF has code at the PC %v: if there is some, LR need not be its caller's any more", cur.PC)
		return
	}
	cur.CFA, cur.HasCFA = core.Addr(sp), true
	w.queue = append(w.queue, w.callerLevel(c))
}

// codeMissing reports whether there may be code at the PC that neither the
// target's memory nor an image has: a ROM, another image. It has not been executed
// where the core cannot execute there.
func (w *Walker) codeMissing() bool {
	pc := w.cur.frame.PC
	if len(w.text.at(pc)) >= 2 || pc == 0 {
		return false
	}
	if w.opt.Profile != core.ProfileM {
		return true
	}
	const thumbState = 1 << 24 // EPSR.T, Armv7-M ARM B1.4.2
	psr, ok := w.cur.frame.Regs.Get(core.PSR)
	return mayExecute(pc) && (!ok || psr&thumbState != 0)
}

// continues reports whether the stack goes on from c, a caller by LR, with a
// proven return address or a true end: where code that is not known has pushed
// something, or its LR is what a callee left, it does not.
func (w *Walker) continues(c *candidate) bool {
	g, ok := w.p.FuncAt(c.site.lookup())
	if !ok {
		return false
	}
	if w.p.resets[g.Entry] {
		return true
	}
	outer := &Walker{p: w.p, mem: w.mem, text: w.text, plans: w.plans, opt: w.opt}
	outer.cur = w.callerLevel(c)
	return outer.proves(w.plan(&g).rowsAt(c.site.lookup(), true), &g)
}

// isMissing reports whether a return address may lie in code that is not known:
// neither the target's memory nor an image has it, or the image is of another
// build. What is lower
// than the end of the smallest vector table is a number (Armv7-M ARM B1.5.3).
func (w *Walker) isMissing(ra uint32) bool {
	const vectorsEnd = 0x40
	const around = 8 // bytes that are compared
	a, odd := core.CodeAddr(ra)
	if a < vectorsEnd || len(w.text.at(a)) >= 2 && !w.differs(a-around, a+around) {
		return false
	}
	if w.opt.Profile != core.ProfileM {
		return odd || a&3 == 0
	}
	return odd && mayExecute(a)
}
