package runcontrol_test

import (
	"context"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"pushmask/core/gdbremote"
	"pushmask/core/gdbremote/rsp"
	"pushmask/core/live"
	"pushmask/core/runcontrol"
)

// TestReset starts the program anew and keeps the breakpoints, whoever resets.
func TestReset(t *testing.T) {
	t.Parallel()
	byCommand := func(d *target) (runcontrol.Event, error) {
		return d.ResetBy(t.Context(), func(ctx context.Context, m *live.Machine) error {
			return m.Client().Monitor(ctx, "system_reset", nil)
		})
	}
	tests := []struct {
		name  string
		reset func(d *target) (runcontrol.Event, error)
		runs  bool
	}{
		{"halt", func(d *target) (runcontrol.Event, error) { return d.Reset(t.Context(), runcontrol.ResetHalt) }, false},
		{"run", func(d *target) (runcontrol.Event, error) { return d.Reset(t.Context(), runcontrol.ResetRun) }, true},
		{"by a command", byCommand, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := m3O0.open(t, runcontrol.Options{})
			d.breakOn("tour")
			for range 3 {
				d.until(runcontrol.Motion{}, runcontrol.EventBreakpoint)
			}
			if err := d.SetVectorCatch(t.Context(), runcontrol.CatchUsageFault); err != nil {
				t.Fatal(err)
			}
			ev, err := tt.reset(d)
			if err != nil || (ev.Kind == runcontrol.EventBreakpoint) != tt.runs || !tt.runs && ev.Kind != runcontrol.EventReset {
				t.Fatalf("%+v, %v", ev, err)
			}
			if !tt.runs {
				if at := d.at(); !strings.HasPrefix(at, "Reset_Handler:") {
					t.Errorf("the reset leads to %s", at)
				}
				d.until(runcontrol.Motion{}, runcontrol.EventBreakpoint)
			}
			if at := d.at(); !strings.HasPrefix(at, "tour:") || d.word("counter") != 0 {
				t.Errorf("after the reset: %s, counter %d", at, d.word("counter"))
			}
			d.set()
			d.command(commandUndefined)
			d.until(runcontrol.Motion{}, runcontrol.EventException)
		})
	}
}

// TestResetLoses tells of a breakpoint that the target does not take any more
// after a reset, and sets it again when it is asked to.
func TestResetLoses(t *testing.T) {
	t.Parallel()
	var full atomic.Bool
	var changed []runcontrol.Placed
	client, err := gdbremote.New(t.Context(), refusing(t, m3O0.machineAt(t), &full), gdbremote.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := m3O0.attach(t, client, runcontrol.Options{Changed: func(p runcontrol.Placed) { changed = append(changed, p) }})
	spec := runcontrol.Spec{Kind: runcontrol.FunctionBreakpoint, Function: "tour"}
	data := runcontrol.Spec{Kind: runcontrol.DataBreakpoint, Addr: d.symbol("counter"), Size: 4}
	placed := d.set(spec, data)
	full.Store(true)
	if _, err := d.Reset(t.Context(), runcontrol.ResetHalt); err != nil {
		t.Fatal(err)
	}
	if len(changed) != 2 {
		t.Fatalf("changed: %+v", changed)
	}
	for i, p := range changed {
		if p.ID != placed[i].ID || p.Verified || !strings.Contains(p.Message, "after the reset") {
			t.Errorf("changed: %+v", p)
		}
	}
	full.Store(false)
	if again := d.set(spec); !again[0].Verified || again[0].ID != placed[0].ID {
		t.Errorf("set again: %+v", again)
	}
	d.until(runcontrol.Motion{}, runcontrol.EventBreakpoint)
}

// refusing relays a connection to a stub that has no breakpoints while full is
// set.
func refusing(t *testing.T, address string, full *atomic.Bool) net.Conn {
	t.Helper()
	return relay(t, address, func(request []byte) []byte {
		if full.Load() && strings.HasPrefix(string(request), "$Z") {
			return rsp.Append(nil, []byte("vNone"))
		}
		return request
	})
}

// relay returns the client's end of a connection to a stub whose requests are
// changed on their way.
func relay(t *testing.T, address string, change func(request []byte) []byte) net.Conn {
	t.Helper()
	stub, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := net.Pipe()
	t.Cleanup(func() { stub.Close(); theirs.Close() })
	go func() {
		defer theirs.Close()
		_, _ = io.Copy(theirs, stub)
	}()
	go func() {
		defer stub.Close()
		buf := make([]byte, 4096)
		for {
			n, err := theirs.Read(buf)
			if err != nil {
				return
			}
			if _, err := stub.Write(change(buf[:n])); err != nil {
				return
			}
		}
	}()
	return ours
}
