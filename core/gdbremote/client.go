package gdbremote

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"pushmask/core"
)

// Direction tells who sent a packet.
type Direction byte

// The directions.
const (
	Sent     Direction = '>' // by the client
	Received Direction = '<' // by the stub
)

// Options configure a [Client].
type Options struct {
	// Timeout bounds an exchange whose context has no earlier deadline, and the
	// time that a target may take to stop after an interrupt; 0 means 5 s.
	// Running is bounded by its context alone, and so is [Client.Monitor].
	Timeout time.Duration
	// AckWait is how long an acknowledgement may take before a packet is sent
	// again; 0 means 1 s.
	AckWait time.Duration
	// Console receives what the program or the stub prints; nil drops it. It is
	// called during exchanges and must not use the client.
	Console func([]byte)
	// Log receives each packet, without its frame; nil drops it. It must not use
	// the client.
	Log func(from Direction, packet string)
	// Baud is the speed of serial devices, bits per second; 0 means 115200.
	Baud int
	// KeepAlive is how long a TCP connection may be idle, as it is while the
	// target runs, before the other end is probed: one that is gone is noticed
	// after a little more than twice the time. 0 means 15 s, less than 0 never.
	KeepAlive time.Duration
}

// Defaults of [Options].
const (
	defaultTimeout   = 5 * time.Second
	defaultAckWait   = time.Second
	defaultBaud      = 115200
	defaultKeepAlive = 15 * time.Second
)

// Client speaks to one stub. It is safe for concurrent use: an exchange waits
// for the one before, and fails with [ErrRunning] while the target runs. It
// has no goroutine of its own, but for two of a serial device.
type Client struct {
	conn     *conn
	features Features
	layout   atomic.Pointer[layout] // of the process that the session began with

	// group is taken for exchanges that belong together, as the choice of a
	// thread and the read of its registers. Who has taken it owns what follows.
	group    chan struct{}
	others   map[string]*layout // of other processes
	home     string             // the process that the session began with
	attached map[string]bool    // processes
	lacking  map[string]bool    // packets that the stub does not know
	refused  map[core.Reg]bool  // registers that "p" does not give
	selected map[byte]string    // the thread that "H" selected, by operation
	current  string             // the thread that stopped
	actions  string             // letters of the actions of vCont
	asked    bool               // whether actions is known
	qemu     *bool              // the stub is QEMU's; nil before it was asked
}

// New takes over a connection to a stub: negotiates features, leaves
// acknowledgements out where the stub can, and reads the layout of the
// registers. On an error the connection is closed.
func New(ctx context.Context, nc net.Conn, opt Options) (*Client, error) {
	c := &Client{
		conn: newConn(nc, opt), group: make(chan struct{}, 1),
		others: make(map[string]*layout), attached: make(map[string]bool),
		lacking: make(map[string]bool), refused: make(map[core.Reg]bool), selected: make(map[byte]string),
	}
	c.group <- struct{}{}
	c.current = anyThread
	c.layout.Store(&layout{})
	// As gdb does: the stub may wait for the acknowledgement of what it sent to
	// a client before.
	_ = c.conn.acknowledge() // a failure shows in the exchange
	if err := c.negotiate(ctx); err != nil {
		_ = nc.Close()
		return nil, err
	}
	return c, nil
}

// Exchange sends a packet that has one answer and returns the answer as it
// is. Packets that let the target run are for [Client.Resume].
func (c *Client) Exchange(ctx context.Context, packet string) (string, error) {
	return c.conn.exchange(ctx, packet)
}

// Packets counts the packets that were exchanged, without acknowledgements
// and repetitions: round trips are what makes a probe feel slow.
func (c *Client) Packets() (sent, received int) {
	return int(c.conn.sent.Load()), int(c.conn.received.Load())
}

// Err returns why the connection is broken, nil while it is good as far as the
// exchanges so far have shown. It may be called at any time.
func (c *Client) Err() error {
	if err := c.conn.broken.Load(); err != nil {
		return *err
	}
	return nil
}

// Close closes the connection and leaves the target as it is. It may be
// called at any time.
func (c *Client) Close() error { return c.conn.net.Close() }

// begin waits for the group of exchanges before; the caller calls end after
// its own.
func (c *Client) begin(ctx context.Context) (end func(), err error) {
	if err := c.conn.receiveTurn(ctx, c.group); err != nil {
		return nil, err
	}
	return func() { c.group <- struct{}{} }, nil
}

// ask is an exchange whose answer is no stop.
func (c *Client) ask(ctx context.Context, packet string) (string, error) {
	return c.conn.exchangeWithin(ctx, c.conn.timeout, packet, c.conn.noData)
}

// request is an exchange whose answer is data: the empty packet and errors
// are none.
func (c *Client) request(ctx context.Context, packet string) (string, error) {
	reply, err := c.ask(ctx, packet)
	if err != nil {
		return "", err
	}
	return reply, replyError(packet, reply)
}

// command is an exchange whose answer is OK.
func (c *Client) command(ctx context.Context, packet string) error {
	return c.commandWithin(ctx, c.conn.timeout, packet)
}

// commandWithin is a command with a time limit of its own.
func (c *Client) commandWithin(ctx context.Context, limit time.Duration, packet string) error {
	reply, err := c.conn.exchangeWithin(ctx, limit, packet, c.conn.noData)
	if err != nil {
		return err
	}
	return isOK(packet, reply)
}

// isOK reports what else than OK an answer is.
func isOK(packet, reply string) error {
	err := replyError(packet, reply)
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

// isReply reports whether err is an answer that stands for a failure: the
// connection is still in step.
func isReply(err error) bool {
	return errors.Is(err, ErrUnsupported) || errors.Is(err, ErrRefused)
}
