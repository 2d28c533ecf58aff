package triage

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
	"pushmask/core/cause"
	"pushmask/core/session"
)

// signatureOf opens a recorded crash of our own firmware.
func signatureOf(t *testing.T, name string) Signature {
	t.Helper()
	ctx := context.Background()
	dir := filepath.Join("..", "..", "testdata", "firmware", name)
	p, err := session.OpenProgram(ctx, session.Config{Image: filepath.Join(dir, "fw.elf")})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	s, err := p.OpenDump(ctx, filepath.Join(dir, "crash.core"), session.DumpOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	id := s.Threads()[0].ID
	k, err := s.Stack(id)
	if err != nil {
		t.Fatal(err)
	}
	frames, err := k.Frames(ctx, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return Of(s.Cause(ctx, id), frames, k.Stop().Complete())
}

// TestBuilds: one bug in one source has one signature, whatever the core, the
// optimisation and what was inlined.
func TestBuilds(t *testing.T) {
	t.Parallel()
	want := signatureOf(t, "demo")
	for _, name := range []string{"m0-Os", "m3-O0", "m7-Og", "m33-O2", "process-stack"} {
		if d := cmp.Diff(want, signatureOf(t, name)); d != "" {
			t.Errorf("%s (-demo +%s):\n%s", name, name, d)
		}
	}
	for _, name := range []string{"null-call", "assert", "cpp"} {
		if s := signatureOf(t, name); s.ID == want.ID {
			t.Errorf("%s, another crash, has the same signature: %v", name, s)
		}
	}
}

// frame makes a frame of a function; an empty name is an exception.
func frame(name string) session.Frame {
	f := session.Frame{Kind: session.KindFrame, Core: new(core.Frame), Function: name}
	if name == "" {
		f.Kind = session.KindException
	}
	return f
}

func TestOf(t *testing.T) {
	t.Parallel()
	guess := frame("c")
	guess.Core.Trust = core.TrustScan
	for _, tt := range []struct {
		name     string
		frames   []session.Frame
		complete bool
		want     []string
		partial  bool
	}{
		{"short", []session.Frame{frame("a"), frame("b")}, true, []string{"a", "b"}, false},
		{"ends early", []session.Frame{frame("a"), frame("b")}, false, []string{"a", "b"}, true},
		{"handler", []session.Frame{frame("HardFault_Handler"), frame(""), frame("a")}, true, []string{"a"}, false},
		{"nested", []session.Frame{frame("h"), frame(""), frame("irq"), frame(""), frame("a")}, true, []string{"irq", "a"}, false},
		{"assertion", []session.Frame{frame("raise"), frame("abort"), frame("__assert_func"), frame("a"), frame("abort")}, true, []string{"a", "abort"}, false},
		{"recursion", []session.Frame{frame("a"), frame("b"), frame("b"), frame("b"), frame("c")}, true, []string{"a", "b", "c"}, false},
		{"deep", []session.Frame{frame("1"), frame("2"), frame("3"), frame("4"), frame("5"), frame("6")}, false, []string{"1", "2", "3", "4", "5"}, false},
		{"guess", []session.Frame{frame("a"), guess, frame("d")}, true, []string{"a"}, true},
		{"copies", []session.Frame{frame("a.part.0"), frame("b.constprop.1.isra.0"), frame("c.lto_priv.3"), frame("d.cold")}, true, []string{"a", "b", "c", "d"}, false},
		{"Rust", []session.Frame{frame("app::run::h0123456789abcdef"), frame("app::help")}, true, []string{"app::run", "app::help"}, false},
		{"no names", []session.Frame{frame("sub_08001234"), frame("a")}, true, []string{"?", "a"}, false},
		{"nothing", nil, false, nil, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := Of(session.Cause{Kind: cause.NullRead}, tt.frames, tt.complete)
			if d := cmp.Diff(tt.want, s.Frames); d != "" || s.Partial != tt.partial || s.Cause != "null-read" {
				t.Errorf("partial %v, cause %q, frames (-want +got):\n%s", s.Partial, s.Cause, d)
			}
		})
	}
}

// TestStable holds a signature that users may have stored.
func TestStable(t *testing.T) {
	t.Parallel()
	s := Of(session.Cause{Kind: cause.NullRead}, []session.Frame{frame("a"), frame("b")}, true)
	if s.ID != "af0dc2cc778e6da0" || s.String() != "null-read in a < b" {
		t.Errorf("%s %v", s.ID, s)
	}
}

func TestGroups(t *testing.T) {
	t.Parallel()
	var g Groups
	one := Of(session.Cause{Kind: cause.NullRead}, []session.Frame{frame("a")}, true)
	two := Of(session.Cause{Kind: cause.NullRead}, []session.Frame{frame("b")}, true)
	g.Add(one, "first")
	for i := range 20 {
		g.Add(two, fmt.Sprint(i))
	}
	list := g.Sorted()
	if len(list) != 2 || list[0].Count != 20 || len(list[0].Dumps) != MaxNames || list[1].Dumps[0] != "first" {
		t.Errorf("%+v", list)
	}
}
