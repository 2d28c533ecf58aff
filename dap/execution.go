package dap

import (
	"context"

	"github.com/google/go-dap"

	"pushmask/core"
)

// A client cannot be told that a program never runs (there is no such
// capability): it shows its buttons for stepping and sends the requests.
// They are answered, and a stopped event brings the client's view back.

func (a *adapter) continueThread(_ context.Context, req *dap.ContinueRequest) (*dap.ContinueResponse, error) {
	a.stayStopped(req.Arguments.ThreadId)
	return &dap.ContinueResponse{Body: dap.ContinueResponseBody{AllThreadsContinued: true}}, nil
}

func (a *adapter) next(_ context.Context, req *dap.NextRequest) (*dap.NextResponse, error) {
	a.stayStopped(req.Arguments.ThreadId)
	return &dap.NextResponse{}, nil
}

func (a *adapter) stepIn(_ context.Context, req *dap.StepInRequest) (*dap.StepInResponse, error) {
	a.stayStopped(req.Arguments.ThreadId)
	return &dap.StepInResponse{}, nil
}

func (a *adapter) stepOut(_ context.Context, req *dap.StepOutRequest) (*dap.StepOutResponse, error) {
	a.stayStopped(req.Arguments.ThreadId)
	return &dap.StepOutResponse{}, nil
}

func (a *adapter) pause(_ context.Context, req *dap.PauseRequest) (*dap.PauseResponse, error) {
	a.stayStopped(req.Arguments.ThreadId)
	return &dap.PauseResponse{}, nil
}

// stayStopped reports the thread as stopped after the answer, and says why,
// the first time.
func (a *adapter) stayStopped(thread int) {
	id := core.ThreadID(thread)
	if _, ok := a.debuggee.session.Thread(id); !ok {
		id = a.debuggee.crashedThread()
	}
	a.later(func() {
		if !a.toldAtRest {
			a.toldAtRest = true
			a.console("console", "this is a crash dump: it shows the program at the moment it stopped and cannot run; step, continue and pause have no effect")
		}
		a.stopped(id, true)
	})
}
