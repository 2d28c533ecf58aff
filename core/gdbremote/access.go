package gdbremote

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"pushmask/core"
)

// ReadAccess reads len(p) bytes, 1, 2, 4 or 8 at an aligned address, by one "m",
// and asks never again in another way: stubs make one access of that width of
// it. QEMU does (memory_access_size in softmmu/physmem.c), OpenOCD as far as the
// bus goes (target_read_buffer_default in target.c), and Black Magic Probe by the
// alignment of address and length (adiv5_mem_read). A refusal, and an answer that
// is shorter, are a [*core.ReadError].
func (c *Client) ReadAccess(ctx context.Context, addr core.Addr, p []byte) error {
	packet := fmt.Sprintf("m%x,%x", uint32(addr), len(p))
	reply, err := c.ask(ctx, packet)
	if err == nil {
		err = replyError(packet, reply)
	}
	switch {
	case errors.Is(err, ErrRefused):
		return &core.ReadError{Addr: addr, Len: uint32(len(p))}
	case err != nil:
		return err
	}
	data, err := hex.DecodeString(reply)
	switch {
	case err != nil || len(data) > len(p):
		return packetError(packet, reply, ErrMalformed)
	case len(data) < len(p):
		return &core.ReadError{Addr: addr, Len: uint32(len(p))}
	}
	copy(p, data)
	return nil
}

// WriteAccess is the counterpart of [Client.ReadAccess]. The error is a
// [*WriteError].
func (c *Client) WriteAccess(ctx context.Context, addr core.Addr, p []byte) error {
	if err := c.command(ctx, fmt.Sprintf("M%x,%x:%x", uint32(addr), len(p), p)); err != nil {
		return &WriteError{addr, err}
	}
	return nil
}

// WritePhysical is [Client.WriteMemory] to addresses of the bus, by "M": what has
// the width of a register is one access. QEMU takes a write for one to ROM, which
// devices ignore, unless it is to a physical address (cpu_memory_rw_debug in
// softmmu/physmem.c; packet Qqemu.PhyMemMode of its gdbstub). What only a core
// itself sees, as its private peripherals, has none.
func (c *Client) WritePhysical(ctx context.Context, addr core.Addr, p []byte) error {
	end, err := c.begin(ctx)
	if err != nil {
		return &WriteError{addr, err}
	}
	defer end()
	write := func() error {
		return c.writeMemory(false, addr, p, func(packet string) error { return c.command(ctx, packet) })
	}
	qemu, err := c.isQEMU(ctx)
	switch {
	case err != nil:
		return &WriteError{addr, err}
	case !qemu:
		return write()
	}
	if err := c.command(ctx, "Qqemu.PhyMemMode:1"); err != nil {
		return &WriteError{addr, err}
	}
	err = write()
	if back := c.command(ctx, "Qqemu.PhyMemMode:0"); err == nil && back != nil {
		err = &WriteError{addr, back}
	}
	return err
}
