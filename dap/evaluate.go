package dap

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/go-dap"

	"pushmask/core/session"
)

// evaluate serves watches, hovers, the Debug Console and copies of variables,
// which all mean the same expression; the Debug Console of a live session takes
// commands too. Hovers over words that are no expression are common: their
// failures are not for the user's eyes, and neither are those of others, which
// clients show in place.
func (a *adapter) evaluate(ctx context.Context, req *dap.EvaluateRequest) (*dap.EvaluateResponse, error) {
	args := req.Arguments
	expr := strings.TrimSpace(args.Expression)
	if expr == "" {
		return nil, failf(errEvaluate, "the expression is empty: give a register ($sp), an address (0x20000000) or a symbol (main)")
	}
	d := a.focused()
	var key frameKey
	if args.FrameId != 0 {
		d = a.owner(args.FrameId)
		key, _ = d.frames.value(args.FrameId)
	}
	if args.Context == "repl" && d.live != nil {
		if text, isCommand, err := a.command(ctx, d, key, expr); isCommand {
			return &dap.EvaluateResponse{Body: dap.EvaluateResponseBody{Result: text}}, err
		}
	}
	if err := d.halted(); err != nil {
		return nil, err
	}
	var frame *session.Frame
	if args.FrameId != 0 {
		var err error
		if _, frame, err = d.frameByID(ctx, args.FrameId); err != nil {
			return nil, err
		}
	}
	v, err := d.session.Evaluate(ctx, expr, frame)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, failf(errEvaluate, "%w", err)
	}
	body := dap.EvaluateResponseBody{Result: v.Text}
	if args.Format != nil && args.Format.Hex && v.Type == "int" {
		body.Result = fmt.Sprintf("%#x", v.U32)
	}
	if a.client.variableTypes {
		body.Type = v.Type
	}
	if v.HasAddr {
		body.MemoryReference = a.client.memoryReference(v.Addr.String())
	}
	return &dap.EvaluateResponse{Body: body}, nil
}
