package unwind

import (
	"cmp"
	"slices"

	"pushmask/core"
	"pushmask/elfsym"
)

// StackUsage is what one activation of a function does to the stack, found
// from its instructions alone.
type StackUsage struct {
	// Frame is the largest distance of SP below the CFA that is known, in
	// bytes: saved registers, locals, outgoing arguments and padding.
	Frame uint32
	// Dynamic is set where SP also moves by amounts that are known at run time
	// only (VLA, alloca); Frame is the rest.
	Dynamic bool
	// SetsSP is set where SP is loaded with a constant after the function has
	// used its stack: code that changes stacks. What follows is counted as if it
	// were the same stack.
	SetsSP bool
	// Unresolved is set where a jump has targets that were not found: code of
	// the function may have been left out.
	Unresolved bool
	Calls      []StackCall // by address
}

// StackCall is a call, or a jump that leaves the function for another one.
type StackCall struct {
	Site   core.Addr
	Target core.Addr // meaningless when Indirect
	// Depth is the distance of SP below the CFA at the call, in bytes.
	Depth uint32
	// Dynamic is set where an amount that is known at run time only adds to
	// Depth.
	Dynamic  bool
	Indirect bool // the target is not known
	Tail     bool // the function's own frame is gone
	// Assumed is set for calls in code that no control flow was found to reach
	// (C++ landing pads): Depth is the whole frame.
	Assumed bool
}

// Handlers returns the vector tables of the images in the order of the tables,
// that at the lowest address first, without their empty entries. Where there is
// none, the reset handlers are the ELFs' entries.
func (p *Program) Handlers() []Handler {
	var list []Handler
	for _, t := range p.vectorTables {
		list = append(list, t.Vectors...)
	}
	if len(list) > 0 {
		return list
	}
	for a := range p.resets {
		list = append(list, Handler{Number: 1, Entry: a})
	}
	slices.SortFunc(list, func(x, y Handler) int { return cmp.Compare(x.Entry, y.Entry) })
	return list
}

// Functions returns the functions with code, by address: those that symbols
// name, and of images without any those that were found by looking at it.
func (p *Program) Functions() []Func {
	var list []Func
	named := make(map[*elfsym.Image]bool)
	if !p.images.Empty() {
		for _, f := range p.images.Functions() {
			entry := core.Addr(f.Entry)
			if !p.HasCode(entry) {
				continue
			}
			named[p.imageAt(entry)] = true
			list = append(list, Func{Name: f.Name, Entry: entry, End: core.Addr(f.End), Thumb: f.Thumb, Known: true})
		}
	}
	if !slices.ContainsFunc(p.text, func(e extent) bool { return !named[e.of] }) {
		return list
	}
	d := p.discovered()
	for _, e := range d.entries {
		if f, ok := d.at(e.addr); ok && !named[p.imageAt(e.addr)] {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(x, y Func) int { return cmp.Compare(x.Entry, y.Entry) })
	return list
}

// HasCode reports whether the images hold the code at a: symbols of a ROM name
// functions that are not in any file.
func (p *Program) HasCode(a core.Addr) bool { return len(p.text.at(a)) >= 2 }

// Stacks measures the stack usage of functions. It differs from the plans that
// walk stacks in what it takes calls for: one to a function that has no way
// back does not lead on to the code behind it, which may belong to another
// block with another frame. It is not safe for concurrent use.
type Stacks struct {
	p     *Program
	plans map[bounds]*Plan
	never map[core.Addr]bool // functions that do not return
	level int                // of the recursion through noReturn
}

// Stacks returns what measures functions of p.
func (p *Program) Stacks() *Stacks {
	return &Stacks{p: p, plans: make(map[bounds]*Plan), never: make(map[core.Addr]bool)}
}

// maxCallLevel bounds how deep calls are followed to learn whether one comes
// back.
const maxCallLevel = 200

// stackCalls is what the analysis asks about calls while it measures stacks.
type stackCalls struct {
	*Program
	stacks *Stacks
}

func (c stackCalls) noReturn(f codePtr) bool { return c.stacks.noReturn(f) }

// noReturn reports whether a call of the function at to never comes back. One
// that is being asked about already is taken to come back.
func (s *Stacks) noReturn(to codePtr) bool {
	if s.p.noReturn(to) {
		return true
	}
	entry := to.addr
	if v, ok := s.never[entry]; ok {
		return v
	}
	f, ok := s.p.FuncAt(entry)
	if !ok || s.level == maxCallLevel {
		return false
	}
	s.never[entry] = false
	f.Entry = entry
	s.level++
	pl := s.plan(f)
	v := len(pl.blocks) > 0 && !pl.returns && !pl.indirectTail && !pl.indirectJump
	for _, t := range pl.tails {
		v = v && s.noReturn(t)
	}
	s.level--
	s.never[entry] = v
	return v
}

func (s *Stacks) plan(f Func) *Plan {
	pl, ok := s.plans[f.bounds()]
	if !ok {
		pl = s.analyse(f)
		s.plans[f.bounds()] = pl
	}
	return pl
}

// analyse explores f. Unlike for the plans that walk stacks, code behind calls
// that do not return is left alone: there may be data.
func (s *Stacks) analyse(f Func) *Plan {
	a := newAnalyser(f, s.p.text, stackCalls{s.p, s})
	a.follow()
	return a.plan
}

// Usage measures f.
func (s *Stacks) Usage(f Func) StackUsage {
	m := measure{stacks: s, plan: s.plan(f), origin: make(map[base]height)}
	m.winding = slices.ContainsFunc(m.plan.blocks, func(b *block) bool { return b.full })
	for range maxRounds {
		m.usage, m.changed = StackUsage{Unresolved: m.plan.indirectJump}, false
		for _, b := range m.plan.blocks {
			m.block(b)
		}
		if !m.changed {
			break
		}
	}
	m.unreached()
	slices.SortFunc(m.usage.Calls, func(x, y StackCall) int {
		return cmp.Or(cmp.Compare(x.Site, y.Site), cmp.Compare(x.Target, y.Target))
	})
	return m.usage
}
