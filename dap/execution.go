package dap

import (
	"context"

	"github.com/google/go-dap"

	"pushmask/core"
	"pushmask/core/runcontrol"
)

// A client cannot be told that a program never runs (there is no such
// capability): it shows its buttons for stepping and sends the requests.
// They are answered, and a stopped event brings the client's view back.

func (a *adapter) continueThread(ctx context.Context, req *dap.ContinueRequest) (*dap.ContinueResponse, error) {
	if err := a.resume(ctx, req.Arguments.ThreadId, runcontrol.Motion{}); err != nil {
		return nil, err
	}
	return &dap.ContinueResponse{Body: dap.ContinueResponseBody{AllThreadsContinued: true}}, nil
}

func (a *adapter) next(ctx context.Context, req *dap.NextRequest) (*dap.NextResponse, error) {
	if err := a.resume(ctx, req.Arguments.ThreadId, runcontrol.Motion{Kind: runcontrol.MotionNext}); err != nil {
		return nil, err
	}
	return &dap.NextResponse{}, nil
}

func (a *adapter) stepIn(ctx context.Context, req *dap.StepInRequest) (*dap.StepInResponse, error) {
	if err := a.resume(ctx, req.Arguments.ThreadId, runcontrol.Motion{Kind: runcontrol.MotionStepIn}); err != nil {
		return nil, err
	}
	return &dap.StepInResponse{}, nil
}

func (a *adapter) stepOut(ctx context.Context, req *dap.StepOutRequest) (*dap.StepOutResponse, error) {
	if err := a.resume(ctx, req.Arguments.ThreadId, runcontrol.Motion{Kind: runcontrol.MotionStepOut}); err != nil {
		return nil, err
	}
	return &dap.StepOutResponse{}, nil
}

func (a *adapter) pause(ctx context.Context, req *dap.PauseRequest) (*dap.PauseResponse, error) {
	if live := a.debuggee.live; live != nil {
		live.Pause()
		return &dap.PauseResponse{}, nil
	}
	a.stayStopped(ctx, req.Arguments.ThreadId)
	return &dap.PauseResponse{}, nil
}

// stayStopped reports the thread as stopped after the answer, and says why,
// the first time.
func (a *adapter) stayStopped(ctx context.Context, thread int) {
	if !a.toldAtRest {
		a.toldAtRest = true
		a.later("output", outputEvent("console", "this is a crash dump: it shows the program at the moment it stopped and cannot run; step, continue and pause have no effect"))
	}
	id := core.ThreadID(thread)
	if _, ok := a.debuggee.session.Thread(id); !ok {
		id = a.debuggee.crashedThread()
	}
	a.stopped(ctx, id, true)
}
