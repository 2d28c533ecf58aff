package crashlog

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
	"pushmask/core/dump/logtext"
)

func find(log string) []Report { return Find(logtext.Parse([]byte(log))) }

// decorations are what loggers, terminals and editors do to a line.
var decorations = map[string]func(i int, line string) string{
	"CRLF":        func(_ int, s string) string { return s + "\r" },
	"colours":     func(_ int, s string) string { return "\x1b[1;31m" + s + "\x1b[0m" },
	"cursor":      func(_ int, s string) string { return "\x1b[2K" + s + "\x1b[K" },
	"lost ESC":    func(_ int, s string) string { return "[0;32m" + s + "[0m" },
	"NUL":         func(_ int, s string) string { return "\x00" + s + "\x00\x00" },
	"RTT":         func(_ int, s string) string { return " 0> " + s },
	"kernel time": func(i int, s string) string { return fmt.Sprintf("[%5d.%06d] ", i, i) + s },
	"date":        func(i int, s string) string { return fmt.Sprintf("[2024-05-06 07:08:%02d.%03d] ", i%60, i) + s },
	"pyterm":      func(i int, s string) string { return fmt.Sprintf("2024-05-06 07:08:%02d,%03d - INFO # ", i%60, i) + s },
	"syslog":      func(i int, s string) string { return fmt.Sprintf("May  6 07:08:%02d host kernel: ", i%60) + s },
	"zephyr":      func(i int, s string) string { return fmt.Sprintf("[00:00:%02d.%03d,000] <err> os: ", i%60, i) + s },
	"logcat": func(i int, s string) string {
		return fmt.Sprintf("05-06 07:08:%02d.123   45   45 F DEBUG   : ", i%60) + s
	},
	"nuttx":       func(_ int, s string) string { return "[CPU0] [ 6] " + s },
	"quoted":      func(_ int, s string) string { return "> " + s },
	"blank lines": func(_ int, s string) string { return s + "\n" },
	"rubbish":     func(_ int, s string) string { return "\xfe\x01\x02\xff\x80\n" + s },
}

// TestDecorations checks that what surrounds a log changes nothing of what is
// read.
func TestDecorations(t *testing.T) {
	t.Parallel()
	for name, log := range readCases(t) {
		want := withoutLines(find(log))
		for kind, decorate := range decorations {
			t.Run(name+"/"+kind, func(t *testing.T) {
				t.Parallel()
				var b strings.Builder
				for i, line := range strings.Split(strings.TrimSuffix(log, "\n"), "\n") {
					b.WriteString(decorate(i, line) + "\n")
				}
				if diff := cmp.Diff(want, withoutLines(find(b.String()))); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		}
	}
}

// withoutLines describes reports apart from where they are.
func withoutLines(reports []Report) string {
	for _, r := range reports {
		r.Where.Line, r.Time = 0, ""
		for i, w := range r.Warnings {
			if strings.HasPrefix(w, "the crash handler crashed itself") {
				r.Warnings[i] = "the crash handler crashed itself"
			}
		}
	}
	return describe(reports)
}

// TestLinesOfOthers puts lines of other tasks between those of a log.
func TestLinesOfOthers(t *testing.T) {
	t.Parallel()
	others := []string{"sensor: temperature 21.5 C", "net: 3 packets", "id=7 value=0x12"}
	for name, log := range readCases(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			for i, line := range strings.Split(strings.TrimSuffix(log, "\n"), "\n") {
				if i > 0 && i%3 == 0 && !strings.HasPrefix(line, "Begin") {
					b.WriteString(others[i/3%len(others)] + "\n")
				}
				b.WriteString(line + "\n")
			}
			checkSubset(t, find(log), find(b.String()))
		})
	}
}

// TestWrapped cuts lines as narrow terminals do. Values that have all of their
// digits come together again; others may be lost.
func TestWrapped(t *testing.T) {
	t.Parallel()
	for name, log := range readCases(t) {
		if strings.HasPrefix(name, "handwritten/") {
			continue // a value without all of its digits cannot be told from a part of one
		}
		for _, width := range []int{64, 72, 80} {
			t.Run(fmt.Sprintf("%s/%d", name, width), func(t *testing.T) {
				t.Parallel()
				var b strings.Builder
				for _, line := range strings.Split(log, "\n") {
					for ; len(line) > width; line = line[width:] {
						b.WriteString(line[:width] + "\n")
					}
					b.WriteString(line + "\n")
				}
				checkSubset(t, find(log), find(b.String()))
			})
		}
	}
}

// TestLostLines drops every line once: values are lost, and none is made up.
func TestLostLines(t *testing.T) {
	t.Parallel()
	for name, log := range readCases(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lines := strings.SplitAfter(log, "\n")
			whole := find(log)
			for i := range lines {
				checkSubset(t, whole, find(strings.Join(slices.Delete(slices.Clone(lines), i, i+1), "")))
				if t.Failed() {
					t.Fatalf("without line %d: %q", i+1, lines[i])
				}
			}
		})
	}
}

// TestTruncated cuts every log at every byte, long ones at every third.
func TestTruncated(t *testing.T) {
	t.Parallel()
	for name, log := range readCases(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			step := 1
			if len(log) > 1000 {
				step = 3
			}
			for i := 0; i < len(log); i += step {
				find(log[:i])
			}
			lines := strings.SplitAfter(log, "\n")
			whole := find(log)
			for i := range lines {
				checkSubset(t, whole, find(strings.Join(lines[:i], "")))
				if t.Failed() {
					t.Fatalf("up to line %d", i)
				}
			}
		})
	}
}

// checkSubset fails unless every report of part has registers and memory that
// one report of whole has too.
func checkSubset(t *testing.T, whole, part []Report) {
	t.Helper()
	for _, p := range part {
		if !slices.ContainsFunc(whole, func(w Report) bool { return isSubset(w, p) == "" }) {
			why := "there was no report"
			if len(whole) > 0 {
				why = isSubset(whole[0], p)
			}
			t.Errorf("%s", why)
		}
	}
}

// isSubset says what of p is not in w, "" if nothing.
func isSubset(w, p Report) string {
	wRegs, pRegs := w.Crashed().Regs, p.Crashed().Regs
	for r := range core.Reg(core.NumRegs) {
		pv, pHas := pRegs.Get(r)
		wv, wHas := wRegs.Get(r)
		if pHas && (!wHas || pv != wv) {
			return fmt.Sprintf("%v is %#x; it was %#x, known: %v", r, pv, wv, wHas)
		}
	}
	bytes := map[core.Addr]byte{}
	for i := len(w.Memory) - 1; i >= 0; i-- {
		for j, b := range w.Memory[i].Data {
			bytes[w.Memory[i].Addr+core.Addr(j)] = b
		}
	}
	for _, piece := range p.Memory {
		for j, b := range piece.Data {
			a := piece.Addr + core.Addr(j)
			if was, ok := bytes[a]; !ok || was != b {
				return fmt.Sprintf("byte at %v is %#x; it was %#x, known: %v", a, b, was, ok)
			}
		}
	}
	return ""
}

// TestDamaged flips bytes and shuffles lines; nothing may break.
func TestDamaged(t *testing.T) {
	t.Parallel()
	for name, log := range readCases(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewPCG(1, 2))
			lines := strings.SplitAfter(log, "\n")
			for range 200 {
				b := []byte(log)
				for range 1 + rnd.IntN(8) {
					b[rnd.IntN(len(b))] ^= 1 << rnd.IntN(8)
				}
				describe(find(string(b)))
				rnd.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
				describe(find(strings.Join(lines, "")))
			}
		})
	}
}

func FuzzFind(f *testing.F) {
	for _, log := range readCases(f) {
		f.Add([]byte(log))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, r := range Find(logtext.Parse(data)) {
			if r.First > r.Last || len(r.Threads) == 0 && r.Refused == nil {
				t.Fatalf("report %+v", r)
			}
		}
	})
}
