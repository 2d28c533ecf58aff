package runcontrol

import (
	"pushmask/core"
	"pushmask/elfsym"
)

// An instruction at which inlined code begins is in that code and stands at the
// call too. As gdb has it, a stop there is shown at the call, the inlined frames
// that begin there hidden, so that a step can go over the call or into it; into
// it means to show one of them without moving.

// beginning counts the inlined calls, the innermost first, that begin at an
// address.
func (t *lineTable) beginning(a core.Addr) int {
	n := 0
	calls := t.inlined(a)
	for n < len(calls) && calls[len(calls)-1-n].Entry == uint32(a) {
		n++
	}
	return n
}

// shown is the place that is shown when so many inlined frames are hidden.
func (t *lineTable) shown(a core.Addr, hidden int) elfsym.Location {
	if t.images.Empty() {
		return elfsym.Location{}
	}
	chain := t.images.Locate(uint32(a))
	if hidden >= len(chain) {
		return elfsym.Location{}
	}
	return chain[hidden]
}

// hiddenFor is how many frames to hide at a breakpoint on a line: those that
// begin there, unless the line is in one of them.
func (t *lineTable) hiddenFor(a core.Addr, line int) int {
	n := t.beginning(a)
	for k := range n {
		if t.shown(a, k).Line == line {
			return k
		}
	}
	return n
}
