package runcontrol_test

import (
	"strings"
	"testing"

	"pushmask/core/runcontrol"
)

// TestReset starts the program anew and keeps the breakpoints.
func TestReset(t *testing.T) {
	t.Parallel()
	d := m3O0.open(t, runcontrol.Options{})
	d.breakOn("tour")
	for range 3 {
		d.until(runcontrol.Motion{}, runcontrol.EventBreakpoint)
	}
	if _, err := d.Reset(t.Context(), runcontrol.ResetHalt); err != nil {
		t.Fatal(err)
	}
	d.until(runcontrol.Motion{}, runcontrol.EventBreakpoint)
	if at := d.at(); !strings.HasPrefix(at, "tour:") || d.word("counter") != 0 {
		t.Errorf("after the reset: %s, counter %d", at, d.word("counter"))
	}
}
