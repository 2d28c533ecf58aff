package gdbremote

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"pushmask/core"
	"pushmask/core/gdbremote/rsp"
)

// Options configure a [Client].
type Options struct {
	// Timeout bounds an exchange whose context has no earlier deadline;
	// 0 means 5 s. Running is bounded by its context alone.
	Timeout time.Duration
	// AckWait is how long an acknowledgement may take before a packet is sent
	// again; 0 means 1 s.
	AckWait time.Duration
	// Console receives what the program or stub prints while the target runs;
	// nil drops it.
	Console func([]byte)
}

// Limits of a PacketSize that a stub announces, in bytes. Without an
// announcement packets are small enough for the least of stubs.
const (
	minPacketSize     = 64
	defaultPacketSize = 400
)

// Client speaks to one stub. It is safe for concurrent use; an exchange waits
// for the one before.
type Client struct {
	conn   conn
	packet int // PacketSize, bytes
	layout layout
}

// Dial connects to a stub that listens on a TCP address.
func Dial(ctx context.Context, address string, opt Options) (*Client, error) {
	var d net.Dialer
	nc, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("connect to the stub: %w", err)
	}
	return New(ctx, nc, opt)
}

// New takes over a connection to a stub: negotiates features, leaves
// acknowledgements out where the stub can, and reads the layout of the
// registers. On an error the connection is closed.
func New(ctx context.Context, nc net.Conn, opt Options) (*Client, error) {
	c := &Client{conn: conn{
		net: nc, r: bufio.NewReader(nc), timeout: opt.Timeout, ackWait: opt.AckWait, console: opt.Console,
	}}
	if c.conn.timeout == 0 {
		c.conn.timeout = 5 * time.Second
	}
	if c.conn.ackWait == 0 {
		c.conn.ackWait = time.Second
	}
	if c.conn.console == nil {
		c.conn.console = func([]byte) {}
	}
	if err := c.negotiate(ctx); err != nil {
		_ = nc.Close()
		return nil, err
	}
	return c, nil
}

// negotiate is the start of a session (E.4, qSupported, QStartNoAckMode).
func (c *Client) negotiate(ctx context.Context) error {
	reply, err := c.conn.exchange(ctx, "qSupported:swbreak+;hwbreak+;xmlRegisters=arm")
	if err != nil {
		return err
	}
	features := parseFeatures(reply)
	c.packet = defaultPacketSize
	if n, err := strconv.ParseUint(features["PacketSize"], 16, 32); err == nil {
		c.packet = int(min(max(n, minPacketSize), rsp.MaxPacket))
	}
	if features["QStartNoAckMode"] == "+" {
		if err := c.command(ctx, "QStartNoAckMode"); err != nil {
			return err
		}
		c.conn.noAck = true
	}
	if features["qXfer:features:read"] != "+" {
		return nil
	}
	c.layout, err = readLayout(ctx, c)
	if errors.Is(err, ErrUnsupported) || errors.Is(err, ErrRefused) {
		return nil // told by the length of "g" then
	}
	return err
}

// parseFeatures splits the answer to qSupported: "name=value" has its value,
// "name+" and "name-" have their sign.
func parseFeatures(reply string) map[string]string {
	m := make(map[string]string)
	for f := range strings.SplitSeq(reply, ";") {
		if name, value, ok := strings.Cut(f, "="); ok {
			m[name] = value
		} else if n := len(f) - 1; n > 0 && (f[n] == '+' || f[n] == '-') {
			m[f[:n]] = f[n:]
		}
	}
	return m
}

// Exchange sends a packet that has one answer and returns the answer as it
// is. Packets that let the target run are for [Client.Step] and
// [Client.Continue].
func (c *Client) Exchange(ctx context.Context, packet string) (string, error) {
	return c.conn.exchange(ctx, packet)
}

// request is an exchange whose answer is data: the empty packet and errors
// are none.
func (c *Client) request(ctx context.Context, packet string) (string, error) {
	reply, err := c.conn.exchange(ctx, packet)
	if err != nil {
		return "", err
	}
	return reply, replyError(packet, reply)
}

// command is an exchange whose answer is OK.
func (c *Client) command(ctx context.Context, packet string) error {
	reply, err := c.request(ctx, packet)
	if err == nil && reply != "OK" {
		err = packetError(packet, reply, ErrMalformed)
	}
	return err
}

// replyError tells answers that stand for a failure (E.1): "", "Enn" and
// "E.text".
func replyError(packet, reply string) error {
	switch {
	case reply == "":
		return packetError(packet, reply, ErrUnsupported)
	case len(reply) == 3 && reply[0] == 'E', strings.HasPrefix(reply, "E."):
		return packetError(packet, reply, ErrRefused)
	}
	return nil
}

// Detach lets the target run and ends the session.
func (c *Client) Detach(ctx context.Context) error {
	err := c.command(ctx, "D")
	return errors.Join(err, c.Close())
}

// Kill ends the target, where the stub can, and the session.
func (c *Client) Kill() error {
	return errors.Join(c.conn.post("k"), c.Close()) // "k" has no answer
}

// Close closes the connection and leaves the target as it is.
func (c *Client) Close() error { return c.conn.net.Close() }

// ReadMemory reads len(p) bytes at addr, in as many packets as it takes. When
// only a prefix can be read it returns its length and a [*core.ReadError], or
// the error of the exchange.
func (c *Client) ReadMemory(ctx context.Context, addr core.Addr, p []byte) (int, error) {
	most := min((c.packet-4)/2, rsp.MaxPacket/2) // two digits a byte, and the frame
	n := 0
	for n < len(p) {
		at := addr + core.Addr(n)
		if at < addr {
			return n, &core.ReadError{Addr: at}
		}
		got, err := c.readChunk(ctx, at, p[n:min(len(p), n+most)])
		n += got
		if errors.Is(err, ErrRefused) {
			return n, &core.ReadError{Addr: at + core.Addr(got)}
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// readChunk reads what fits one packet; a stub may answer with less.
func (c *Client) readChunk(ctx context.Context, addr core.Addr, p []byte) (int, error) {
	packet := fmt.Sprintf("m%x,%x", uint32(addr), len(p))
	reply, err := c.request(ctx, packet)
	if err != nil {
		return 0, err
	}
	if len(reply) > 2*len(p) || len(reply) < 2 {
		return 0, packetError(packet, reply, ErrMalformed)
	}
	n, err := hex.Decode(p, []byte(reply))
	if err != nil {
		return n, packetError(packet, reply, ErrMalformed)
	}
	return n, nil
}

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
// Breakpoint Kinds), or the number of bytes watched.
func (c *Client) InsertBreakpoint(ctx context.Context, kind BreakpointKind, addr core.Addr, size int) error {
	return c.command(ctx, fmt.Sprintf("Z%c,%x,%x", kind, uint32(addr), size))
}

// RemoveBreakpoint removes what [Client.InsertBreakpoint] set.
func (c *Client) RemoveBreakpoint(ctx context.Context, kind BreakpointKind, addr core.Addr, size int) error {
	return c.command(ctx, fmt.Sprintf("z%c,%x,%x", kind, uint32(addr), size))
}
