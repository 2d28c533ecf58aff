package dap

import (
	"context"

	"github.com/google/go-dap"

	"pushmask/core"
	"pushmask/core/session"
)

// hintDeemphasize is the Source.presentationHint of what a user does not look
// for first.
const hintDeemphasize = "deemphasize"

// emphasis goes down a stack and decides which frames stand out. Editors open
// the first frame that does, and hang what exceptionInfo says on it: that
// should be the code that faulted, not the handler of the fault.
//
// Frames that stand back are "subtle". Editors fold neighbours of that kind
// into one line, so it is no hint for frames whose source file is merely not
// on this machine: that would hide a whole stack. VS Code finds the place of
// the exception by the hint of the source alone, and keeps one hint for each
// file, the last that it got. Hence a file of the handler has the hint
// wherever it appears, and other frames in it are "normal".
type emphasis struct {
	debuggee *debuggee
	handler  bool // in the handler of a fault
	fault    bool // at the code that faulted
}

// emphasisFrom returns the emphasis for the frames from start on. The
// exceptions 3 to 7 in IPSR are faults (Armv8-M ARM B3.9).
func (d *debuggee) emphasisFrom(ctx context.Context, stack *session.Stack, start int) (*emphasis, error) {
	above, err := stack.Frames(ctx, 0, max(start, 1))
	if err != nil {
		return nil, err
	}
	e := &emphasis{debuggee: d}
	if len(above) > 0 && d.session.Target().Profile() == core.ProfileM {
		ipsr := above[0].Core.Regs.Value(core.PSR) & 0x1ff
		e.handler = ipsr >= 3 && ipsr <= 7
	}
	for i := range min(start, len(above)) {
		e.pass(&above[i])
	}
	return e, nil
}

// pass goes on to the frame below f.
func (e *emphasis) pass(f *session.Frame) {
	entry := f.Kind == session.KindException
	e.fault = entry && e.handler
	e.handler = e.handler && !entry
}

// apply gives the frame its hints and goes on to the one below.
func (e *emphasis) apply(sf *dap.StackFrame, f *session.Frame) {
	defer e.pass(f)
	quiet := e.debuggee.quiet
	switch {
	case f.Kind == session.KindException:
		sf.PresentationHint = "label"
	case e.handler || sf.Source == nil || e.foreign(f):
		sf.PresentationHint = "subtle"
		if sf.Source != nil {
			sf.Source.PresentationHint = hintDeemphasize
			quiet[f.File] = sf.Source.Path != ""
		}
	case e.fault:
		delete(quiet, f.File)
		sf.Source.PresentationHint = ""
	case quiet[f.File]:
		sf.PresentationHint = "normal"
	}
}

// foreign reports whether a frame has no line information in an image that
// has some: a library or assembly code, in most cases.
func (e *emphasis) foreign(f *session.Frame) bool {
	img := e.debuggee.program.Images()
	return f.Kind == session.KindFrame && f.Line == 0 && img.HasDebug()
}

// sourceFile describes a source file of this machine.
func (a *adapter) sourceFile(d *debuggee, path string) *dap.Source {
	s := a.client.file(path)
	if d.quiet[path] {
		s.PresentationHint = hintDeemphasize
	}
	return s
}
