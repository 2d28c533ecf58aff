package unwind

import (
	"pushmask/core"
	"pushmask/core/exc"
)

// Limits of the search for a hardware frame.
const (
	maxSearched = 4 << 20 // bytes
	maxFrames   = 8       // places reported
	frameAlign  = 8       // hardware aligns frames to 8 bytes (Armv7-M ARM B1.5.7)
)

// findFrames looks through the artefact's RAM for hardware frames of the kind
// that ret describes: xPSR and PC as they must be, the PC in a function, and a
// caller of it that is proven. What the main stack holds, from msp up to the
// initial SP of the vector table, is left out.
func (w *Walker) findFrames(ret exc.Return, msp core.Addr) []core.Addr {
	var found []core.Addr
	left := uint32(maxSearched)
	for _, r := range w.opt.RAM {
		if w.p.text.at(r.Addr) != nil {
			continue // flash that the dump holds too
		}
		size := min(r.Size, left)
		left -= size
		buf := make([]byte, size)
		n, _ := w.mem.ReadAt(r.Addr, buf)
		first := (r.Addr + frameAlign - 1) &^ (frameAlign - 1)
		for at := first; uint64(at)+32 <= uint64(r.Addr)+uint64(n); at += frameAlign {
			if at >= msp && at < w.p.stackTop {
				continue
			}
			if w.looksLikeFrame(buf[at-r.Addr:], at, ret) {
				if found = append(found, at); len(found) == maxFrames {
					return found
				}
			}
		}
	}
	return found
}

// looksLikeFrame checks the words at at, which b holds.
func (w *Walker) looksLikeFrame(b []byte, at core.Addr, ret exc.Return) bool {
	const thumbState, pcOff, psrOff = 1 << 24, 24, 28
	psr, pc := le32(b[psrOff:]), le32(b[pcOff:])
	if psr&thumbState == 0 || pc&1 != 0 || len(w.p.text.at(core.Addr(pc))) < 2 {
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
		c := &candidate{act: rows[i].restore(&w.cur.frame.Regs, cfa, 0, w.mem)}
		ret, ok := w.onlyReturn(c)
		if !ok {
			continue
		}
		w.cur.frame.CFA, w.cur.frame.HasCFA = cfa, true
		w.exception(f, true, c, ret)
		for k := range w.queue {
			w.queue[k].frame.Trust = core.TrustScan
		}
		return true
	}
	return false
}

// onlyReturn finds the EXC_RETURN whose frame is there.
func (w *Walker) onlyReturn(c *candidate) (exc.Return, bool) {
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
