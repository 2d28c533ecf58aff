package dapclient

import (
	"encoding/base64"

	"github.com/google/go-dap"
)

// Requests that only a live target answers with more than a refusal.

// Stopped waits for the next stopped event.
func (c *Client) Stopped() (dap.StoppedEventBody, error) {
	var body dap.StoppedEventBody
	err := c.Event("stopped", &body)
	return body, err
}

// SetSourceBreakpoints sets the breakpoints of a file with all that they have.
func (c *Client) SetSourceBreakpoints(path string, list ...dap.SourceBreakpoint) ([]dap.Breakpoint, error) {
	var body dap.SetBreakpointsResponseBody
	err := c.Call("setBreakpoints", dap.SetBreakpointsArguments{Source: dap.Source{Path: path}, Breakpoints: list}, &body)
	return body.Breakpoints, err
}

// SetFunctionBreakpoints sets the breakpoints on functions.
func (c *Client) SetFunctionBreakpoints(names ...string) ([]dap.Breakpoint, error) {
	args := dap.SetFunctionBreakpointsArguments{Breakpoints: []dap.FunctionBreakpoint{}}
	for _, name := range names {
		args.Breakpoints = append(args.Breakpoints, dap.FunctionBreakpoint{Name: name})
	}
	var body dap.SetFunctionBreakpointsResponseBody
	err := c.Call("setFunctionBreakpoints", args, &body)
	return body.Breakpoints, err
}

// SetInstructionBreakpoints sets the breakpoints on instructions.
func (c *Client) SetInstructionBreakpoints(references ...string) ([]dap.Breakpoint, error) {
	args := dap.SetInstructionBreakpointsArguments{Breakpoints: []dap.InstructionBreakpoint{}}
	for _, ref := range references {
		args.Breakpoints = append(args.Breakpoints, dap.InstructionBreakpoint{InstructionReference: ref})
	}
	var body dap.SetInstructionBreakpointsResponseBody
	err := c.Call("setInstructionBreakpoints", args, &body)
	return body.Breakpoints, err
}

// DataBreakpointInfo asks how a name, or one in a container of variables, can be
// watched.
func (c *Client) DataBreakpointInfo(name string, container int) (dap.DataBreakpointInfoResponseBody, error) {
	var body dap.DataBreakpointInfoResponseBody
	err := c.Call("dataBreakpointInfo", dap.DataBreakpointInfoArguments{Name: name, VariablesReference: container}, &body)
	return body, err
}

// SetDataBreakpoints sets the data breakpoints.
func (c *Client) SetDataBreakpoints(list ...dap.DataBreakpoint) ([]dap.Breakpoint, error) {
	var body dap.SetDataBreakpointsResponseBody
	args := dap.SetDataBreakpointsArguments{Breakpoints: append([]dap.DataBreakpoint{}, list...)}
	err := c.Call("setDataBreakpoints", args, &body)
	return body.Breakpoints, err
}

// SetExceptionBreakpoints chooses exceptions to stop at by their filters.
func (c *Client) SetExceptionBreakpoints(filters ...string) ([]dap.Breakpoint, error) {
	var body dap.SetExceptionBreakpointsResponseBody
	args := dap.SetExceptionBreakpointsArguments{Filters: append([]string{}, filters...)}
	err := c.Call("setExceptionBreakpoints", args, &body)
	return body.Breakpoints, err
}

// BreakpointLocations lists the places for breakpoints in some lines of a file.
func (c *Client) BreakpointLocations(path string, first, last int) ([]dap.BreakpointLocation, error) {
	var body dap.BreakpointLocationsResponseBody
	err := c.Call("breakpointLocations", dap.BreakpointLocationsArguments{Source: dap.Source{Path: path}, Line: first, EndLine: last}, &body)
	return body.Breakpoints, err
}

// Step sends next, stepIn or stepOut with a granularity, "" for none.
func (c *Client) Step(command string, thread int, granularity dap.SteppingGranularity) error {
	return c.Call(command, dap.NextArguments{ThreadId: thread, Granularity: granularity}, nil)
}

// StepInto steps into one of the calls that StepInTargets lists.
func (c *Client) StepInto(thread, target int) error {
	return c.Call("stepIn", dap.StepInArguments{ThreadId: thread, TargetId: target}, nil)
}

// StepInTargets lists the calls that a step from a frame can enter.
func (c *Client) StepInTargets(frame int) ([]dap.StepInTarget, error) {
	var body dap.StepInTargetsResponseBody
	err := c.Call("stepInTargets", dap.StepInTargetsArguments{FrameId: frame}, &body)
	return body.Targets, err
}

// Pause sends pause.
func (c *Client) Pause(thread int) error {
	return c.Call("pause", dap.PauseArguments{ThreadId: thread}, nil)
}

// GotoTargets lists the places of a line to which the PC can be set.
func (c *Client) GotoTargets(path string, line int) ([]dap.GotoTarget, error) {
	var body dap.GotoTargetsResponseBody
	err := c.Call("gotoTargets", dap.GotoTargetsArguments{Source: dap.Source{Path: path}, Line: line}, &body)
	return body.Targets, err
}

// Goto sets the PC of a thread.
func (c *Client) Goto(thread, target int) error {
	return c.Call("goto", dap.GotoArguments{ThreadId: thread, TargetId: target}, nil)
}

// SetVariable changes a variable of a container and returns its new value.
func (c *Client) SetVariable(container int, name, value string) (string, error) {
	var body dap.SetVariableResponseBody
	err := c.Call("setVariable", dap.SetVariableArguments{VariablesReference: container, Name: name, Value: value}, &body)
	return body.Value, err
}

// SetExpression assigns to an expression in a frame and returns its new value.
func (c *Client) SetExpression(expression, value string, frame int) (string, error) {
	var body dap.SetExpressionResponseBody
	err := c.Call("setExpression", dap.SetExpressionArguments{Expression: expression, Value: value, FrameId: frame}, &body)
	return body.Value, err
}

// WriteMemory writes bytes at reference + offset and returns how many.
func (c *Client) WriteMemory(reference string, offset int, data []byte) (int, error) {
	var body dap.WriteMemoryResponseBody
	err := c.Call("writeMemory", dap.WriteMemoryArguments{
		MemoryReference: reference, Offset: offset, Data: base64.StdEncoding.EncodeToString(data),
	}, &body)
	return body.BytesWritten, err
}

// Completions asks how a text of the Debug Console can go on.
func (c *Client) Completions(text string) ([]dap.CompletionItem, error) {
	var body dap.CompletionsResponseBody
	err := c.Call("completions", dap.CompletionsArguments{Text: text, Column: len(text) + 1}, &body)
	return body.Targets, err
}

// Leave sends disconnect with what is to become of the target.
func (c *Client) Leave(args dap.DisconnectArguments) error { return c.Call("disconnect", args, nil) }
