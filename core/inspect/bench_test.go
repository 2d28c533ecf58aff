package inspect_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"pushmask/core"
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

// openLarge opens the ELF that INSPECT_BENCH names, stopped in the middle of the
// function that INSPECT_FUNCTION names.
func openLarge(b *testing.B) *session.Session {
	b.Helper()
	path, name := os.Getenv("INSPECT_BENCH"), os.Getenv("INSPECT_FUNCTION")
	if path == "" {
		b.Skip("INSPECT_BENCH names no ELF")
	}
	p, err := session.OpenProgram(context.Background(), session.Config{Image: path})
	if err != nil {
		b.Fatal(err)
	}
	found := p.Images().Lookup(name)
	if len(found) == 0 {
		b.Fatalf("%s has no %q", path, name)
	}
	f, _ := p.Images().FuncAt(found[0].Addr &^ 1)
	const ram, size = 0x20000000, 0x1000
	m := &stopped{}
	m.memory.AddBytes(ram, make([]byte, size))
	for r := core.R0; r <= core.SP; r++ {
		m.regs.Set(r, ram+size/2)
	}
	m.regs.Set(core.PC, (f.Entry+(f.End-f.Entry)/2)&^1)
	s, err := p.OpenTarget(context.Background(), m)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		s.Close()
		p.Close()
	})
	return s
}

// BenchmarkLargeFirst opens a large ELF and shows the locals of the frame that
// it stopped in.
func BenchmarkLargeFirst(b *testing.B) {
	for b.Loop() {
		showLocals(b, openLarge(b), nil)
	}
}

// BenchmarkLarge shows them again.
func BenchmarkLarge(b *testing.B) {
	s := openLarge(b)
	showLocals(b, s, nil)
	b.ResetTimer()
	for b.Loop() {
		showLocals(b, s, nil)
	}
}

// BenchmarkLargeScopes counts statics of the file and looks for globals of the
// program, as the scopes of a frame do; BenchmarkLargeStatics lists them.
func BenchmarkLargeScopes(b *testing.B) {
	s := openLarge(b)
	for b.Loop() {
		f, err := s.InspectFrame(context.Background(), nil)
		if err != nil {
			b.Fatal(err)
		}
		s.Inspect().CountStatics(f)
		s.Inspect().HasGlobals(f)
	}
}

func BenchmarkLargeStatics(b *testing.B) {
	s := openLarge(b)
	for b.Loop() {
		f, err := s.InspectFrame(context.Background(), nil)
		if err != nil {
			b.Fatal(err)
		}
		s.Inspect().Statics(f)
		s.Inspect().Globals(f, "", 0, 1)
	}
}

// BenchmarkLargeComplete completes a word of one letter, one of three, and what
// follows a dot, in a program whose names were not looked up before and in one
// whose names were.
func BenchmarkLargeComplete(b *testing.B) {
	complete := func(b *testing.B, s *session.Session, text string) {
		f, err := s.InspectFrame(context.Background(), nil)
		if err != nil {
			b.Fatal(err)
		}
		s.Inspect().Complete(f, text)
	}
	for _, text := range []string{"", "s", "std", "(s", "x + main", "this->"} {
		b.Run("first "+text, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				s := openLarge(b)
				showLocals(b, s, nil)
				b.StartTimer()
				complete(b, s, text)
			}
		})
		b.Run("later "+text, func(b *testing.B) {
			s := openLarge(b)
			complete(b, s, text)
			for b.Loop() {
				complete(b, s, text)
			}
		})
	}
}
