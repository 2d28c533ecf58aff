package unwind

import (
	"pushmask/core"
	"pushmask/core/insn"
)

// hidden looks for a function that nothing calls directly in the part of f
// that f's own control flow does not reach: from the PC back to a push of LR,
// then to any push (a leaf), then to the starts of the pieces of that part, each
// behind what is reached of the one before.
func (s *search) hidden() {
	w := s.w
	if s.f.Known {
		return
	}
	pc := w.cur.lookup()
	low := pc - min(pc, maxPushSearch)
	if s.known {
		low = w.plan(s.f).reachedBelow(pc)
	}
	for _, starts := range [...]func(*insn.Inst) bool{pushesLR, pushes} {
		for n, at := 0, pc+4; n < maxHidden; n++ { // the PC itself may be the push
			push, ok := pushBefore(w.text, at, low, w.cur.frame.Thumb, starts)
			if !ok {
				break
			}
			if s.tryEntry(w.prologue(&push)) || s.tryEntry(push.Addr) {
				return
			}
			at = push.Addr
		}
	}
	for n := 0; s.known && n < maxPieces && low <= pc && !s.tryEntry(low); n++ {
		low = w.behind(low, pc)
	}
}

// maxPieces bounds the pieces of unreached code that are tried for one PC.
const maxPieces = 32

// maxPrologue bounds what comes before the push of LR in a prologue: gcc's "mov
// ip, sp" of APCS frames, the push of a variadic function's arguments, room on
// the stack.
const maxPrologue = 3

// prologue returns where the prologue with the push of LR starts.
func (w *Walker) prologue(push *insn.Inst) core.Addr {
	start := push.Addr
	for range maxPrologue {
		i, err := fetch(w.text, start-4, push.Thumb)
		if push.Thumb && (err != nil || i.Size != 4 || !setsUp(&i)) {
			i, err = fetch(w.text, start-2, true)
		}
		if err != nil || i.Next() != start || !setsUp(&i) {
			break
		}
		start = i.Addr
	}
	return start
}

// setsUp tells the instructions that come before the push of LR: copies of SP,
// other pushes and "sub sp".
func setsUp(i *insn.Inst) bool {
	switch {
	case i.Op == insn.OpMove:
		return i.Rm == core.SP
	case i.Op == insn.OpAdd:
		return i.Rd == core.SP && i.Rn == core.SP && i.Imm < 0
	}
	return pushes(i) && !pushesLR(i)
}

// behind returns where the code behind what is reached from entry starts.
func (w *Walker) behind(entry, pc core.Addr) core.Addr {
	g := Func{Entry: entry, End: pc + 2, Thumb: w.cur.frame.Thumb}
	pl := w.plan(&g)
	end := entry
	for b := pl.blockAt(end); b != nil && b.end > end; b = pl.blockAt(end) {
		end = b.end
	}
	end = max(end, entry+2)
	for i, err := fetch(w.text, end, g.Thumb); err == nil && end < pc && pads(&i); i, err = fetch(w.text, end, g.Thumb) {
		end = i.Next()
	}
	return end
}

// pads tells what aligns the start of a function: nop and its equivalents, and
// zeros.
func pads(i *insn.Inst) bool {
	const nop, movR8R8, nopA32, movR0R0 = 0xbf00, 0x46c0, 0xe320f000, 0xe1a00000
	return i.Raw == 0 || i.Raw == nop || i.Raw == movR8R8 || i.Raw == nopA32 || i.Raw == movR0R0
}

// inHandler reports whether f is the handler of an exception of A- and R-profile
// and its control flow reaches the PC.
func (w *Walker) inHandler(f *Func) bool {
	number, ok := w.p.modeVectors[f.Entry]
	return ok && w.entryPlan(*f, modeExceptions[number].mode).blockAt(w.cur.lookup()) != nil
}

// tryEntry considers the rows at the PC of a function that starts at entry, if
// its control flow reaches the PC, and reports whether that gives a proof. A
// handler's code on A- and R-profile looks like a function from where it pushes
// LR, and a leaf that it interrupted left a true return address there: only a
// direct call proves that it is one.
func (s *search) tryEntry(entry core.Addr) bool {
	w := s.w
	pc := w.cur.lookup()
	g := Func{Entry: entry, End: max(s.f.End, pc+2), Thumb: w.cur.frame.Thumb, handler: w.p.handlers[entry]}
	pl := w.plan(&g)
	rows := pl.rowsAt(pc, !w.cur.exact)
	if len(rows) == 0 {
		return false
	}
	f, best := *s.f, s.best
	ofHandler := pl.exceptionReturn || !pl.returns && w.inHandler(&f)
	*s.f = g
	s.rows(rows)
	if !s.proven() || ofHandler && s.best.grade < proofReached {
		*s.f, s.best = f, best
	}
	return s.proven()
}
