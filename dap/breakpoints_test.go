package dap

import (
	"testing"

	"github.com/google/go-dap"
)

// TestSetBreakpoints sets breakpoints in the present and the older way: each
// is answered, in order, with the reason why it stays unverified.
func TestSetBreakpoints(t *testing.T) {
	t.Parallel()
	c := openDemo(t)
	want := []int{7, 3}
	check := func(list []dap.Breakpoint) {
		t.Helper()
		if len(list) != len(want) {
			t.Fatalf("%d breakpoints, want %d", len(list), len(want))
		}
		for i, b := range list {
			if b.Verified || b.Message != neverHit || b.Line != want[i] {
				t.Errorf("breakpoint %d is %+v", i, b)
			}
		}
	}
	check(must(c.SetBreakpoints("/firmware/app/main.c", want...))(t))

	var body dap.SetBreakpointsResponseBody
	if err := c.Call("setBreakpoints", dap.SetBreakpointsArguments{Lines: want}, &body); err != nil {
		t.Fatal(err)
	}
	check(body.Breakpoints)

	if none := must(c.SetBreakpoints("/firmware/app/main.c"))(t); len(none) != 0 {
		t.Errorf("%d breakpoints without asking for one", len(none))
	}
	filters := dap.SetExceptionBreakpointsArguments{Filters: []string{"all"}}
	var exceptions dap.SetExceptionBreakpointsResponseBody
	if err := c.Call("setExceptionBreakpoints", filters, &exceptions); err != nil {
		t.Fatal(err)
	}
	if len(exceptions.Breakpoints) != 1 || exceptions.Breakpoints[0].Verified {
		t.Errorf("exception breakpoints: %+v", exceptions.Breakpoints)
	}
}
