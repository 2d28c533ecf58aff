package stackdepth

import (
	"slices"
)

// Chain is the deepest chain of calls that starts at a function.
type Chain struct {
	// Depth is the stack it needs, in bytes.
	Depth uint32
	Links []Link // the caller first
	// Limits say why the stack can be deeper than Depth; none where Depth is
	// exact as far as the code tells.
	Limits []Limit
}

// Link is a function of a chain.
type Link struct {
	Func *Function
	// Depth is what its frame adds to the chain, in bytes: the part in use at
	// the call of the next link, nothing where it left by a tail call, all of
	// the frame in the last link.
	Depth uint32
	Tail  bool // it leaves to the next link by a tail call
}

// Deepest returns the deepest chain that starts at f. Functions that call each
// other in cycles are counted once each.
func (g *Graph) Deepest(f *Function) Chain {
	c := Chain{Depth: f.below, Limits: limits(f)}
	for at := f; at != nil; {
		steps := at.steps
		for _, s := range steps {
			c.Links = append(c.Links, Link{Func: at, Depth: s.Depth, Tail: s.Tail})
			at = s.to
		}
		if len(steps) == 0 || at.group == c.Links[len(c.Links)-1].Func.group {
			c.Links = append(c.Links, Link{Func: at, Depth: at.Frame})
			at = nil
		}
	}
	return c
}

// maxWays bounds the calls tried in one search through a group of functions
// that call each other; their number grows exponentially with the group.
const maxWays = 20_000

// settle finds the deepest chain from each member of a group. The groups below
// have been settled before.
func (g *group) settle() {
	for _, f := range g.members {
		for i := range f.calls {
			c := &f.calls[i]
			g.grows = g.grows || c.to != nil && c.to.group == g && (c.Depth > 0 || c.Dynamic)
		}
	}
	for _, f := range g.members {
		s := search{on: map[*Function]bool{}, ways: maxWays, best: -1}
		s.from(f, 0)
		f.below, f.steps = uint32(s.best), s.bestSteps
		g.cut = g.cut || s.ways == 0
	}
}

// search looks for the deepest chain from a function through its group.
type search struct {
	on        map[*Function]bool // functions on the way here
	steps     []*call
	ways      int
	best      int64
	bestSteps []*call
}

// from goes on at f, which is entered with depth bytes in use.
func (s *search) from(f *Function, depth int64) {
	s.offer(depth + int64(f.Frame))
	s.on[f] = true
	for i := range f.calls {
		c := &f.calls[i]
		if c.to == nil || s.on[c.to] {
			continue
		}
		s.steps = append(s.steps, c)
		switch at := depth + int64(c.Depth); {
		case c.to.group != f.group:
			s.offer(at + int64(c.to.below))
		case s.ways > 0:
			s.ways--
			s.from(c.to, at)
		}
		s.steps = s.steps[:len(s.steps)-1]
	}
	delete(s.on, f)
}

func (s *search) offer(depth int64) {
	if depth > s.best {
		s.best, s.bestSteps = depth, slices.Clone(s.steps)
	}
}
