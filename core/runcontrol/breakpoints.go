package runcontrol

import (
	"context"
	"slices"

	"pushmask/core"
	"pushmask/core/gdbremote"
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
	Addr     core.Addr // of an instruction or of data
	Size     int       // of data, in bytes
	Access   Access
	// Condition is an expression that must be true, "" for none.
	Condition string
	// HitCondition counts the hits whose condition is true: "5" and "==5" stop at
	// the fifth, ">5", ">=5", "<5" and "<=5" as they say, "%3" at each third.
	HitCondition string
	// LogMessage is printed instead of a stop; {expr} in it is evaluated.
	LogMessage string
	Temporary  bool // is gone once it has stopped the target
	Hardware   bool // must use a comparator of the hardware
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
	spec Spec
}

// breakpoints are those of the user by the group that they were set with.
type breakpoints struct {
	next   int
	groups map[string][]*placed
}

func point(a core.Addr) live.Point {
	return live.Point{Kind: gdbremote.SoftwareBreakpoint, Addr: a, Size: 2}
}

// SetBreakpoints replaces the breakpoints of a group, for example of a source
// file. A spec that the group had before keeps its ID and its count of hits. An
// error means that nothing is known of any of them; what cannot be set is told
// in the Message of its Placed.
func (l *Live) SetBreakpoints(ctx context.Context, group string, specs []Spec) ([]Placed, error) {
	var list []Placed
	err := l.Do(ctx, func(ctx context.Context, m *live.Machine) error {
		old := l.points.groups[group]
		var all []*placed
		for _, s := range specs {
			if i := slices.IndexFunc(old, func(p *placed) bool { return p.spec == s }); i >= 0 {
				all = append(all, old[i])
				old = slices.Delete(slices.Clone(old), i, i+1)
				continue
			}
			all = append(all, l.place(ctx, m, s))
		}
		for _, p := range old {
			for _, a := range p.Addrs {
				if err := m.Remove(ctx, point(a)); err != nil {
					return err
				}
			}
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

func (l *Live) place(ctx context.Context, m *live.Machine, s Spec) *placed {
	l.points.next++
	p := &placed{spec: s, Placed: Placed{ID: l.points.next, Path: s.Path, Line: s.Line, Message: "no code at this line"}}
	addrs := l.program.LineAddresses(s.Path, s.Line)
	if s.Kind == InstructionBreakpoint {
		addrs = []core.Addr{s.Addr}
	}
	for _, a := range addrs {
		if err := m.Insert(ctx, point(a)); err != nil {
			p.Message = err.Error()
			continue
		}
		p.Addrs = append(p.Addrs, a)
		p.Verified, p.Message = true, ""
	}
	return p
}

// at returns the point at an address.
func (b *breakpoints) at(a core.Addr) (live.Point, bool) {
	return point(a), len(b.ids(a)) > 0
}

// ids lists the breakpoints at an address.
func (b *breakpoints) ids(a core.Addr) []int {
	var ids []int
	for _, g := range b.groups {
		for _, p := range g {
			if slices.Contains(p.Addrs, a) {
				ids = append(ids, p.ID)
			}
		}
	}
	slices.Sort(ids)
	return ids
}
