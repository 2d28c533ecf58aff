package dap

import (
	"context"
	"fmt"

	"github.com/google/go-dap"

	"pushmask/core"
	"pushmask/core/runcontrol"
)

// gotoTargets lists the places at which the statements of a line begin.
func (a *adapter) gotoTargets(_ context.Context, req *dap.GotoTargetsRequest) (*dap.GotoTargetsResponse, error) {
	resp := &dap.GotoTargetsResponse{Body: dap.GotoTargetsResponseBody{Targets: []dap.GotoTarget{}}}
	if !a.isLive() {
		return resp, nil
	}
	args := req.Arguments
	d := a.focused()
	line := a.client.ownLine(args.Line)
	var places []core.Addr
	if l, ok := d.listings.byRef(args.Source.SourceReference); ok {
		places = []core.Addr{l.addrAt(line)}
	} else {
		places = d.lineAddresses(a.client.localPath(args.Source.Path), line)
	}
	for _, at := range places {
		resp.Body.Targets = append(resp.Body.Targets, dap.GotoTarget{
			Id: d.places.id(at), Label: fmt.Sprintf("line %d, %v", line, at), Line: args.Line, InstructionPointerReference: at.String(),
		})
	}
	return resp, nil
}

// goTo sets the PC, which runs nothing.
func (a *adapter) goTo(ctx context.Context, req *dap.GotoRequest) (*dap.GotoResponse, error) {
	args := req.Arguments
	d := a.owner(args.ThreadId)
	at, ok := d.places.value(args.TargetId)
	if !ok {
		return nil, failf(errArgument, "there is no place with the id %d: ask for gotoTargets first", args.TargetId)
	}
	if err := d.halted(); err != nil {
		return nil, err
	}
	ev, err := d.live.control.SetPC(ctx, d.threadID(args.ThreadId), at)
	if err != nil {
		return nil, failf(errTarget, "the PC cannot be set: %w", err)
	}
	if err := d.settled(); err != nil {
		return nil, err
	}
	a.laterStop(d, ev)
	return &dap.GotoResponse{}, nil
}

// stepInTargets lists the functions that a step into may enter.
func (a *adapter) stepInTargets(ctx context.Context, req *dap.StepInTargetsRequest) (*dap.StepInTargetsResponse, error) {
	resp := &dap.StepInTargetsResponse{Body: dap.StepInTargetsResponseBody{Targets: []dap.StepInTarget{}}}
	d := a.owner(req.Arguments.FrameId)
	key, _, err := d.frameByID(ctx, req.Arguments.FrameId)
	if err != nil {
		return nil, err
	}
	if d.live == nil || key.index > 0 {
		return resp, nil // a step begins at the first frame
	}
	targets, err := d.live.control.StepInTargets(ctx, key.thread)
	if err != nil {
		return nil, failf(errTarget, "the calls of the statement cannot be listed: %w", err)
	}
	for _, t := range targets {
		target := dap.StepInTarget{Id: d.places.id(t.Addr), Label: t.Name}
		if t.Line > 0 {
			target.Line = a.client.line(t.Line)
		}
		resp.Body.Targets = append(resp.Body.Targets, target)
	}
	return resp, nil
}

// granularity converts the size of a step.
func granularity(g dap.SteppingGranularity) runcontrol.Granularity {
	switch g {
	case "instruction":
		return runcontrol.Instruction
	case "line":
		return runcontrol.SourceLine
	}
	return runcontrol.Statement
}

// lineAddresses returns the addresses at which the statements of a line of a file
// of this machine begin.
func (d *debuggee) lineAddresses(path string, line int) []core.Addr {
	var list []core.Addr
	for _, recorded := range d.program.Recorded(path) {
		for _, at := range d.program.Images().Addresses(recorded, line) {
			list = append(list, core.Addr(at))
		}
	}
	return list
}
