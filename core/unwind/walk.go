package unwind

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"pushmask/core"
	"pushmask/core/exc"
)

// Walker produces the frames of one thread lazily. It is not safe for
// concurrent use.
type Walker struct {
	p     *Program
	mem   core.Memory
	text  *liveText
	plans map[bounds]*Plan // of code that only the target holds
	opt   Options

	// active is the exception whose handler the current frames belong to, 0 in
	// thread mode or where that is not known.
	active int
	// mode is that of the current frame on A- and R-profile, as far as known.
	mode core.Mode
	// missing says what of the interrupted code's registers is not known, for the
	// frame behind an exception of A- and R-profile.
	missing string
	// entries counts such exceptions.
	entries int
	// crossed is set once an exception frame was looked for.
	crossed bool
	// unsure is the secure stack whose youngest hardware frame may be larger by
	// S16 to S31, NoReg for none.
	unsure core.Reg
	// ahead is set in a walk that only looks how far a stack leads.
	ahead bool
	// contradicted counts the frames of such a walk whose saved copies of
	// registers differ from the registers.
	contradicted int
	// start are the registers that the walk started at.
	start core.Regs
	// state is the security state that the core is in.
	state securityState
	// usesFP says that the code of the current frame has executed FP instructions
	// since the youngest exception below it (CONTROL.FPCA).
	usesFP bool
	// bank is the stack pointer of a security state that SP of the current
	// frame is, NoReg where that is not known.
	bank core.Reg
	// moves counts frames whose function moved SP and that lie below it.
	moves int
	// guessed is set behind a frame that was searched for: what follows is no
	// better than it.
	guessed bool

	cur   level   // last frame produced
	queue []level // frames found but not yet produced
	n     int     // frames produced
	stop  core.Stop
}

// level is a frame with what the walk needs to go on from it.
type level struct {
	frame core.Frame
	// exact is true where the instruction at PC has not run yet (frame 0 and
	// interrupted code), false where PC is a return address.
	exact bool
	// call is the address of the call instruction below a return address.
	call core.Addr
}

// Walk starts at regs. mem is the target's memory spliced over the image.
func (p *Program) Walk(mem core.Memory, regs core.Regs, opt Options) *Walker {
	if opt.MaxFrames <= 0 {
		opt.MaxFrames = DefaultMaxFrames
	}
	w := &Walker{p: p, mem: mem, opt: opt, bank: currentBank(&regs), unsure: core.NoReg, start: regs}
	w.usesFP = usesFP(&regs)
	w.text = &liveText{image: p.text, mem: mem}
	pc, ok := regs.Get(core.PC)
	if !ok {
		w.stop = core.Stop{Kind: core.StopBadPC, Detail: "the PC is not in the artefact"}
		return w
	}
	if psr, ok := regs.Get(core.PSR); ok && opt.Profile == core.ProfileA {
		w.mode = core.ModeOf(psr)
	}
	w.queue = append(w.queue, w.exactLevel(regs, core.Addr(pc), core.TrustContext, "registers of the stopped thread"))
	return w
}

// exactLevel is the frame of code that was stopped before the instruction at pc.
func (w *Walker) exactLevel(regs core.Regs, pc core.Addr, t core.Trust, why string) level {
	th := true
	if w.opt.Profile != core.ProfileM {
		const cpsrT = 1 << 5 // CPSR.T, Armv7-A ARM B1.3.3
		psr, ok := regs.Get(core.PSR)
		th = ok && psr&cpsrT != 0 || pc&1 != 0
	}
	if th {
		pc &^= 1
	}
	regs.Set(core.PC, uint32(pc))
	if psr, ok := regs.Get(core.PSR); ok && w.opt.Profile == core.ProfileM {
		const ipsr = 0x1ff // IPSR, Armv7-M ARM B1.4.2
		w.active = int(psr & ipsr)
	}
	return level{exact: true, frame: core.Frame{
		PC: pc, Lookup: pc, Thumb: th, Regs: regs, Trust: t, Why: why,
	}}
}

// Next returns the next frame; false at the end, when Stop says why, and where
// ctx is cancelled, which does not end the walk.
func (w *Walker) Next(ctx context.Context) (core.Frame, bool) {
	if len(w.queue) == 0 || ctx.Err() != nil {
		return core.Frame{}, false
	}
	w.cur = w.queue[0]
	w.queue = slices.Delete(w.queue, 0, 1)
	w.n++
	unsure, bank := w.unsure, w.bank
	if len(w.queue) == 0 && w.stop.Kind == core.StopNone && w.cur.frame.Kind == core.FrameFunction {
		w.lookCaller()
	}
	f := w.cur.frame
	withoutUnsure(&f, unsure, bank)
	return f, true
}

// Stop says why the walk ended; StopNone while it has not.
func (w *Walker) Stop() core.Stop {
	if len(w.queue) > 0 {
		return core.Stop{}
	}
	return w.stop
}

// end records why the walk stops.
func (w *Walker) end(k core.StopKind, format string, args ...any) {
	w.stop = core.Stop{Kind: k, Detail: fmt.Sprintf(format, args...)}
}

// lookCaller finds the caller of the current frame, fills in the CFA of the
// current one and queues what comes next.
func (w *Walker) lookCaller() {
	c := &w.cur
	if w.n >= w.opt.MaxFrames {
		w.end(core.StopLimit, "frame limit of %d reached", w.opt.MaxFrames)
		return
	}
	if len(w.text.at(c.frame.PC)) < 2 && c.exact {
		w.badPC()
		return
	}
	f, known := w.p.FuncAt(c.lookup())
	if !known {
		f = Func{Entry: c.frame.PC, End: c.frame.PC, Thumb: c.frame.Thumb}
	}
	if known && w.otherCode(&f) {
		w.end(core.StopNotProven, "memory has other code at %v than the ELF: that is of another build", c.frame.PC)
		return
	}
	if known && f.Thumb != c.frame.Thumb {
		w.otherHalf(&f)
	}
	w.wholeHandler(&f)
	cand, err := w.candidate(&f, known)
	if w.modeEntry(&f, cand) {
		return
	}
	if (err != nil || cand.grade <= proofMissing) && w.p.handlers[f.Entry] && w.lostReturn(&f) {
		return
	}
	if (err != nil || cand.grade <= proofMissing) && c.exact && !f.Known && w.p.symbolised(c.frame.PC) {
		w.badPC() // a call into data: no function is there
		return
	}
	if err != nil {
		w.endWithout(&f, known, err)
		return
	}
	w.accept(&f, known, cand)
}

// otherHalf narrows f, which starts in the other instruction set state than the
// frame is in, to the part behind its change of state, unless the frame goes on
// through it.
func (w *Walker) otherHalf(f *Func) {
	pc := w.cur.lookup()
	pl := w.plan(f)
	if b := pl.blockAt(pc); b != nil && b.thumb == w.cur.frame.Thumb {
		return
	}
	for _, t := range pl.tails {
		if t.thumb == w.cur.frame.Thumb && t.addr <= pc && t.addr > f.Entry {
			f.Entry, f.Thumb = t.addr, t.thumb
			return
		}
	}
}

// lookup is the address that tells the function of the frame.
func (l *level) lookup() core.Addr {
	if l.exact {
		return l.frame.PC
	}
	return l.call
}

// candidate is a possible caller.
type candidate struct {
	act   activation
	grade proof
	site  callSite
	trust core.Trust
	// agrees is set where the saved copies of registers that are still in place
	// equal them: a row of the wrong stack height does not pass.
	agrees bool
	copies int // such copies
}

// accept takes the best candidate as the caller, or ends the walk.
func (w *Walker) accept(f *Func, known bool, c *candidate) {
	cur := &w.cur.frame
	cur.CFA, cur.HasCFA = c.act.cfa, !c.act.noCFA
	w.floatsByTables(c)
	cur.Saved = c.act.saved
	if w.unsure != core.NoReg && w.bank == w.unsure {
		c.act.forgetSaved()
	}
	ra := c.act.ra
	if w.ahead && !c.agrees {
		w.contradicted++
	}
	switch {
	case w.opt.Profile == core.ProfileM && exc.IsReturn(ra):
		w.exception(f, known, c, exc.Return(ra))
		return
	case w.opt.Profile == core.ProfileM && exc.IsFncReturn(ra):
		w.secureCaller(c)
		return
	case w.p.resets[f.Entry] && known && c.grade < proofReached:
		w.end(core.StopEntry, "%s is where execution starts", nameOf(f))
		return
	case ends(ra):
		w.end(core.StopLRZero, "the return address of %s is %#x: it was not called", nameOf(f), ra)
		return
	case !w.grows(&c.act) && c.grade < proofReached:
		w.end(core.StopCFANotGrow, "the frame at %v does not lie above the one before it", c.act.cfa)
		return
	case c.grade <= proofMissing:
		w.notProven(f, c)
		return
	case w.opt.Profile == core.ProfileM && ra&1 == 0:
		w.nonSecureCaller(c)
		return
	}
	if !w.grows(&c.act) {
		w.moves++
	}
	w.queue = append(w.queue, w.callerLevel(c))
}

// maxMoves bounds how often a stack may go on below where it was, so that it
// comes to an end.
const maxMoves = 16

// callerLevel is the frame that called the current one.
func (w *Walker) callerLevel(c *candidate) level {
	pc, odd := core.CodeAddr(c.act.ra)
	if w.opt.Profile == core.ProfileM {
		odd = true
	}
	regs := c.act.regs
	regs.Set(core.PC, uint32(pc))
	if w.guessed {
		c.trust = core.TrustScan
	}
	return level{call: c.site.lookup(), frame: core.Frame{
		PC: pc, Lookup: c.site.lookup(), Thumb: odd, Regs: regs, Trust: c.trust,
		Why: c.act.row.String(),
	}}
}

// grows checks that the stack goes on towards its base: strictly, except for
// code that was stopped before it moved SP, and for frames that keep their
// return address in a callee-saved register, or nowhere, and need no stack.
func (w *Walker) grows(a *activation) bool {
	sp, ok := w.cur.frame.Regs.Get(core.SP)
	if !ok {
		return true
	}
	ra := a.row.RA
	if w.cur.exact || !a.row.HasRA || ra.Kind == LocReg && ra.Reg >= core.R4 && ra.Reg <= core.R11 {
		return a.cfa >= core.Addr(sp)
	}
	return a.cfa > core.Addr(sp)
}

func nameOf(f *Func) string {
	if f.Name != "" {
		return f.Name
	}
	return fmt.Sprintf("the function at %v", f.Entry)
}

// notProven ends the walk at a return address that is none.
func (w *Walker) notProven(f *Func, c *candidate) {
	a, _ := core.CodeAddr(c.act.ra)
	if c.grade != proofWrong {
		if g, ok := w.p.FuncAt(a); ok && g.Entry == a && g.Known {
			w.end(core.StopEntry, "%s is a thread's entry: it returns to the start of %s", nameOf(f), g.Name)
			return
		}
		why := "does not follow a call"
		if len(w.text.at(a-2)) < 2 {
			why = "lies in code that neither the dump nor the ELF has"
		}
		w.end(core.StopNotProven, "%#08x, kept as the return address of %s, %s", c.act.ra, nameOf(f), why)
		return
	}
	w.end(core.StopNotProven, "the call before %v cannot reach %s", a, nameOf(f))
}

// endWithout ends the walk where no row could be executed.
func (w *Walker) endWithout(f *Func, known bool, err error) {
	switch {
	case known && w.p.resets[f.Entry]:
		w.end(core.StopEntry, "%s is where execution starts", nameOf(f))
	case w.missing != "" && w.cur.exact:
		w.end(core.StopBank, "%s", w.missing)
	case isNoMemory(err):
		w.end(core.StopNoMemory, "%v", err)
	case errors.Is(err, errNoCFA) && !w.cur.frame.Regs.Has(core.SP):
		w.end(core.StopNoMemory, "SP is not known: the return address of %s is on the stack", nameOf(f))
	default:
		w.end(core.StopNoRule, "%s at %v: %v", nameOf(f), w.cur.frame.PC, err)
	}
}
