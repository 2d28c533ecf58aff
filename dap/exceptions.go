package dap

import (
	"context"

	"github.com/google/go-dap"

	"pushmask/core"
	"pushmask/core/runcontrol"
)

// exceptionFilter is an exception at which a target can stop.
type exceptionFilter struct {
	name, label, description string
	fault                    runcontrol.Faults
	byDefault                bool
}

// exceptionFilters are the exceptions of each profile that the debug unit, or a
// breakpoint on their handlers, can catch.
var exceptionFilters = map[core.Profile][]exceptionFilter{
	core.ProfileM: {
		{"hardFault", "HardFault", "stop before the handler of HardFault runs", runcontrol.CatchHardFault, true},
		{"memManage", "MemManage", "stop at faults of the memory protection unit", runcontrol.CatchMemManage, false},
		{"busFault", "BusFault", "stop at errors of the bus", runcontrol.CatchBusFault, false},
		{"usageFault", "UsageFault", "stop at invalid states, failed checks and missing coprocessors", runcontrol.CatchUsageFault, false},
		{"secureFault", "SecureFault", "stop at violations of the security extension (Armv8-M)", runcontrol.CatchSecureFault, false},
		{"exceptionEntry", "Fault at an exception's entry or return", "stop at faults while an exception is entered or left", runcontrol.CatchInterrupt, false},
		{"reset", "Reset", "stop when the core is reset", runcontrol.CatchReset, false},
	},
	core.ProfileA: {
		{"undefined", "Undefined Instruction", "stop before the handler of undefined instructions runs", runcontrol.CatchUndefined, true},
		{"prefetchAbort", "Prefetch Abort", "stop before the handler of Prefetch Abort runs", runcontrol.CatchPrefetch, true},
		{"dataAbort", "Data Abort", "stop before the handler of Data Abort runs", runcontrol.CatchData, true},
	},
}

// offeredFilters describes the filters of a profile for the client.
func offeredFilters(p core.Profile) []dap.ExceptionBreakpointsFilter {
	list := []dap.ExceptionBreakpointsFilter{}
	for _, f := range exceptionFilters[p] {
		list = append(list, dap.ExceptionBreakpointsFilter{Filter: f.name, Label: f.label, Description: f.description, Default: f.byDefault})
	}
	return list
}

// setExceptionBreakpoints answers for filters that were never offered too: some
// clients send the request regardless.
func (a *adapter) setExceptionBreakpoints(ctx context.Context, req *dap.SetExceptionBreakpointsRequest) (*dap.SetExceptionBreakpointsResponse, error) {
	args := req.Arguments
	names := args.Filters
	for _, o := range args.FilterOptions {
		names = append(names, o.FilterId)
	}
	list := make([]dap.Breakpoint, len(names)+len(args.ExceptionOptions))
	resp := &dap.SetExceptionBreakpointsResponse{Body: dap.SetExceptionBreakpointsResponseBody{Breakpoints: list}}
	for i := range list {
		list[i].Message = neverHit
	}
	if !a.isLive() {
		return resp, nil
	}
	var faults runcontrol.Faults
	for i := range list {
		list[i].Message = "the target has no such exception"
		if i >= len(names) {
			continue
		}
		for _, f := range exceptionFilters[a.debuggee.session.Profile()] {
			if f.name == names[i] {
				faults |= f.fault
				list[i] = dap.Breakpoint{Verified: true}
			}
		}
	}
	for _, d := range a.debuggees() {
		if err := d.live.control.SetVectorCatch(ctx, faults); err != nil {
			return nil, failf(errBreakpoint, "exceptions cannot be caught: %w", err)
		}
	}
	return resp, nil
}
