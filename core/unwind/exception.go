package unwind

import (
	"fmt"

	"pushmask/core"
	"pushmask/core/exc"
)

// exception crosses a hardware exception frame: it queues the exception entry
// and the code that was interrupted.
func (w *Walker) exception(f *Func, known bool, c *candidate, ret exc.Return) {
	if w.stackingFailed() {
		w.end(core.StopBadException, "the hardware could not write the exception frame (stacking error): what the interrupted code was doing is not known")
		return
	}
	if c.act.noCFA {
		w.end(core.StopNoMemory, "SP is not known: there is no telling where the exception frame lies")
		return
	}
	w.crossed = true
	w.saw(ret.HandlerSecure())
	given := ret
	ret = w.otherStack(c, ret)
	sp, trust, why := w.frameBase(c, ret)
	if why != "" {
		w.end(core.StopBank, "%s", why)
		return
	}
	fr, err := exc.ReadFrame(w.mem, sp, ret)
	if err != nil {
		w.end(core.StopNoMemory, "%v", err)
		return
	}
	if err := w.believe(&fr); err != nil {
		moved, ok := w.movedFrame(sp, ret)
		if !ok {
			w.end(core.StopBadException, "%v", err)
			return
		}
		fr, trust = moved, core.TrustScan
	}
	w.guessed = w.guessed || trust == core.TrustScan
	if w.guessed {
		trust = core.TrustScan
	}
	w.secureFP(c, &fr)
	size := uint32(fr.SP - fr.Base)
	entry := core.Frame{
		Kind: core.FrameException, CFA: fr.SP, HasCFA: true, Trust: trust,
		Regs: c.act.regs,
		Why:  fmt.Sprintf("EXC_RETURN %v, frame of %d bytes at %v", given, size, fr.Base),
		Exception: &core.ExceptionEntry{
			Number: w.active, ExcReturn: uint32(given), Frame: fr.Base, Size: size,
			FP: !ret.Basic(), PSP: ret.PSP(),
		},
	}
	regs := fr.Restore(c.act.regs)
	entry.Saved = append(stackedRegs(&fr), w.restoreFloats(&regs, &fr)...)
	w.switchStack(&regs, c, ret, &fr)
	if v, ok := regs.Get(core.CONTROL); ok {
		regs.Set(core.CONTROL, ret.Control(v))
	}
	if ret.OtherState() {
		regs.Forget(core.CONTROL) // banked by security state
	}
	inner := w.exactLevel(regs, fr.PC(), trust, fmt.Sprintf("hardware exception frame at %v", fr.Base))
	w.queue = append(w.queue, level{frame: entry}, inner)
}

// believe checks what must hold of a frame: its words agree with each other,
// and its PC is code, or, after a jump through a bad pointer, its LR follows a
// call or is an EXC_RETURN itself.
func (w *Walker) believe(fr *exc.Frame) error {
	if err := fr.Plausible(); err != nil {
		return err
	}
	if len(w.text.at(fr.PC())) >= 2 {
		return nil
	}
	lr := fr.R[5]
	if grade, _ := w.prove(lr, nil, false); grade > proofWrong || exc.IsReturn(lr) {
		return nil
	}
	return fmt.Errorf("the words at %v are no exception frame: neither PC %v nor LR %#08x is code", fr.Base, fr.PC(), lr)
}

// maxMoved is how far above PSP a frame is looked for whose handler pushed
// registers of its own onto the process stack, in bytes.
const maxMoved = 0x100

// movedFrame looks for the frame above a process stack pointer that the
// handler moved (RTOS and fault handlers that save r4 to r11 there).
func (w *Walker) movedFrame(sp core.Addr, ret exc.Return) (exc.Frame, bool) {
	if !ret.PSP() {
		return exc.Frame{}, false
	}
	buf := make([]byte, maxMoved+32)
	n, _ := w.mem.ReadAt(sp, buf)
	for off := 4; off+32 <= n; off += 4 {
		at := sp + core.Addr(off)
		if w.looksLikeFrame(buf[off:], at, ret) {
			fr, err := exc.ReadFrame(w.mem, at, ret)
			return fr, err == nil
		}
	}
	return exc.Frame{}, false
}

// stackedRegs tells where the frame keeps the interrupted registers.
func stackedRegs(fr *exc.Frame) []core.SavedReg {
	var saved []core.SavedReg
	for i, r := range [...]core.Reg{core.R0, core.R1, core.R2, core.R3, core.R12, core.LR, core.PC, core.PSR} {
		saved = append(saved, core.SavedReg{Reg: r, Addr: fr.Base + core.Addr(4*i)})
	}
	return saved
}

// frameBase is the address of the hardware frame: for MSP what SP was at the
// handler's entry, for PSP the process stack pointer, or, where the artefact
// does not have it, the one place that looks like the frame.
func (w *Walker) frameBase(c *candidate, ret exc.Return) (core.Addr, core.Trust, string) {
	regs := &c.act.regs
	if ret.OtherState() {
		r, stack := bankedSP(ret)
		if sp, ok := regs.Get(r); ok {
			return core.Addr(sp), core.TrustException, ""
		}
		return 0, 0, fmt.Sprintf("the interrupted code used the %s, and %v is not in the artefact", stack, r)
	}
	if !ret.PSP() {
		return c.act.cfa, core.TrustException, ""
	}
	banked, _ := bankedSP(ret)
	for _, r := range [...]core.Reg{core.PSP, banked} {
		if psp, ok := regs.Get(r); ok {
			return core.Addr(psp), core.TrustException, ""
		}
	}
	return w.lostFrame(c, ret)
}

// lostFrame is frameBase where PSP is not in the artefact: in the stack of the
// thread that runs, or where that is not known in all memory.
func (w *Walker) lostFrame(c *candidate, ret exc.Return) (core.Addr, core.Trust, string) {
	const missing = "the interrupted code used the process stack, and PSP is not in the artefact"
	where := "the stack of the thread"
	at, n, ok, known := w.frameOfRunning(ret)
	if !known {
		where = "memory"
		at, n, ok = w.findFrame(ret, c.act.cfa)
	}
	switch {
	case ok:
		return at, core.TrustScan, ""
	case n > 1:
		return 0, 0, fmt.Sprintf("%s; %d places in %s look like its frame, the first at %v", missing, n, where, at)
	case known:
		return 0, 0, missing + "; nothing in the stack of the thread is surely its frame"
	}
	return 0, 0, missing
}

// bankedSP is the stack pointer of the other security state that ret selects.
func bankedSP(ret exc.Return) (core.Reg, string) {
	state := "non-secure"
	if ret.Secure() {
		state = "secure"
	}
	if ret.PSP() {
		return processStack(ret.Secure()), state + " process stack"
	}
	return mainStack(ret.Secure()), state + " main stack"
}

// stackingFailed reports whether the fault registers say that the frame of the
// active fault is not there. They speak of the youngest exception only.
func (w *Walker) stackingFailed() bool {
	const firstFault, lastFault = 3, 7 // HardFault to SecureFault
	if w.crossed || w.active < firstFault || w.active > lastFault {
		return false
	}
	f, ok := exc.ReadFaults(w.mem)
	return ok && f.FrameUntrue()
}

// switchStack keeps the stack pointers as the interrupted code had them, those
// of both security states where the artefact has them.
func (w *Walker) switchStack(regs *core.Regs, c *candidate, ret exc.Return, fr *exc.Frame) {
	if main := mainStack(ret.HandlerSecure()); regs.Has(main) {
		regs.Set(main, uint32(c.act.cfa))
	}
	if r, _ := bankedSP(ret); regs.Has(r) {
		w.takeStack(regs, r, fr.SP)
		return
	}
	w.bank = core.NoReg
	if ret.OtherState() {
		regs.Forget(core.MSP)
		regs.Forget(core.PSP)
	} else if ret.PSP() {
		regs.Set(core.MSP, uint32(c.act.cfa))
	}
	if ret.PSP() {
		regs.Set(core.PSP, uint32(fr.SP))
		return
	}
	regs.Set(core.MSP, uint32(fr.SP))
}
