package gdbremote

import (
	"bufio"
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"pushmask/core/gdbremote/rsp"
)

// maxAttempts is how often a packet is sent, and how often a damaged answer is
// asked for, before the exchange fails.
const maxAttempts = 3

// conn exchanges packets over a connection, one exchange at a time. An
// exchange that fails half-way leaves an answer behind that the next would
// take for its own; the connection is then broken and stays so.
type conn struct {
	net     net.Conn
	r       *bufio.Reader
	timeout time.Duration // of an exchange without a deadline of its own
	ackWait time.Duration // until a packet without acknowledgement is sent again
	console func([]byte)  // output of the program and the stub, never nil
	log     func(Direction, string)

	sent, received atomic.Int64 // packets
	running        running
	broken         atomic.Pointer[error]
	turn           chan struct{}
	// Of the one that took its turn:
	noAck  bool
	resent bool  // the last packet was sent again for want of an acknowledgement
	err    error // why the connection is broken
}

func newConn(nc net.Conn, opt Options) *conn {
	c := &conn{
		net: nc, r: bufio.NewReader(nc), timeout: opt.Timeout, ackWait: opt.AckWait,
		console: opt.Console, log: opt.Log, turn: make(chan struct{}, 1),
		running: running{begun: make(chan struct{})},
	}
	if c.timeout == 0 {
		c.timeout = defaultTimeout
	}
	if c.ackWait == 0 {
		c.ackWait = defaultAckWait
	}
	if c.console == nil {
		c.console = func([]byte) {}
	}
	if c.log == nil {
		c.log = func(Direction, string) {}
	}
	c.turn <- struct{}{}
	return c
}

// take waits for the exchanges before. While the target runs it fails.
func (c *conn) take(ctx context.Context) error {
	if err := c.receiveTurn(ctx, c.turn); err != nil {
		return err
	}
	if c.err != nil {
		c.give()
	}
	return c.err
}

// receiveTurn waits for a token, unless the target runs or begins to.
func (c *conn) receiveTurn(ctx context.Context, token <-chan struct{}) error {
	begun := c.running.channel()
	select {
	case <-begun:
		return ErrRunning
	default:
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case <-token:
		return nil
	case <-begun:
		return ErrRunning
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// running tells whether the target runs: the stub hears nothing but an
// interrupt then.
type running struct {
	mu    sync.Mutex
	begun chan struct{} // closed while it runs
}

func (r *running) channel() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.begun
}

// begin starts a run, until end.
func (r *running) begin() (end func()) {
	close(r.begun)
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.begun = make(chan struct{})
	}
}

func (c *conn) give() { c.turn <- struct{}{} }

// exchange sends a request and returns the answer, within the time that an
// exchange may take.
func (c *conn) exchange(ctx context.Context, packet string) (string, error) {
	return c.exchangeWithin(ctx, c.timeout, packet, c.output)
}

// aside reports whether a packet is something else than the answer that is
// waited for, and takes it then.
type aside func(payload []byte) bool

// output takes what the stub prints.
func (c *conn) output(payload []byte) bool { return printed(payload, c.console) }

// noData takes what the stub prints, and stops: of an answer that is data or OK
// none looks like one. A stop is left over where an interrupt crossed it, or
// where a client before went away while the target ran.
func (c *conn) noData(payload []byte) bool { return c.output(payload) || isStop(payload) }

// exchangeWithin sends a request and returns the answer. A limit of 0 leaves
// ctx alone to bound it.
func (c *conn) exchangeWithin(ctx context.Context, limit time.Duration, packet string, other aside) (string, error) {
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, ErrNoAnswer)
		defer cancel()
	}
	if err := c.take(ctx); err != nil {
		return "", packetError(packet, "", err)
	}
	defer c.give()
	payload, err := c.roundTrip(ctx, packet, other)
	return c.finish(packet, payload, err)
}

// roundTrip is an exchange of the one that has taken its turn.
func (c *conn) roundTrip(ctx context.Context, packet string, other aside) ([]byte, error) {
	defer c.watch(ctx)()
	payload, err := c.send(ctx, packet, other)
	if err == nil && payload == nil {
		payload, err = c.receive(other)
	}
	if err == nil {
		c.settle(ctx)
	}
	return payload, endedBy(ctx, err)
}

// Bounds on the wait for second answers.
const (
	quiet     = 200 * time.Millisecond // without one
	maxSettle = 2 * time.Second
)

// settle takes the second answers to a packet that was sent again although the
// first was only late: the next exchange would take them for its own. QEMU
// looks for a client on a pseudoterminal once a second.
func (c *conn) settle(ctx context.Context) {
	if !c.resent {
		return
	}
	c.resent = false
	for end := time.Now().Add(maxSettle); time.Now().Before(end); {
		if c.limitRead(ctx, time.Now().Add(quiet)) != nil {
			return
		}
		f, err := rsp.Read(c.r)
		if err == nil && f.Kind == rsp.PacketStart {
			_, err = c.accept(f)
		}
		if err != nil { // an end of the connection shows in the next exchange
			return
		}
	}
}

// endedBy is the reason that ctx ended with, where that is what made a read or
// a write fail.
func endedBy(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, os.ErrDeadlineExceeded) {
		return context.Cause(ctx)
	}
	return err
}

// watch makes reads and writes fail when ctx ends, until release is called.
func (c *conn) watch(ctx context.Context) (release func()) {
	return c.onEnd(ctx, func() { _ = c.net.SetDeadline(time.Unix(1, 0)) })
}

// onEnd calls act when ctx ends before release is called. After release the
// connection has no deadline.
func (c *conn) onEnd(ctx context.Context, act func()) (release func()) {
	acted := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(acted)
		act()
	})
	return func() {
		if !stop() {
			<-acted
		}
		_ = c.net.SetDeadline(time.Time{})
	}
}

// finish names the error of an exchange and breaks the connection on it.
func (c *conn) finish(packet string, payload []byte, err error) (string, error) {
	if err == nil {
		return string(payload), nil
	}
	if isAny(err, closedErrors) {
		err = &closedError{err}
	}
	c.err = err
	c.broken.Store(&err)
	return "", packetError(packet, "", err)
}

// send writes a packet until the stub acknowledges it. A packet that arrives
// instead is the answer: the acknowledgement was lost.
func (c *conn) send(ctx context.Context, packet string, other aside) ([]byte, error) {
	raw := rsp.Append(nil, []byte(packet))
	c.log(Sent, packet)
	c.sent.Add(1)
	c.resent = false
	for range maxAttempts {
		if _, err := c.net.Write(raw); err != nil {
			return nil, err
		}
		if c.noAck {
			return nil, nil
		}
		if err := c.limitRead(ctx, time.Now().Add(c.ackWait)); err != nil {
			return nil, err
		}
		payload, again, err := c.awaitAck(ctx, other)
		if again {
			c.resent = c.resent || err != nil // and not because it was refused
			continue
		}
		if err != nil {
			return nil, err
		}
		if payload != nil {
			return payload, nil
		}
		return nil, c.limitRead(ctx, time.Time{})
	}
	return nil, ErrNoAck
}

// limitRead sets the deadline of reads. It fails when ctx has ended: the
// deadline that watch set then may have been overwritten. That a connection is
// closed shows in the read, behind what it had sent before.
func (c *conn) limitRead(ctx context.Context, t time.Time) error {
	_ = c.net.SetReadDeadline(t)
	return context.Cause(ctx)
}

// awaitAck waits for the acknowledgement; again asks to send once more.
func (c *conn) awaitAck(ctx context.Context, other aside) (payload []byte, again bool, err error) {
	for {
		f, err := rsp.Read(c.r)
		switch {
		case err != nil:
			late := errors.Is(err, os.ErrDeadlineExceeded) && ctx.Err() == nil
			return nil, late, err
		case f.Kind == rsp.Ack:
			return nil, false, nil
		case f.Kind == rsp.Nak:
			return nil, true, nil
		case f.Kind == rsp.PacketStart:
			payload, err := c.accept(f)
			if err == nil && other(payload) {
				continue
			}
			return payload, false, err
		}
	}
}

// receive reads the answer. Notifications and stray acknowledgements are
// skipped.
func (c *conn) receive(other aside) ([]byte, error) {
	for {
		f, err := rsp.Read(c.r)
		if err != nil {
			return nil, err
		}
		if f.Kind != rsp.PacketStart {
			continue
		}
		payload, err := c.accept(f)
		if err != nil || !other(payload) {
			return payload, err
		}
	}
}

// accept acknowledges a packet, and asks for a damaged one again.
func (c *conn) accept(f rsp.Frame) ([]byte, error) {
	for range maxAttempts {
		if f.Sound {
			c.log(Received, string(f.Payload))
			c.received.Add(1)
		}
		switch {
		case f.Sound && c.noAck:
			return f.Payload, nil
		case f.Sound:
			_, err := c.net.Write([]byte{rsp.Ack})
			return f.Payload, err
		case c.noAck:
			return nil, ErrChecksum
		}
		if _, err := c.net.Write([]byte{rsp.Nak}); err != nil {
			return nil, err
		}
		for f.Kind = 0; f.Kind != rsp.PacketStart; {
			var err error
			if f, err = rsp.Read(c.r); err != nil {
				return nil, err
			}
		}
	}
	return nil, ErrChecksum
}

// acknowledge sends an acknowledgement.
func (c *conn) acknowledge() error {
	_ = c.net.SetWriteDeadline(time.Now().Add(c.timeout))
	_, err := c.net.Write([]byte{rsp.Ack})
	return err
}

// post sends a request that has no answer.
func (c *conn) post(ctx context.Context, packet string) error {
	if err := c.take(ctx); err != nil {
		return packetError(packet, "", err)
	}
	defer c.give()
	c.log(Sent, packet)
	c.sent.Add(1)
	_ = c.net.SetWriteDeadline(time.Now().Add(c.timeout))
	if _, err := c.net.Write(rsp.Append(nil, []byte(packet))); err != nil {
		return packetError(packet, "", err)
	}
	return nil
}

// postUnsure sends a request that has no answer from most stubs: it waits for
// one for as long as an acknowledgement may take.
func (c *conn) postUnsure(ctx context.Context, packet string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, c.timeout, ErrNoAnswer)
	defer cancel()
	if err := c.take(ctx); err != nil {
		return packetError(packet, "", err)
	}
	defer c.give()
	defer c.watch(ctx)()
	payload, err := c.send(ctx, packet, c.output)
	if err == nil && payload == nil {
		if err = c.limitRead(ctx, time.Now().Add(c.ackWait)); err == nil {
			_, err = c.receive(c.output)
		}
		if errors.Is(err, os.ErrDeadlineExceeded) && ctx.Err() == nil {
			err = nil
		}
	}
	_, err = c.finish(packet, nil, endedBy(ctx, err))
	return err
}
