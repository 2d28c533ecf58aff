package dap

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-dap"

	"pushmask/core/coretest/qemu"
)

// TestLiveCores debugs the two cores of a machine as threads of one stub.
func TestLiveCores(t *testing.T) {
	t.Parallel()
	s := startLive(t, "m33-two", "-smp", "2")
	s.attach(nil)
	s.toMain()
	threads := must(s.Threads())(t)
	if len(threads) != 2 {
		t.Fatalf("threads %+v", threads)
	}
	for _, thread := range threads {
		if frames := must(s.StackTrace(thread.Id, 0, 1))(t).StackFrames; len(frames) != 1 {
			t.Errorf("%s has %d frames", thread.Name, len(frames))
		}
	}
	if first, second := threads[0].Name, threads[1].Name; first != "core 1" || second != "core 2" && second != "core 2 [in reset or asleep]" {
		t.Errorf("the threads are %q and %q", first, second)
	}
	must(s.SetFunctionBreakpoints("second_round"))(t)
	s.ok(s.Continue(threads[0].Id))
	stopped := s.stop("function breakpoint")
	if stopped.ThreadId != threads[1].Id || !stopped.AllThreadsStopped {
		t.Errorf("stopped %+v", stopped)
	}
}

// TestLiveTargets debugs two machines in one session.
func TestLiveTargets(t *testing.T) {
	t.Parallel()
	s := startLive(t, "m3-O0")
	elf := liveFile(t, "m33-O0", "fw.elf")
	second := qemu.StartTest(t, qemu.Config{Machine: liveMachines["m33-O0"], ELF: elf})
	s.config["targets"] = []any{map[string]any{"name": "radio", "gdbTarget": second.Address, "executable": elf}}
	s.ok(s.Attach(s.config))
	s.ok(s.Event("initialized", nil))
	placed := s.breakAt("steps.c", "int b = leaf(a)")
	s.ok(s.ConfigurationDone())
	s.stop("entry")
	s.stop("entry")
	threads := must(s.Threads())(t)
	if len(threads) != 2 || !strings.HasPrefix(threads[1].Name, "radio: ") {
		t.Fatalf("threads %+v", threads)
	}
	for _, thread := range []int{threads[1].Id, threads[0].Id} {
		var body dap.ContinueResponseBody
		s.ok(s.Call("continue", dap.ContinueArguments{ThreadId: thread}, &body))
		stopped := s.stop("breakpoint")
		if body.AllThreadsContinued || stopped.AllThreadsStopped || stopped.ThreadId != thread || !slices.Equal(stopped.HitBreakpointIds, []int{placed[0].Id}) {
			t.Errorf("continued %+v, stopped %+v, breakpoint %d", body, stopped, placed[0].Id)
		}
		frames := must(s.StackTrace(thread, 0, 0))(t).StackFrames
		if len(frames) < 3 || frames[0].Line != placed[0].Line {
			t.Fatalf("frames %+v", frames)
		}
		scope := s.scope(frames[0].Id, "Registers")
		registers := must(s.Variables(scope, 0, 0))(t)
		if len(registers) != 17 {
			t.Errorf("%d registers", len(registers))
		}
		must(s.SetVariable(scope, "r6", "0x77"))(t)
		if got := must(s.Evaluate("$r6", frames[0].Id, "watch"))(t).Result; !strings.HasPrefix(got, "0x00000077") {
			t.Errorf("r6 is %s", got)
		}
	}
	// One runs while the other stands.
	s.ok(s.Continue(threads[0].Id))
	must(s.StackTrace(threads[1].Id, 0, 0))(t)
	s.stop("breakpoint")
	s.ok(s.Restart(nil))
}

// TestLiveA debugs a Cortex-A, whose exceptions are others.
func TestLiveA(t *testing.T) {
	t.Parallel()
	s := startLive(t, "a15-O0")
	s.attach(func() {
		var event struct{ Capabilities dap.Capabilities }
		s.ok(s.Event("capabilities", &event))
		filters := event.Capabilities.ExceptionBreakpointFilters
		if len(filters) != 3 || filters[0].Filter != "undefined" {
			t.Errorf("filters %+v", filters)
		}
		placed := must(s.SetExceptionBreakpoints("undefined", "hardFault"))(t)
		if !placed[0].Verified || placed[1].Verified {
			t.Errorf("exception breakpoints %+v", placed)
		}
	})
	s.toMain()
	s.repl("set var command = 4")
	s.goOn("exception")
}
