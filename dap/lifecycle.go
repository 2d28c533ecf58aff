package dap

import (
	"context"

	"github.com/google/go-dap"
)

func (a *adapter) initialize(_ context.Context, req *dap.InitializeRequest) (*initializeResponse, error) {
	if a.phase != phaseNew {
		return nil, failf(errOutOfOrder, "initialize was sent before")
	}
	a.client = newClient(&req.Arguments)
	if req.Arguments.SupportsProgressReporting {
		a.progress.enable()
	}
	a.phase = phaseInitialized
	return &initializeResponse{Body: liveCapabilities(a.routes)}, nil
}

// configurationDone ends the client's set-up: a crash is shown stopped, and a
// live target goes to its first stop.
func (a *adapter) configurationDone(ctx context.Context, _ *dap.ConfigurationDoneRequest) (*dap.ConfigurationDoneResponse, error) {
	if a.isLive() {
		for _, d := range a.debuggees() {
			if err := a.firstStop(ctx, d); err != nil {
				return nil, err
			}
		}
		return &dap.ConfigurationDoneResponse{}, nil
	}
	a.stopped(ctx, a.debuggee.crashedThread(), false)
	return &dap.ConfigurationDoneResponse{}, nil
}

// terminate ends the program, which for a dump means to close it. The client
// sends disconnect when it has seen the event.
func (a *adapter) terminate(context.Context, *dap.TerminateRequest) (*dap.TerminateResponse, error) {
	a.endSession(leaveDefault)
	a.later("terminated", terminatedEvent())
	return &dap.TerminateResponse{}, nil
}

// disconnect ends the session. A live target is left as the client wants it:
// running, unless it says otherwise. There is no such thing as the end of a
// program that is all there is: terminated, it stays halted.
func (a *adapter) disconnect(_ context.Context, req *dap.DisconnectRequest) (*dap.DisconnectResponse, error) {
	how := leaveDefault
	if args := req.Arguments; args != nil && (args.TerminateDebuggee || args.SuspendDebuggee) {
		how = leaveHalted
	}
	a.endSession(how)
	a.ended = true
	return &dap.DisconnectResponse{}, nil
}

func terminatedEvent() *dap.TerminatedEvent { return &dap.TerminatedEvent{} }
