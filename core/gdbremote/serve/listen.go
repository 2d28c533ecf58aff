package serve

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"pushmask/core/gdbremote/rsp"
	"pushmask/internal/loopback"
)

// Bounds on clients that wait for the one that is served.
const (
	maxWaiting  = 16              // others are turned away without a word
	waitForTurn = time.Second     // the one before may be about to leave
	refusalTime = 5 * time.Second // until a client that is refused has to leave
)

// Listen accepts TCP connections on addr ("host:port"; no host means 127.0.0.1,
// port 0 any free port) and serves one client after the other until ctx ends,
// or with Once until the first has left. It returns nil then. A client that
// comes while another is served is told so.
//
// Goroutines: one for the client and for each of those that wait, and one that
// closes the listener.
func (s *Stub) Listen(ctx context.Context, addr string) error {
	addr, err := loopback.Address(addr, s.opt.AllowRemote)
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	ctx, end := context.WithCancel(ctx)
	defer context.AfterFunc(ctx, func() { listener.Close() })()
	defer listener.Close()
	if s.opt.Listening != nil {
		s.opt.Listening(listener.Addr())
	}
	turn := make(chan struct{}, 1)
	waiting := make(chan struct{}, maxWaiting)
	var clients sync.WaitGroup
	defer clients.Wait()
	defer end()
	for {
		conn, err := listener.Accept()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("accept: %w", err)
		}
		select {
		case waiting <- struct{}{}:
		default:
			conn.Close()
			continue
		}
		clients.Go(func() {
			defer func() { <-waiting }()
			if s.take(ctx, conn, turn) && s.opt.Once {
				end()
			}
		})
	}
}

// take serves a client when it is its turn, and tells it if it is not. It
// reports whether the client was served.
func (s *Stub) take(ctx context.Context, conn net.Conn, turn chan struct{}) bool {
	late := time.NewTimer(waitForTurn)
	defer late.Stop()
	select {
	case <-ctx.Done():
		conn.Close()
		return false
	case <-late.C:
		s.log.Info("another client is served", "refused", conn.RemoteAddr().String())
		refuse(ctx, conn)
		return false
	case turn <- struct{}{}:
	}
	defer func() { <-turn }()
	if err := s.Serve(ctx, conn); err != nil && !errors.Is(err, context.Canceled) {
		s.log.Info("session ended", "client", conn.RemoteAddr().String(), "error", err)
	}
	return true
}

// refuse answers what a client asks with why it is not served, until it leaves.
func refuse(ctx context.Context, conn net.Conn) {
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	if conn.SetDeadline(time.Now().Add(refusalTime)) != nil {
		return
	}
	reply := rsp.Append([]byte{rsp.Ack}, []byte("E.another client is connected to pushmask, which serves one at a time"))
	r := bufio.NewReader(conn)
	for {
		f, err := rsp.Read(r)
		if err != nil && !errors.Is(err, rsp.ErrMalformed) {
			return
		}
		if f.Kind != rsp.PacketStart {
			continue
		}
		if _, err := conn.Write(reply); err != nil {
			return
		}
	}
}
