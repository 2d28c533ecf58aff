package session

import (
	"pushmask/core"
)

// LineRange is the instructions [Lo, Hi) of a line of the source.
type LineRange struct {
	File   string // as recorded
	Line   int
	Lo, Hi core.Addr
}

// LineAt returns the line that the instruction at an address is of, with the
// instructions around it that are of the line too; false where none is known.
func (p *Program) LineAt(a core.Addr) (LineRange, bool) {
	fn, ok := p.funcAt(a)
	if !ok {
		return LineRange{}, false
	}
	rows := p.images.Rows(fn.Entry, fn.End)
	at := -1
	for i := range rows {
		if core.Addr(rows[i].Addr) <= a {
			at = i
		}
	}
	if at < 0 || rows[at].Line == 0 {
		return LineRange{}, false
	}
	first, end := at, at+1
	same := func(i int) bool { return rows[i].Line == rows[at].Line && rows[i].File == rows[at].File }
	for first > 0 && same(first-1) {
		first--
	}
	for end < len(rows) && same(end) {
		end++
	}
	r := LineRange{File: rows[at].File, Line: rows[at].Line, Lo: core.Addr(rows[first].Addr), Hi: core.Addr(fn.End)}
	if end < len(rows) {
		r.Hi = core.Addr(rows[end].Addr)
	}
	return r, true
}

// SymbolText is "name" or "name+offset" for an address in a function or an
// object, "" where none is known.
func (p *Program) SymbolText(a core.Addr) string { return p.symbolText(a) }
