package dap

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-dap"
)

// truth is a line of a fixture's want.txt: the true stack.
type truth struct {
	kind, pc, function, position string
}

func (w truth) String() string {
	return strings.Join([]string{w.kind, w.pc, w.function, w.position}, " ")
}

// readTruth parses a want.txt: kind, PC, function, and file:line of each line
// of the stack, "-" for what there is none of.
func readTruth(t *testing.T, path string) []truth {
	t.Helper()
	var list []truth
	for line := range strings.Lines(string(must(os.ReadFile(path))(t))) {
		fields := strings.Fields(line)
		if len(fields) < 4 || fields[0] == "#" {
			continue
		}
		last := len(fields) - 1
		list = append(list, truth{fields[0], fields[1], strings.Join(fields[2:last], " "), fields[last]})
	}
	return list
}

// TestFixtures opens every fixture and compares the stack of the thread that
// stopped with the true one.
func TestFixtures(t *testing.T) {
	t.Parallel()
	cores, err := filepath.Glob(fixture(t, "*", "crash.core"))
	if err != nil || len(cores) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, core := range cores {
		dir := filepath.Dir(core)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			c := startAdapter(t, nil)
			must(c.Initialize())(t)
			if err := c.Launch(map[string]any{
				"executable":    filepath.Join(dir, "fw.elf"),
				"coreFile":      core,
				"sourceFileMap": map[string]any{"/firmware": fixture(t)},
			}); err != nil {
				t.Fatal(err)
			}
			thread := must(c.Threads())(t)[0].Id
			frames := must(c.StackTrace(thread, 0, 0))(t).StackFrames
			want := readTruth(t, filepath.Join(dir, "want.txt"))
			for i := range max(len(frames), len(want)) {
				switch {
				case i >= len(want):
					t.Errorf("frame %d: %s, want no more", i, frames[i].Name)
				case i >= len(frames):
					t.Errorf("frame %d: missing, want %s", i, want[i])
				default:
					checkFrame(t, i, frames[i], want[i])
				}
			}
		})
	}
}

// checkFrame compares what a client sees of a frame with the truth.
func checkFrame(t *testing.T, i int, f dap.StackFrame, want truth) {
	t.Helper()
	if want.kind == "exception" {
		if f.PresentationHint != "label" || f.InstructionPointerReference != "" || f.Source != nil {
			t.Errorf("frame %d: %+v is no exception", i, f)
		}
		return
	}
	if f.InstructionPointerReference != want.pc {
		t.Errorf("frame %d, %s: pc %s, want %s", i, f.Name, f.InstructionPointerReference, want.pc)
	}
	name := want.function
	if want.kind == "inline" {
		// DWARF has no qualified name for an inlined call.
		name = name[strings.LastIndex(name, ":")+1:]
	}
	if name != "-" && !strings.HasPrefix(f.Name, name) {
		t.Errorf("frame %d: name %q, want %q", i, f.Name, name)
	}
	if inline := strings.Contains(f.Name, " (inlined)"); inline != (want.kind == "inline") {
		t.Errorf("frame %d, %s: inlined %v, want %s", i, f.Name, inline, want.kind)
	}
	if want.position == "-" {
		return
	}
	if f.Source == nil || f.Source.SourceReference != 0 {
		t.Errorf("frame %d, %s: no source file, want %s", i, f.Name, want.position)
		return
	}
	got := fmt.Sprintf("%s:%d", f.Source.Path, f.Line)
	if position := strings.Replace(want.position, "/firmware", fixture(t), 1); got != position {
		t.Errorf("frame %d, %s: %s, want %s", i, f.Name, got, position)
	}
}
