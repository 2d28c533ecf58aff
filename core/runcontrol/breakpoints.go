package runcontrol

import (
	"context"
	"slices"

	"pushmask/core"
	"pushmask/core/gdbremote"
	"pushmask/core/live"
)

// Spec is a breakpoint that the user wants.
type Spec struct {
	Path string // source file on this machine
	Line int    // from 1
}

// Placed is what became of a breakpoint.
type Placed struct {
	ID       int
	Verified bool
	Message  string // why it is not verified
	Line     int    // where it is, which may be below the line that was asked for
	Addrs    []core.Addr
}

// breakpoints are those of the user by the group that they were set with.
type breakpoints struct {
	next   int
	groups map[string][]Placed
}

func point(a core.Addr) live.Point {
	return live.Point{Kind: gdbremote.SoftwareBreakpoint, Addr: a, Size: 2}
}

// SetBreakpoints replaces the breakpoints of a group, for example of a source
// file.
func (l *Live) SetBreakpoints(ctx context.Context, group string, specs []Spec) ([]Placed, error) {
	var placed []Placed
	err := l.Do(ctx, func(ctx context.Context, m *live.Machine) error {
		for _, old := range l.points.groups[group] {
			for _, a := range old.Addrs {
				if err := m.Remove(ctx, point(a)); err != nil {
					return err
				}
			}
		}
		for _, s := range specs {
			placed = append(placed, l.place(ctx, m, s))
		}
		if l.points.groups == nil {
			l.points.groups = make(map[string][]Placed)
		}
		l.points.groups[group] = placed
		return nil
	})
	return placed, err
}

func (l *Live) place(ctx context.Context, m *live.Machine, s Spec) Placed {
	l.points.next++
	p := Placed{ID: l.points.next, Line: s.Line, Message: "no code at this line"}
	for _, a := range l.program.LineAddresses(s.Path, s.Line) {
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
