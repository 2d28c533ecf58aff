package session

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"pushmask/core"
	"pushmask/core/dump"
)

// FuzzDump opens arbitrary bytes as a dump of the demo's firmware and asks for
// all that an editor would: whatever the dump says, there is an answer, stacks
// end, and registers that are not known are not made up.
func FuzzDump(f *testing.F) {
	for _, name := range []string{"demo/crash.core", "demo/gdb.core", "nested/crash.core", "process-stack/crash.core"} {
		b, err := os.ReadFile(filepath.Join(fixtures, filepath.FromSlash(name)))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	p := openDemo(f, Config{})
	ctx := context.Background()
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := dump.OpenReader(bytes.NewReader(b), int64(len(b)), dump.Options{})
		if err != nil {
			return
		}
		s, err := p.attach(ctx, d)
		if err != nil {
			t.Fatal(err)
		}
		threads := s.Threads()
		for _, thread := range threads[:min(len(threads), 3)] {
			if c := s.Cause(ctx, thread.ID); c.Name == "" {
				t.Errorf("thread %d has no cause", thread.ID)
			}
			checkFuzzedStack(ctx, t, s, thread.ID)
		}
	})
}

func checkFuzzedStack(ctx context.Context, t *testing.T, s *Session, id core.ThreadID) {
	t.Helper()
	k, err := s.Stack(id)
	if err != nil {
		t.Fatal(err)
	}
	frames, err := k.Frames(ctx, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if k.Stop().Kind == core.StopNone {
		t.Error("the stack does not say why it ends")
	}
	for _, f := range frames {
		if f.Function == "" || f.Core == nil {
			t.Errorf("frame without a name: %+v", f)
		}
	}
	if len(frames) == 0 {
		return
	}
	if _, lines, err := s.DisassembleFunc(ctx, frames[0].Core.Lookup); err != nil || len(lines) == 0 {
		t.Errorf("no listing at %v: %v", frames[0].Core.Lookup, err)
	}
}
