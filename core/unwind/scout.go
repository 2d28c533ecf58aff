package unwind

import (
	"pushmask/core"
	"pushmask/core/thumb"
)

// scout is the memory of one look ahead through code: where it has been and
// where it goes on. Looks at many functions share one.
type scout struct {
	seen  map[escapeKey]struct{}
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
// stack there, and which way guarded code is taken. Two words hash quickly.
type escapeKey struct{ at, way uint64 }

func (p *escapePoint) key() escapeKey {
	sp := p.s.sp()
	k := escapeKey{uint64(p.pc)<<32 | uint64(uint32(sp.off)), uint64(sp.base) << 16}
	if p.guard.set {
		k.way |= uint64(p.guard.cond)<<2 | 1
	}
	if p.guard.taken {
		k.way |= 2
	}
	return k
}

// reset forgets the look before.
func (s *scout) reset() {
	s.queue = s.queue[:0]
	clear(s.seen)
}

// visit notes that the look is at k and reports whether it is for the first
// time.
func (s *scout) visit(k escapeKey) bool {
	if s.seen == nil {
		s.seen = make(map[escapeKey]struct{})
	}
	n := len(s.seen)
	s.seen[k] = struct{}{}
	return len(s.seen) > n
}
