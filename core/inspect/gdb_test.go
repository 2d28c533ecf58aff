package inspect_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pushmask/core"
)

// gdbRun is a run of testdata/values.py: on a core, or at several stops of what
// runs behind a stub.
type gdbRun struct {
	elf     string
	core    string
	target  string
	breaks  []string // where it stops, stop_here without any
	ram     []string // what is saved there, ADDRESS+SIZE in hexadecimal; RAM of the mps2 boards without any
	added   []string // commands that add ELFs
	stops   int
	dir     string // where the stops are saved
	globals []global
	rust    bool
	floats  string // names of FP registers in the frame tables: "s" or "d"
}

// global is a variable outside of functions: an expression for it, its qualified
// name, and where it lies, 0 where that is nowhere.
type global struct {
	expr, name string
	addr       core.Addr
}

// gdbLeaf is a scalar as gdb sees it.
type gdbLeaf struct {
	frame          int // -1 for globals
	variable, path string
	outer          string // type of the variable
	typ, value     string
}

// gdbFrame is a frame as gdb sees it.
type gdbFrame struct {
	kind string
	pc   core.Addr
	name string
	core []uint32 // r4 to r11
	high []uint32 // S16 to S31, none without an FPU
}

// maxRun bounds a run of gdb: the program may not get to where it is stopped.
const maxRun = time.Minute

// do returns the frames and the scalars of all stops.
func (r *gdbRun) do(t *testing.T) (map[int][]gdbFrame, map[int][]gdbLeaf) {
	t.Helper()
	gdb, err := exec.LookPath("gdb-multiarch")
	if err != nil {
		t.Skip("gdb-multiarch is not installed")
	}
	names := filepath.Join(t.TempDir(), "globals")
	var list strings.Builder
	for _, g := range r.globals {
		fmt.Fprintf(&list, "%s\t%s\t%d\n", g.expr, g.name, uint32(g.addr))
	}
	if err := os.WriteFile(names, []byte(list.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	args := []string{"-nx", "-q", "-batch", "-ex", "set auto-load off", "-ex", "set print object off"}
	if r.core != "" {
		args = append(args, "-ex", "core-file "+r.core)
	}
	for _, add := range r.added {
		args = append(args, "-ex", add)
	}
	breaks, ram := r.breaks, r.ram
	if len(breaks) == 0 {
		breaks = []string{"stop_here"}
	}
	if len(ram) == 0 {
		ram = []string{"20000000+10000"}
	}
	ctx, cancel := context.WithTimeout(t.Context(), maxRun)
	defer cancel()
	cmd := exec.CommandContext(ctx, gdb, append(args, "-x", "testdata/values.py", r.elf)...)
	cmd.Env = append(os.Environ(), "GLOBALS="+names, "LC_ALL=C.UTF-8", "TARGET="+r.target, fmt.Sprint("STOPS=", r.stops), "OUT="+r.dir, "FLOATS="+r.floats,
		"BREAKS="+strings.Join(breaks, " "), "RAM="+strings.Join(ram, " "))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("gdb: %v\n%s", err, tail(out))
	}
	frames, leaves := make(map[int][]gdbFrame), make(map[int][]gdbLeaf)
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		word, text, _ := strings.Cut(lines.Text(), " ")
		stop := 0
		switch word {
		case "FRAME":
			var f gdbFrame
			n := 0
			decode(t, text, &stop, &n, &f.kind, &f.pc, &f.name, &f.core, &f.high)
			f.pc &^= 1
			frames[stop] = append(frames[stop], f)
		case "VALUE":
			var l gdbLeaf
			decode(t, text, &stop, &l.frame, &l.variable, &l.path, &l.outer, &l.typ, &l.value)
			leaves[stop] = append(leaves[stop], l)
		}
	}
	if len(frames) < max(r.stops, 1) {
		t.Fatalf("gdb saw %d stops:\n%s", len(frames), tail(out))
	}
	return frames, leaves
}

// tail is the end of an output, which says what went wrong.
func tail(out []byte) []byte { return out[max(0, len(out)-1000):] }

func decode(t *testing.T, text string, into ...any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &into); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}
