package session

import (
	"context"
	"path/filepath"
	"testing"
)

// BenchmarkDump is what bt does for each of many dumps of one program: open,
// check, unwind and symbolise.
func BenchmarkDump(b *testing.B) {
	p := openDemo(b, Config{})
	path := filepath.Join(fixtures, "demo", "crash.core")
	ctx := context.Background()
	for b.Loop() {
		s, err := p.OpenDump(ctx, path, DumpOptions{})
		if err != nil {
			b.Fatal(err)
		}
		k, err := s.Stack(s.Threads()[0].ID)
		if err != nil {
			b.Fatal(err)
		}
		if frames, err := k.Frames(ctx, 0, 0); err != nil || len(frames) < 10 {
			b.Fatalf("%d frames, error %v", len(frames), err)
		}
		s.Close()
	}
}

// BenchmarkCause explains the crash of the demo.
func BenchmarkCause(b *testing.B) {
	s := openDemoDump(b, Config{})
	for b.Loop() {
		if c := s.Cause(context.Background(), 1); !c.HasAddr {
			b.Fatalf("cause %+v", c)
		}
	}
}
