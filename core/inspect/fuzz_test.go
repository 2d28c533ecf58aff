package inspect_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"
	"unicode/utf8"

	"pushmask/core/inspect"
	"pushmask/core/session"
)

// expressionSeeds begin the search of FuzzEvaluate.
var expressionSeeds = []string{
	"sensors[1].name", "*sensors@4,x", "(char *)0x4ac", "{struct sensor}0x20000010", "sizeof(int (*)[3])", "/x accepted",
	"'packet.c'::accepted", "&sensors[3] - sensors", "a::b<c>::~d", "reinterpret_cast<int *>($sp)[1]", "sensors,[3]",
	"1 ? -2 : !3.5e-2f", `"a\x41" == sensors[0].name`, "'\\n' + L'a'", "int(3)", "(void (*)(int))main", "x = y += 1", "((((", "1@2@3",
	"(anonymous namespace)::x", "{impl#0}::f", "foo.part.0", "(unsigned char[4])accepted", "$d0", "0x", "1e", "**0", "converter@2147483647", "a..5",
	"'demo/fw.elf'::accepted", "('cpp/fw.elf'::struct x *)$sp", "'fw.elf'::'packet.c'::accepted", "{const 'demo/fw.elf'::struct sensor} 0", "'a'::'b'::'c'::",
}

// hang is what nothing takes, on a machine that does much else.
const hang = 20 * time.Second

// FuzzEvaluate: no expression makes the evaluator panic, hang or fail with
// anything but an error that points into it, and what has a value can be shown.
func FuzzEvaluate(f *testing.F) {
	for _, s := range expressionSeeds {
		f.Add(s)
	}
	sessions := []*session.Session{openDemo(f), openCrash(f, "cpp"), openTwo(f)}
	f.Fuzz(func(t *testing.T, expr string) {
		start := time.Now()
		defer func() {
			if took := time.Since(start); took > hang {
				t.Errorf("%q takes %v", expr, took)
			}
		}()
		for _, s := range sessions {
			v, err := s.Evaluate(context.Background(), expr, nil)
			if e, ok := errors.AsType[*inspect.ExprError](err); err != nil && !ok {
				t.Fatalf("error is %T: %v", err, err)
			} else if ok {
				if e.Off < 0 || e.Off > len(expr) || utf8.ValidString(expr) && !utf8.ValidString(e.Error()) {
					t.Fatalf("bad error %q for %q", e.Error(), expr)
				}
				continue
			}
			look(t, v.Value, 0)
		}
	})
}

// openTwo opens the crash of a fixture in C++ with another image before its own.
func openTwo(t testing.TB) *session.Session {
	t.Helper()
	const away = 0x60000000
	dir := "../../testdata/firmware/"
	p, err := session.OpenProgram(context.Background(), session.Config{
		Image: dir + "demo/fw.elf", Bias: away, More: []session.ImageFile{{Path: dir + "cpp/fw.elf"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	s, err := p.OpenDump(context.Background(), dir+"cpp/crash.core", session.DumpOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// openCrash opens the crash of a fixture.
func openCrash(t testing.TB, name string) *session.Session {
	t.Helper()
	dir := filepath.Join("../../testdata/firmware", name)
	s, err := openProgram(t, filepath.Join(dir, "fw.elf")).OpenDump(context.Background(), filepath.Join(dir, "crash.core"), session.DumpOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// look shows a value and some of its parts.
func look(t *testing.T, v *inspect.Value, depth int) {
	if n := len(v.Text()); n > 1<<13 {
		t.Fatalf("the text of %s has %d bytes", v.Expr, n)
	}
	named, indexed := v.Counts()
	if named < 0 || indexed < 0 {
		t.Fatalf("%s has %d and %d parts", v.Expr, named, indexed)
	}
	plain := v.Plain()
	if n, _ := plain.Counts(); n != len(plain.Named(0, 0)) {
		t.Fatalf("%s has %d named parts, and lists %d", v.Expr, n, len(plain.Named(0, 0)))
	}
	v.MemoryReference()
	if _, err := inspect.Truth(v); err != nil && err.Error() == "" {
		t.Fatal("an error without a text")
	}
	if depth == 3 {
		return
	}
	for _, c := range append(v.Named(0, 4), v.Indexed(max(indexed-2, 0), 2)...) {
		look(t, c.Value, depth+1)
	}
}

// TestLargeValues: what is huge costs no more than what is shown of it.
func TestLargeValues(t *testing.T) {
	t.Parallel()
	s := openDemo(t)
	start := time.Now()
	for _, expr := range []string{
		"*(char *)0@2147483647", "*sensors@100000000", "(unsigned char[4000000000])accepted", "(int[1000][1000][1000])accepted",
		"*(char (*)[4000000000])0", "{int[1073741823]}0x20000000", "*(struct sensor *)0xfffffff8", "*(int *)0xffffffff@4",
	} {
		v, err := s.Evaluate(context.Background(), expr, nil)
		if err != nil {
			t.Errorf("%s: %v", expr, err)
			continue
		}
		look(t, v.Value, 0)
		_, n := v.Value.Counts()
		if list := v.Value.Indexed(n-1, 5); n > 0 && len(list) != 1 {
			t.Errorf("%s: the last page has %d elements", expr, len(list))
		}
	}
	if took := time.Since(start); took > hang {
		t.Errorf("took %v", took)
	}
}
