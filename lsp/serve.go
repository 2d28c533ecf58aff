package lsp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"go.lsp.dev/jsonrpc2"
)

// Options configure a server.
type Options struct {
	Log     *slog.Logger // nil discards
	Version string       // reported to the client, "" leaves it out
}

// ErrNoShutdown is returned when the client says exit without having asked
// for shutdown before; the process then has to end with status 1 (LSP 3.17,
// "Exit Notification").
var ErrNoShutdown = errors.New("client exited without shutdown")

// Serve talks to one client until it exits, closes the stream, or ctx ends;
// it then closes rw. It handles one message after the other in the calling
// goroutine, which owns all state; answers come from tables that are built
// once, so none takes long. The end of the stream is no error.
func Serve(ctx context.Context, rw io.ReadWriteCloser, opt Options) error {
	defer rw.Close()
	stop := context.AfterFunc(ctx, func() { rw.Close() })
	defer stop()
	log := opt.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	conn := newStream(rw)
	s := newServer(conn, log, opt.Version)
	defer s.close()
	for {
		msg, err := conn.read()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, errDropped):
			log.Warn("message dropped", "err", err)
			continue
		case err != nil:
			return fmt.Errorf("read message: %w", err)
		}
		req, ok := msg.(jsonrpc2.Request)
		if !ok {
			continue // the server sends no requests, so no response is due
		}
		if req.Method() == "exit" {
			if s.state != stateShutdown {
				return ErrNoShutdown
			}
			return nil
		}
		if err := s.answer(ctx, req); err != nil {
			return err
		}
	}
}

// answer handles one message and sends the response where one is due.
func (s *server) answer(ctx context.Context, req jsonrpc2.Request) error {
	result, err := s.dispatch(ctx, req)
	call, ok := req.(*jsonrpc2.Call)
	if err != nil {
		s.log.Warn("request failed", "method", req.Method(), "err", err)
	}
	if !ok {
		return nil
	}
	if err != nil {
		result = nil
	}
	resp, err := jsonrpc2.NewResponse(call.ID(), result, err)
	if err != nil {
		return fmt.Errorf("encode response to %s: %w", req.Method(), err)
	}
	if err := s.conn.write(resp); err != nil {
		return fmt.Errorf("write response to %s: %w", req.Method(), err)
	}
	return nil
}
