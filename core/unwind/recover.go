package unwind

import (
	"slices"

	"pushmask/core"
	"pushmask/core/exc"
)

// Limits of the search for a hardware frame.
const (
	maxSearched = 4 << 20 // bytes
	frameBytes  = 32      // of a basic frame
	frameAlign  = 8       // hardware aligns frames to 8 bytes (Armv7-M ARM B1.5.7)
)

// findFrame looks through the artefact's RAM for the hardware frame that ret
// describes. Frames of returned exceptions and of threads that do not run look
// the same, so it takes one only if it is alone: if nothing else in memory looks
// like a frame even at a careless glance. One in the stack of another thread is
// that thread's. What the main stack holds, from msp up
// to the end of the main stack, is left out. It returns how many places
// look like a frame, and the first.
func (w *Walker) findFrame(ret exc.Return, msp core.Addr) (at core.Addr, n int, ok bool) {
	left, top := uint32(maxSearched), w.p.stackTop(w.cur.frame.PC, msp)
	for _, r := range w.opt.RAM {
		if w.p.text.at(r.Addr) != nil {
			continue // flash that the dump holds too
		}
		size := min(r.Size, left)
		left -= size
		buf := make([]byte, size)
		got, _ := w.mem.ReadAt(r.Addr, buf)
		first := (r.Addr + frameAlign - 1) &^ (frameAlign - 1)
		for a := first; uint64(a)+frameBytes <= uint64(r.Addr)+uint64(got); a += frameAlign {
			if a >= msp && a < top || !w.glance(buf[a-r.Addr:]) {
				continue
			}
			if n++; n == 1 {
				at, ok = a, w.looksLikeFrame(buf[a-r.Addr:], a, ret)
			}
		}
	}
	return at, n, ok && n == 1 && !w.foreign(at)
}

// foreign reports whether a lies in the stack of another thread.
func (w *Walker) foreign(a core.Addr) bool {
	return slices.ContainsFunc(w.opt.Foreign, func(r Range) bool { return uint32(a-r.Addr) < r.Size })
}

// glance checks the words of a frame that can be told without following it:
// xPSR of thread mode in T32 state, and a PC that is code.
func (w *Walker) glance(b []byte) bool {
	const pcOff, psrOff = 24, 28
	pc := le32(b[pcOff:])
	return threadStatus(le32(b[psrOff:])) && pc&1 == 0 && len(w.p.text.at(core.Addr(pc))) >= 2
}

// threadStatus reports whether xPSR may be that of thread mode in T32 state.
func threadStatus(psr uint32) bool {
	const thumbState, ipsr, reserved = 1 << 24, 0x1ff, 0x00c00000
	return psr&thumbState != 0 && psr&(ipsr|reserved) == 0
}

// looksLikeFrame checks the words at at, which b holds: a frame of its kind,
// with the PC in a function and a caller of it that is proven.
func (w *Walker) looksLikeFrame(b []byte, at core.Addr, ret exc.Return) bool {
	if ret.Thread() && !w.glance(b) {
		return false
	}
	fr, err := exc.ReadFrame(w.mem, at, ret)
	if err != nil || w.believe(&fr) != nil || !fr.Thumb() {
		return false
	}
	f, ok := w.p.FuncAt(fr.PC())
	if !ok {
		return false
	}
	inner := &Walker{p: w.p, mem: w.mem, text: w.text, plans: w.plans, opt: w.opt}
	inner.cur = inner.exactLevel(fr.Restore(core.Regs{}), fr.PC(), core.TrustScan, "")
	c, err := inner.candidate(&f, true)
	return err == nil && c.grade >= proofReached && !exc.IsReturn(c.act.ra)
}

// usualReturns are the EXC_RETURN values of one security state (Armv7-M ARM
// B1.5.8) in the order they are tried: thread mode before handlers, basic
// frames before those with FP registers.
var usualReturns = [...]exc.Return{0xfffffff9, 0xfffffffd, 0xfffffff1, 0xffffffe9, 0xffffffed, 0xffffffe1}

// lostReturn goes on from an exception handler that did not keep its
// EXC_RETURN (assembly that calls C and never returns): it tries each kind of
// frame where it would be, and takes the one that is true of the words there
// and has a proven caller. Where there is one on each stack it takes none. It
// reports whether it went on.
func (w *Walker) lostReturn(f *Func) bool {
	rows := w.plan(f).rowsAt(w.cur.lookup(), !w.cur.exact)
	for i := range rows {
		cfa, err := rows[i].cfa(&w.cur.frame.Regs, w.mem)
		if err != nil || cfa < core.Addr(w.cur.frame.Regs.Value(core.SP)) {
			continue
		}
		regs := rows[i].withPSP(&w.cur.frame.Regs, cfa, w.mem)
		c := &candidate{act: rows[i].restore(regs, cfa, 0, w.mem)}
		if rows[i].switched {
			c.act.regs.Keep(preserved &^ calleeSaved)
		}
		ret, ok := exc.Return(0), false
		if len(rows[i].PSP) > 0 {
			ret, ok = w.threadReturn(&c.act.regs)
		}
		if !ok {
			ret, ok = w.onlyReturn(c)
		}
		if !ok {
			continue
		}
		w.cur.frame.CFA, w.cur.frame.HasCFA = cfa, true
		w.guessed = true
		w.exception(f, true, c, ret)
		return true
	}
	return false
}

// onlyReturn finds the EXC_RETURN whose frame is there. Where the program uses
// the process stack and PSP is unknown, nothing can be told: what lies on the
// main stack may be left from an earlier exception.
func (w *Walker) onlyReturn(c *candidate) (exc.Return, bool) {
	if !c.act.regs.Has(core.PSP) && w.p.callSites().setsPSP {
		return 0, false
	}
	var found exc.Return
	for _, ret := range usualReturns {
		base, _, why := w.frameBase(c, ret)
		var b [32]byte
		if _, err := w.mem.ReadAt(base, b[:]); why != "" || err != nil || !w.looksLikeFrame(b[:], base, ret) {
			continue
		}
		if found != 0 && found.PSP() != ret.PSP() {
			return 0, false
		}
		if found == 0 {
			found = ret
		}
	}
	return found, found != 0
}
