package unwind

import (
	"context"

	"pushmask/core"
	"pushmask/core/exc"
)

// Exceptions whose handlers kernels switch threads in (Armv7-M ARM B1.5.2).
const (
	svCall = 11
	pendSV = 14
)

// dataFaults are the bits of CFSR that speak of a load, a store or a division that
// was executed: DACCVIOL, MMARVALID, PRECISERR, BFARVALID, UNALIGNED, DIVBYZERO
// (Armv7-M ARM B3.2.15).
const dataFaults = 1<<1 | 1<<7 | 1<<9 | 1<<15 | 1<<24 | 1<<25

// ofRunning reports whether the exception that returns by ret interrupted the
// thread that the kernel says runs, in T32 state. In a switch of threads the
// kernel may have named the next one already. A fault may also be one of the T bit,
// of PSP itself, or of a wild context; CFSR rules that out.
func (w *Walker) ofRunning(ret exc.Return) bool {
	const firstFault, lastFault = 3, 7 // HardFault to SecureFault
	switch {
	case w.opt.Running.Size == 0, !ret.PSP(), w.active == 0, w.active == svCall, w.active == pendSV:
		return false
	case w.active < firstFault || w.active > lastFault:
		return true
	}
	faults, _ := exc.ReadFaults(w.mem)
	status, ok := faults.Get(exc.CFSR)
	return ok && status != 0 && status&^dataFaults == 0
}

// frameOfRunning looks through the stack of the thread that runs for the frame
// that ret describes. Its bounds say where the frame is, not which of the old ones
// that may lie there it is not: it takes one only if no other word there could be
// the xPSR of a thread, whatever the PC beside it. n is how many could, and at the
// first frame. known is false where the bounds tell nothing: a part of the stack
// is not in the artefact, or the thread may have run over its end.
func (w *Walker) frameOfRunning(ret exc.Return) (at core.Addr, n int, ok, known bool) {
	const psrOff = 28
	stack := w.opt.Running
	if !w.ofRunning(ret) {
		return 0, 0, false, false
	}
	buf := make([]byte, min(stack.Size, maxSearched))
	got, _ := w.mem.ReadAt(stack.Addr, buf)
	if uint32(got) < stack.Size || !untouchedEnd(buf, stack.Addr) {
		return 0, 0, false, false
	}
	for off := 0; off+frameBytes <= len(buf); off += 4 {
		if !threadStatus(le32(buf[off+psrOff:])) {
			continue
		}
		if n++; n == 1 {
			at = stack.Addr + core.Addr(off)
			ok = w.looksLikeFrame(buf[off:], at, ret) || w.beginsThread(at, ret)
		}
	}
	return at, n, ok && n == 1, true
}

// beginsThread reports whether the words at at are the frame of the function that
// the thread starts in, which nobody called.
func (w *Walker) beginsThread(at core.Addr, ret exc.Return) bool {
	fr, err := exc.ReadFrame(w.mem, at, ret)
	if err != nil || w.believe(&fr) != nil || !fr.Thumb() {
		return false
	}
	inner := &Walker{p: w.p, mem: w.mem, text: w.text, plans: w.plans, opt: w.opt, crossed: true, ahead: true, bank: core.NoReg, unsure: core.NoReg}
	inner.opt.MaxFrames = 2
	inner.queue = []level{inner.exactLevel(fr.Restore(core.Regs{}), fr.PC(), core.TrustScan, "")}
	inner.Next(context.Background())
	return len(inner.queue) == 0 && inner.Stop().Complete()
}

// untouchedEnd reports whether the low end of a stack, which b holds, is as a
// kernel leaves it: one word again and again, or the address of each.
func untouchedEnd(b []byte, low core.Addr) bool {
	const guard, words = 8, 4 // bytes at the very end may be a mark; words behind it
	if len(b) < guard+4*words {
		return false
	}
	same, own := true, true
	for off := guard; off < guard+4*words; off += 4 {
		v := le32(b[off:])
		same = same && v == le32(b[guard:])
		own = own && v == uint32(low)+uint32(off)
	}
	return same || own
}
