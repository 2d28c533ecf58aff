package macro

import (
	"slices"
	"strings"
)

// Scope is the macros that are defined at a place of a unit.
type Scope struct {
	unit *Unit
	end  int // events before it have happened
}

// At returns what is defined at a line of a file, where the preprocessor comes
// to it first. file tells the path of a file by its number in the unit's line
// table. Where the unit never is in the file, all that it does counts.
func (u *Unit) At(path string, line int, file func(number uint64) string) Scope {
	known := make(map[uint64]bool) // whether the file of a number is the one
	var stack []bool
	for i := range u.events {
		e := &u.events[i]
		in := len(stack) > 0 && stack[len(stack)-1]
		if in && (e.kind == eventEndFile || e.line > line) {
			return Scope{u, i}
		}
		switch e.kind {
		case eventStartFile:
			is, asked := known[e.file]
			if !asked {
				is = file(e.file) == path
				known[e.file] = is
			}
			stack = append(stack, is)
		case eventEndFile:
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
		}
	}
	return Scope{u, len(u.events)}
}

// Lookup returns the definition of a name; false where it is none, or was
// undefined.
func (s Scope) Lookup(name string) (*Definition, bool) {
	if s.unit == nil {
		return nil, false
	}
	list := s.unit.byName[name]
	i, _ := slices.BinarySearch(list, s.end)
	if i == 0 {
		return nil, false
	}
	d := s.unit.events[list[i-1]].def
	return d, d != nil
}

// Empty reports whether nothing is known of macros.
func (s Scope) Empty() bool { return s.unit == nil || len(s.unit.byName) == 0 }

// Names calls f with the macros that are defined and whose names begin with
// prefix until it returns false, in the order of their definitions.
func (s Scope) Names(prefix string, f func(*Definition) bool) {
	if s.unit == nil {
		return
	}
	for i := range s.unit.events[:s.end] {
		d := s.unit.events[i].def
		if d == nil || !strings.HasPrefix(d.Name, prefix) {
			continue
		}
		if now, ok := s.Lookup(d.Name); ok && now == d && !f(d) {
			return
		}
	}
}
