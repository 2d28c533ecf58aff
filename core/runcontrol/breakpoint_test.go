package runcontrol_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
	"pushmask/core/runcontrol"
)

func line(t testing.TB, file string, n int) runcontrol.Spec {
	return runcontrol.Spec{Path: testdata(t, "app", file), Line: n}
}

// TestPlaces sets breakpoints on lines and functions that take some looking for.
func TestPlaces(t *testing.T) {
	t.Parallel()
	function := func(name string) runcontrol.Spec {
		return runcontrol.Spec{Kind: runcontrol.FunctionBreakpoint, Function: name}
	}
	tests := []struct {
		name   string
		spec   runcontrol.Spec
		line   int
		places int
	}{
		{"a statement", line(t, "steps.c", 7), 7, 1},
		{"an empty line moves to the next code", line(t, "steps.c", 4), 7, 1},
		{"the line of a function is behind its prologue", line(t, "steps.c", 6), 7, 1},
		{"a loop is one place", line(t, "steps.c", 49), 49, 1},
		{"a line in both inlined copies", line(t, "steps.c", 28), 28, 2},
		{"a template has one place in each instance", line(t, "shapes.cpp", 7), 7, 2},
		{"a function", function("leaf"), 7, 1},
		{"an inlined function", function("clamp"), 25, 2},
		{"all overloads", function("area"), 12, 2},
		{"a qualified name", function("shapes_of::area"), 12, 2},
		{"instances of a template", function("twice"), 7, 2},
		{"one instance of a template", function("twice<int>"), 7, 1},
		{"a method", function("Ring::push"), 25, 1},
		{"assembly", function("select_sign"), 22, 1},
		{"an absent function", function("nobody"), 0, 0},
		{"below the end of the file", line(t, "steps.c", 5000), 5000, 0},
		{"an unknown file", runcontrol.Spec{Path: "/elsewhere/unknown.c", Line: 3}, 3, 0},
		{"a bad hit condition", runcontrol.Spec{Path: testdata(t, "app", "steps.c"), Line: 7, HitCondition: "often"}, 7, 0},
	}
	d := m3O0.open(t, runcontrol.Options{})
	for _, tt := range tests {
		p := d.set(tt.spec)[0]
		if p.Line != tt.line || len(p.Addrs) != tt.places || p.Verified != (tt.places > 0) || !p.Verified && p.Message == "" {
			t.Errorf("%s: %+v", tt.name, p)
		}
	}
}

// TestShrinkWrapped stops at every call of a function whose pushes come behind a
// test for the short way out, by a breakpoint and by a step into it.
func TestShrinkWrapped(t *testing.T) {
	t.Parallel()
	for _, fw := range []firmware{m4fOg, m33x2} {
		d := fw.open(t, runcontrol.Options{})
		d.breakOn("factorial")
		for n := uint32(4); n > 0; n-- { // factorial(1) returns without a frame
			d.until(runcontrol.Motion{}, runcontrol.EventBreakpoint)
			regs, err := d.Machine().Registers(t.Context(), d.Machine().Thread())
			if err != nil || regs.Value(core.R0) != n {
				t.Fatalf("%s: stopped with r0 = %d, want %d (%v)", fw.name, regs.Value(core.R0), n, err)
			}
		}
	}
}

// TestStableIDs keeps the ID of a breakpoint for as long as its spec is set.
func TestStableIDs(t *testing.T) {
	t.Parallel()
	d := m3O0.open(t, runcontrol.Options{})
	first := d.set(line(t, "steps.c", 7), line(t, "steps.c", 12))
	second := d.set(line(t, "steps.c", 12), line(t, "steps.c", 13), line(t, "steps.c", 7))
	if second[0].ID != first[1].ID || second[2].ID != first[0].ID || second[1].ID <= first[1].ID {
		t.Errorf("IDs %+v then %+v", first, second)
	}
}

// TestConditions counts the hits of conditions, hit conditions and log points in
// a loop that calls count_one with 0, 1, 2 and so on.
func TestConditions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		spec runcontrol.Spec
		at   []uint32 // r0 at the stops
		text string   // in the first event
	}{
		{"none", runcontrol.Spec{}, []uint32{0, 1, 2}, "breakpoint on count_one"},
		{"condition", runcontrol.Spec{Condition: "r0 - 5"}, []uint32{0, 1, 2}, ""},
		{"equality", runcontrol.Spec{Condition: "r0 == 5"}, []uint32{5}, ""},
		{"hit 3", runcontrol.Spec{HitCondition: "3"}, []uint32{2}, ""},
		{"hits beyond 3", runcontrol.Spec{HitCondition: "> 3"}, []uint32{3, 4}, ""},
		{"each third", runcontrol.Spec{HitCondition: "%3"}, []uint32{2, 5, 8}, ""},
		{"both", runcontrol.Spec{Condition: "r0 >= 4", HitCondition: ">=3"}, []uint32{6, 7}, ""},
		{"broken", runcontrol.Spec{Condition: "no_such_thing"}, []uint32{0}, "cannot be evaluated"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := m3O2.open(t, runcontrol.Options{})
			d.run("tour")
			d.command(commandCount)
			d.run("obey")
			spec := tt.spec
			spec.Kind, spec.Function = runcontrol.FunctionBreakpoint, "count_one"
			d.set(spec)
			for i, want := range tt.at {
				ev := d.until(runcontrol.Motion{}, runcontrol.EventBreakpoint)
				if got := d.frames()[0].Core.Regs.Value(0); got != want {
					t.Fatalf("stop %d has r0 = %d, want %d", i, got, want)
				}
				if i == 0 && !strings.Contains(ev.Text, tt.text) {
					t.Errorf("event %+v", ev)
				}
			}
		})
	}
}

// TestLogPoint prints and does not stop; a temporary breakpoint stops once.
func TestLogPoint(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var lines []string
	d := m3O2.open(t, runcontrol.Options{Log: func(text string) {
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, text)
	}})
	d.run("tour")
	d.command(commandCount)
	d.set(
		runcontrol.Spec{Kind: runcontrol.FunctionBreakpoint, Function: "count_one", LogMessage: "i is {r0} {{really}} {nothing}", HitCondition: "<=2"},
		runcontrol.Spec{Kind: runcontrol.FunctionBreakpoint, Function: "count_one", HitCondition: "4", Temporary: true},
		runcontrol.Spec{Kind: runcontrol.FunctionBreakpoint, Function: "main"},
		runcontrol.Spec{Kind: runcontrol.FunctionBreakpoint, Function: "tour"},
	)
	d.until(runcontrol.Motion{}, runcontrol.EventBreakpoint)
	if got := d.frames()[0].Core.Regs.Value(0); got != 3 {
		t.Errorf("the temporary breakpoint stops at %d", got)
	}
	mu.Lock()
	for i, want := range []string{"i is 0x00000000", "i is 0x00000001"} {
		if i >= len(lines) || !strings.HasPrefix(lines[i], want) || !strings.Contains(lines[i], "{really} <") {
			t.Errorf("log %q, want %q first", lines, want)
		}
	}
	if len(lines) != 2 {
		t.Errorf("log %q", lines)
	}
	mu.Unlock()
	d.until(runcontrol.Motion{}, runcontrol.EventBreakpoint)
	if at := d.at(); !strings.HasPrefix(at, "tour:") {
		t.Errorf("the temporary breakpoint stops again, at %s", at)
	}
}

// TestDataBreakpoints stops when a value changes, is read or is written.
func TestDataBreakpoints(t *testing.T) {
	t.Parallel()
	for _, f := range []firmware{m3O0, m33O0, a15O0} {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			d := f.open(t, runcontrol.Options{})
			d.run("tour")
			counter := d.symbol("counter")
			watch := runcontrol.Spec{Kind: runcontrol.DataBreakpoint, Addr: counter, Size: 4}
			placed := d.set(watch)
			if !placed[0].Verified {
				t.Fatalf("%+v", placed)
			}
			for n := range 3 {
				ev := d.until(runcontrol.Motion{}, runcontrol.EventDataBreakpoint)
				want := fmt.Sprintf("counter: %d (0x%08x) -> %d (0x%08x)", n, n, n+1, n+1)
				if ev.Text != want || !slices.Equal(ev.Hit, []int{placed[0].ID}) || !strings.HasPrefix(d.at(), "main:") {
					t.Fatalf("event %+v at %s, want %q", ev, d.at(), want)
				}
			}
			watch.Access = runcontrol.AccessRead
			d.set(watch)
			if ev := d.until(runcontrol.Motion{}, runcontrol.EventDataBreakpoint); !strings.Contains(ev.Text, "counter: accessed") {
				t.Errorf("event %+v", ev)
			}
			for _, bad := range []runcontrol.Spec{
				{Kind: runcontrol.DataBreakpoint, Addr: counter, Size: 0},
				{Kind: runcontrol.DataBreakpoint, Addr: counter, Size: 400},
				{Kind: runcontrol.DataBreakpoint, Addr: 0xfffffff0, Size: 4},
			} {
				if p := d.set(bad)[0]; p.Verified || p.Message == "" {
					t.Errorf("%+v is placed: %+v", bad, p)
				}
			}
		})
	}
}

// TestInstructionBreakpoint sets a breakpoint on a T32 instruction of four
// bytes and on A32, while the target runs, and goes off it again.
func TestInstructionBreakpoint(t *testing.T) {
	t.Parallel()
	for _, f := range all {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			d := f.open(t, runcontrol.Options{})
			done := make(chan runcontrol.Event, 1)
			if err := d.Start(t.Context(), runcontrol.Motion{}, func(ev runcontrol.Event, _ error) { done <- ev }); err != nil {
				t.Fatal(err)
			}
			p := d.set(runcontrol.Spec{Kind: runcontrol.InstructionBreakpoint, Addr: d.symbol("call_by_pop")})
			if ev := <-done; ev.Kind != runcontrol.EventBreakpoint || !slices.Equal(ev.Hit, []int{p[0].ID}) {
				t.Fatalf("event %+v", ev)
			}
			for range 3 {
				d.until(runcontrol.Motion{}, runcontrol.EventBreakpoint)
				if at := d.at(); !strings.HasPrefix(at, "call_by_pop:") {
					t.Fatalf("stopped at %s", at)
				}
			}
		})
	}
}

// TestLimits reports a breakpoint for which the hardware has no room, and steps
// without one.
func TestLimits(t *testing.T) {
	t.Parallel()
	d := m3O0.open(t, runcontrol.Options{Breakpoints: runcontrol.Resources{Require: true, Limit: 2}, Watchpoints: runcontrol.Resources{Limit: 1}})
	specs := []runcontrol.Spec{line(t, "steps.c", 7), line(t, "steps.c", 12), line(t, "steps.c", 18)}
	placed := d.set(specs...)
	want := []string{"", "", "the target's 2 hardware breakpoints are all used: remove one"}
	for i, p := range placed {
		if p.Message != want[i] || p.Verified != (want[i] == "") {
			t.Errorf("%+v", p)
		}
	}
	d.until(runcontrol.Motion{}, runcontrol.EventBreakpoint)
	d.until(next, runcontrol.EventStep)
	if diff := cmp.Diff("leaf:8", d.at()); diff != "" {
		t.Errorf("a step without a free breakpoint: %s", diff)
	}
	if p := d.set(specs[2])[0]; !p.Verified {
		t.Errorf("there is room now: %+v", p)
	}
}
