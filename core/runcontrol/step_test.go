package runcontrol_test

import (
	"strings"
	"testing"

	"pushmask/core/runcontrol"
)

// TestVeneer steps over and into functions that are called through a veneer of
// the linker, and out of them.
func TestVeneer(t *testing.T) {
	t.Parallel()
	for _, f := range []firmware{m3O0, m33O0, a15O0, m7O2} {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			d := f.open(t, runcontrol.Options{})
			d.set(runcontrol.Spec{Path: testdata(t, "app", "steps.c"), Line: 137})
			d.until(runcontrol.Motion{}, runcontrol.EventBreakpoint)
			d.set()
			targets, err := d.StepInTargets(t.Context(), 1)
			if err != nil || len(targets) == 0 || targets[0].Name != "far_away" || targets[0].Addr != d.symbol("far_away") {
				t.Errorf("targets %+v, %v", targets, err)
			}
			d.until(stepIn, runcontrol.EventStep)
			if at := d.at(); !strings.HasPrefix(at, "far_away:") {
				t.Fatalf("step in leads to %s", at)
			}
			d.until(stepOut, runcontrol.EventStep)
			if at := d.at(); !strings.HasPrefix(at, "tour:") {
				t.Errorf("step out leads to %s", at)
			}
			d.set(runcontrol.Spec{Path: testdata(t, "app", "steps.c"), Line: 137})
			d.until(runcontrol.Motion{}, runcontrol.EventBreakpoint)
			d.until(next, runcontrol.EventStep)
			if at := d.at(); !strings.HasPrefix(at, "tour:") || at == "tour:137" {
				t.Errorf("next leads to %s", at)
			}
		})
	}
}

// TestRecursion steps over a call of the function itself, and out of the third
// activation: each once, not to where a younger one comes first.
func TestRecursion(t *testing.T) {
	t.Parallel()
	for _, f := range []firmware{m3O0, m33O0, a15O0} {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			d := f.open(t, runcontrol.Options{})
			d.run("factorial")
			d.until(next, runcontrol.EventStep)
			d.until(next, runcontrol.EventStep)
			if got := d.at() + " " + d.stack(); got != "factorial:22 "+factorials(1)+outerOf(f) {
				t.Errorf("next over the recursion leads to %s", got)
			}
			d.run("factorial")
			for range 2 {
				for !strings.HasSuffix(d.at(), ":21") {
					d.until(next, runcontrol.EventStep)
				}
				d.until(stepIn, runcontrol.EventStep)
			}
			if got := d.stack(); got != factorials(3)+outerOf(f) {
				t.Fatalf("stack %s", got)
			}
			for n := 2; n > 0; n-- {
				d.until(stepOut, runcontrol.EventStep)
				if got := d.stack(); got != factorials(n)+outerOf(f) {
					t.Fatalf("step out of activation %d leads to %s", n+1, got)
				}
			}
		})
	}
}

func factorials(n int) string { return strings.Repeat("factorial < ", n) + "tour < main < " }

// outerOf is what calls main.
func outerOf(f firmware) string {
	if f == a15O0 {
		return "start < Reset_Handler"
	}
	return "Reset_Handler"
}

// TestTailCall leaves a function by a jump to another one: next lands in the
// caller, step in the function, and out of that in the caller.
func TestTailCall(t *testing.T) {
	t.Parallel()
	for _, f := range []firmware{m3O2, m7O2} {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			d := f.open(t, runcontrol.Options{})
			d.run("tail")
			for strings.HasPrefix(d.at(), "tail:") {
				d.until(next, runcontrol.EventStep)
			}
			if at := d.at(); !strings.HasPrefix(at, "tour:") {
				t.Errorf("next leads to %s", at)
			}
			d.run("tail")
			for strings.HasPrefix(d.at(), "tail:") {
				d.until(stepIn, runcontrol.EventStep)
			}
			if at := d.at(); !strings.HasPrefix(at, "leaf:") {
				t.Errorf("step leads to %s", at)
			}
			d.until(stepOut, runcontrol.EventStep)
			if at := d.at(); !strings.HasPrefix(at, "tour:") {
				t.Errorf("step out leads to %s", at)
			}
		})
	}
}

// TestInlined steps over, into and out of an inlined call.
func TestInlined(t *testing.T) {
	t.Parallel()
	d := m3O0.open(t, runcontrol.Options{})
	d.run("inlined")
	if at := d.at(); at != "inlined:32" {
		t.Fatalf("stopped at %s", at)
	}
	d.until(next, runcontrol.EventStep)
	if at := d.at(); at != "inlined:33" {
		t.Errorf("next leads to %s", at)
	}
	d.run("inlined")
	d.until(stepIn, runcontrol.EventStep)
	if got := d.at() + " " + d.stack(); got != "clamp:25 clamp < inlined < tour < main < Reset_Handler" {
		t.Errorf("step leads to %s", got)
	}
	d.until(next, runcontrol.EventStep)
	d.until(stepOut, runcontrol.EventStep)
	if at := d.at(); at != "inlined:32" {
		t.Errorf("step out leads to %s", at)
	}
	p := d.set(runcontrol.Spec{Kind: runcontrol.FunctionBreakpoint, Function: "clamp"})
	if len(p[0].Addrs) != 2 {
		t.Errorf("an inlined function is at %v", p[0].Addrs)
	}
	d.until(runcontrol.Motion{}, runcontrol.EventBreakpoint)
	if at := d.at(); at != "clamp:25" {
		t.Errorf("the breakpoint on the inlined function shows %s", at)
	}
}

// TestNoLines steps over functions without lines, and out of one to code that
// has some.
func TestNoLines(t *testing.T) {
	t.Parallel()
	for _, f := range []firmware{m3O0, a15O0} {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			d := f.open(t, runcontrol.Options{})
			d.set(runcontrol.Spec{Path: testdata(t, "app", "steps.c"), Line: 141})
			d.until(runcontrol.Motion{}, runcontrol.EventBreakpoint)
			for _, want := range []string{"tour:142", "tour:143"} {
				d.until(stepIn, runcontrol.EventStep)
				if at := d.at(); at != want {
					t.Errorf("step leads to %s, want %s", at, want)
				}
			}
			d.set()
			d.run("no_lines_calls")
			d.until(next, runcontrol.EventStep)
			if at := d.at(); at != "tour:143" {
				t.Errorf("next in code without lines leads to %s", at)
			}
			d.run("no_lines_calls")
			instruction := runcontrol.Motion{Kind: runcontrol.MotionStepIn, Granularity: runcontrol.Instruction}
			for range 5 {
				d.until(instruction, runcontrol.EventStep)
			}
			d.run("leaf")
			if got := d.stack(); strings.HasPrefix(got, "leaf < no_lines_calls") {
				return
			}
			d.run("no_lines_calls")
			d.run("leaf")
			for strings.HasPrefix(d.at(), "leaf:") {
				d.until(next, runcontrol.EventStep)
			}
			if at := d.at(); at != "tour:143" {
				t.Errorf("the return to code without lines leads to %s", at)
			}
		})
	}
}

// TestLongJump steps over a call that is left by longjmp to the function that
// steps: it stops there, or a breakpoint does.
func TestLongJump(t *testing.T) {
	t.Parallel()
	d := m3O0.open(t, runcontrol.Options{})
	d.run("tour")
	d.command(commandJump)
	d.run("jump_back")
	d.set(runcontrol.Spec{Kind: runcontrol.FunctionBreakpoint, Function: "read_word"}, runcontrol.Spec{Path: testdata(t, "app", "main.c"), Line: 61})
	for range 4 {
		d.move(next)
	}
	if at := d.at(); !strings.HasPrefix(at, "jump_back:") && !strings.HasPrefix(at, "main:") && !strings.HasPrefix(at, "obey:") {
		t.Errorf("next leads to %s", at)
	}
}

// TestConditionalCode steps through an IT block and a function in assembly, by
// line and by instruction.
func TestConditionalCode(t *testing.T) {
	t.Parallel()
	for _, f := range all {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			d := f.open(t, runcontrol.Options{})
			d.run("select_sign")
			for range 10 {
				if d.until(stepIn, runcontrol.EventStep); !strings.HasPrefix(d.at(), "select_sign:") {
					break
				}
			}
			if at := d.at(); !strings.HasPrefix(at, "tour:") {
				t.Errorf("steps lead to %s", at)
			}
			d.run("call_by_pop")
			for range 6 {
				if d.until(next, runcontrol.EventStep); !strings.HasPrefix(d.at(), "call_by_pop:") {
					break
				}
			}
			if at := d.at(); !strings.HasPrefix(at, "tour:") {
				t.Errorf("next leads to %s", at)
			}
		})
	}
}
