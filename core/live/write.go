package live

import (
	"context"

	"pushmask/core"
)

// WriteRegister changes a register of a thread.
func (m *Machine) WriteRegister(ctx context.Context, id core.ThreadID, r core.Reg, v uint32) error {
	err := m.client.WriteRegister(ctx, m.threads.nameOf(id), r, v)
	m.Forget()
	return err
}

// WriteMemory changes memory. Devices take a write of the width of a register as
// one access.
func (m *Machine) WriteMemory(ctx context.Context, a core.Addr, p []byte) error {
	write := m.client.WriteMemory
	if _, normal := m.memory.normalAt(a); !normal && m.onBus(a) {
		write = m.client.WritePhysical
	}
	err := write(ctx, a, p)
	m.memory.written(a, len(p))
	m.Forget()
	return err
}

// ReadAccess reads a register of a device: 1, 2, 4 or 8 bytes at an aligned
// address in one access of the target, each time it is called. Nothing of it is
// remembered.
func (m *Machine) ReadAccess(ctx context.Context, a core.Addr, p []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	// An exchange that is cut off ends the connection.
	return m.client.ReadAccess(context.WithoutCancel(ctx), a, p)
}

// privateBus are the private peripherals of an M-profile core (Armv7-M ARM B3.1).
var privateBus = span{0xe0000000, 0xe0100000}

// onBus reports whether an address is known to be one of the bus too: those of an
// M-profile core are, but for what is the core's own.
func (m *Machine) onBus(a core.Addr) bool {
	return m.profile == core.ProfileM && !privateBus.contains(a)
}

// WriteAccess writes a register of a device in one access of the target.
func (m *Machine) WriteAccess(ctx context.Context, a core.Addr, p []byte) error {
	write := m.client.WriteAccess
	if m.onBus(a) {
		write = m.client.WritePhysical
	}
	err := write(ctx, a, p)
	m.memory.written(a, len(p))
	m.Forget()
	return err
}
