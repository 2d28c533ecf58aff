package serve

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"time"

	"pushmask/core"
	"pushmask/core/gdbremote/rsp"
)

// Bounds on a client that stalls. One that is silent between packets may be a
// user who thinks.
const (
	firstPacket = 30 * time.Second // from the connection to the first byte
	restPacket  = 10 * time.Second // from the first byte of a packet to its last
	writeTime   = 30 * time.Second // for one packet to be taken
)

// packetSize is the PacketSize that is announced: bytes of an answer and of a
// request. Each end may have a frame of four bytes more.
const packetSize = 0x4000

// maxData is how many bytes of data an answer has: each may be two digits or have
// an escape, and a few bytes stand before them.
const maxData = packetSize/2 - 16

// client is a session with one client. Its goroutine owns it.
type client struct {
	ctx  context.Context
	stub *Stub
	conn net.Conn
	r    *bufio.Reader
	log  *slog.Logger

	noAck bool
	last  []byte // the packet that was sent last, framed
	err   error  // of sending; sticky
	ended bool   // the client has said goodbye

	general, resumed core.ThreadID // what Hg and Hc selected
	dialect
	opened int // how often the ELF is, through vFile
}

// dialect is how a client differs from gdb, told by the packets it sends.
type dialect struct {
	lldb        bool // it knows thread suffixes: no other client does
	listThreads bool // stop replies list all threads
	errorText   bool // errors have a text behind the number
	bare        bool // answers to x have no "b" before the data
}

// Serve answers one client until it leaves, its connection breaks or ctx ends;
// in the last case it returns the error of ctx. It closes conn.
func (s *Stub) Serve(ctx context.Context, conn net.Conn) error {
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	c := s.newClient(ctx, conn)
	err := c.serve()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, io.EOF), errors.Is(err, net.ErrClosed), errors.Is(err, io.ErrClosedPipe):
		return nil
	}
	return err
}

func (s *Stub) newClient(ctx context.Context, conn net.Conn) *client {
	first := s.threads[0].ID
	return &client{
		ctx: ctx, stub: s, conn: conn, r: bufio.NewReader(conn),
		log:     s.log.With("client", conn.RemoteAddr().String()),
		general: first, resumed: first,
	}
}

func (c *client) serve() error {
	for wait := firstPacket; !c.ended && c.err == nil; wait = 0 {
		f, err := c.frame(wait)
		if errors.Is(err, rsp.ErrMalformed) {
			continue // it was framed: what follows can be read
		}
		if err != nil {
			return err
		}
		switch {
		case f.Kind == rsp.Nak && c.last != nil:
			c.write(c.last)
		case f.Kind != rsp.PacketStart: // an interrupt too: the machine stands
		case !f.Sound:
			c.ack(rsp.Nak)
		default:
			c.ack(rsp.Ack)
			c.packet(string(f.Payload))
		}
	}
	return c.err
}

// frame reads one frame; wait bounds the time to its first byte, 0 does not.
func (c *client) frame(wait time.Duration) (rsp.Frame, error) {
	var until time.Time
	if wait > 0 {
		until = time.Now().Add(wait)
	}
	if err := c.conn.SetReadDeadline(until); err != nil {
		return rsp.Frame{}, err
	}
	if _, err := c.r.Peek(1); err != nil {
		return rsp.Frame{}, c.readError(err)
	}
	if err := c.conn.SetReadDeadline(time.Now().Add(restPacket)); err != nil {
		return rsp.Frame{}, err
	}
	f, err := rsp.Read(c.r)
	return f, c.readError(err)
}

// readError says what a timeout means.
func (c *client) readError(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("the client stalls: %w", err)
	}
	return err
}

func (c *client) packet(request string) {
	reply, ok := c.dispatch(request)
	c.log.Debug("packet", "request", shortened(request), "reply", shortened(reply))
	if ok {
		c.send(reply)
	}
}

func shortened(text string) string { return text[:min(len(text), 200)] }

func (c *client) ack(b byte) {
	if !c.noAck {
		c.write([]byte{b})
	}
}

// send sends a packet.
func (c *client) send(payload string) {
	c.last = rsp.Append(c.last[:0], []byte(payload))
	c.write(c.last)
}

func (c *client) write(b []byte) {
	if c.err != nil {
		return
	}
	if c.err = c.conn.SetWriteDeadline(time.Now().Add(writeTime)); c.err == nil {
		_, c.err = c.conn.Write(b)
	}
}

// print shows text on the client's console (E.3, "O"). A client takes it only
// while it waits for a stop or for the answer to a command.
func (c *client) print(text string) {
	const most = 1024 // bytes a packet
	for len(text) > 0 {
		n := min(len(text), most)
		c.send("O" + hex.EncodeToString([]byte(text[:n])))
		text = text[n:]
	}
}

// refuse answers with an error that has a text, where the client can take one.
func (c *client) refuse(text string) string {
	switch {
	case c.errorText:
		return fmt.Sprintf("E%02x;%s", errInvalid, hex.EncodeToString([]byte(text)))
	case c.lldb:
		return c.number(errInvalid)
	}
	return "E." + text
}

// number answers with an error that has a number alone.
func (c *client) number(code int) string { return fmt.Sprintf("E%02x", code) }
