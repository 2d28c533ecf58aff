package dap

import (
	"context"
	"fmt"
	"net"
	"sync"

	"pushmask/internal/loopback"
)

// ErrNotLoopback is returned by [Listen] for an address that other machines
// could reach: whoever connects can read any file that pushmask can open.
var ErrNotLoopback = loopback.ErrNotLoopback

// Listen accepts TCP connections on addr ("host:port"; no host means
// 127.0.0.1, port 0 any free port) and runs a session on each, any number at a
// time, until ctx ends; the sessions end with it. It returns nil then.
//
// Goroutines: one for each connection, and one that closes the listener.
func Listen(ctx context.Context, addr string, opt Options) error {
	addr, err := loopback.Address(addr, opt.AllowRemote)
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { listener.Close() })
	defer stop()
	defer listener.Close()
	if opt.Listening != nil {
		opt.Listening(listener.Addr())
	}
	var sessions sync.WaitGroup
	defer sessions.Wait()
	for {
		conn, err := listener.Accept()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("accept: %w", err)
		}
		sessions.Go(func() {
			defer conn.Close()
			if err := Serve(ctx, conn, opt); err != nil {
				opt.log().Info("session ended", "client", conn.RemoteAddr().String(), "error", err)
			}
		})
	}
}
