package dap

import (
	"path/filepath"
	"testing"

	"github.com/google/go-dap"

	"pushmask/core/coretest/qemu"
)

// TestLive runs the station to a breakpoint in QEMU.
func TestLive(t *testing.T) {
	t.Parallel()
	dir := fixture(t, "m3-O0")
	m := qemu.StartTest(t, qemu.Config{Machine: "mps2-an385", ELF: filepath.Join(dir, "fw.elf")})
	c := startAdapter(t, nil)
	must(c.Initialize())(t)
	if err := c.Attach(map[string]any{
		"executable":    filepath.Join(dir, "fw.elf"),
		"gdbTarget":     m.Address,
		"sourceFileMap": map[string]any{"/firmware": fixture(t)},
	}); err != nil {
		t.Fatal(err)
	}
	if err := c.Event("initialized", nil); err != nil {
		t.Fatal(err)
	}
	placed := must(c.SetBreakpoints(fixture(t, "app", "packet.c"), 71))(t)
	if len(placed) != 1 || !placed[0].Verified {
		t.Fatalf("breakpoint %+v", placed)
	}
	if err := c.ConfigurationDone(); err != nil {
		t.Fatal(err)
	}
	stop := func(want string) dap.StoppedEventBody {
		t.Helper()
		var body dap.StoppedEventBody
		if err := c.Event("stopped", &body); err != nil {
			t.Fatal(err)
		}
		if body.Reason != want {
			t.Fatalf("stopped for %q, want %q", body.Reason, want)
		}
		return body
	}
	thread := stop("entry").ThreadId
	if err := c.Call("continue", dap.ContinueArguments{ThreadId: thread}, nil); err != nil {
		t.Fatal(err)
	}
	if hit := stop("breakpoint").HitBreakpointIds; len(hit) != 1 || hit[0] != placed[0].Id {
		t.Errorf("hit %v, want %d", hit, placed[0].Id)
	}
	frames := must(c.StackTrace(thread, 0, 0))(t).StackFrames
	if len(frames) == 0 || frames[0].Line != 71 {
		t.Fatalf("frames %+v", frames)
	}
	must(c.SetBreakpoints(fixture(t, "app", "packet.c")))(t)
	if err := c.Call("continue", dap.ContinueArguments{ThreadId: thread}, nil); err != nil {
		t.Fatal(err)
	}
	if err := c.Call("pause", dap.PauseArguments{ThreadId: thread}, nil); err != nil {
		t.Fatal(err)
	}
	stop("pause")
}
