package unwind

import "pushmask/core"

// Bounds of what is compared of a function before its code is relied on, bytes.
const (
	comparedBefore = 64 // the PC
	comparedBehind = 16
	comparedEntry  = 16
)

// otherCode reports whether memory has other code than the image where the
// current frame is, or where its function starts: the image is of another build,
// or something else was loaded over it. A breakpoint or a patched instruction is
// none, nor are the addresses in literal pools of a program that was moved. Where
// memory has no code, what it has is the image's.
func (w *Walker) otherCode(f *Func) bool {
	pc := w.cur.frame.PC
	from := max(f.Entry, pc-min(pc, comparedBefore))
	to := pc + comparedBehind
	if f.End > pc {
		to = min(to, f.End)
	}
	if w.differs(from, to) {
		return true
	}
	return from > f.Entry && w.differs(f.Entry, min(f.Entry+comparedEntry, from))
}

// differs reports whether memory has other code at [from, to) than the image.
func (w *Walker) differs(from, to core.Addr) bool {
	image := w.p.text.at(from)
	if to <= from || len(image) == 0 {
		return false
	}
	n := min(len(image), int(to-from))
	buf := make([]byte, n)
	n, _ = w.mem.ReadAt(from, buf)
	differing := 0
	for i := range n {
		if buf[i] != image[i] {
			differing++
		}
	}
	return differing*4 > n
}
