package runcontrol_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"pushmask/core"
	"pushmask/core/live"
	"pushmask/core/runcontrol"
)

// TestPause halts a target that runs, that steps for ever, and that waits for
// an interrupt.
func TestPause(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		command byte
		at      string
		motion  runcontrol.Motion
	}{
		{"continue", 0, "", runcontrol.Motion{}},
		{"a loop of one instruction", commandSpin, "spin", next},
		{"wfi", commandWait, "wait", next},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := m3O0.open(t, runcontrol.Options{})
			d.run("tour")
			d.command(tt.command)
			if tt.at != "" {
				d.run(tt.at)
			}
			for range 5 {
				type result struct {
					ev  runcontrol.Event
					err error
				}
				done := make(chan result, 1)
				if err := d.Start(t.Context(), tt.motion, func(ev runcontrol.Event, err error) { done <- result{ev, err} }); err != nil {
					t.Fatal(err)
				}
				d.Pause()
				r := <-done
				if r.err != nil || r.ev.Kind != runcontrol.EventPause && r.ev.Kind != runcontrol.EventStep {
					t.Fatalf("%+v, %v", r.ev, r.err)
				}
				if s := d.stack(); tt.at != "" && !strings.HasPrefix(s, tt.at) {
					t.Fatalf("paused in %s", s)
				}
			}
		})
	}
}

// TestEverybody reads, writes, sets breakpoints and pauses from many goroutines
// while the target runs and stops.
func TestEverybody(t *testing.T) {
	t.Parallel()
	d := m3O0.open(t, runcontrol.Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
	defer cancel()
	var wg sync.WaitGroup
	for n := range 4 {
		wg.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				var err error
				switch (n + i) % 4 {
				case 0:
					err = d.Do(ctx, func(ctx context.Context, m *live.Machine) error {
						_, err := core.ReadU32(m.Memory(), d.symbol("counter"))
						return err
					})
				case 1:
					_, err = d.SetBreakpoints(ctx, "group", []runcontrol.Spec{{Kind: runcontrol.FunctionBreakpoint, Function: "leaf", Condition: "x == 3"}})
				case 2:
					err = d.WriteMemory(ctx, d.symbol("ticks"), []byte{1, 0, 0, 0})
				case 3:
					d.Pause()
					_, _ = d.SetBreakpoints(ctx, "group", nil)
				}
				if err != nil && ctx.Err() == nil {
					t.Errorf("action %d: %v", (n+i)%4, err)
					return
				}
			}
		})
	}
	motions := []runcontrol.Motion{{}, next, stepIn, stepOut}
	for i := 0; ctx.Err() == nil; i++ {
		if _, err := d.Resume(ctx, motions[i%len(motions)]); err != nil && !errors.Is(err, runcontrol.ErrNoCaller) {
			t.Fatal(err)
		}
	}
	wg.Wait()
}

// TestCancelled halts the target when the context of a motion ends, and does not
// start an errand whose caller has gone.
func TestCancelled(t *testing.T) {
	t.Parallel()
	d := m3O0.open(t, runcontrol.Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	ev, err := d.Resume(ctx, runcontrol.Motion{})
	if err != nil || ev.Kind != runcontrol.EventPause {
		t.Fatalf("%+v, %v", ev, err)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if err := d.Do(gone, func(context.Context, *live.Machine) error { t.Error("it runs"); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("errand: %v", err)
	}
	d.until(next, runcontrol.EventStep)
}

// TestExit ends with the program.
func TestExit(t *testing.T) {
	t.Parallel()
	d := m3O0.open(t, runcontrol.Options{}, "-semihosting-config", "enable=on,target=native")
	d.run("tour")
	d.command(commandExit)
	ev := d.until(runcontrol.Motion{}, runcontrol.EventExited)
	if ev.ExitCode != 0 {
		t.Errorf("event %+v", ev)
	}
	if _, err := d.Session(); !errors.Is(err, runcontrol.ErrExited) {
		t.Errorf("session after the end: %v", err)
	}
	if _, err := d.Resume(t.Context(), next); !errors.Is(err, runcontrol.ErrExited) {
		t.Errorf("a step after the end: %v", err)
	}
}
