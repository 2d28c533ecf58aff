package runcontrol

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"pushmask/core"
	"pushmask/core/live"
)

// SpecKind is what a breakpoint is set on.
type SpecKind uint8

// The kinds of breakpoint.
const (
	SourceBreakpoint SpecKind = iota
	FunctionBreakpoint
	InstructionBreakpoint
	DataBreakpoint
)

// Access is what a data breakpoint watches for.
type Access uint8

// The accesses. AccessWrite stops when the value has changed.
const (
	AccessWrite Access = iota
	AccessRead
	AccessReadWrite
)

// Spec is a breakpoint that the user wants.
type Spec struct {
	Kind     SpecKind
	Path     string    // source file on this machine
	Line     int       // from 1
	Column   int       // from 1; 0 for the whole line
	Function string    // name, with or without its namespaces and parameters
	Image    string    // the one ELF to look in for a line or a function, by its name; "" for all
	File     string    // the end of the path of the source file that a function is in; "" for any
	Addr     core.Addr // of an instruction or of data
	Name     string    // of data, as the user knows it; "" for that of its symbol
	Size     int       // of data, in bytes
	Access   Access
	// Condition is an expression that must be true, "" for none. One that cannot
	// be evaluated stops the target once, with the reason, and counts as false
	// from then on.
	Condition string
	// HitCondition counts the hits whose condition is true: "5" and "==5" stop at
	// the fifth, ">5", ">=5", "<5" and "<=5" as they say, "%3" at each third.
	// (gdb's "ignore n" is ">n".)
	HitCondition string
	// LogMessage is printed instead of a stop; {expr} in it is evaluated, {{ and
	// }} are braces.
	LogMessage string
	Temporary  bool // is gone once it has stopped the target
	Hardware   bool // must use a comparator of the hardware
}

// FunctionName is the function of a breakpoint as people write it, with the image
// and the file that it is in where they were given.
func (s *Spec) FunctionName() string {
	name := s.Function
	if s.File != "" {
		name = s.File + ":" + name
	}
	if s.Image != "" {
		name = s.Image + "!" + name
	}
	return name
}

// Placed is what became of a breakpoint.
type Placed struct {
	ID       int // the same as long as the Spec is set
	Verified bool
	Message  string // why it is not verified, or what the user should know of it
	Path     string // of the source where it is, "" where none is known
	Line     int    // where it is, which may be below the line that was asked for
	Column   int    // from 1, 0 when not known
	Addrs    []core.Addr
}

// placed is a breakpoint that is set.
type placed struct {
	Placed
	spec   Spec
	points []live.Point // that it uses
	when   hitCondition
	hits   int
	broken bool // its condition could not be evaluated
	value  []byte
}

// breakpoints are those of the user by the group that they were set with.
type breakpoints struct {
	next   int
	groups map[string][]*placed
}

// SetBreakpoints replaces the breakpoints of a group, for example of a source
// file. A spec that the group had before keeps its ID and its count of hits,
// and a place that had found no room may find it now. An error means that
// nothing is known of any of them; what cannot be set is told in the Message of
// its Placed.
func (l *Live) SetBreakpoints(ctx context.Context, group string, specs []Spec) ([]Placed, error) {
	var list []Placed
	err := l.Do(ctx, func(ctx context.Context, m *live.Machine) error {
		old := slices.Clone(l.points.groups[group])
		all := make([]*placed, len(specs))
		for i, s := range specs {
			if k := slices.IndexFunc(old, func(p *placed) bool { return p.spec == s && p.Verified }); k >= 0 {
				all[i] = old[k]
				old = slices.Delete(old, k, k+1)
			}
		}
		for _, p := range old {
			if err := l.remove(ctx, p); err != nil {
				return err
			}
		}
		for i, s := range specs {
			if all[i] != nil {
				continue
			}
			p, err := l.place(ctx, s, idOf(old, s))
			if err != nil {
				return err
			}
			all[i] = p
		}
		if l.points.groups == nil {
			l.points.groups = make(map[string][]*placed)
		}
		l.points.groups[group] = all
		for _, p := range all {
			list = append(list, p.Placed)
		}
		return nil
	})
	return list, err
}

// idOf returns the ID that a spec had before, 0 for none, and takes it.
func idOf(old []*placed, s Spec) int {
	for _, p := range old {
		if p.spec == s && p.ID != 0 {
			id := p.ID
			p.ID = 0
			return id
		}
	}
	return 0
}

// place sets a breakpoint; the error is that of a lost connection.
func (l *Live) place(ctx context.Context, s Spec, id int) (*placed, error) {
	if id == 0 {
		l.points.next++
		id = l.points.next
	}
	p := &placed{spec: s, Placed: Placed{ID: id, Path: s.Path, Line: s.Line, Column: s.Column}}
	var err error
	if p.when, err = parseHitCondition(s.HitCondition); err != nil {
		p.Message = err.Error()
		return p, nil
	}
	if s.Kind == DataBreakpoint {
		return p, l.placeData(ctx, p)
	}
	found, message := l.placesOf(s)
	p.Message = message
	if len(found) == 0 {
		return p, nil
	}
	first := found[0]
	p.Path, p.Line, p.Column = first.Path, first.Line, first.Column
	for _, at := range found {
		if err := l.insert(ctx, p, l.pointFor(s, at.Addr)); err != nil {
			return p, err
		}
	}
	if n := len(p.points); n > 0 && n < len(found) {
		p.Message = fmt.Sprintf("set at %d of %d places: %s", n, len(found), p.Message)
	}
	return p, nil
}

// pointFor is the breakpoint at an address that a spec asks for.
func (l *Live) pointFor(s Spec, a core.Addr) live.Point {
	p := l.point(a)
	if s.Hardware {
		p.Kind = hardware
	}
	return p
}

// insert puts one point of a breakpoint into the target; the error is that of a
// lost connection.
func (l *Live) insert(ctx context.Context, p *placed, at live.Point) error {
	switch err := l.machine.Insert(ctx, at); {
	case err == nil:
		p.points = append(p.points, at)
		p.Addrs = append(p.Addrs, at.Addr)
		p.Verified = true
	case live.Refused(err):
		p.Message = err.Error()
	default:
		return err
	}
	return nil
}

// remove takes a breakpoint out of the target.
func (l *Live) remove(ctx context.Context, p *placed) error {
	var failed error
	for _, at := range p.points {
		if err := l.machine.Remove(ctx, at); err != nil && !live.Refused(err) {
			failed = errors.Join(failed, err)
		}
	}
	p.points, p.Addrs, p.Verified = nil, nil, false
	return failed
}

// lose forgets points that the target does not take any more, and reports whether
// the breakpoint had any of them.
func (p *placed) lose(lost []live.Point) bool {
	n := len(p.points)
	p.points = slices.DeleteFunc(p.points, func(at live.Point) bool { return slices.Contains(lost, at) })
	if len(p.points) == n {
		return false
	}
	p.Addrs = nil
	for _, at := range p.points {
		p.Addrs = append(p.Addrs, at.Addr)
	}
	p.Verified, p.Message = len(p.points) > 0, "the target does not take the breakpoint any more after the reset"
	return true
}

// removeAll takes all breakpoints out of the target.
func (l *Live) removeAll(ctx context.Context) error {
	var failed error
	for _, g := range l.points.groups {
		for _, p := range g {
			failed = errors.Join(failed, l.remove(ctx, p))
		}
	}
	return failed
}

// at lists the breakpoints at an address, by ID.
func (b *breakpoints) at(a core.Addr) []*placed {
	return b.list(func(p *placed) bool {
		return p.spec.Kind != DataBreakpoint && slices.Contains(p.Addrs, a)
	})
}

// data lists the data breakpoints.
func (b *breakpoints) data() []*placed {
	return b.list(func(p *placed) bool { return p.spec.Kind == DataBreakpoint && p.Verified })
}

func (b *breakpoints) list(want func(*placed) bool) []*placed {
	var list []*placed
	for _, g := range b.groups {
		for _, p := range g {
			if want(p) {
				list = append(list, p)
			}
		}
	}
	slices.SortFunc(list, func(x, y *placed) int { return x.ID - y.ID })
	return list
}

// drop forgets a breakpoint that has served.
func (b *breakpoints) drop(p *placed) {
	for name, g := range b.groups {
		b.groups[name] = slices.DeleteFunc(slices.Clone(g), func(x *placed) bool { return x == p })
	}
}

// lineOf is the line of a breakpoint, 0 where it has none or is gone.
func (b *breakpoints) lineOf(id int) int {
	for _, p := range b.list(func(p *placed) bool { return p.ID == id }) {
		return p.Line
	}
	return 0
}
