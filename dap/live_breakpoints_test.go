package dap

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-dap"
)

// TestLiveBreakpoints stops at breakpoints of each kind that is set on code.
func TestLiveBreakpoints(t *testing.T) {
	t.Parallel()
	s := startLive(t, "m3-O0")
	var line []dap.Breakpoint
	s.attach(func() { line = s.breakAt("steps.c", "int b = leaf(a)") })
	if hit := s.goOn("breakpoint").HitBreakpointIds; len(hit) != 1 || hit[0] != line[0].Id {
		t.Errorf("hit %v, want %d", hit, line[0].Id)
	}
	s.at("nested", line[0].Line)

	s.breakAt("steps.c")
	if placed := must(s.SetFunctionBreakpoints("factorial", "no_such"))(t); !placed[0].Verified || placed[1].Verified || placed[1].Message == "" {
		t.Errorf("function breakpoints %+v", placed)
	}
	s.goOn("function breakpoint")
	at := s.top()
	if at.Name != "factorial" {
		t.Errorf("stands in %s", at.Name)
	}
	must(s.SetFunctionBreakpoints())(t)
	must(s.SetInstructionBreakpoints(at.InstructionPointerReference))(t)
	s.goOn("instruction breakpoint")
	if again := s.top(); again.InstructionPointerReference != at.InstructionPointerReference {
		t.Errorf("stands at %s, want %s", again.InstructionPointerReference, at.InstructionPointerReference)
	}
}

// TestLiveConditions stops at breakpoints whose condition is true, and has log
// points printed.
func TestLiveConditions(t *testing.T) {
	t.Parallel()
	s := startLive(t, "m3-O0")
	s.attach(nil)
	path := liveFile(t, "app", "steps.c")
	line := lineOf(t, "steps.c", "if (n <= 1)")
	must(s.SetSourceBreakpoints(path, dap.SourceBreakpoint{Line: line, HitCondition: "3"},
		dap.SourceBreakpoint{Line: lineOf(t, "steps.c", "int y = x * 3"), LogMessage: "leaf of {x}"}))(t)
	s.goOn("breakpoint")
	if depth := len(must(s.StackTrace(s.thread(), 0, 0))(t).StackFrames); depth < 4 {
		t.Errorf("the third hit has %d frames", depth)
	}
	if !strings.Contains(s.printed(), "leaf of ") {
		t.Errorf("no log point in %s", s.printed())
	}
	must(s.SetSourceBreakpoints(path, dap.SourceBreakpoint{Line: line, Condition: "n == 1"}))(t)
	s.goOn("breakpoint")
	list := must(s.BreakpointLocations(path, line, line+2))(t)
	if len(list) < 2 || list[0].Line != line {
		t.Errorf("locations %+v", list)
	}
}

// TestLiveData watches a variable, and says why a register cannot be watched.
func TestLiveData(t *testing.T) {
	t.Parallel()
	s := startLive(t, "m3-O0")
	s.attach(nil)
	s.toMain()
	if info := must(s.DataBreakpointInfo("r0", s.scope(s.top().Id, "Registers")))(t); info.DataId != nil || !strings.Contains(info.Description, "register") {
		t.Errorf("a register: %+v", info)
	}
	if info := must(s.DataBreakpointInfo("nothing_here", 0))(t); info.DataId != nil {
		t.Errorf("an unknown name: %+v", info)
	}
	info := must(s.DataBreakpointInfo("counter", 0))(t)
	id, ok := info.DataId.(string)
	if !ok || !strings.HasSuffix(id, "+4 counter") {
		t.Fatalf("counter: %+v", info)
	}
	placed := must(s.SetDataBreakpoints(dap.DataBreakpoint{DataId: id, AccessType: "write"}))(t)
	if !placed[0].Verified {
		t.Fatalf("data breakpoint %+v", placed)
	}
	for range 2 {
		if hit := s.goOn("data breakpoint"); !strings.Contains(hit.Text, "counter") {
			t.Errorf("stopped %+v", hit)
		}
	}
	if f := s.top(); f.Name != "main" {
		t.Errorf("stands in %s", f.Name)
	}
	part := must(s.DataBreakpointInfo("station.total", 0))(t).DataId.(string)
	must(s.SetDataBreakpoints(dap.DataBreakpoint{DataId: part, AccessType: "write"}))(t)
	if hit := s.goOn("data breakpoint"); !strings.HasPrefix(hit.Text, "station.total: ") {
		t.Errorf("stopped %+v", hit)
	}
	var bytes dap.DataBreakpointInfoResponseBody
	s.ok(s.Call("dataBreakpointInfo", map[string]any{"name": "0x20000000", "asAddress": true, "bytes": 2}, &bytes))
	if fmt.Sprint(bytes.DataId) != "0x20000000+2" {
		t.Errorf("an address: %+v", bytes)
	}
	_, err := s.SetDataBreakpoints(dap.DataBreakpoint{DataId: "x"})
	wantError(t, err, errArgument)
}

// TestLiveExceptions stops at a fault and explains it.
func TestLiveExceptions(t *testing.T) {
	t.Parallel()
	s := startLive(t, "m3-O0")
	s.attach(func() {
		placed := must(s.SetExceptionBreakpoints("hardFault", "usageFault", "no such"))(t)
		if !placed[0].Verified || !placed[1].Verified || placed[2].Verified {
			t.Errorf("exception breakpoints %+v", placed)
		}
	})
	s.toMain()
	s.repl("set var command = 4")
	stopped := s.goOn("exception")
	if stopped.Description == "" && stopped.Text == "" {
		t.Errorf("nothing explains %+v", stopped)
	}
	if info := must(s.ExceptionInfo(stopped.ThreadId))(t); !strings.Contains(info.Description, "undefined") {
		t.Errorf("exception info %+v", info)
	}
}
