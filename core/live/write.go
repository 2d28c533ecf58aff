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
