package dap

import (
	"context"
	"errors"
	"strings"
	"unicode"

	"github.com/google/go-dap"

	"pushmask/core/live"
	"pushmask/core/session"
)

// evaluateRequest is go-dap's with what its schema lacks.
type evaluateRequest struct {
	dap.Request
	Arguments evaluateArguments `json:"arguments"`
}

type evaluateArguments struct {
	dap.EvaluateArguments
	Line   int         `json:"line"` // place in a source: of a hover by the mouse, what it is over
	Source *dap.Source `json:"source"`
}

// evaluate serves watches, hovers, the Debug Console and copies of variables,
// which all mean the same expression; the Debug Console takes commands too. Hovers over words that are no expression are common: their
// failures are not for the user's eyes, and neither are those of others, which
// clients show in place.
func (a *adapter) evaluate(ctx context.Context, req *evaluateRequest) (*dap.EvaluateResponse, error) {
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
	if args.Context == "repl" {
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
	v, err := a.valueFor(ctx, d, &args, expr, frame)
	if err != nil {
		return nil, err
	}
	if frame == nil {
		key = frameKey{thread: d.crashedThread()}
	}
	return &dap.EvaluateResponse{Body: a.evaluated(d, key, v, args.Format != nil && args.Format.Hex)}, nil
}

// evaluated is a value as the client takes it; its parts are of the frame of key.
func (a *adapter) evaluated(d *debuggee, key frameKey, v session.Value, hex bool) dap.EvaluateResponseBody {
	body := dap.EvaluateResponseBody{Result: v.Text}
	if hex && v.Value != nil {
		body.Result = v.Value.Hex().Text()
	}
	if a.client.variableTypes {
		body.Type = v.Type
	}
	if v.Value != nil {
		body.VariablesReference, body.NamedVariables, body.IndexedVariables = d.container(key, v.Value)
	}
	if v.HasAddr {
		body.MemoryReference = a.client.memoryReference(v.Addr.String())
	}
	return body
}

// valueFor evaluates an expression for what asks for it.
func (a *adapter) valueFor(ctx context.Context, d *debuggee, args *evaluateArguments, expr string, frame *session.Frame) (session.Value, error) {
	v, found := session.Value{}, false
	if args.Context == "hover" && args.Source != nil && frame != nil {
		v, found = d.hovered(ctx, args.Source.Path, expr, frame)
	}
	var err error
	if !found {
		v, err = a.evaluateIn(ctx, d, args.Context, expr, frame)
	}
	if err != nil {
		if ctx.Err() != nil {
			return v, err
		}
		if where := (*session.ExprError)(nil); args.Context == "hover" && errors.As(err, &where) && where.Err == nil {
			return v, failf(errEvaluate, "%s", where.Msg) // the pointer shows where
		}
		return v, failf(errEvaluate, "%w", err)
	}
	if args.Context == "hover" && args.Line == 0 && v.Value != nil {
		// No mouse is over a source: an extension asks, and takes the text apart.
		v.Value = v.Value.Plain()
		v.Text = v.Value.Text()
	}
	return v, nil
}

// hovered evaluates what the mouse is over in a source file that the code of the
// frame is not of: a name there is first one of that file, which may be in another
// ELF. It is false where the file has no such name.
func (d *debuggee) hovered(ctx context.Context, path, expr string, f *session.Frame) (v session.Value, ok bool) {
	if path == "" || path == f.File || !isPath(expr) {
		return v, false
	}
	for _, recorded := range d.program.Recorded(path) {
		file := strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(recorded)
		if v, err := d.session.Evaluate(ctx, "'"+file+"'::"+expr, f); err == nil {
			return v, true
		}
	}
	return v, false
}

// isPath reports whether an expression is a name with members and elements of it:
// what else is in it has a name of its own.
func isPath(expr string) bool {
	inside, isName := false, unicode.IsLetter(rune(expr[0])) || expr[0] == '_'
	for _, r := range strings.ReplaceAll(expr, "->", ".") {
		switch {
		case r == '[' || r == ']':
			inside = r == '['
		case inside:
			isName = isName && unicode.IsDigit(r)
		default:
			isName = isName && (r == '_' || r == '.' || r == ':' || unicode.IsLetter(r) || unicode.IsDigit(r))
		}
	}
	return isName
}

// evaluateIn evaluates an expression for a context of the request. What changes a
// live target is told; a hover changes nothing.
func (a *adapter) evaluateIn(ctx context.Context, d *debuggee, where, expr string, f *session.Frame) (v session.Value, err error) {
	if d.live == nil || !assigns(expr) {
		return d.session.Evaluate(ctx, expr, f)
	}
	if where == "hover" {
		return v, failf(errReadOnly, "%q would change the target: use the Debug Console", expr)
	}
	err = d.live.control.Change(ctx, func(ctx context.Context, _ *live.Machine) error {
		v, err = d.session.Evaluate(ctx, expr, f)
		return err
	})
	a.invalidated()
	if err != nil {
		return v, err
	}
	return v, d.refresh()
}

// assigns reports whether an expression of C may change something: it has an
// assignment, an increment or a decrement outside of texts.
func assigns(expr string) bool {
	quote := byte(0)
	for i := 0; i < len(expr); i++ {
		c, next := expr[i], byte(0)
		if i+1 < len(expr) {
			next = expr[i+1]
		}
		switch {
		case quote != 0 && c == '\\':
			i++
		case quote != 0 || c == '"' || c == '\'':
			if quote == 0 {
				quote = c
			} else if quote == c {
				quote = 0
			}
		case (c == '+' || c == '-') && next == c:
			return true
		case (c == '<' || c == '>') && next == c:
			if strings.HasPrefix(expr[i+2:], "=") {
				return true
			}
			i++
		case (c == '=' || c == '!' || c == '<' || c == '>') && next == '=':
			i++
		case c == '=':
			return true
		}
	}
	return false
}
