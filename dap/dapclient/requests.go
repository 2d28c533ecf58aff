package dapclient

import "github.com/google/go-dap"

// Initialize sends initialize for a client that can do all a client can.
func (c *Client) Initialize() (dap.Capabilities, error) {
	var body dap.Capabilities
	err := c.Call("initialize", dap.InitializeRequestArguments{
		ClientID: "dapclient", AdapterID: "pushmask", PathFormat: "path",
		LinesStartAt1: true, ColumnsStartAt1: true,
		SupportsVariableType: true, SupportsVariablePaging: true, SupportsMemoryReferences: true,
		SupportsProgressReporting: true, SupportsInvalidatedEvent: true, SupportsMemoryEvent: true,
	}, &body)
	return body, err
}

// Launch sends launch with a launch configuration.
func (c *Client) Launch(config map[string]any) error { return c.Call("launch", config, nil) }

// Attach sends attach with a launch configuration.
func (c *Client) Attach(config map[string]any) error { return c.Call("attach", config, nil) }

// Restart sends restart; config may be nil to use the former one.
func (c *Client) Restart(config map[string]any) error {
	return c.Call("restart", map[string]any{"arguments": config}, nil)
}

// ConfigurationDone sends configurationDone.
func (c *Client) ConfigurationDone() error { return c.Call("configurationDone", nil, nil) }

// Open runs a session up to the stopped event and returns it: initialize,
// launch with executable and coreFile, configurationDone.
func (c *Client) Open(executable, coreFile string) (dap.StoppedEventBody, error) {
	var stopped dap.StoppedEventBody
	if _, err := c.Initialize(); err != nil {
		return stopped, err
	}
	if err := c.Launch(map[string]any{"executable": executable, "coreFile": coreFile}); err != nil {
		return stopped, err
	}
	if err := c.Event("initialized", nil); err != nil {
		return stopped, err
	}
	if err := c.ConfigurationDone(); err != nil {
		return stopped, err
	}
	return stopped, c.Event("stopped", &stopped)
}

// SetBreakpoints sets the breakpoints of a file.
func (c *Client) SetBreakpoints(path string, lines ...int) ([]dap.Breakpoint, error) {
	args := dap.SetBreakpointsArguments{Source: dap.Source{Path: path}}
	for _, line := range lines {
		args.Breakpoints = append(args.Breakpoints, dap.SourceBreakpoint{Line: line})
	}
	var body dap.SetBreakpointsResponseBody
	err := c.Call("setBreakpoints", args, &body)
	return body.Breakpoints, err
}

// Threads lists the threads.
func (c *Client) Threads() ([]dap.Thread, error) {
	var body dap.ThreadsResponseBody
	err := c.Call("threads", nil, &body)
	return body.Threads, err
}

// StackTrace asks for levels frames of a thread from start on, 0 for all.
func (c *Client) StackTrace(thread, start, levels int) (dap.StackTraceResponseBody, error) {
	var body dap.StackTraceResponseBody
	err := c.Call("stackTrace", dap.StackTraceArguments{ThreadId: thread, StartFrame: start, Levels: levels}, &body)
	return body, err
}

// Scopes lists the scopes of a frame.
func (c *Client) Scopes(frame int) ([]dap.Scope, error) {
	var body dap.ScopesResponseBody
	err := c.Call("scopes", dap.ScopesArguments{FrameId: frame}, &body)
	return body.Scopes, err
}

// Variables lists count variables of a container from start on, 0 for all.
func (c *Client) Variables(reference, start, count int) ([]dap.Variable, error) {
	var body dap.VariablesResponseBody
	err := c.Call("variables", dap.VariablesArguments{VariablesReference: reference, Start: start, Count: count}, &body)
	return body.Variables, err
}

// Evaluate evaluates an expression in a frame, 0 for none, in a context such
// as "watch".
func (c *Client) Evaluate(expression string, frame int, context string) (dap.EvaluateResponseBody, error) {
	var body dap.EvaluateResponseBody
	err := c.Call("evaluate", dap.EvaluateArguments{Expression: expression, FrameId: frame, Context: context}, &body)
	return body, err
}

// ExceptionInfo asks why a thread stopped.
func (c *Client) ExceptionInfo(thread int) (dap.ExceptionInfoResponseBody, error) {
	var body dap.ExceptionInfoResponseBody
	err := c.Call("exceptionInfo", dap.ExceptionInfoArguments{ThreadId: thread}, &body)
	return body, err
}

// Source asks for the content of a source.
func (c *Client) Source(source *dap.Source) (string, error) {
	var body dap.SourceResponseBody
	err := c.Call("source", dap.SourceArguments{Source: source, SourceReference: source.SourceReference}, &body)
	return body.Content, err
}

// ReadMemory reads count bytes at reference + offset.
func (c *Client) ReadMemory(reference string, offset, count int) (dap.ReadMemoryResponseBody, error) {
	var body dap.ReadMemoryResponseBody
	err := c.Call("readMemory", dap.ReadMemoryArguments{MemoryReference: reference, Offset: offset, Count: count}, &body)
	return body, err
}

// Instruction is a DisassembledInstruction with the presentationHint that
// go-dap's lacks.
type Instruction struct {
	dap.DisassembledInstruction
	PresentationHint string `json:"presentationHint"`
}

// Disassemble asks for count instructions at reference, of which the first is
// the one offset instructions away.
func (c *Client) Disassemble(reference string, offset, count int) ([]Instruction, error) {
	var body struct{ Instructions []Instruction }
	err := c.Call("disassemble", dap.DisassembleArguments{
		MemoryReference: reference, InstructionOffset: offset, InstructionCount: count, ResolveSymbols: true,
	}, &body)
	return body.Instructions, err
}

// Modules lists the modules.
func (c *Client) Modules() ([]dap.Module, error) {
	var body dap.ModulesResponseBody
	err := c.Call("modules", dap.ModulesArguments{}, &body)
	return body.Modules, err
}

// LoadedSources lists the source files.
func (c *Client) LoadedSources() ([]dap.Source, error) {
	var body dap.LoadedSourcesResponseBody
	err := c.Call("loadedSources", nil, &body)
	return body.Sources, err
}

// Continue sends continue.
func (c *Client) Continue(thread int) error {
	return c.Call("continue", dap.ContinueArguments{ThreadId: thread}, nil)
}

// Next sends next.
func (c *Client) Next(thread int) error {
	return c.Call("next", dap.NextArguments{ThreadId: thread}, nil)
}

// Cancel cancels a request by its sequence number.
func (c *Client) Cancel(seq int) error {
	return c.Call("cancel", dap.CancelArguments{RequestId: seq}, nil)
}

// CancelProgress cancels what a progress report is about.
func (c *Client) CancelProgress(id string) error {
	return c.Call("cancel", dap.CancelArguments{ProgressId: id}, nil)
}

// Terminate sends terminate.
func (c *Client) Terminate() error { return c.Call("terminate", nil, nil) }

// Disconnect sends disconnect.
func (c *Client) Disconnect() error { return c.Call("disconnect", nil, nil) }
