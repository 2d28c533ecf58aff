package inspect_test

import (
	"context"
	"path/filepath"
	"testing"

	"pushmask/core/coretest"
	"pushmask/core/session"
)

// openRust opens a program of 2.7 MB that stopped in a deep call.
func openRust(b *testing.B) (*session.Session, *session.Frame) {
	b.Helper()
	dir := coretest.Shared(b, "dumps", "probe-rs")
	p, err := session.OpenProgram(context.Background(), session.Config{Image: filepath.Join(dir, "RP2040_full_unwind.elf")})
	if err != nil {
		b.Fatal(err)
	}
	s, err := p.OpenDump(context.Background(), filepath.Join(dir, "RP2040_full_unwind.coredump"), session.DumpOptions{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		s.Close()
		p.Close()
	})
	k, err := s.Stack(s.Threads()[0].ID)
	if err != nil {
		b.Fatal(err)
	}
	frames, err := k.Frames(context.Background(), 0, 7)
	if err != nil || len(frames) < 7 {
		b.Fatal(len(frames), err)
	}
	return s, &frames[6]
}

// showLocals is what an editor asks for when a frame is selected.
func showLocals(b *testing.B, s *session.Session, f *session.Frame) {
	frame, err := s.InspectFrame(context.Background(), f)
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	for _, v := range s.Inspect().Locals(frame) {
		n += len(v.Value.Text())
		v.Value.Counts()
	}
	if n == 0 {
		b.Fatal("no locals")
	}
}

// BenchmarkFirstLocals shows the 39 locals of a frame for the first time.
func BenchmarkFirstLocals(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		s, f := openRust(b)
		b.StartTimer()
		showLocals(b, s, f)
	}
}

// BenchmarkLocals shows them again.
func BenchmarkLocals(b *testing.B) {
	s, f := openRust(b)
	for b.Loop() {
		showLocals(b, s, f)
	}
}

// BenchmarkEvaluate evaluates what a condition of a breakpoint may be.
func BenchmarkEvaluate(b *testing.B) {
	s, f := openRust(b)
	for b.Loop() {
		if _, err := s.Evaluate(context.Background(), "int8_twenty_six == 26 && long_lived.x > 3", f); err != nil {
			b.Fatal(err)
		}
	}
}
