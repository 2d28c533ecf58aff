package session

import (
	"context"
	"errors"
	"testing"

	"pushmask/core"
)

func demoStack(t testing.TB) *Stack {
	t.Helper()
	s := openDemoDump(t, Config{})
	k, err := s.Stack(s.Threads()[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestStackIsLazy(t *testing.T) {
	t.Parallel()
	k := demoStack(t)
	ctx := context.Background()
	first, err := k.Frames(ctx, 0, 1)
	if err != nil || len(first) != 1 {
		t.Fatalf("got %v, %v", first, err)
	}
	if n, ended := k.Len(); n > 5 || ended || k.Stop().Kind != core.StopNone {
		t.Errorf("after one frame: %d frames, ended %v, stop %v", n, ended, k.Stop())
	}
	all, err := k.Frames(ctx, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	n, ended := k.Len()
	if n != len(all) || !ended || k.Stop().Kind == core.StopNone {
		t.Errorf("at the end: %d of %d frames, ended %v, stop %v", n, len(all), ended, k.Stop())
	}
	page, err := k.Frames(ctx, 1, 2)
	if err != nil || len(page) != 2 || page[0].Core != all[1].Core {
		t.Errorf("page from 1: %v, %v", page, err)
	}
	if past, err := k.Frames(ctx, n, 5); err != nil || len(past) != 0 {
		t.Errorf("past the end: %v, %v", past, err)
	}
	if tail, err := k.Frames(ctx, n-1, 5); err != nil || len(tail) != 1 {
		t.Errorf("last frame: %v, %v", tail, err)
	}
}

// TestStackAfterCancel cancels in the middle of a walk; a later request goes
// on from there.
func TestStackAfterCancel(t *testing.T) {
	t.Parallel()
	k, want := demoStack(t), demoStack(t)
	all, err := want.Frames(context.Background(), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Frames(context.Background(), 0, 2); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := k.Frames(ctx, 0, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled walk: %v", err)
	}
	got, err := k.Frames(context.Background(), 0, 0)
	if err != nil || len(got) != len(all) {
		t.Fatalf("resumed walk has %d frames, want %d; error %v", len(got), len(all), err)
	}
	for i := range got {
		if got[i].Core.PC != all[i].Core.PC || got[i].Function != all[i].Function {
			t.Errorf("frame %d is %v %s, want %v %s", i, got[i].Core.PC, got[i].Function, all[i].Core.PC, all[i].Function)
		}
	}
}

func TestStackErrors(t *testing.T) {
	t.Parallel()
	target := oneThread(core.ProfileM, 0, nil)
	target.err = errors.New("broken")
	s := openFake(t, nil, target)
	if _, err := s.Stack(7); !errors.Is(err, ErrNoThread) {
		t.Errorf("unknown thread: %v", err)
	}
	if _, err := s.Stack(1); !errors.Is(err, target.err) {
		t.Errorf("unreadable registers: %v", err)
	}
}

func TestStackWithoutPC(t *testing.T) {
	t.Parallel()
	s := openFake(t, nil, oneThread(core.ProfileM, 0, nil))
	k, err := s.Stack(1)
	if err != nil {
		t.Fatal(err)
	}
	frames, err := k.Frames(context.Background(), 0, 0)
	if err != nil || len(frames) != 0 || k.Stop().Kind != core.StopBadPC {
		t.Errorf("got %v, %v, stop %v", frames, err, k.Stop())
	}
}

func TestFrameNames(t *testing.T) {
	t.Parallel()
	s := openFake(t, openDemo(t, Config{}), oneThread(core.ProfileM, 0, nil))
	main := core.Addr(s.Program().Images().Lookup("main")[0].Addr)
	tests := []struct {
		name  string
		frame core.Frame
		want  string
	}{
		{"function", core.Frame{PC: main + 2, Lookup: main + 2}, "main"},
		{"call at the end of a function", core.Frame{PC: main + 1000, Lookup: main + 2}, "main"},
		{"vector table", core.Frame{PC: 4, Lookup: 4}, "<no code at 0x00000004>"},
		{"RAM of the image", core.Frame{PC: 0x20000000, Lookup: 0x20000000}, "<no code at 0x20000000>"},
		{"elsewhere", core.Frame{PC: 0x1fff0000, Lookup: 0x1fff0000}, "<not in the image: 0x1fff0000>"},
		{"exception by number", core.Frame{Kind: core.FrameException, Exception: &core.ExceptionEntry{Number: 3}}, "<exception HardFault>"},
		{"exception by name", core.Frame{Kind: core.FrameException, Exception: &core.ExceptionEntry{Name: "IRQ 5", Number: 21}}, "<exception IRQ 5>"},
		{"unknown exception", core.Frame{Kind: core.FrameException, Exception: &core.ExceptionEntry{}}, "<exception>"},
		{"exception without facts", core.Frame{Kind: core.FrameException}, "<exception>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := s.symbolise(&tt.frame)
			if last := got[len(got)-1]; last.Function != tt.want {
				t.Errorf("named %q, want %q", last.Function, tt.want)
			}
		})
	}
}
