package gdbremote

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"pushmask/core"
	"pushmask/core/gdbremote/rsp"
)

// How stubs differ in access to memory:
//
//   - QEMU refuses a read that does not fit its PacketSize; others answer with
//     fewer bytes. Black Magic Probe refuses one of more than half of its
//     buffer of 1024 bytes (gdb_main.c), which is the PacketSize it announces.
//   - OpenOCD logs in packets of its own during reads: as notifications, or as
//     console output in older versions (gdb_server.c).
//   - The binary "x" is that of gdb 16 ("b" before the data), offered as
//     binary-upload; lldb's has no "b" and is not used.
//   - OpenOCD answers zeros where a read failed, unless it was started with
//     "gdb_report_data_abort enable", which it takes before "init" alone
//     (gdb_read_memory_packet). Nothing tells them from memory.
//   - "X" is probed with no bytes, as gdb does: st-util does not have it.
//   - OpenOCD says OK to a long "X" before it writes and tells a failure with
//     the next (gdb_write_memory_binary_packet, fast_limit).

// readOverhead is what the answer to a read has beside the data: the frame
// "$...#00" of four bytes.
const readOverhead = 4

// maxRead bounds a read of one packet, bytes.
const maxRead = 1 << 16

// ReadMemory reads len(p) bytes at addr, in as many packets as it takes. When
// only a prefix can be read it returns its length and a [*core.ReadError], or
// the error of the exchange.
func (c *Client) ReadMemory(ctx context.Context, addr core.Addr, p []byte) (int, error) {
	return c.readMemory(addr, p, func(packet string) (string, error) { return c.ask(ctx, packet) })
}

// readMemory reads by means of exchange. A refusal says nothing of the part
// that can be read: the first byte is tried then, since most often nothing can,
// and after it halves of what is left, until the hole is known to the byte.
func (c *Client) readMemory(addr core.Addr, p []byte, exchange func(string) (string, error)) (int, error) {
	most := min((c.features.PacketSize-readOverhead)/2, maxRead) // two digits a byte
	n, size := 0, most
	refused := 0 // where the refused range ends, if that lies beyond n
	for n < len(p) {
		at := addr + core.Addr(n)
		if at < addr {
			return n, &core.ReadError{Addr: at}
		}
		chunk := p[n:min(len(p), n+size)]
		got, err := c.readChunk(at, chunk, exchange)
		n += got
		switch {
		case errors.Is(err, ErrRefused) && len(chunk) == 1:
			return n, &core.ReadError{Addr: at}
		case errors.Is(err, ErrRefused) && refused <= n:
			refused, size = n+len(chunk), 1
		case errors.Is(err, ErrRefused):
			refused, size = n+len(chunk), len(chunk)/2
		case err != nil:
			return n, err
		case refused > n:
			size = (refused - n + 1) / 2
		default:
			size = most
		}
	}
	return n, nil
}

// readChunk reads what fits one packet; a stub may answer with less.
func (c *Client) readChunk(addr core.Addr, p []byte, exchange func(string) (string, error)) (int, error) {
	letter := 'm'
	if c.features.BinaryRead {
		letter = 'x'
	}
	packet := fmt.Sprintf("%c%x,%x", letter, uint32(addr), len(p))
	reply, err := exchange(packet)
	if err != nil {
		return 0, err
	}
	if letter == 'x' && strings.HasPrefix(reply, "b") {
		data, err := rsp.Unescape(reply[1:])
		if err != nil || len(data) > len(p) || len(data) == 0 {
			return 0, packetError(packet, reply, ErrMalformed)
		}
		return copy(p, data), nil
	}
	if err := replyError(packet, reply); err != nil {
		return 0, err
	}
	if letter == 'x' || len(reply) > 2*len(p) || len(reply) < 2 {
		return 0, packetError(packet, reply, ErrMalformed)
	}
	n, err := hex.Decode(p, []byte(reply))
	if err != nil {
		return n, packetError(packet, reply, ErrMalformed)
	}
	return n, nil
}

// WriteError says where a write came to an end.
type WriteError struct {
	Addr core.Addr // the first byte that may not have been written
	Err  error     // of the exchange
}

// Error implements error.
func (e *WriteError) Error() string { return fmt.Sprintf("write memory at %v: %v", e.Addr, e.Err) }

// Unwrap returns the error of the exchange.
func (e *WriteError) Unwrap() error { return e.Err }

// WriteMemory writes p at addr, in as many packets as it takes. On a failure,
// a [*WriteError], what lies before its address is written.
func (c *Client) WriteMemory(ctx context.Context, addr core.Addr, p []byte) error {
	if len(p) == 0 {
		return nil
	}
	binary, err := c.hasBinaryWrite(ctx, addr)
	if err != nil {
		return &WriteError{addr, err}
	}
	return c.writeMemory(binary, addr, p, func(packet string) error { return c.command(ctx, packet) })
}

// writeMemory writes by means of command, with "X" where binary.
func (c *Client) writeMemory(binary bool, addr core.Addr, p []byte, command func(string) error) error {
	for len(p) > 0 {
		packet, n := c.writePacket(binary, addr, p)
		if err := command(packet); err != nil {
			return &WriteError{addr, err}
		}
		addr, p = addr+core.Addr(n), p[n:]
		if len(p) > 0 && addr == 0 {
			return &WriteError{addr, core.ErrNoMemory}
		}
	}
	return nil
}

// hasBinaryWrite asks once whether the stub takes "X", by a write of nothing.
func (c *Client) hasBinaryWrite(ctx context.Context, addr core.Addr) (bool, error) {
	end, err := c.begin(ctx)
	if err != nil {
		return false, err
	}
	defer end()
	if lacks, known := c.lacking["X"]; known {
		return !lacks, nil
	}
	err = c.command(ctx, fmt.Sprintf("X%x,0:", uint32(addr)))
	if err != nil && !isReply(err) {
		return false, err
	}
	c.lacking["X"] = err != nil
	return err == nil, nil
}

// writePacket is the packet that writes the beginning of p, and how much of it
// that is.
func (c *Client) writePacket(binary bool, addr core.Addr, p []byte) (string, int) {
	const head = len("$X00000000,00000:") + len("#00")
	room := max(c.features.PacketSize-head, 1)
	if !binary {
		n := min(len(p), max(room/2, 1))
		return fmt.Sprintf("M%x,%x:%x", uint32(addr), n, p[:n]), n
	}
	n := escapedPrefix(p, room)
	return fmt.Sprintf("X%x,%x:%s", uint32(addr), n, p[:n]), n
}

// escapedPrefix is how many bytes of p fit room once they are escaped, at
// least one.
func escapedPrefix(p []byte, room int) int {
	for n, b := range p {
		room--
		if rsp.Escapes(b) {
			room--
		}
		if room < 0 {
			return max(n, 1)
		}
	}
	return len(p)
}
