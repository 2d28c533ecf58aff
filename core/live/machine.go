// Package live is a running or halted machine behind a GDB stub, seen as a
// [core.Target] while it is halted: registers and memory are read once for each
// stop. It knows addresses and nothing of source code.
package live

import (
	"context"
	"fmt"

	"pushmask/core"
	"pushmask/core/gdbremote"
)

// Machine is the machine behind a stub. It is not safe for concurrent use: its
// user owns it, and may end the context of a run from elsewhere.
type Machine struct {
	client  *gdbremote.Client
	profile core.Profile
	memory  *cache
	points  points
	regs    core.Regs // of this stop, when hasRegs
	hasRegs bool
}

// New takes over a client whose target is halted. The profile is that of the
// image, which knows better than the stub.
func New(client *gdbremote.Client, profile core.Profile) *Machine {
	m := &Machine{client: client, profile: profile}
	m.memory = &cache{client: client, profile: profile}
	m.points.client = client
	return m
}

var _ core.Target = (*Machine)(nil)

// Client returns the connection.
func (m *Machine) Client() *gdbremote.Client { return m.client }

// Memory implements core.Target. What was read is remembered until the machine
// goes on; device memory is read each time it is asked for.
func (m *Machine) Memory() core.Memory { return m.memory }

// Profile implements core.Target.
func (m *Machine) Profile() core.Profile { return m.profile }

// Threads implements core.Target.
func (m *Machine) Threads(context.Context) ([]core.Thread, error) {
	return []core.Thread{{ID: 1, Crashed: true}}, nil
}

// Registers implements core.Target.
func (m *Machine) Registers(ctx context.Context, id core.ThreadID) (core.Regs, error) {
	if m.hasRegs {
		return m.regs, nil
	}
	regs, err := m.client.Registers(ctx)
	if err != nil {
		return core.Regs{}, fmt.Errorf("read registers: %w", err)
	}
	m.regs, m.hasRegs = regs, true
	return regs, nil
}

// Forget drops what was read at this stop: somebody has changed the machine, as
// a command to the server does.
func (m *Machine) Forget() { m.forget() }

// forget drops what was true of the stop before.
func (m *Machine) forget() {
	m.hasRegs = false
	m.memory.clear()
}

// Continue lets the machine run until it stops by itself or ctx ends, which
// interrupts it.
func (m *Machine) Continue(ctx context.Context) (gdbremote.Stop, error) {
	m.forget()
	return m.client.Continue(ctx)
}

// Step runs one instruction.
func (m *Machine) Step(ctx context.Context) (gdbremote.Stop, error) {
	m.forget()
	return m.client.Step(ctx)
}

// Close ends the session; the machine runs on when run is set and stays halted
// otherwise.
func (m *Machine) Close(ctx context.Context, run bool) error {
	if run {
		return m.client.Detach(ctx)
	}
	return m.client.Close()
}
