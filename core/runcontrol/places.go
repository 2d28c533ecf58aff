package runcontrol

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pushmask/core"
	"pushmask/core/insn"
	"pushmask/elfsym"
)

// place is one location of a breakpoint.
type place struct {
	Addr         core.Addr
	Path         string
	Line, Column int
}

// placesOf finds where a breakpoint on code belongs; message says why nowhere,
// or what the user should know.
func (l *Live) placesOf(s Spec) (list []place, message string) {
	switch s.Kind {
	case InstructionBreakpoint:
		return []place{l.placeAt(s.Addr, 0)}, ""
	case FunctionBreakpoint:
		return l.functionPlaces(s)
	}
	return l.linePlaces(s)
}

// placeAt is the location of an instruction, as it is shown when so many inlined
// frames are hidden.
func (l *Live) placeAt(a core.Addr, hidden int) place {
	p := place{Addr: a &^ 1}
	if at := l.lines.shown(p.Addr, hidden); at.Line > 0 {
		p.Path, p.Line, p.Column = l.program.Resolve(at.File), at.Line, at.Column
	}
	return p
}

// linePlaces finds the code of a source line or, where it has none, of the next
// line of the file that has: one place in each function and each inlined copy.
// With a column it is the statement there, or the next one in the line.
func (l *Live) linePlaces(s Spec) ([]place, string) {
	if l.lines.images.Empty() {
		return nil, "the program has no ELF with source lines"
	}
	files := l.program.Recorded(s.Path)
	if len(files) == 0 {
		if len(l.lines.images.Sources()) == 0 {
			return nil, "the ELF has no source lines: build it with -g"
		}
		return nil, "the ELF does not name this file: check sourceFileMap"
	}
	wanted, problem := l.lines.inImage(s.Image)
	if problem != "" {
		return nil, problem
	}
	var rows []elfsym.LineRow
	found := 0
	for _, f := range files {
		for _, r := range l.lines.images.FileRows(f) {
			if r.Line < s.Line || found != 0 && r.Line > found || !wanted(r.Addr) {
				continue
			}
			if found == 0 || r.Line < found {
				found, rows = r.Line, rows[:0]
			}
			rows = append(rows, r)
		}
	}
	if found == 0 {
		return nil, "no code at this line or below"
	}
	if found == s.Line && s.Column > 0 {
		rows = atColumn(rows, s.Column)
	}
	return l.onePerCopy(s.Path, rows), ""
}

// atColumn keeps the rows of the statement at a column, or of the next one.
func atColumn(rows []elfsym.LineRow, column int) []elfsym.LineRow {
	best := 0
	for _, r := range rows {
		if r.Column >= column && (best == 0 || r.Column < best) {
			best = r.Column
		}
	}
	if best == 0 {
		return rows
	}
	return slices.DeleteFunc(rows, func(r elfsym.LineRow) bool { return r.Column != best })
}

// copyOf tells the copies of a line apart: the function that the code is in and
// the inlined call.
type copyOf struct {
	function uint32
	inlined  uint64
}

// onePerCopy makes one place of the rows in each copy: where it begins. The
// first line of a function is where its prologue ends.
func (l *Live) onePerCopy(path string, rows []elfsym.LineRow) []place {
	first := make(map[copyOf]elfsym.LineRow)
	for _, r := range rows {
		var key copyOf
		f, ok := l.lines.function(core.Addr(r.Addr))
		if ok {
			key.function = f.Entry
		}
		if chain := l.lines.inlined(core.Addr(r.Addr)); len(chain) > 0 {
			key.inlined = chain[len(chain)-1].ID
		}
		if was, ok := first[key]; !ok || r.Addr < was.Addr {
			first[key] = r
		}
	}
	list := make([]place, 0, len(first))
	for key, r := range first {
		p := place{Addr: core.Addr(r.Addr), Path: path, Line: r.Line, Column: r.Column}
		if f, ok := l.lines.function(p.Addr); ok && r.Addr == f.Entry && key.inlined == 0 {
			body := l.body(f)
			p.Addr = core.Addr(body.Addr)
			if body.Line > r.Line && body.File == r.File {
				p.Line, p.Column = body.Line, body.Column
			}
		}
		list = append(list, p)
	}
	return sorted(list)
}

// body is where a breakpoint on a function belongs: behind its prologue, or at
// its entry where the code branches before that. Compilers put the pushes of a
// prologue behind a test for the short way out ("shrink wrapping"), and a call that
// takes it would not come by.
func (l *Live) body(f elfsym.Func) elfsym.LineRow {
	row := l.lines.afterPrologue(f)
	entry := core.Addr(f.Entry)
	for at := entry; uint32(at) < row.Addr; {
		i, err := l.code.at(at, l.t32At(entry))
		if err != nil || i.Size == 0 {
			break
		}
		if i.Flow != insn.FlowNext && !isCall(&i) {
			row = elfsym.LineRow{Addr: f.Entry}
			if first, ok := l.lines.at(entry); ok {
				row = first.row
				row.Addr = f.Entry
			}
			break
		}
		at = i.Next()
	}
	return row
}

func sorted(list []place) []place {
	slices.SortFunc(list, func(a, b place) int { return cmp.Compare(a.Addr, b.Addr) })
	return slices.CompactFunc(list, func(a, b place) bool { return a.Addr == b.Addr })
}

// functionPlaces finds the functions of a name behind their prologues: all
// overloads and instances, and the copies that were inlined, of one image or file
// or of all. A name without namespaces, classes, template arguments or parameters
// is that of all that have more.
func (l *Live) functionPlaces(s Spec) ([]place, string) {
	img := l.lines.images
	if img.Empty() {
		return nil, "the program has no ELF with symbols"
	}
	inImage, problem := l.lines.inImage(s.Image)
	if problem != "" {
		return nil, problem
	}
	wanted := func(a uint32) bool { return inImage(a) && l.lines.inFile(a, s.File) }
	name := strings.TrimSpace(s.Function)
	var list []place
	seen := make(map[uint32]bool)
	add := func(entry uint32) {
		f, ok := img.FuncAt(entry)
		if !ok && img.At(entry) == nil { // of a ROM, known by its address alone
			f, ok = elfsym.Func{Entry: entry, End: entry}, true
		}
		if !ok || seen[entry] || !wanted(entry) {
			return
		}
		seen[entry] = true
		a := core.Addr(l.body(f).Addr)
		list = append(list, l.placeAt(a, l.lines.beginning(a)))
	}
	for _, sym := range img.Lookup(name) {
		if sym.Func {
			add(sym.Addr)
		}
	}
	for _, f := range img.Functions() {
		if !isPart(f.Name) && nameMatches(elfsym.Demangle(f.Name), name) {
			add(f.Entry)
		}
	}
	for _, c := range img.Inlined(func(inlined string) bool { return nameMatches(inlined, name) }) {
		if !wanted(c.Entry) {
			continue
		}
		a := core.Addr(c.Entry)
		calls := l.lines.inlined(a)
		k := slices.IndexFunc(calls, func(x elfsym.InlinedCode) bool { return x.ID == c.ID })
		list = append(list, l.placeAt(a, len(calls)-1-k))
	}
	if len(list) == 0 {
		return nil, fmt.Sprintf("no function %q in %s", name, cmp.Or(s.File, s.Image, "the ELF"))
	}
	return sorted(list), ""
}

// nameMatches reports whether a demangled name is the wanted one, or that with
// more in front of it ("ns::Class::") or template arguments behind.
func nameMatches(full, want string) bool {
	if full == "" || want == "" {
		return false
	}
	bare := withoutArguments(full)
	for _, have := range []string{full, bare} {
		if have == want || strings.HasSuffix(have, "::"+want) {
			return true
		}
	}
	return false
}

// withoutArguments cuts the template arguments off the end of a name.
func withoutArguments(name string) string {
	if !strings.HasSuffix(name, ">") || strings.HasSuffix(name, "operator>") {
		return name
	}
	depth := 0
	for i := len(name) - 1; i >= 0; i-- {
		switch name[i] {
		case '>':
			depth++
		case '<':
			if depth--; depth == 0 {
				return name[:i]
			}
		}
	}
	return name
}
