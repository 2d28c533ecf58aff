package live

import (
	"context"
	"errors"
	"fmt"

	"pushmask/core"
	"pushmask/core/gdbremote"
)

// Point is a place at which the machine stops.
type Point struct {
	Kind gdbremote.BreakpointKind
	Addr core.Addr
	Size int // as the protocol counts: see [gdbremote.Client.InsertBreakpoint]
}

func (p Point) watches() bool { return p.Kind >= gdbremote.WriteWatchpoint }

// Limits say how many comparators of the hardware may be used; 0 leaves it to
// the stub.
type Limits struct{ Breakpoints, Watchpoints int }

// SetLimits bounds the use of hardware from now on.
func (m *Machine) SetLimits(l Limits) { m.points.limits = l }

// LimitError says that no comparator of the hardware is free.
type LimitError struct {
	Watch bool // of data, else of code
	Used  int  // how many are in use
	Err   error
}

// Error implements error.
func (e *LimitError) Error() string {
	what := "breakpoints"
	if e.Watch {
		what = "watchpoints"
	}
	if e.Used == 0 {
		return fmt.Sprintf("the target takes no hardware %s here", what)
	}
	return fmt.Sprintf("the target's %d hardware %s are all used: remove one", e.Used, what)
}

// Unwrap returns the answer of the stub, nil for a limit of our own.
func (e *LimitError) Unwrap() error { return e.Err }

// points are those that the stub holds, with how many want each.
type points struct {
	client *gdbremote.Client
	held   map[Point]*held
	limits Limits
	// hardware is set once a stub has refused a software breakpoint: asking again
	// costs an exchange each.
	hardware bool
}

type held struct {
	users int
	kind  gdbremote.BreakpointKind // what the stub took, not always what was asked for
}

// Insert asks the stub for a point, once for all who want it. A software
// breakpoint that the stub refuses becomes one of the hardware. The error is a
// [*LimitError] where the hardware has no room.
func (m *Machine) Insert(ctx context.Context, p Point) error {
	t := &m.points
	if h := t.held[p]; h != nil {
		h.users++
		return nil
	}
	kind, err := t.insert(ctx, p)
	if err != nil {
		return err
	}
	t.held[p] = &held{users: 1, kind: kind}
	return nil
}

// InsertedAt reports whether the stub holds a breakpoint at an address.
func (m *Machine) InsertedAt(a core.Addr) bool {
	for p := range m.points.held {
		if p.Addr == a && !p.watches() {
			return true
		}
	}
	return false
}

// InHardware reports whether an inserted point uses the hardware.
func (m *Machine) InHardware(p Point) bool {
	h := m.points.held[p]
	return h != nil && h.kind != gdbremote.SoftwareBreakpoint
}

func (t *points) insert(ctx context.Context, p Point) (gdbremote.BreakpointKind, error) {
	kind := p.Kind
	if kind == gdbremote.SoftwareBreakpoint && t.hardware {
		kind = gdbremote.HardwareBreakpoint
	}
	if kind == gdbremote.SoftwareBreakpoint {
		err := t.client.InsertBreakpoint(ctx, kind, p.Addr, p.Size)
		if !isRefusal(err) {
			return kind, err
		}
		kind = gdbremote.HardwareBreakpoint
		if errors.Is(err, gdbremote.ErrUnsupported) {
			t.hardware = true
		}
	}
	used := t.used(p.watches())
	if limit := t.limit(p.watches()); limit > 0 && used >= limit {
		return 0, &LimitError{Watch: p.watches(), Used: used}
	}
	err := t.client.InsertBreakpoint(ctx, kind, p.Addr, p.Size)
	switch {
	case errors.Is(err, gdbremote.ErrUnsupported):
		return 0, fmt.Errorf("the stub has no such breakpoints: %w", err)
	case isRefusal(err):
		return 0, &LimitError{Watch: p.watches(), Used: used, Err: err}
	}
	return kind, err
}

func isRefusal(err error) bool {
	return errors.Is(err, gdbremote.ErrRefused) || errors.Is(err, gdbremote.ErrUnsupported)
}

// Refused reports whether an error is an answer of the stub or a limit, and not
// the end of the connection.
func Refused(err error) bool {
	_, limit := errors.AsType[*LimitError](err)
	return limit || isRefusal(err) || errors.Is(err, core.ErrNoMemory)
}

func (t *points) limit(watch bool) int {
	if watch {
		return t.limits.Watchpoints
	}
	return t.limits.Breakpoints
}

// used counts the comparators in use.
func (t *points) used(watch bool) int {
	n := 0
	for p, h := range t.held {
		if h.kind != gdbremote.SoftwareBreakpoint && p.watches() == watch {
			n++
		}
	}
	return n
}

// Remove gives a point back; the last who wants it takes it off the stub.
func (m *Machine) Remove(ctx context.Context, p Point) error {
	h := m.points.held[p]
	if h == nil {
		return nil
	}
	if h.users--; h.users > 0 {
		return nil
	}
	delete(m.points.held, p)
	return m.client.RemoveBreakpoint(ctx, h.kind, p.Addr, p.Size)
}

// Lift takes the breakpoints at an address off the stub for a step, and returns
// what puts them back.
func (m *Machine) Lift(ctx context.Context, a core.Addr) (lower func(context.Context) error, err error) {
	return m.points.lift(ctx, func(p Point) bool { return p.Addr == a && !p.watches() })
}

// LiftWatchpoints takes the watchpoints off the stub for a step, and returns
// what puts them back.
func (m *Machine) LiftWatchpoints(ctx context.Context) (lower func(context.Context) error, err error) {
	return m.points.lift(ctx, Point.watches)
}

func (t *points) lift(ctx context.Context, which func(Point) bool) (lower func(context.Context) error, err error) {
	lifted := make(map[Point]gdbremote.BreakpointKind)
	lower = func(ctx context.Context) error {
		var failed error
		for p, kind := range lifted {
			failed = errors.Join(failed, t.client.InsertBreakpoint(ctx, kind, p.Addr, p.Size))
		}
		return failed
	}
	for p, h := range t.held {
		if !which(p) {
			continue
		}
		if err := t.client.RemoveBreakpoint(ctx, h.kind, p.Addr, p.Size); err != nil {
			return lower, err
		}
		lifted[p] = h.kind
	}
	return lower, nil
}

// Reinsert asks for all points again, after a reset that may have lost them. It
// returns those that the stub does not take any more, which nobody holds then. All are removed first:
// QEMU, which has not lost them, would hold each twice.
func (m *Machine) Reinsert(ctx context.Context) (lost []Point, err error) {
	for p, h := range m.points.held {
		err := m.client.RemoveBreakpoint(ctx, h.kind, p.Addr, p.Size)
		if err == nil || isRefusal(err) {
			err = m.client.InsertBreakpoint(ctx, h.kind, p.Addr, p.Size)
		}
		switch {
		case isRefusal(err):
			delete(m.points.held, p)
			lost = append(lost, p)
		case err != nil:
			return lost, err
		}
	}
	return lost, nil
}
