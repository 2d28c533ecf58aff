package dap

import (
	"context"
	"fmt"

	"github.com/google/go-dap"

	"pushmask/core/session"
)

func (a *adapter) stackTrace(ctx context.Context, req *dap.StackTraceRequest) (*dap.StackTraceResponse, error) {
	args := req.Arguments
	d := a.focus(args.ThreadId)
	id, start := d.threadID(args.ThreadId), max(args.StartFrame, 0)
	stack, err := d.stack(id)
	if err != nil {
		return nil, err
	}
	frames, err := stack.Frames(ctx, start, args.Levels)
	if err != nil {
		return nil, err
	}
	e, err := d.emphasisFrom(ctx, stack, start)
	if err != nil {
		return nil, err
	}
	body := dap.StackTraceResponseBody{StackFrames: make([]dap.StackFrame, 0, len(frames))}
	for i := range frames {
		sf, err := a.stackFrame(ctx, d, frameKey{thread: id, index: start + i}, &frames[i], args.Format)
		if err != nil {
			return nil, err
		}
		e.apply(&sf, &frames[i])
		body.StackFrames = append(body.StackFrames, sf)
	}
	// Without totalFrames a client asks until it gets less than it asked for:
	// counting would mean to unwind all (Requests, stackTrace).
	if n, ended := stack.Len(); ended {
		body.TotalFrames = n
	}
	return &dap.StackTraceResponse{Body: body}, nil
}

// stackFrame describes a line of the stack. Its error is that of ctx.
func (a *adapter) stackFrame(ctx context.Context, d *debuggee, key frameKey, f *session.Frame, format *dap.StackFrameFormat) (dap.StackFrame, error) {
	sf := dap.StackFrame{Id: d.frames.id(key), Name: f.Label()}
	if f.Kind == session.KindException {
		return sf, nil
	}
	sf.ModuleId = d.moduleID(d.image(f))
	sf.InstructionPointerReference = f.Core.PC.String()
	if err := a.placeFrame(ctx, d, &sf, f); err != nil {
		return sf, err
	}
	d.nameFrame(&sf, f, format)
	return sf, nil
}

// placeFrame gives the frame its source: the file, else the disassembly of
// the function, else none.
func (a *adapter) placeFrame(ctx context.Context, d *debuggee, sf *dap.StackFrame, f *session.Frame) error {
	if f.Found && f.Line > 0 {
		sf.Source = a.sourceFile(d, f.File)
		sf.Line, sf.Column = a.client.line(f.Line), a.client.column(max(f.Column, 1))
		return nil
	}
	l, err := d.listing(ctx, f.Core.Lookup)
	if err != nil {
		return ctx.Err() // no code there: the frame has no source at all
	}
	sf.Source = l.source()
	sf.Line, sf.Column = a.client.line(l.lineOf(f.Core.Lookup)), a.client.column(1)
	return nil
}

// nameFrame gives the frame the name that the user reads.
func (d *debuggee) nameFrame(sf *dap.StackFrame, f *session.Frame, format *dap.StackFrameFormat) {
	if m := d.image(f); format != nil && format.Module && m == d.program.Images().Main() {
		sf.Name = d.program.Images().Name(m) + "!" + sf.Name // those of others have it anyhow
	}
	if f.Line > 0 && f.Found && format != nil && format.Line {
		sf.Name += fmt.Sprintf(":%d", f.Line)
	}
	if f.Kind == session.KindInline {
		sf.Name += " (inlined)"
	}
	if f.Line > 0 && !f.Found {
		// The line of the frame is one of the disassembly.
		sf.Name += fmt.Sprintf(" (%s:%d)", baseName(f.File), f.Line)
	}
	if f.Core.Trust.Guess() {
		sf.Name += fmt.Sprintf(" (guess: %s)", f.Core.Trust)
	}
}
