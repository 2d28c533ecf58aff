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
	"sort"
	"strconv"
	"strings"
	"testing"

	"pushmask/core"
	"pushmask/core/inspect"
	"pushmask/core/session"
)

// gdbLeaf is a line of testdata/values.py.
type gdbLeaf struct {
	frame                             int
	variable, path, outer, typ, value string
}

type gdbFrame struct {
	kind string
	pc   core.Addr
	name string
}

// runGDB returns what gdb thinks of a core.
func runGDB(t *testing.T, elf, corefile string, globals []string) ([]gdbFrame, []gdbLeaf) {
	t.Helper()
	names := filepath.Join(t.TempDir(), "globals")
	if err := os.WriteFile(names, []byte(strings.Join(globals, "\n")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("gdb-multiarch", "-nx", "-q", "-batch", "-ex", "set auto-load off", "-ex", "core-file "+corefile,
		"-x", "testdata/values.py", elf)
	cmd.Env = append(os.Environ(), "GLOBALS="+names, "LC_ALL=C.UTF-8")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("gdb: %v\n%s", err, out)
	}
	var frames []gdbFrame
	var list []gdbLeaf
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		word, text, _ := strings.Cut(lines.Text(), " ")
		switch word {
		case "FRAME":
			var f gdbFrame
			n := 0
			decode(t, text, &n, &f.kind, &f.pc, &f.name)
			f.pc &^= 1
			frames = append(frames, f)
		case "VALUE":
			var l gdbLeaf
			decode(t, text, &l.frame, &l.variable, &l.path, &l.outer, &l.typ, &l.value)
			list = append(list, l)
		}
	}
	if len(frames) == 0 {
		t.Fatalf("gdb found no frame:\n%s", out)
	}
	return frames, list
}

func decode(t *testing.T, text string, into ...any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &into); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// agreement counts what gdb and we say.
type agreement struct {
	same  int
	types int
	// kinds counts differences by the reason for them, lines tells each that has
	// none.
	kinds map[string]int
	lines []string
}

// compareCore compares the variables of all frames that gdb finds too, and of
// all globals.
func compareCore(t *testing.T, elf, corefile string, a *agreement) {
	t.Helper()
	ctx := context.Background()
	p, err := session.OpenProgram(ctx, session.Config{Image: elf})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	s, err := p.OpenDump(ctx, corefile, session.DumpOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	k, err := s.Stack(s.Threads()[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	frames, err := k.Frames(ctx, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	first, err := s.InspectFrame(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	ours := make(map[string]inspect.Leaf)
	var globals []string
	list, _ := s.Inspect().Globals(first, "", 0, 3000)
	for _, v := range list {
		globals = append(globals, v.Value.Expr)
		addLeaves(ours, -1, v.Value.Expr, v.Value)
	}
	gdbFrames, leaves := runGDB(t, elf, corefile, globals)
	mapped := matchFrames(gdbFrames, frames)
	for n, i := range mapped {
		f, err := s.InspectFrame(ctx, &frames[i])
		if err != nil {
			t.Fatal(err)
		}
		seen := make(map[string]int)
		for _, v := range s.Inspect().Locals(f) {
			addLeaves(ours, n, fmt.Sprintf("%s#%d", v.Name, seen[v.Name]), v.Value)
			seen[v.Name]++
		}
	}
	name := filepath.Base(filepath.Dir(elf)) + "/" + filepath.Base(corefile)
	for _, l := range leaves {
		if _, ok := mapped[l.frame]; ok || l.frame == -1 {
			a.add(name, l, ours, len(mapped))
		}
	}
}

func leafKey(frame int, variable, path string) string {
	return strconv.Itoa(frame) + " " + variable + " " + path
}

func addLeaves(to map[string]inspect.Leaf, frame int, name string, v *inspect.Value) {
	for _, l := range inspect.Leaves(v) {
		to[leafKey(frame, name, l.Path)] = l
	}
	to[leafKey(frame, name, "type")] = inspect.Leaf{Type: v.Type.Name(), Value: v.Text()}
}

// matchFrames pairs the frames of gdb with lines of our stack, by PC and by
// which of the lines at that PC they are.
func matchFrames(theirs []gdbFrame, ours []session.Frame) map[int]int {
	type key struct {
		pc core.Addr
		n  int
		sp int
	}
	lines := make(map[key]int)
	count := make(map[core.Addr]int)
	for i, f := range ours {
		if f.Kind == session.KindException {
			continue
		}
		lines[key{pc: f.Core.PC, n: count[f.Core.PC]}] = i
		count[f.Core.PC]++
	}
	out := make(map[int]int)
	seen := make(map[core.Addr]int)
	for n, f := range theirs {
		if f.kind == "other" {
			continue
		}
		if i, ok := lines[key{pc: f.pc, n: seen[f.pc]}]; ok {
			out[n] = i
		}
		seen[f.pc]++
	}
	return out
}

func (a *agreement) add(core string, l gdbLeaf, ours map[string]inspect.Leaf, frames int) {
	mine, ok := ours[leafKey(l.frame, l.variable, l.path)]
	whole, hasVariable := ours[leafKey(l.frame, l.variable, "type")]
	if !ok && hasVariable {
		mine = inspect.Leaf{Value: "(none) " + whole.Value}
	} else if !ok {
		mine = inspect.Leaf{Value: "(no variable)"}
	}
	if sameType(mine.Type, l.typ) {
		a.types++
	}
	kind := ""
	switch {
	case sameLeaf(mine.Value, l.value):
		a.same++
		if !ok || sameType(mine.Type, l.typ) {
			return
		}
		kind = "type"
	default:
		kind = difference(mine, l)
	}
	a.kinds[kind]++
	if kind == "type" || kind == "value" {
		a.lines = append(a.lines, fmt.Sprintf("%s #%d %s%s: gdb %s %q, ours %s %q", core, l.frame, l.variable, l.path, l.typ, l.value, mine.Type, mine.Value))
	}
}

func sameLeaf(ours, theirs string) bool {
	if ours == theirs {
		return true
	}
	x, err := strconv.ParseFloat(ours, 64)
	y, err2 := strconv.ParseFloat(theirs, 64)
	return err == nil && err2 == nil && (x == y || x != x && y != y)
}

func sameType(ours, theirs string) bool { return ours == theirs }

// difference is the reason for a difference, "value" where there is none.
func difference(mine inspect.Leaf, l gdbLeaf) string {
	if strings.HasPrefix(mine.Value, "<lost ") {
		return "register not saved: gdb takes what calls may change for unchanged"
	}
	return "value"
}

// TestAgainstGDB compares the variables of the fixtures with gdb.
func TestAgainstGDB(t *testing.T) {
	if _, err := exec.LookPath("gdb-multiarch"); err != nil {
		t.Skip("gdb-multiarch is not installed")
	}
	cores, err := filepath.Glob(os.Getenv("CORES"))
	if err != nil || len(cores) == 0 {
		cores, err = filepath.Glob("../../testdata/firmware/*/*.core")
	}
	if err != nil {
		t.Fatal(err)
	}
	a := &agreement{kinds: make(map[string]int)}
	for _, c := range cores {
		compareCore(t, filepath.Join(filepath.Dir(c), "fw.elf"), c, a)
	}
	total := a.same
	var kinds []string
	for k, n := range a.kinds {
		if k != "type" {
			total += n
		}
		kinds = append(kinds, fmt.Sprintf("%6d %s", n, k))
	}
	sort.Strings(kinds)
	t.Logf("%d values: %d agree, %d types agree\n%s", total, a.same, a.types, strings.Join(kinds, "\n"))
	for i, l := range a.lines {
		if i < 60 {
			t.Log(l)
		}
	}
}
