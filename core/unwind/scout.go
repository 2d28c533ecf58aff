package unwind

import (
	"pushmask/core"
	"pushmask/core/thumb"
)

// scout is the memory of one look ahead through code: where it has been and
// where it goes on. Looks at many functions share one.
type scout struct {
	seen  map[escapeKey]bool
	queue []escapePoint
}

// escapePoint is a way that has not been followed yet.
type escapePoint struct {
	pc    core.Addr
	thumb bool
	s     state
	it    thumb.ITState
	guard guard
}

// escapeKey names what is followed once: an instruction, the height of the
// stack there, and which way guarded code is taken.
type escapeKey struct {
	pc    core.Addr
	sp    value
	guard guard
}

// reset forgets the look before.
func (s *scout) reset() {
	s.queue = s.queue[:0]
	clear(s.seen)
}

// visit notes that the look is at k and reports whether it is for the first
// time.
func (s *scout) visit(k escapeKey) bool {
	if s.seen[k] {
		return false
	}
	if s.seen == nil {
		s.seen = make(map[escapeKey]bool)
	}
	s.seen[k] = true
	return true
}
