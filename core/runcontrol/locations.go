package runcontrol

import (
	"cmp"
	"slices"
)

// Location is a place in a source file where a breakpoint can be.
type Location struct {
	Line   int // from 1
	Column int // from 1, 0 when not known
}

// Locations lists the places with code in some lines of a source file of this
// machine, last included, in their order.
func (l *Live) Locations(path string, first, last int) []Location {
	if l.lines.images.Empty() {
		return nil
	}
	var list []Location
	for _, f := range l.program.Recorded(path) {
		for _, r := range l.lines.images.FileRows(f) {
			if r.Line >= first && r.Line <= last {
				list = append(list, Location{Line: r.Line, Column: r.Column})
			}
		}
	}
	slices.SortFunc(list, func(a, b Location) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return slices.Compact(list)
}
