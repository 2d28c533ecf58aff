package dap

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/google/go-dap"

	"pushmask/core"
)

// Requests that Cortex-Debug's front end and its companion extensions send and
// that are of use here, with the arguments and answers that they expect
// (Marus/cortex-debug, src/gdb.ts, customRequest). Others get the error of
// every unknown request.

// customRequest is a request that the protocol does not have.
type customRequest struct {
	dap.Request
	Arguments json.RawMessage `json:"arguments"`
}

// customResponse answers one.
type customResponse struct {
	dap.Response
	Body any `json:"body,omitempty"`
}

// decodeAs makes a decoder of requests that go-dap does not know.
func decodeAs[T any, P interface {
	*T
	dap.RequestMessage
}](content []byte) (dap.RequestMessage, error) {
	req := P(new(T))
	if err := json.Unmarshal(content, req); err != nil {
		return nil, err
	}
	return req, nil
}

// needLive refuses what a dump cannot do.
func (a *adapter) needLive() error {
	if !a.isLive() {
		return failf(errReadOnly, "this is a crash dump: only a live target can do that")
	}
	return nil
}

// resetDevice is the reset button of Cortex-Debug.
func (a *adapter) resetDevice(ctx context.Context, _ *customRequest) (*customResponse, error) {
	if err := a.needLive(); err != nil {
		return nil, err
	}
	return &customResponse{}, a.resetAll(ctx)
}

// customReadMemory reads memory for views that came before readMemory.
func (a *adapter) customReadMemory(ctx context.Context, req *customRequest) (*customResponse, error) {
	var args struct {
		Address json.RawMessage `json:"address"`
		Length  int             `json:"length"`
	}
	if err := json.Unmarshal(req.Arguments, &args); err != nil {
		return nil, malformed(envelope{Command: req.Command}, err)
	}
	addr, err := a.customAddress(ctx, args.Address)
	if err != nil {
		return nil, err
	}
	data, err := a.readBytes(ctx, a.focused(), addr, args.Length)
	if err != nil {
		return nil, err
	}
	if len(data) < args.Length {
		return nil, failf(errMemory, "%v cannot be read", addr+core.Addr(len(data)))
	}
	bytes := make([]int, len(data)) // a list of numbers, where JSON would have base64
	for i, b := range data {
		bytes[i] = int(b)
	}
	return &customResponse{Body: map[string]any{
		"startAddress": addr.String(), "endAddress": (addr + core.Addr(len(data))).String(), "bytes": bytes,
	}}, nil
}

// customWriteMemory writes bytes that are given in hexadecimal.
func (a *adapter) customWriteMemory(ctx context.Context, req *customRequest) (*customResponse, error) {
	if err := a.needLive(); err != nil {
		return nil, err
	}
	var args struct {
		Address json.RawMessage `json:"address"`
		Data    string          `json:"data"`
	}
	if err := json.Unmarshal(req.Arguments, &args); err != nil {
		return nil, malformed(envelope{Command: req.Command}, err)
	}
	addr, err := a.customAddress(ctx, args.Address)
	if err != nil {
		return nil, err
	}
	data, err := hex.DecodeString(args.Data)
	if err != nil {
		return nil, failf(errArgument, "%q: data is not hexadecimal: %w", req.Command, err)
	}
	return &customResponse{}, a.writeBytes(ctx, a.focused(), addr, data)
}

// customAddress reads an address: a number, or an expression in quotes.
func (a *adapter) customAddress(ctx context.Context, raw json.RawMessage) (core.Addr, error) {
	text := string(raw)
	_ = json.Unmarshal(raw, &text) // a number stays as it is written
	d := a.focused()
	if addr, err := parseReference(text, 0); err == nil {
		return addr, nil
	}
	if err := d.halted(); err != nil {
		return 0, err
	}
	v, err := d.session.Evaluate(ctx, text, nil)
	if err != nil {
		return 0, failf(errEvaluate, "%w", err)
	}
	return core.Addr(v.U32), nil
}

// executeCommand runs a command of gdb for another extension.
func (a *adapter) executeCommand(ctx context.Context, req *customRequest) (*customResponse, error) {
	if err := a.needLive(); err != nil {
		return nil, err
	}
	var args struct {
		Command string `json:"command"`
	}
	if err := json.Unmarshal(req.Arguments, &args); err != nil {
		return nil, malformed(envelope{Command: req.Command}, err)
	}
	text, _, err := a.command(ctx, a.focused(), frameKey{}, "-exec "+strings.TrimSpace(args.Command))
	return &customResponse{Body: map[string]any{"result": text}}, err
}

// getArguments returns the launch configuration.
func (a *adapter) getArguments(context.Context, *customRequest) (*customResponse, error) {
	return &customResponse{Body: a.config.given}, nil
}
