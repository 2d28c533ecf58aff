package live

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"pushmask/core"
	"pushmask/core/gdbremote"
)

// WriteRegister changes a register.
func (m *Machine) WriteRegister(ctx context.Context, _ core.ThreadID, r core.Reg, v uint32) error {
	m.forget()
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], v)
	return m.command(ctx, fmt.Sprintf("P%x=%x", uint8(r), b))
}

// WriteMemory changes memory.
func (m *Machine) WriteMemory(ctx context.Context, a core.Addr, p []byte) error {
	m.forget()
	return m.command(ctx, fmt.Sprintf("M%x,%x:%s", uint32(a), len(p), hex.EncodeToString(p)))
}

// Reset resets the machine, which stays halted.
func (m *Machine) Reset(ctx context.Context) error {
	m.forget()
	return m.command(ctx, "qRcmd,"+hex.EncodeToString([]byte("system_reset")))
}

func (m *Machine) command(ctx context.Context, packet string) error {
	reply, err := m.client.Exchange(ctx, packet)
	if err == nil && reply != "OK" {
		err = fmt.Errorf("%w: %q", gdbremote.ErrRefused, reply)
	}
	return err
}
