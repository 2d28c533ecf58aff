package dap

import (
	"strings"
	"testing"
)

// TestLiveSteps steps over, into and out of calls.
func TestLiveSteps(t *testing.T) {
	t.Parallel()
	s := startLive(t, "m3-O0")
	s.attach(func() { s.breakAt("steps.c", "int a = leaf(x)") })
	s.goOn("breakpoint")
	line, thread := lineOf(t, "steps.c", "int a = leaf(x)"), s.thread()
	step := func(command, granularity, function string, line int) {
		t.Helper()
		s.ok(s.Step(command, thread, dapGranularity(granularity)))
		s.stop("step")
		s.at(function, line)
	}
	step("next", "", "nested", line+1)
	step("stepIn", "statement", "leaf", 0)
	step("next", "line", "leaf", lineOf(t, "steps.c", "return y + 1"))
	step("stepOut", "", "nested", line+1)
	before := s.top().InstructionPointerReference
	step("next", "instruction", "nested", 0)
	if s.top().InstructionPointerReference == before {
		t.Error("a step of an instruction went nowhere")
	}
	wantError(t, s.Step("next", 99, ""), errUnknownThread)
}

// TestLiveStepInto chooses the call to step into.
func TestLiveStepInto(t *testing.T) {
	t.Parallel()
	s := startLive(t, "m3-O0")
	s.attach(func() { s.breakAt("steps.c", "int a = leaf(x)") })
	s.goOn("breakpoint")
	targets := must(s.StepInTargets(s.top().Id))(t)
	if len(targets) != 1 || targets[0].Label != "leaf" {
		t.Fatalf("targets %+v", targets)
	}
	wantError(t, s.StepInto(s.thread(), targets[0].Id+7), errArgument)
	s.ok(s.StepInto(s.thread(), targets[0].Id))
	s.stop("step")
	s.at("leaf", 0)
}

// TestLiveGoto skips a statement.
func TestLiveGoto(t *testing.T) {
	t.Parallel()
	s := startLive(t, "m3-O0")
	s.attach(func() { s.breakAt("steps.c", "int a = leaf(x)") })
	s.goOn("breakpoint")
	line := lineOf(t, "steps.c", "int b = leaf(a)")
	targets := must(s.GotoTargets(liveFile(t, "app", "steps.c"), line))(t)
	if len(targets) == 0 {
		t.Fatal("no targets")
	}
	s.ok(s.Goto(s.thread(), targets[0].Id))
	s.stop("goto")
	s.at("nested", line)
	wantError(t, s.Goto(s.thread(), 12345), errArgument)
}

// TestLiveRunning asks a running target for what only a halted one has.
func TestLiveRunning(t *testing.T) {
	t.Parallel()
	s := startLive(t, "m3-O0")
	s.attach(nil)
	frame, thread := s.top().Id, s.thread()
	s.ok(s.Continue(thread))
	_, stack := s.StackTrace(thread, 0, 0)
	_, scopes := s.Scopes(frame)
	_, value := s.Evaluate("$sp", 0, "watch")
	_, memory := s.ReadMemory("0x20000000", 0, 4)
	for what, err := range map[string]error{
		"stackTrace": stack, "scopes": scopes, "evaluate": value, "readMemory": memory,
		"continue": s.Continue(thread), "next": s.Next(thread),
	} {
		if e := wantError(t, err, errRunning); e.Message != "notStopped" {
			t.Errorf("%s: message %q", what, e.Message)
		}
	}
	if threads := must(s.Threads())(t); len(threads) != 1 {
		t.Errorf("threads of a running target: %v", threads)
	}
	must(s.LoadedSources())(t)
	if placed := s.breakAt("steps.c", "int a = leaf(x)"); len(placed) != 1 {
		t.Errorf("placed %+v", placed)
	}
	s.stop("breakpoint")
	s.at("nested", 0)
}

// TestLivePauses pauses as soon as the target has been told to go on, again and
// again.
func TestLivePauses(t *testing.T) {
	t.Parallel()
	s := startLive(t, "m3-O0")
	s.attach(nil)
	thread := s.thread()
	for range 300 {
		s.ok(s.Continue(thread))
		s.ok(s.Pause(thread))
		s.stop("pause")
	}
	s.ok(s.Pause(thread)) // of a target that stands: nothing to do
}

// TestLiveReset resets a halted and a running target.
func TestLiveReset(t *testing.T) {
	t.Parallel()
	s := startLive(t, "m3-O0")
	s.config["breakAfterReset"] = true
	s.attach(func() { s.breakAt("steps.c", "int a = leaf(x)") })
	for _, reset := range []func() error{
		func() error { return s.Restart(nil) },
		func() error { return s.Call("reset-device", "reset", nil) },
	} {
		s.goOn("breakpoint")
		s.ok(reset())
		if stopped := s.stop("entry"); stopped.Description != "Reset" {
			t.Errorf("stopped %+v", stopped)
		}
		s.at("Reset_Handler", 0)
	}
	s.breakAt("steps.c")
	s.ok(s.Continue(s.thread()))
	s.ok(s.Restart(nil))
	s.stop("entry")
	s.at("Reset_Handler", 0)
}

// TestLiveExit runs a program to its end.
func TestLiveExit(t *testing.T) {
	t.Parallel()
	s := startLive(t, "m3-O0", "-semihosting-config", "enable=on,target=native")
	s.attach(nil)
	s.toMain()
	s.repl("set var command = 1")
	s.ok(s.Continue(s.thread()))
	s.ok(s.Event("terminated", nil))
	if !strings.Contains(s.printed(), "the program ended") && !strings.Contains(s.printed(), "is lost") {
		t.Errorf("nothing says why the session ended: %s", s.printed())
	}
}
