package unwind

import (
	"fmt"

	"pushmask/core"
	"pushmask/core/exc"
)

// exception crosses a hardware exception frame: it queues the exception entry
// and the code that was interrupted.
func (w *Walker) exception(f *Func, known bool, c *candidate, ret exc.Return) {
	sp, trust, why := w.frameBase(c, ret)
	if why != "" {
		w.end(core.StopBadException, "%s", why)
		return
	}
	fr, err := exc.ReadFrame(w.mem, sp, ret)
	if err != nil {
		w.end(core.StopNoMemory, "%v", err)
		return
	}
	if err := fr.Plausible(); err != nil {
		w.end(core.StopBadException, "%v", err)
		return
	}
	size := uint32(fr.SP - fr.Base)
	entry := core.Frame{
		Kind: core.FrameException, CFA: fr.SP, HasCFA: true, Trust: trust,
		Regs: c.act.regs,
		Why:  fmt.Sprintf("EXC_RETURN %v, frame of %d bytes at %v", ret, size, fr.Base),
		Exception: &core.ExceptionEntry{
			Number: w.active, ExcReturn: uint32(ret), Frame: fr.Base, Size: size,
			FP: !ret.Basic(), PSP: ret.PSP(),
		},
	}
	regs := fr.Restore(c.act.regs)
	w.switchStack(&regs, c, ret, &fr)
	inner := w.exactLevel(regs, fr.PC(), trust, fmt.Sprintf("hardware exception frame at %v", fr.Base))
	w.queue = append(w.queue, level{frame: entry}, inner)
}

// frameBase is the address of the hardware frame: for MSP what SP was at the
// handler's entry, for PSP the process stack pointer, or, where the artefact
// does not have it, the one place in memory that looks like the frame.
func (w *Walker) frameBase(c *candidate, ret exc.Return) (core.Addr, core.Trust, string) {
	if !ret.PSP() {
		return c.act.cfa, core.TrustException, ""
	}
	if psp, ok := c.act.regs.Get(core.PSP); ok {
		return core.Addr(psp), core.TrustException, ""
	}
	const missing = "the interrupted code used the process stack, and PSP is not in the artefact"
	switch found := w.findFrames(ret, c.act.cfa); len(found) {
	case 0:
		return 0, 0, missing
	case 1:
		return found[0], core.TrustScan, ""
	default:
		return 0, 0, fmt.Sprintf("%s; %d places in memory look like its frame, the first at %v", missing, len(found), found[0])
	}
}

// switchStack keeps MSP and PSP as the interrupted code had them.
func (w *Walker) switchStack(regs *core.Regs, c *candidate, ret exc.Return, fr *exc.Frame) {
	if ret.PSP() {
		regs.Set(core.MSP, uint32(c.act.cfa))
		regs.Set(core.PSP, uint32(fr.SP))
		return
	}
	regs.Set(core.MSP, uint32(fr.SP))
}
