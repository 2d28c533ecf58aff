package debugtext

import (
	"encoding/hex"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
	"pushmask/core/dump/logtext"
)

var update = flag.Bool("update", false, "write the goldens")

func find(log string) []Session {
	return Find(logtext.Parse([]byte(log)), func(int) bool { return false })
}

// cases returns the logs of testdata by name.
func cases(t testing.TB) map[string]string {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.log")
	if err != nil || len(paths) == 0 {
		t.Fatal("no cases", err)
	}
	logs := map[string]string{}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		logs[strings.TrimSuffix(filepath.Base(p), ".log")] = string(b)
	}
	return logs
}

// describe says what was read of a log.
// It is the golden.
func describe(sessions []Session) string {
	var b strings.Builder
	for _, s := range sessions {
		fmt.Fprintf(&b, "%s, line %d\n", s.Format, s.Where.Line)
		if s.Refused != nil {
			fmt.Fprintf(&b, "refused: %v\n", s.Refused)
		}
		for _, d := range s.Details {
			fmt.Fprintf(&b, "detail %s\n", d)
		}
		for _, t := range s.Threads {
			fmt.Fprintf(&b, "thread %d, crashed %v", t.ID, t.Crashed)
			for r := range core.Reg(core.NumRegs) {
				if v, ok := t.Regs.Get(r); ok {
					fmt.Fprintf(&b, " %v=%x", r, v)
				}
			}
			for _, m := range []core.Mode{core.ModeIRQ, core.ModeSupervisor, core.ModeSystem} {
				if v, ok := t.Regs.Banked(m, core.BankedSP); ok {
					fmt.Fprintf(&b, " %s=%x", core.BankedName(m, core.BankedSP), v)
				}
			}
			b.WriteByte('\n')
		}
		for _, p := range s.Memory {
			fmt.Fprintf(&b, "memory %v %s\n", p.Addr, hex.EncodeToString(p.Data))
		}
		for _, c := range s.Backtrace {
			fmt.Fprintf(&b, "call %v %s at %q\n", c.Addr, c.Name, c.Location)
		}
		for _, u := range s.Unplaced {
			fmt.Fprintf(&b, "unplaced %s\n", u)
		}
	}
	return b.String()
}

func TestCases(t *testing.T) {
	t.Parallel()
	for name, log := range cases(t) {
		got := describe(find(log))
		path := filepath.Join("testdata", name+".golden")
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// facts lists every register and byte of memory that a log gives.
func facts(sessions []Session) map[string]bool {
	all := map[string]bool{}
	for _, s := range sessions {
		for _, t := range s.Threads {
			for r := range core.Reg(core.NumRegs) {
				if v, ok := t.Regs.Get(r); ok {
					all[fmt.Sprintf("%v=%x", r, v)] = true
				}
			}
		}
		for _, p := range s.Memory {
			for i, v := range p.Data {
				all[fmt.Sprintf("%v:%02x", p.Addr+core.Addr(i), v)] = true
			}
		}
	}
	return all
}

// TestLostLines drops every line once: nothing is made up.
func TestLostLines(t *testing.T) {
	t.Parallel()
	for name, log := range cases(t) {
		lines := strings.SplitAfter(log, "\n")
		whole := facts(find(log))
		for i := range lines {
			without := strings.Join(lines[:i], "") + strings.Join(lines[i+1:], "")
			for f := range facts(find(without)) {
				if !whole[f] && f != "pc=1892" && name != "ran_on" { // the line that selects another frame, or that the machine ran
					t.Errorf("%s without line %d: %s is new", name, i+1, f)
				}
			}
		}
	}
}

// TestShuffledLines: whatever the order of lines, values are those of the log.
func TestShuffledLines(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for name, log := range cases(t) {
		lines := strings.SplitAfter(log, "\n")
		said := strings.ToLower(log)
		for range 20 {
			r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
			for _, s := range find(strings.Join(lines, "")) {
				for _, th := range s.Threads {
					if pc, ok := th.Regs.Get(core.PC); ok && !strings.Contains(said, fmt.Sprintf("%x", pc)) {
						t.Errorf("%s: pc %#x is not in the log", name, pc)
					}
				}
			}
		}
	}
}

// TestDecorated reads logs through what terminals and loggers do to them.
func TestDecorated(t *testing.T) {
	t.Parallel()
	for name, log := range cases(t) {
		want := facts(find(log))
		for what, change := range map[string]func(string) string{
			"CRLF":    func(s string) string { return s + "\r" },
			"stamps":  func(s string) string { return "[2026-01-02 03:04:05.678] " + s },
			"colours": func(s string) string { return "\x1b[32m" + s + "\x1b[0m" },
		} {
			lines := strings.Split(strings.TrimSuffix(log, "\n"), "\n")
			for i := range lines {
				lines[i] = change(lines[i])
			}
			if diff := cmp.Diff(want, facts(find(strings.Join(lines, "\n")))); diff != "" {
				t.Errorf("%s with %s (-want +got):\n%s", name, what, diff)
			}
		}
	}
}

// TestTaken leaves lines of others alone.
func TestTaken(t *testing.T) {
	t.Parallel()
	log := logtext.Parse([]byte(cases(t)["jlink"]))
	if got := Find(log, func(int) bool { return true }); len(got) != 0 {
		t.Errorf("%d stops in lines of others", len(got))
	}
}

// TestFar: what stands far away from the registers is not of their stop.
func TestFar(t *testing.T) {
	t.Parallel()
	log := "0x20000000: 00000001\n" + strings.Repeat("hello\n", maxGap+1) + "xPSR: 0x01000000 pc: 0x0800018c msp: 0x20000728\n"
	if got := find(log); len(got) != 1 || len(got[0].Memory) != 0 || got[0].Threads[0].Regs.Value(core.SP) != 0x20000728 {
		t.Errorf("got %s", describe(got))
	}
}

// BenchmarkFind reads a log of memory and ordinary lines.
func BenchmarkFind(b *testing.B) {
	text := strings.Repeat("0x20000000: 00000000 00000001 00000002 00000003 00000004 00000005 00000006 00000007 \nINFO sensor: temperature 21.5 C at 3\n", 1000)
	log := logtext.Parse([]byte(text))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Find(log, func(int) bool { return false })
	}
}

func FuzzFind(f *testing.F) {
	for _, log := range cases(f) {
		f.Add([]byte(log))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		log := logtext.Parse(b)
		end := -1
		for _, s := range Find(log, func(int) bool { return false }) {
			if s.First > s.Last || s.Last >= len(log.Lines) || len(s.Threads) == 0 && len(s.Memory) == 0 && len(s.Backtrace) == 0 && s.Refused == nil {
				t.Fatalf("lines %d to %d after %d of %d: %s", s.First, s.Last, end, len(log.Lines), describe([]Session{s}))
			}
			end = s.Last
			for _, p := range s.Memory {
				if len(p.Data) == 0 || uint64(p.Addr)+uint64(len(p.Data)) > 1<<32 {
					t.Fatalf("memory at %v", p.Addr)
				}
			}
		}
	})
}
