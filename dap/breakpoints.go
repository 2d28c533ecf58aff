package dap

import (
	"context"

	"github.com/google/go-dap"
)

// neverHit is why no breakpoint of a dump is verified.
const neverHit = "a crash dump does not run: this breakpoint is never hit"

func (a *adapter) setBreakpoints(ctx context.Context, req *dap.SetBreakpointsRequest) (*dap.SetBreakpointsResponse, error) {
	args := req.Arguments
	lines := args.Lines // what clients sent before breakpoints had conditions
	if len(args.Breakpoints) > 0 {
		lines = nil
		for _, b := range args.Breakpoints {
			lines = append(lines, b.Line)
		}
	}
	if a.debuggee != nil && a.debuggee.live != nil {
		return a.setLiveBreakpoints(ctx, &args.Source, lines)
	}
	list := make([]dap.Breakpoint, 0, len(lines))
	for _, line := range lines {
		list = append(list, dap.Breakpoint{Message: neverHit, Source: &args.Source, Line: line})
	}
	return &dap.SetBreakpointsResponse{Body: dap.SetBreakpointsResponseBody{Breakpoints: list}}, nil
}

// setExceptionBreakpoints answers for filters that were never offered: some
// clients send the request regardless.
func (a *adapter) setExceptionBreakpoints(_ context.Context, req *dap.SetExceptionBreakpointsRequest) (*dap.SetExceptionBreakpointsResponse, error) {
	args := req.Arguments
	list := make([]dap.Breakpoint, len(args.Filters)+len(args.FilterOptions)+len(args.ExceptionOptions))
	for i := range list {
		list[i].Message = neverHit
	}
	return &dap.SetExceptionBreakpointsResponse{Body: dap.SetExceptionBreakpointsResponseBody{Breakpoints: list}}, nil
}
