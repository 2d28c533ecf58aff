package dap

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"

	"github.com/google/go-dap"
)

// Options configure the server. The zero value is good.
type Options struct {
	Log *slog.Logger // nil discards

	// AllowRemote lets [Listen] accept an address that is not loopback.
	AllowRemote bool
	// Listening, when set, is told the address that [Listen] has bound.
	Listening func(net.Addr)
}

func (o Options) log() *slog.Logger {
	if o.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return o.Log
}

// queueLength is how many requests may wait for the one that runs. A client
// that sends more is not read from until some are answered, which also
// delays its cancel requests.
const queueLength = 1024

// Serve runs one debug session on rw. It returns nil when the client
// disconnects or closes its end, and an error when the stream breaks, is not
// framed as the protocol demands, or ctx ends.
//
// Reading is done by a goroutine that ends when rw's Read returns; the caller
// closes rw after Serve. When ctx ends before that and rw is an [io.Closer],
// Serve closes it, so that no read or write holds it up.
func Serve(ctx context.Context, rw io.ReadWriter, opt Options) error {
	return newAdapter(rw, opt).serve(ctx, rw)
}

func (a *adapter) serve(ctx context.Context, rw io.ReadWriter) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	a.out.failed = end
	if c, ok := rw.(io.Closer); ok {
		stop := context.AfterFunc(ctx, func() { c.Close() })
		defer stop()
	}
	defer a.endSession(leaveDefault)

	queue := make(chan *request, queueLength)
	var readErr error // owned by the reader until it closes queue
	go func() {
		defer close(queue)
		readErr = a.read(ctx, bufio.NewReaderSize(rw, maxHeaderLine), queue)
	}()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case f := <-a.mail:
			f(ctx)
		case r, ok := <-queue:
			if !ok && ctx.Err() != nil {
				return context.Cause(ctx) // the reader failed because of it
			}
			if !ok {
				return a.endOfInput(readErr)
			}
			a.dispatch(r)
			if a.ended {
				return nil
			}
		}
	}
}

// endOfInput decides what the end of the client's messages means.
func (a *adapter) endOfInput(err error) error {
	if errors.Is(err, errFraming) {
		a.console("stderr", "pushmask: the session ends: %v", err)
		a.out.emit("terminated", terminatedEvent())
	}
	if err == nil || errors.Is(err, io.EOF) {
		return nil
	}
	return fmt.Errorf("read request: %w", err)
}

// read decodes messages until the input ends and puts requests into queue.
// What needs no session state is answered at once.
func (a *adapter) read(ctx context.Context, r *bufio.Reader, queue chan<- *request) error {
	for {
		content, err := readContent(r)
		if err != nil {
			return err
		}
		req, fail := a.decode(content)
		if fail != nil {
			a.log.Info("bad request", "command", req.Command, "seq", req.Seq, "error", fail)
			a.out.respondError(req.envelope, fail)
			continue
		}
		if req.message == nil {
			a.log.Info("message ignored", "type", req.Type, "seq", req.Seq)
			continue
		}
		if req.route.interrupts {
			a.inflight.interrupt()
		}
		req.ctx, req.done = a.inflight.add(ctx, req.Seq)
		if req.route.urgent {
			a.dispatch(req)
			continue
		}
		select {
		case queue <- req:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// decode turns a message's content into a request. The request it returns
// with an error has its envelope, as far as it could be read; one without a
// message is not for us.
func (a *adapter) decode(content []byte) (*request, *requestError) {
	env, err := parseEnvelope(content)
	req := &request{envelope: env}
	if err != nil {
		return req, failf(errMalformed, "the message is not a JSON object: %w", err)
	}
	switch env.Type {
	case "request":
	case "response", "event":
		return req, nil
	default:
		return req, failf(errMalformed, "the message's type is %q, not \"request\"", env.Type)
	}
	route, ok := a.routes[env.Command]
	if !ok {
		return req, failf(errUnsupported, "pushmask does not support the request %q", env.Command)
	}
	req.route = route
	decode := route.decode
	if decode == nil {
		decode = decodeRequest
	}
	if req.message, err = decode(content); err != nil {
		return req, malformed(env, err)
	}
	return req, nil
}

// decodeRequest decodes the requests that go-dap knows.
func decodeRequest(content []byte) (dap.RequestMessage, error) {
	message, err := dap.DecodeProtocolMessage(content)
	if err != nil {
		return nil, err
	}
	request, ok := message.(dap.RequestMessage)
	if !ok {
		return nil, errors.New("the message is not a request")
	}
	return request, nil
}
