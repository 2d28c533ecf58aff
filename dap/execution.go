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
	return &dap.ContinueResponse{Body: dap.ContinueResponseBody{AllThreadsContinued: len(a.further) == 0}}, nil
}

func (a *adapter) next(ctx context.Context, req *dap.NextRequest) (*dap.NextResponse, error) {
	if err := a.resume(ctx, req.Arguments.ThreadId, runcontrol.Motion{
		Kind: runcontrol.MotionNext, Granularity: granularity(req.Arguments.Granularity),
	}); err != nil {
		return nil, err
	}
	return &dap.NextResponse{}, nil
}

func (a *adapter) stepIn(ctx context.Context, req *dap.StepInRequest) (*dap.StepInResponse, error) {
	args := req.Arguments
	m := runcontrol.Motion{Kind: runcontrol.MotionStepIn, Granularity: granularity(args.Granularity)}
	if args.TargetId != 0 {
		var ok bool
		if m.Addr, ok = a.owner(args.ThreadId).places.value(args.TargetId); !ok {
			return nil, failf(errArgument, "there is no call with the id %d: ask for stepInTargets first", args.TargetId)
		}
	}
	if err := a.resume(ctx, args.ThreadId, m); err != nil {
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
	d := a.owner(req.Arguments.ThreadId)
	switch {
	case d.live == nil:
		a.stayStopped(ctx, d, req.Arguments.ThreadId)
	case d.live.run != nil:
		d.live.control.Pause()
	}
	return &dap.PauseResponse{}, nil
}

// stayStopped reports the thread as stopped after the answer, and says why,
// the first time.
func (a *adapter) stayStopped(ctx context.Context, d *debuggee, thread int) {
	if !a.toldAtRest {
		a.toldAtRest = true
		a.later("output", outputEvent("console", "this is a crash dump: it shows the program at the moment it stopped and cannot run; step, continue and pause have no effect"))
	}
	id := core.ThreadID(thread)
	if _, ok := d.session.Thread(id); !ok {
		id = d.crashedThread()
	}
	a.stopped(ctx, id, true)
}
