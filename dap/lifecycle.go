package dap

import (
	"context"

	"github.com/google/go-dap"
)

func (a *adapter) initialize(_ context.Context, req *dap.InitializeRequest) (*dap.InitializeResponse, error) {
	if a.phase != phaseNew {
		return nil, failf(errOutOfOrder, "initialize was sent before")
	}
	a.client = newClient(&req.Arguments)
	if req.Arguments.SupportsProgressReporting {
		a.progress.enable()
	}
	a.phase = phaseInitialized
	return &dap.InitializeResponse{Body: capabilities(a.routes)}, nil
}

// capabilities announces what the routes can do. What only a running target
// has use for (stepping granularity, breakpoints other than those of the
// editor's margin, writing) has no route and is announced by none.
func capabilities(routes map[string]route) dap.Capabilities {
	serves := func(command string) bool { _, ok := routes[command]; return ok }
	return dap.Capabilities{
		SupportsConfigurationDoneRequest: serves("configurationDone"),
		SupportsRestartRequest:           serves("restart"),
		SupportsTerminateRequest:         serves("terminate"),
		SupportsCancelRequest:            serves("cancel"),
		SupportsExceptionInfoRequest:     serves("exceptionInfo"),
		SupportsEvaluateForHovers:        serves("evaluate"),
		SupportsValueFormattingOptions:   serves("variables"),
		SupportsDelayedStackTraceLoading: serves("stackTrace"),
		SupportsReadMemoryRequest:        serves("readMemory"),
		SupportsDisassembleRequest:       serves("disassemble"),
		SupportsModulesRequest:           serves("modules"),
		SupportsLoadedSourcesRequest:     serves("loadedSources"),
	}
}

// configurationDone ends the client's set-up: the program is shown stopped.
func (a *adapter) configurationDone(ctx context.Context, _ *dap.ConfigurationDoneRequest) (*dap.ConfigurationDoneResponse, error) {
	if a.debuggee.live != nil {
		a.later("stopped", stoppedEvent("entry", a.debuggee.crashedThread()))
		return &dap.ConfigurationDoneResponse{}, nil
	}
	a.stopped(ctx, a.debuggee.crashedThread(), false)
	return &dap.ConfigurationDoneResponse{}, nil
}

// terminate ends the program, which for a dump means to close it. The client
// sends disconnect when it has seen the event.
func (a *adapter) terminate(context.Context, *dap.TerminateRequest) (*dap.TerminateResponse, error) {
	a.closeDebuggee()
	a.later("terminated", &dap.TerminatedEvent{})
	return &dap.TerminateResponse{}, nil
}

func (a *adapter) disconnect(context.Context, *dap.DisconnectRequest) (*dap.DisconnectResponse, error) {
	a.closeDebuggee()
	a.ended = true
	return &dap.DisconnectResponse{}, nil
}
