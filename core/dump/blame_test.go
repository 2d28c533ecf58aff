package dump

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pushmask/core/coretest"
)

// TestBlame opens NuttX cores of several processors, of which each runs a task,
// with the crash log before them: the log tells which of the tasks crashed.
func TestBlame(t *testing.T) {
	t.Parallel()
	const pc, sp = 0x08001234, 0x20001000 // as assertion prints them; the task is "init"
	first := task("first", 1, regs(1, 0x20003080, 0x301, 0x300, 0x01000000))
	stack := []coretest.ELFSegment{load(0x20003000, 0x100, 0), load(0x20000f00, 0x200, 0)}
	for _, c := range []struct {
		name  string
		tasks [][]byte
		want  string
	}{
		{"PC and SP", [][]byte{first, task("second", 2, regs(2, sp, 0x301, pc, 0x01000000)), task("init", 3, regs(3, 0x20000f90, 0x301, 0x400, 0x01000000))}, "second"},
		{"name", [][]byte{first, task("init", 2, regs(2, 0x20000f90, 0x301, 0x400, 0x01000000))}, "init"},
		{"name of two", [][]byte{first, task("init", 2, regs(2, 0x20000f90, 0, 0x400, 0)), task("init", 3, regs(2, 0x20000f98, 0, 0x400, 0))}, "first"},
		{"neither", [][]byte{first, task("second", 2, regs(2, 0x20000f90, 0x301, 0x400, 0x01000000))}, "first"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := coretest.ELFCore{Align: 64, Segments: append([]coretest.ELFSegment{coretest.NoteSegment(c.tasks...)}, stack...)}.Bytes()
			report := assertion(pc) + stackRow
			carried, err := openString(t, report+hexCore(b), Options{})
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			for name, content := range map[string]string{"core": string(b), "log": report} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			apart, err := Open(filepath.Join(dir, "core"), Options{More: []Source{{Path: filepath.Join(dir, "log")}}})
			if err != nil {
				t.Fatal(err)
			}
			defer apart.Close()
			for where, d := range map[string]*Dump{"in the log": carried, "beside it": apart} {
				crashed := 0
				for _, th := range d.threads {
					if th.Crashed {
						crashed++
					}
				}
				if got := d.threads[0]; got.Name != c.want || !got.Crashed || crashed != 1 || len(d.threads) != len(c.tasks) {
					t.Errorf("core %s: %q is first of %d, crashed %v; %d crashed, want %q", where, got.Name, len(d.threads), got.Crashed, crashed, c.want)
				}
			}
		})
	}
}

// hexCore is a core as NuttX prints it.
func hexCore(b []byte) string {
	var out strings.Builder
	out.WriteString("Start coredump:\n")
	for line := range slices.Chunk(b, 64) {
		fmt.Fprintf(&out, "%X\n", line)
	}
	out.WriteString("Finish coredump. hex formatted\n")
	return out.String()
}
