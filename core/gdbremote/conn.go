package gdbremote

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
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
	noAck   bool
	timeout time.Duration // of an exchange without a deadline of its own
	ackWait time.Duration // until a packet without acknowledgement is sent again
	console func([]byte)  // output of the program, never nil

	mu  sync.Mutex // held through an exchange
	err error      // why the connection is broken
}

// exchange sends a request and returns the answer.
func (c *conn) exchange(ctx context.Context, packet string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := cmp.Or(c.err, ctx.Err()); err != nil {
		return "", packetError(packet, "", err)
	}
	defer c.watch(ctx)()
	payload, err := c.send(ctx, packet)
	if err == nil && payload == nil {
		payload, err = c.receive()
	}
	return c.finish(ctx, packet, payload, err)
}

// resume sends a request that lets the target run and waits for it to stop, as
// long as ctx lives. When ctx ends it interrupts the target and still takes
// the stop, so that the connection stays usable.
func (c *conn) resume(ctx context.Context, packet string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := cmp.Or(c.err, ctx.Err()); err != nil {
		return "", packetError(packet, "", err)
	}
	payload, err := c.start(ctx, packet)
	defer c.onEnd(ctx, func() {
		_ = c.net.SetDeadline(time.Now().Add(c.timeout))
		_, _ = c.net.Write([]byte{rsp.Break}) // a failure shows in the read
	})()
	for err == nil {
		if payload == nil {
			payload, err = c.receive()
		}
		if err != nil || !isConsole(payload) {
			break
		}
		c.printConsole(payload)
		payload = nil
	}
	return c.finish(ctx, packet, payload, err)
}

// start sends the request of resume, whether ctx ends meanwhile or not.
func (c *conn) start(ctx context.Context, packet string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.timeout)
	defer cancel()
	defer c.watch(ctx)()
	return c.send(ctx, packet)
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
func (c *conn) finish(ctx context.Context, packet string, payload []byte, err error) (string, error) {
	if err == nil {
		return string(payload), nil
	}
	switch {
	case ctx.Err() != nil && errors.Is(err, os.ErrDeadlineExceeded):
		err = context.Cause(ctx)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.ErrClosedPipe), errors.Is(err, net.ErrClosed):
		err = ErrClosed
	}
	c.err = err
	return "", packetError(packet, "", err)
}

// send writes a packet until the stub acknowledges it. A packet that arrives
// instead is the answer: the acknowledgement was lost.
func (c *conn) send(ctx context.Context, packet string) ([]byte, error) {
	raw := rsp.Append(nil, []byte(packet))
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
		payload, again, err := c.awaitAck(ctx)
		if again {
			continue
		}
		if err != nil {
			return nil, err
		}
		return payload, c.limitRead(ctx, time.Time{})
	}
	return nil, ErrNoAck
}

// limitRead sets the deadline of reads. It fails when ctx has ended: the
// deadline that watch set then may have been overwritten.
func (c *conn) limitRead(ctx context.Context, t time.Time) error {
	if err := c.net.SetReadDeadline(t); err != nil {
		return err
	}
	return ctx.Err()
}

// awaitAck waits for the acknowledgement; again asks to send once more.
func (c *conn) awaitAck(ctx context.Context) (payload []byte, again bool, err error) {
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
			return payload, false, err
		}
	}
}

// receive reads the answer. Notifications and stray acknowledgements are
// skipped.
func (c *conn) receive() ([]byte, error) {
	for {
		f, err := rsp.Read(c.r)
		if err != nil {
			return nil, err
		}
		if f.Kind == rsp.PacketStart {
			return c.accept(f)
		}
	}
}

// accept acknowledges a packet, and asks for a damaged one again.
func (c *conn) accept(f rsp.Frame) ([]byte, error) {
	for range maxAttempts {
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

// post sends a request that has no answer.
func (c *conn) post(packet string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return packetError(packet, "", c.err)
	}
	_ = c.net.SetWriteDeadline(time.Now().Add(c.timeout))
	if _, err := c.net.Write(rsp.Append(nil, []byte(packet))); err != nil {
		return packetError(packet, "", err)
	}
	return nil
}
