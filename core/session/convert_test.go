package session

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
)

// converted writes a session as a core and returns its path.
func converted(t *testing.T, s *Session, flash bool) string {
	t.Helper()
	var b bytes.Buffer
	if err := s.WriteCore(context.Background(), &b, flash); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "core.elf")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// open opens a dump of a program and closes it with the test.
func open(t *testing.T, p *Program, path string) *Session {
	t.Helper()
	s, err := p.OpenDump(context.Background(), path, DumpOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// fixtureCores lists the recorded crashes of our own firmware.
func fixtureCores(t *testing.T) []string {
	t.Helper()
	cores, err := filepath.Glob(filepath.Join(fixtures, "*", "crash.core"))
	if err != nil || len(cores) < 10 {
		t.Fatalf("%d fixtures, error %v", len(cores), err)
	}
	return cores
}

// TestRoundTrip: what is written is read again, threads with all their registers
// and what is known of them, and every byte of memory.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for _, path := range fixtureCores(t) {
		t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) {
			t.Parallel()
			p := openDemo(t, Config{Image: filepath.Join(filepath.Dir(path), "fw.elf")})
			s := open(t, p, path)
			again := open(t, p, converted(t, s, false))
			if d := cmp.Diff(s.Threads(), again.Threads()); d != "" {
				t.Errorf("threads (-was +is):\n%s", d)
			}
			if d := cmp.Diff(s.Regions(), again.Regions()); d != "" {
				t.Errorf("memory (-was +is):\n%s", d)
			}
			for _, th := range s.Threads() {
				compareRegisters(t, s, again, th.ID)
			}
			for _, r := range s.Regions() {
				was, is := make([]byte, r.Size), make([]byte, r.Size)
				s.Target().Memory().ReadAt(r.Addr, was)
				if _, err := again.Target().Memory().ReadAt(r.Addr, is); err != nil || !bytes.Equal(was, is) {
					t.Errorf("memory at %v differs, error %v", r.Addr, err)
				}
			}
			if again.Format() != "ELF core (pushmask)" {
				t.Errorf("format %q", again.Format())
			}
		})
	}
}

func compareRegisters(t *testing.T, a, b *Session, id core.ThreadID) {
	t.Helper()
	was, _ := a.Registers(context.Background(), id)
	is, err := b.Registers(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	for r := range core.Reg(core.NumRegs) {
		v, known := was.Get(r)
		if w, still := is.Get(r); v != w || known != still {
			t.Errorf("thread %d: %v was %#x (known %v), is %#x (known %v)", id, r, v, known, w, still)
		}
	}
}

// TestRoundTripOfUnknown: registers and facts that NT_PRSTATUS cannot hold.
func TestRoundTripOfUnknown(t *testing.T) {
	t.Parallel()
	f := oneThread(core.ProfileM, 0, map[core.Reg]uint32{core.PC: 0x101, core.LR: 0x201, core.PSR: 1 << 24, core.PSP: 0x20000100, core.MSPLIM: 0x20000000})
	f.threads[0] = core.Thread{
		ID: 7, Name: "radio task", State: "blocked", Waits: "queue 0x20000460", Priority: 3, BasePriority: 2, HasPriority: true,
		Stack: core.Stack{Low: 0x20000000, High: 0x20000200}, Crashed: true, Faulted: true,
	}
	f.regs = map[core.ThreadID]core.Regs{7: f.regs[1]}
	s := openFake(t, nil, f)
	path := converted(t, s, false)
	p, err := OpenProgram(context.Background(), Config{})
	if err != nil {
		t.Fatal(err)
	}
	again := open(t, p, path)
	want := f.threads[0]
	want.Signal = again.Threads()[0].Signal // a halt, for debuggers
	if d := cmp.Diff([]core.Thread{want}, again.Threads()); d != "" {
		t.Errorf("thread (-was +is):\n%s", d)
	}
	compareRegisters(t, s, again, 7)
}

// TestDebuggers opens cores with gdb and lldb and compares the functions that
// they find with ours: of the code that the crash interrupted, on the main and on
// the process stack.
func TestDebuggers(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"demo", "process-stack", "m3-O0", "m33-O2"} {
		fw := filepath.Join(fixtures, name, "fw.elf")
		s := open(t, openDemo(t, Config{Image: fw}), filepath.Join(fixtures, name, "crash.core"))
		want := interruptedFunctions(t, s)
		path := converted(t, s, false)
		for _, d := range []struct {
			tool string
			args []string
		}{
			{"gdb-multiarch", []string{"-nx", "-batch", "-ex", "thread 2", "-ex", "bt", fw, path}},
			{"lldb-16", []string{"-x", "-b", "-o", "target modules load --file fw.elf --slide 0", "-o", "thread select 2", "-o", "bt", "-c", path, fw}},
		} {
			t.Run(name+"/"+d.tool, func(t *testing.T) {
				t.Parallel()
				if _, err := exec.LookPath(d.tool); err != nil {
					t.Skipf("%s is not installed", d.tool)
				}
				out, err := exec.Command(d.tool, d.args...).CombinedOutput()
				if err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				got := frameNames(string(out))
				if len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
					t.Errorf("%s finds %q, we %q\n%s", d.tool, got, want, out)
				}
			})
		}
	}
}

// interruptedFunctions are the functions below the first exception, as far as a
// debugger with CFI sees them.
func interruptedFunctions(t *testing.T, s *Session) (names []string) {
	t.Helper()
	k, err := s.Stack(s.Threads()[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	frames, err := k.Frames(context.Background(), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	below := false
	for _, f := range frames {
		if below {
			names = append(names, f.Function)
		}
		below = below || f.Kind == KindException
	}
	if len(names) < 5 {
		t.Fatalf("%d frames below the exception", len(names))
	}
	return names[:len(names)-1] // how they end a stack differs
}

// frameNames finds the functions of the longest backtrace of gdb ("#1  0x0 in f
// (") or lldb ("frame #1: 0x0 fw.elf`f("), which show frame 0 again at a stop.
func frameNames(out string) (longest []string) {
	var names []string
	for _, m := range regexp.MustCompile("(?m)^ *(?:\\* )?(?:frame )?#(\\d+):? +(?:0x[0-9a-f]+ )?(?:in |\\S+`(?:\\w+ \\[inlined\\] )?)?(\\w+)").FindAllStringSubmatch(out, -1) {
		if m[1] == "0" {
			names = nil
		}
		if names = append(names, m[2]); len(names) > len(longest) {
			longest = names
		}
	}
	return longest
}
