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

// WriteMemory changes memory.
func (m *Machine) WriteMemory(ctx context.Context, a core.Addr, p []byte) error {
	err := m.client.WriteMemory(ctx, a, p)
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

// WriteAccess writes a register of a device in one access of the target.
// Addresses of an M-profile core are those of the bus, but for what is the core's
// own.
func (m *Machine) WriteAccess(ctx context.Context, a core.Addr, p []byte) error {
	write := m.client.WriteAccess
	if m.profile == core.ProfileM && !privateBus.contains(a) {
		write = m.client.WritePhysical
	}
	err := write(ctx, a, p)
	m.memory.written(a, len(p))
	m.Forget()
	return err
}
