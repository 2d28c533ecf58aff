package dap

import (
	"encoding/json"

	"github.com/google/go-dap"

	"pushmask/core"
)

// initializeResponse is go-dap's with capabilities that its schema lacks.
type initializeResponse struct {
	dap.Response
	Body capabilities `json:"body"`
}

// capabilities are those of DAP 1.65.
type capabilities struct {
	dap.Capabilities
	SupportsDataBreakpointBytes bool `json:"supportsDataBreakpointBytes,omitempty"`
}

// dumpCapabilities announces what the routes can do with a dump.
func dumpCapabilities(routes map[string]route) capabilities {
	serves := func(command string) bool { _, ok := routes[command]; return ok }
	return capabilities{Capabilities: dap.Capabilities{
		SupportsConfigurationDoneRequest: serves("configurationDone"),
		SupportsRestartRequest:           serves("restart"),
		SupportsTerminateRequest:         serves("terminate"),
		SupportsCancelRequest:            serves("cancel"),
		SupportsExceptionInfoRequest:     serves("exceptionInfo"),
		SupportsEvaluateForHovers:        serves("evaluate"),
		SupportsClipboardContext:         serves("evaluate"),
		SupportsCompletionsRequest:       serves("completions"),
		CompletionTriggerCharacters:      []string{".", ">", ":", "$", "'"},
		SupportsValueFormattingOptions:   serves("variables"),
		SupportsDelayedStackTraceLoading: serves("stackTrace"),
		SupportsReadMemoryRequest:        serves("readMemory"),
		SupportsDisassembleRequest:       serves("disassemble"),
		SupportsModulesRequest:           serves("modules"),
		SupportsLoadedSourcesRequest:     serves("loadedSources"),
	}}
}

// liveCapabilities announces what the routes can do with a live target. It is
// what initialize answers, when nobody knows yet what will be opened.
func liveCapabilities(routes map[string]route) capabilities {
	serves := func(command string) bool { _, ok := routes[command]; return ok }
	c := dumpCapabilities(routes)
	c.SupportsFunctionBreakpoints = serves("setFunctionBreakpoints")
	c.SupportsInstructionBreakpoints = serves("setInstructionBreakpoints")
	c.SupportsDataBreakpoints = serves("setDataBreakpoints")
	c.SupportsDataBreakpointBytes = c.SupportsDataBreakpoints
	c.SupportsConditionalBreakpoints = serves("setBreakpoints")
	c.SupportsHitConditionalBreakpoints = serves("setBreakpoints")
	c.SupportsLogPoints = serves("setBreakpoints")
	c.SupportsBreakpointLocationsRequest = serves("breakpointLocations")
	c.SupportsExceptionFilterOptions = serves("setExceptionBreakpoints")
	c.ExceptionBreakpointFilters = offeredFilters(core.ProfileM)
	c.SupportsSteppingGranularity = serves("next")
	c.SupportsStepInTargetsRequest = serves("stepInTargets")
	c.SupportsGotoTargetsRequest = serves("gotoTargets")
	c.SupportsSetVariable = serves("setVariable")
	c.SupportsSetExpression = serves("setExpression")
	c.SupportsWriteMemoryRequest = serves("writeMemory")
	c.SupportTerminateDebuggee = serves("disconnect")
	c.SupportSuspendDebuggee = serves("disconnect")
	return c
}

// capabilitiesEvent corrects what initialize has announced, now that it is known
// what the session is of (Events, capabilities).
type capabilitiesEvent struct {
	dap.Event
	Body capabilitiesEventBody `json:"body"`
}

type capabilitiesEventBody struct {
	Capabilities map[string]any `json:"capabilities"`
}

// corrections lists all capabilities, with those that are gone, where some differ
// from what initialize announced. Those that differ would do, but extensions take
// the event for the whole: mcu-debug.memory-view 0.0.29 would forget readMemory.
func (a *adapter) corrections() map[string]any {
	before := fields(liveCapabilities(a.routes))
	now := fields(dumpCapabilities(a.routes))
	differ := true
	if a.isLive() {
		profile := a.debuggee.session.Profile()
		c := liveCapabilities(a.routes)
		c.ExceptionBreakpointFilters = offeredFilters(profile)
		now = fields(c)
		differ = profile != core.ProfileM
	}
	for name, value := range before {
		if _, kept := now[name]; kept {
			continue
		}
		differ = true
		now[name] = false
		if _, isFlag := value.(bool); !isFlag {
			now[name] = []any{}
		}
	}
	if !differ {
		return nil
	}
	return now
}

// fields returns capabilities by their names, without those that are absent.
func fields(c capabilities) map[string]any {
	m := map[string]any{}
	if raw, err := json.Marshal(c); err == nil { // flags and texts always are
		_ = json.Unmarshal(raw, &m)
	}
	return m
}

// correctCapabilities has the client told, where there is something to tell.
func (a *adapter) correctCapabilities() {
	if c := a.corrections(); c != nil {
		a.later("capabilities", &capabilitiesEvent{Body: capabilitiesEventBody{Capabilities: c}})
	}
}
