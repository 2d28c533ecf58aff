package unwind

import (
	"pushmask/core"
	"pushmask/core/exc"
)

// usesFP reports whether CONTROL.FPCA is known to be set: the code has executed
// an FP instruction since the exception that it runs in was entered (Armv7-M ARM
// B1.4.4).
func usesFP(regs *core.Regs) bool {
	const fpca = 1 << 2
	v, ok := regs.Get(core.CONTROL)
	return ok && v&fpca != 0
}

// scratchFloats are S0 to S15 and FPSCR, highFloats S16 to S31.
const (
	scratchFloats uint64 = 0xffff<<core.S0 | 1<<core.FPSCR
	highFloats    uint64 = 0xffff << firstHigh
)

// restoreFloats sets the FP registers of the code that the exception with frame
// fr interrupted, as far as it is known where they are, and returns the places of
// those in the frame. S16 to S31 pass through a handler as they do through other
// functions, but not where the hardware stacks and clears them (FPCCR.TS).
func (w *Walker) restoreFloats(regs *core.Regs, fr *exc.Frame) []core.SavedReg {
	state := fr.FPState(w.mem, w.fpView(fr.Return))
	if state == exc.FPUnknown && w.usesFP && !fr.Return.Basic() {
		state = exc.FPStacked // the handler's first FP instruction had it done
	}
	w.usesFP = !fr.Return.Basic()
	regs.Keep(^scratchFloats)
	switch state {
	case exc.FPLive:
		for r := range core.Reg(core.NumRegs) {
			if v, ok := w.start.Get(r); ok && scratchFloats>>r&1 != 0 {
				regs.Set(r, v)
			}
		}
		return nil
	case exc.FPStacked:
		if fr.HasSecureFP() || w.unsure != core.NoReg {
			regs.Keep(^highFloats)
		}
		return w.unstack(regs, fr.FPSlots())
	}
	if fr.HasSecureFP() || w.unsure != core.NoReg {
		regs.Keep(^highFloats)
	}
	return nil
}

// unstack sets registers from where they lie and returns the places that are in
// memory.
func (w *Walker) unstack(regs *core.Regs, slots []core.SavedReg) (read []core.SavedReg) {
	for _, s := range slots {
		if v, err := core.ReadU32(w.mem, s.Addr); err == nil {
			regs.Set(s.Reg, v)
			read = append(read, s)
		}
	}
	return read
}

// fpView says whose control registers tell how far a frame was filled.
func (w *Walker) fpView(ret exc.Return) exc.FPView {
	switch own := w.state == stateSecure; {
	case own == ret.Secure():
		return exc.FPOwn
	case own:
		return exc.FPNonSecure
	}
	return exc.FPHidden
}
