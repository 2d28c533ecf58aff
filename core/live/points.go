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

// points are those that the stub holds, with how many want each.
type points struct {
	client *gdbremote.Client
	held   map[Point]*held
}

type held struct {
	users int
	kind  gdbremote.BreakpointKind // what the stub took, not always what was asked for
}

// Insert asks the stub for a point, once for all who want it. A software
// breakpoint that the stub refuses becomes one of the hardware.
func (m *Machine) Insert(ctx context.Context, p Point) error { return m.points.insert(ctx, p) }

// Remove gives a point back; the last who wants it takes it off the stub.
func (m *Machine) Remove(ctx context.Context, p Point) error { return m.points.remove(ctx, p) }

func (t *points) insert(ctx context.Context, p Point) error {
	if h := t.held[p]; h != nil {
		h.users++
		return nil
	}
	kind := p.Kind
	err := t.client.InsertBreakpoint(ctx, kind, p.Addr, p.Size)
	if kind == gdbremote.SoftwareBreakpoint && (errors.Is(err, gdbremote.ErrRefused) || errors.Is(err, gdbremote.ErrUnsupported)) {
		kind = gdbremote.HardwareBreakpoint
		err = t.client.InsertBreakpoint(ctx, kind, p.Addr, p.Size)
	}
	if err != nil {
		return fmt.Errorf("set a breakpoint at %v: %w", p.Addr, err)
	}
	if t.held == nil {
		t.held = make(map[Point]*held)
	}
	t.held[p] = &held{users: 1, kind: kind}
	return nil
}

func (t *points) remove(ctx context.Context, p Point) error {
	h := t.held[p]
	if h == nil {
		return nil
	}
	if h.users--; h.users > 0 {
		return nil
	}
	delete(t.held, p)
	return t.client.RemoveBreakpoint(ctx, h.kind, p.Addr, p.Size)
}
