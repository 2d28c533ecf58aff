package dap

import (
	"testing"

	"github.com/google/go-dap"
)

// TestRestart opens the crash again, with and without a configuration.
func TestRestart(t *testing.T) {
	t.Parallel()
	c := openDemo(t)
	before := must(c.StackTrace(1, 0, 0))(t)
	other := map[string]any{"executable": fixture(t, "nested", "fw.elf"), "coreFile": fixture(t, "nested", "crash.core")}
	for _, config := range []map[string]any{nil, other, demoConfig(t)} {
		if err := c.Restart(config); err != nil {
			t.Fatal(err)
		}
		var stopped dap.StoppedEventBody
		if err := c.Event("stopped", &stopped); err != nil || stopped.Reason != "exception" {
			t.Errorf("stopped: %+v, %v", stopped, err)
		}
	}
	after := must(c.StackTrace(1, 0, 0))(t)
	if len(after.StackFrames) != len(before.StackFrames) {
		t.Errorf("%d frames, %d before", len(after.StackFrames), len(before.StackFrames))
	}
}

// TestRestartFailure checks that what was open stays open.
func TestRestartFailure(t *testing.T) {
	t.Parallel()
	c := openDemo(t)
	top := must(c.StackTrace(1, 0, 1))(t).StackFrames[0]
	wantError(t, c.Restart(map[string]any{"executable": "/none", "coreFile": "/none"}), errFile)
	wantError(t, c.Restart(map[string]any{"executable": demoCore(t), "coreFile": demoCore(t)}), errOpenImage)
	wantError(t, c.Call("restart", map[string]any{"arguments": 5}, nil), errConfig)
	if _, err := c.Scopes(top.Id); err != nil {
		t.Errorf("scopes of a frame from before: %v", err)
	}
}
