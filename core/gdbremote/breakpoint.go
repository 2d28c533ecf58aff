package gdbremote

import (
	"context"
	"fmt"

	"pushmask/core"
)

// How stubs differ in breakpoints:
//
//   - OpenOCD answers a breakpoint that it has no comparator for with "E0E" and
//     one of a kind that it does not have with the empty packet; an unknown kind
//     ends the connection (gdb_breakpoint_watchpoint_packet). A software
//     breakpoint in flash is "E0E" too.
//   - Black Magic Probe and st-util have hardware breakpoints alone and answer Z0
//     with the empty packet. pyOCD and J-Link take Z0 in flash, too, and use a
//     comparator or patch the flash.
//   - QEMU has as many of all kinds as are asked for, and takes a second of one
//     kind at one address as another one: it must be removed twice.

// A BreakpointKind is the first digit of a Z packet.
type BreakpointKind byte

// The kinds of breakpoint and watchpoint (E.2, Z packets).
const (
	SoftwareBreakpoint BreakpointKind = '0'
	HardwareBreakpoint BreakpointKind = '1'
	WriteWatchpoint    BreakpointKind = '2'
	ReadWatchpoint     BreakpointKind = '3'
	AccessWatchpoint   BreakpointKind = '4'
)

// InsertBreakpoint sets a breakpoint. size is the length of the instruction,
// 2 or 4 (T16, A32), 3 for a T32 instruction of four bytes (E.5.1.2 ARM
// Breakpoint Kinds), or the number of bytes watched. It fails with
// [ErrUnsupported] where the stub does not have the kind and with [ErrRefused]
// where it does not take this one: none is left, or the place cannot have it.
func (c *Client) InsertBreakpoint(ctx context.Context, kind BreakpointKind, addr core.Addr, size int) error {
	return c.command(ctx, fmt.Sprintf("Z%c,%x,%x", kind, uint32(addr), size))
}

// RemoveBreakpoint removes what [Client.InsertBreakpoint] set.
func (c *Client) RemoveBreakpoint(ctx context.Context, kind BreakpointKind, addr core.Addr, size int) error {
	return c.command(ctx, fmt.Sprintf("z%c,%x,%x", kind, uint32(addr), size))
}
