package runcontrol

import (
	"path"
	"slices"
	"strings"

	"pushmask/core"
	"pushmask/elfsym"
)

// lineTable answers questions about source lines from the images, which may be
// nil. It remembers the rows of the functions that were asked for last, for
// steps ask for the same ones again and again.
type lineTable struct {
	images *elfsym.Set
	held   map[uint32][]elfsym.LineRow // by entry of the function
}

// lineRange is the code of one row of the line table.
type lineRange struct {
	lo, hi uint32
	row    elfsym.LineRow
}

func (r *lineRange) contains(a core.Addr) bool { return uint32(a) >= r.lo && uint32(a) < r.hi }

// rows returns the rows of a function.
func (t *lineTable) rows(f elfsym.Func) []elfsym.LineRow {
	if rows, ok := t.held[f.Entry]; ok {
		return rows
	}
	const most = 256 // functions
	if t.held == nil || len(t.held) == most {
		t.held = make(map[uint32][]elfsym.LineRow)
	}
	rows := t.images.Rows(f.Entry, f.End)
	t.held[f.Entry] = rows
	return rows
}

// function returns the function around an address.
func (t *lineTable) function(a core.Addr) (elfsym.Func, bool) {
	if t.images.Empty() {
		return elfsym.Func{}, false
	}
	return t.images.FuncAt(uint32(a))
}

// at returns the range of the row that an address is in; ok is false where the
// code has no lines. The line of the row may be 0.
func (t *lineTable) at(a core.Addr) (r lineRange, ok bool) {
	f, ok := t.function(a)
	if !ok {
		return lineRange{}, false
	}
	rows := t.rows(f)
	i, found := slices.BinarySearchFunc(rows, uint32(a), func(r elfsym.LineRow, a uint32) int {
		return int(int64(r.Addr) - int64(a))
	})
	if !found {
		i--
	}
	if i < 0 {
		return lineRange{}, false
	}
	r = lineRange{lo: rows[i].Addr, hi: f.End, row: rows[i]}
	if i+1 < len(rows) {
		r.hi = rows[i+1].Addr
	}
	return r, r.contains(a)
}

// afterPrologue returns where a breakpoint on a function belongs: the row that
// the compiler marked as the end of the prologue, else where the second row
// begins (as gdb has it: the first row is the prologue), the entry where there
// is none. A row of a smaller line behind the first is still of the prologue,
// unless it is of inlined code. Assembly has no prologue: each line is the
// user's.
func (t *lineTable) afterPrologue(f elfsym.Func) elfsym.LineRow {
	rows := t.rows(f)
	if len(rows) == 0 {
		return elfsym.LineRow{Addr: f.Entry}
	}
	if isAssembly(rows[0].File) {
		return rows[0]
	}
	for _, r := range rows {
		if r.PrologueEnd && r.Addr >= f.Entry {
			return r
		}
	}
	for i := 1; i < len(rows); i++ {
		r := rows[i]
		if r.Line >= rows[i-1].Line || r.File != rows[i-1].File || len(t.inlined(core.Addr(r.Addr))) > 0 {
			return r
		}
	}
	return rows[0]
}

// isAssembly tells assembly by the name of the file.
func isAssembly(file string) bool {
	switch strings.ToLower(path.Ext(file)) {
	case ".s", ".asm", ".sx":
		return true
	}
	return false
}

// sameFunction reports whether two addresses are code of one source function,
// which compilers split (parts that are cold go elsewhere). A file that is compiled
// into two images has its functions in each.
func (t *lineTable) sameFunction(a, b core.Addr) bool {
	f, ok := t.function(a)
	if !ok {
		return a == b
	}
	if uint32(b) >= f.Entry && uint32(b) < f.End {
		return true
	}
	g, ok := t.function(b)
	if !ok || uint32(b) == g.Entry && !isPart(g.Name) && !isPart(f.Name) {
		return false
	}
	return t.images.At(f.Entry) == t.images.At(g.Entry) && outer(t.images.Locate(f.Entry)) == outer(t.images.Locate(g.Entry))
}

// inside reports whether a jump from one address to another stays in a function:
// to its entry it is a call, or the next interrupt's.
func (t *lineTable) inside(from, to core.Addr) bool {
	f, ok := t.function(to)
	return t.sameFunction(from, to) && (!ok || uint32(to) != f.Entry)
}

// isPart reports whether a symbol names a part of a function, as GCC calls them
// (f.cold, f.part.0).
func isPart(name string) bool { return slices.Contains([]byte(name), '.') }

// outer is the function that inlined calls are in, with its file.
func outer(chain []elfsym.Location) elfsym.Location {
	if len(chain) == 0 {
		return elfsym.Location{}
	}
	last := chain[len(chain)-1]
	return elfsym.Location{Function: last.Function, File: last.File}
}

// inlined lists the inlined calls that an address is in, the outermost first.
func (t *lineTable) inlined(a core.Addr) []elfsym.InlinedCode {
	if t.images.Empty() {
		return nil
	}
	return t.images.InlinedAt(uint32(a))
}
