package dap

import (
	"context"

	"github.com/google/go-dap"

	"pushmask/core/gdbcommand"
	"pushmask/core/runcontrol"
)

// neverHit is why no breakpoint of a dump is verified.
const neverHit = "a crash dump does not run: this breakpoint is never hit"

func (a *adapter) setBreakpoints(ctx context.Context, req *dap.SetBreakpointsRequest) (*dap.SetBreakpointsResponse, error) {
	args := req.Arguments
	wanted := args.Breakpoints
	if len(wanted) == 0 { // what clients sent before breakpoints had conditions
		for _, line := range args.Lines {
			wanted = append(wanted, dap.SourceBreakpoint{Line: line})
		}
	}
	resp := &dap.SetBreakpointsResponse{Body: dap.SetBreakpointsResponseBody{Breakpoints: make([]dap.Breakpoint, 0, len(wanted))}}
	if !a.isLive() {
		for _, b := range wanted {
			resp.Body.Breakpoints = append(resp.Body.Breakpoints, dap.Breakpoint{Message: neverHit, Source: &args.Source, Line: b.Line})
		}
		return resp, nil
	}
	group, specs := a.sourceSpecs(&args.Source, wanted)
	placed, err := a.setGroup(ctx, group, specs)
	for i := range placed {
		placed[i].Source = &args.Source
		if placed[i].Line == 0 || args.Source.SourceReference != 0 {
			placed[i].Line, placed[i].Column = wanted[i].Line, 0
		}
		resp.Body.Breakpoints = append(resp.Body.Breakpoints, placed[i])
	}
	return resp, err
}

// sourceSpecs says what the breakpoints of a source are set on: lines of a file,
// or the instructions that lines of a disassembly show.
func (a *adapter) sourceSpecs(source *dap.Source, wanted []dap.SourceBreakpoint) (group string, specs []runcontrol.Spec) {
	path := a.client.localPath(source.Path)
	l, isListing := a.owner(source.SourceReference).listings.byRef(source.SourceReference)
	group = "source " + path
	if isListing {
		group = "disassembly " + l.addrs[0].String()
	}
	for _, b := range wanted {
		spec := runcontrol.Spec{
			Kind: runcontrol.SourceBreakpoint, Path: path, Line: a.client.ownLine(b.Line), Column: a.client.ownColumn(b.Column),
			Condition: b.Condition, HitCondition: b.HitCondition, LogMessage: b.LogMessage,
		}
		if isListing {
			spec.Kind, spec.Addr = runcontrol.InstructionBreakpoint, l.addrAt(spec.Line)
			spec.Path, spec.Line, spec.Column = "", 0, 0
		}
		specs = append(specs, spec)
	}
	return group, specs
}

func (a *adapter) setFunctionBreakpoints(ctx context.Context, req *dap.SetFunctionBreakpointsRequest) (*dap.SetFunctionBreakpointsResponse, error) {
	var specs []runcontrol.Spec
	for _, b := range req.Arguments.Breakpoints {
		spec := functionSpec(b.Name)
		spec.Condition, spec.HitCondition = b.Condition, b.HitCondition
		specs = append(specs, spec)
	}
	placed, err := a.setGroup(ctx, "functions", specs)
	return &dap.SetFunctionBreakpointsResponse{Body: dap.SetFunctionBreakpointsResponseBody{Breakpoints: placed}}, err
}

// functionSpec is a breakpoint on a function, perhaps of one ELF: "boot.elf!main".
func functionSpec(name string) runcontrol.Spec {
	spec := runcontrol.Spec{Kind: runcontrol.FunctionBreakpoint, Function: name}
	if image, rest, ok := gdbcommand.SplitImage(name); ok {
		spec.Image, spec.Function = image, rest
	}
	return spec
}

func (a *adapter) setInstructionBreakpoints(ctx context.Context, req *dap.SetInstructionBreakpointsRequest) (*dap.SetInstructionBreakpointsResponse, error) {
	var specs []runcontrol.Spec
	for _, b := range req.Arguments.Breakpoints {
		addr, err := parseReference(b.InstructionReference, b.Offset)
		if err != nil {
			return nil, err
		}
		specs = append(specs, runcontrol.Spec{
			Kind: runcontrol.InstructionBreakpoint, Addr: addr, Condition: b.Condition, HitCondition: b.HitCondition,
		})
	}
	placed, err := a.setGroup(ctx, "instructions", specs)
	return &dap.SetInstructionBreakpointsResponse{Body: dap.SetInstructionBreakpointsResponseBody{Breakpoints: placed}}, err
}

// isLive reports whether the session is one with a live target.
func (a *adapter) isLive() bool { return a.debuggee != nil && a.debuggee.live != nil }

// setGroup replaces a group of breakpoints in all targets. A breakpoint is good
// when one of them has a place for it.
func (a *adapter) setGroup(ctx context.Context, group string, specs []runcontrol.Spec) ([]dap.Breakpoint, error) {
	list := make([]dap.Breakpoint, len(specs))
	if !a.isLive() {
		for i := range list {
			list[i].Message = neverHit
		}
		return list, nil
	}
	for _, d := range a.debuggees() {
		placed, err := d.live.control.SetBreakpoints(ctx, group, specs)
		if err != nil {
			return nil, failf(errBreakpoint, "breakpoints cannot be set: %w", err)
		}
		for i := range placed {
			if d.number > 0 {
				d.live.breakpoints.set(placed[i].ID, list[i].Id)
			}
			if d.number == 0 || placed[i].Verified && !list[i].Verified {
				id := list[i].Id
				list[i] = a.breakpoint(&placed[i])
				if d.number > 0 {
					list[i].Id = id
				}
			}
		}
	}
	return list, nil
}

// breakpoint describes what became of a breakpoint.
func (a *adapter) breakpoint(p *runcontrol.Placed) dap.Breakpoint {
	b := dap.Breakpoint{
		Id: p.ID, Verified: p.Verified, Message: p.Message,
		Line: a.client.line(p.Line), Column: a.client.column(p.Column),
	}
	if p.Path != "" {
		b.Source = a.client.file(p.Path)
	}
	if len(p.Addrs) > 0 {
		b.InstructionReference = p.Addrs[0].String()
	}
	return b
}

// breakpointChanged tells the client of a breakpoint that was placed anew. It
// may be called from any goroutine.
func (a *adapter) breakpointChanged(d *debuggee, p runcontrol.Placed) {
	b := a.breakpoint(&p)
	b.Id = d.live.breakpoints.client(p.ID)
	a.out.emit("breakpoint", &dap.BreakpointEvent{Body: dap.BreakpointEventBody{Reason: "changed", Breakpoint: b}})
}

func (a *adapter) breakpointLocations(_ context.Context, req *dap.BreakpointLocationsRequest) (*dap.BreakpointLocationsResponse, error) {
	resp := &dap.BreakpointLocationsResponse{Body: dap.BreakpointLocationsResponseBody{Breakpoints: []dap.BreakpointLocation{}}}
	args := req.Arguments
	if !a.isLive() || args == nil {
		return resp, nil
	}
	first := a.client.ownLine(args.Line)
	last := max(a.client.ownLine(args.EndLine), first)
	for _, l := range a.debuggee.live.control.Locations(a.client.localPath(args.Source.Path), first, last) {
		resp.Body.Breakpoints = append(resp.Body.Breakpoints, dap.BreakpointLocation{
			Line: a.client.line(l.Line), Column: a.client.column(l.Column),
		})
	}
	return resp, nil
}
