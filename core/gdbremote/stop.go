package gdbremote

import (
	"context"
	"encoding/hex"
	"strconv"
	"strings"
)

// StopKind tells why the target stopped.
type StopKind byte

// The kinds of stop (E.3, Stop Reply Packets).
const (
	StopSignal     StopKind = 'T' // halted; "S" reads as this too
	StopExited     StopKind = 'W' // the program ended
	StopTerminated StopKind = 'X' // a signal ended the program
)

// Stop is a stop reply.
type Stop struct {
	Kind StopKind
	// Code is the signal number of gdb, the exit status for StopExited.
	Code int
	// Thread is the stub's name of the thread, "" when it names none.
	Thread string
	// Fields are the other pairs of a "T" packet in their order, as
	// "swbreak:" or "watch:20000000".
	Fields []string
}

// Halted asks why the target is halted.
func (c *Client) Halted(ctx context.Context) (Stop, error) {
	const packet = "?"
	reply, err := c.conn.exchange(ctx, packet)
	return parseStop(packet, reply, err)
}

// Step runs one instruction. When ctx ends first, the target is interrupted.
func (c *Client) Step(ctx context.Context) (Stop, error) {
	const packet = "s"
	reply, err := c.conn.resume(ctx, packet)
	return parseStop(packet, reply, err)
}

// Continue runs until the target stops by itself; when ctx ends, the target is
// interrupted and the stop that this causes is returned.
func (c *Client) Continue(ctx context.Context) (Stop, error) {
	const packet = "c"
	reply, err := c.conn.resume(ctx, packet)
	return parseStop(packet, reply, err)
}

// parseStop reads the answer to a packet that ends in a stop.
func parseStop(packet, reply string, err error) (Stop, error) {
	if err == nil {
		err = replyError(packet, reply)
	}
	if err != nil {
		return Stop{}, err
	}
	kind := StopKind(reply[0])
	if kind == 'S' {
		kind = StopSignal
	}
	if kind != StopSignal && kind != StopExited && kind != StopTerminated || len(reply) < 3 {
		return Stop{}, packetError(packet, reply, ErrMalformed)
	}
	code, err := strconv.ParseUint(reply[1:3], 16, 8)
	if err != nil {
		return Stop{}, packetError(packet, reply, ErrMalformed)
	}
	s := Stop{Kind: kind, Code: int(code)}
	for f := range strings.SplitSeq(reply[3:], ";") {
		if name, ok := strings.CutPrefix(f, "thread:"); ok {
			s.Thread = name
		} else if f != "" {
			s.Fields = append(s.Fields, f)
		}
	}
	return s, nil
}

// isConsole tells output of the program, "O" and hexadecimal text, from "OK".
func isConsole(payload []byte) bool {
	return len(payload) > 0 && payload[0] == 'O' && string(payload) != "OK"
}

func (c *conn) printConsole(payload []byte) {
	text, err := hex.DecodeString(string(payload[1:]))
	if err == nil {
		c.console(text)
	}
}
