package inspect_test

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pushmask/core"
	"pushmask/core/inspect"
	"pushmask/core/session"
)

// agreement counts what gdb and we say of variables.
type agreement struct {
	same    int
	reasons map[string]int // differences
	lines   []string       // each that has no reason
	floats  int            // FP registers of callers that are equal
}

func newAgreement() *agreement { return &agreement{reasons: make(map[string]int)} }

// globalsOf returns expressions for the variables outside of functions.
func globalsOf(t *testing.T, p *session.Program) []string {
	t.Helper()
	s, err := p.Static(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	f, err := s.InspectFrame(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	list, _ := s.Inspect().Globals(f, "", 0, 2000)
	for _, v := range list {
		names = append(names, v.Value.Expr)
	}
	return names
}

// compare compares the variables of all frames that gdb finds too, and globals.
func (a *agreement) compare(t *testing.T, name string, s *session.Session, globals []string, theirs []gdbFrame, leaves []gdbLeaf) {
	t.Helper()
	ctx := context.Background()
	k, err := s.Stack(s.Threads()[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	frames, err := k.Frames(ctx, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	ours := ourLeaves{leaves: make(map[string]inspect.Leaf)}
	for _, g := range globals {
		v, err := s.Evaluate(ctx, g, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		ours.add(-1, g, v.Value)
	}
	mapped := matchFrames(theirs, frames)
	a.compareFloats(t, name, frames, theirs, mapped)
	for n, i := range mapped {
		f, err := s.InspectFrame(ctx, &frames[i])
		if err != nil {
			t.Fatal(err)
		}
		locals := s.Inspect().Locals(f)
		slices.SortStableFunc(locals, func(a, b inspect.Variable) int { return shadowed(a) - shadowed(b) })
		seen := make(map[string]int)
		for _, v := range locals {
			ours.add(n, fmt.Sprintf("%s#%d", v.Name, seen[v.Name]), v.Value)
			seen[v.Name]++
		}
	}
	for _, l := range leaves {
		if _, ok := mapped[l.frame]; ok || l.frame == -1 {
			a.judge(name, l, ours)
		}
	}
}

// compareFloats compares S16 to S31 of callers, as far as we know them.
func (a *agreement) compareFloats(t *testing.T, name string, ours []session.Frame, theirs []gdbFrame, mapped map[int]int) {
	t.Helper()
	for n, i := range mapped {
		if n == 0 || ours[i].Core == ours[0].Core {
			continue // no caller
		}
		for k, want := range theirs[n].high {
			r := core.S0 + 16 + core.Reg(k)
			got, known := ours[i].Core.Regs.Get(r)
			if known && got != want {
				t.Errorf("%s #%d %s: gdb has %#08x in %v, we have %#08x", name, n, theirs[n].name, want, r, got)
			}
			if known {
				a.floats++
			}
		}
	}
}

// shadowed is the order of variables of one name: the innermost is first.
func shadowed(v inspect.Variable) int {
	if v.Shadowed {
		return 1
	}
	return 0
}

// ourLeaves are the scalars that we find.
type ourLeaves struct{ leaves map[string]inspect.Leaf }

func leafKey(frame int, variable, path string) string {
	return strconv.Itoa(frame) + " " + variable + " " + canonical.Replace(path)
}

func (o ourLeaves) add(frame int, name string, v *inspect.Value) {
	for _, l := range inspect.Leaves(v) {
		o.leaves[leafKey(frame, name, l.Path)] = l
	}
	o.leaves[leafKey(frame, name, "variable")] = inspect.Leaf{Type: v.Type.Name(), Value: v.Text()}
}

// matchFrames pairs the frames of gdb with lines of our stack, by PC and by
// which of the lines at that PC they are.
func matchFrames(theirs []gdbFrame, ours []session.Frame) map[int]int {
	type key struct {
		pc core.Addr
		n  int
	}
	lines := make(map[key]int)
	count := make(map[core.Addr]int)
	for i, f := range ours {
		if f.Kind == session.KindException {
			continue
		}
		lines[key{f.Core.PC, count[f.Core.PC]}] = i
		count[f.Core.PC]++
	}
	out := make(map[int]int)
	seen := make(map[core.Addr]int)
	for n, f := range theirs {
		if f.kind == "other" {
			continue
		}
		if i, ok := lines[key{f.pc, seen[f.pc]}]; ok {
			out[n] = i
		}
		seen[f.pc]++
	}
	return out
}

// judge counts one scalar that gdb shows.
func (a *agreement) judge(name string, l gdbLeaf, ours ourLeaves) {
	mine, ok := ours.leaves[leafKey(l.frame, l.variable, l.path)]
	whole, known := ours.leaves[leafKey(l.frame, l.variable, "variable")]
	switch {
	case !ok && known:
		mine = inspect.Leaf{Value: "(none) " + whole.Value}
	case !ok:
		mine = inspect.Leaf{Value: "(no variable)"}
	}
	isSame := sameLeaf(mine.Value, l.value)
	if isSame && sameType(mine.Type, l.typ) && sameType(whole.Type, l.outer) {
		a.same++
		return
	}
	reason := explain(mine, whole, l, isSame)
	a.reasons[reason]++
	if reason == "" {
		a.lines = append(a.lines, fmt.Sprintf("%s #%d %s%s: gdb (%s) %s %q, ours (%s) %s %q", name, l.frame, l.variable, l.path, l.outer, l.typ, l.value, whole.Type, mine.Type, mine.Value))
	}
}

func sameLeaf(ours, theirs string) bool {
	x, err := strconv.ParseFloat(ours, 64)
	y, err2 := strconv.ParseFloat(theirs, 64)
	return ours == theirs || err == nil && err2 == nil && (x == y || x != x && y != y)
}

// sameType compares the names of types. gdb writes the arguments of templates in
// its own spelling of C's types, and types of C without their tags where the
// program is C++.
func sameType(ours, theirs string) bool {
	if untagged.Replace(theirs) == theirs {
		ours = untagged.Replace(ours)
	}
	if !strings.Contains(ours, "<") {
		return ours == theirs
	}
	return canonical.Replace(ours) == canonical.Replace(theirs)
}

var canonical = strings.NewReplacer(
	"long unsigned int", "unsigned long", "short unsigned int", "unsigned short", "short int", "short", "long int", "long",
	"unsigned int", "unsigned", " >", ">", "> ", ">", " *", "*", " &", "&", "const int", "int const",
	"0U", "0u", "1U", "1u", "2U", "2u", "3U", "3u", "4U", "4u", "5U", "5u", "6U", "6u", "7U", "7u", "8U", "8u", "9U", "9u")

var untagged = strings.NewReplacer("struct ", "", "union ", "", "enum ", "")

// explain returns the reviewed reason for a difference, "" for none.
func explain(mine, whole inspect.Leaf, l gdbLeaf, isSame bool) string {
	for _, e := range explanations {
		if e.applies(mine, whole, l, isSame) {
			return e.reason
		}
	}
	return ""
}

// explanations are why a difference is right, or known.
var explanations = []struct {
	reason  string
	applies func(mine, whole inspect.Leaf, l gdbLeaf, isSame bool) bool
}{
	{"gdb takes registers that a call may change for unchanged", func(mine, _ inspect.Leaf, _ gdbLeaf, _ bool) bool {
		return strings.HasPrefix(mine.Value, "<lost ")
	}},
	{"gdb takes registers that a call may change for unchanged: the value at entry is in one", func(mine, _ inspect.Leaf, l gdbLeaf, _ bool) bool {
		return mine.Value == "<optimized out>" && l.variable == "seed#0" && l.typ == "float"
	}},
	{"gdb gives the number 0 for a pointer to what was optimized out", func(mine, _ inspect.Leaf, l gdbLeaf, _ bool) bool {
		return mine.Value == "<synthetic pointer>" && l.value == "0"
	}},
	{"gdb writes (void) for the functions in a table of virtual functions", func(mine, _ inspect.Leaf, l gdbLeaf, isSame bool) bool {
		return isSame && l.typ == "int (**)(void)"
	}},
	{"gdb writes all pointers of Rust as *mut", func(_, _ inspect.Leaf, l gdbLeaf, isSame bool) bool {
		return isSame && (strings.HasPrefix(l.typ, "*mut ") || strings.HasPrefix(l.outer, "*mut "))
	}},
	{"gdb cannot make numbers of 16 bytes", func(_, _ inspect.Leaf, l gdbLeaf, _ bool) bool {
		return strings.HasPrefix(l.value, "<error> That operation is not available on integers")
	}},
	{"gdb cannot parse the name", func(_, _ inspect.Leaf, l gdbLeaf, _ bool) bool {
		for _, e := range []string{"A syntax error", "overlong character literal", `No symbol "anonymous"`} {
			if strings.HasPrefix(l.value, "<error> "+e) {
				return true
			}
		}
		return false
	}},
	{"gdb takes std::nullptr_t for int", func(mine, _ inspect.Leaf, l gdbLeaf, isSame bool) bool {
		return isSame && mine.Type == "decltype(nullptr)" && l.typ == "int"
	}},
	{"gdb lists variables of blocks that the PC is not in", func(mine, _ inspect.Leaf, l gdbLeaf, _ bool) bool {
		return mine.Value == "(no variable)" && l.frame >= 0 && (l.value == "<optimized out>" || strings.HasPrefix(l.value, "<error> Cannot access memory"))
	}},
	{"gdb does not compute the length of an array that was optimized out", func(mine, _ inspect.Leaf, l gdbLeaf, isSame bool) bool {
		return strings.Contains(l.outer, "[variable length]") && (isSame || l.value == "<error> no such vector element")
	}},
	{"gdb takes a length that was optimized out for 1", func(_, whole inspect.Leaf, l gdbLeaf, _ bool) bool {
		return whole.Value == "<the length was optimized out>" && strings.HasSuffix(l.outer, "[1]")
	}},
	{"gdb does not follow a pointer to an array of variable length that was optimized out", func(_, _ inspect.Leaf, l gdbLeaf, _ bool) bool {
		return strings.HasPrefix(l.value, "<error> access outside bounds of object referenced via synthetic pointer")
	}},
	{"gdb takes what follows the last piece of a variable for 0", func(mine, whole inspect.Leaf, l gdbLeaf, _ bool) bool {
		return mine.Value == "<optimized out>" && (l.value == "0" || l.value == "0.0") && whole.Value != mine.Value && l.path != ""
	}},
	{"gdb takes the argument of an earlier call: the program passes 1 here", func(mine, _ inspect.Leaf, l gdbLeaf, _ bool) bool {
		return l.variable == "low#0" && l.value == "0" && mine.Value == "1"
	}},
	{"gdb cuts a constant of 8 bytes to the size of an address", func(mine, _ inspect.Leaf, l gdbLeaf, _ bool) bool {
		return l.variable == "local#0" && l.path == ".d" && l.value == "0.0" && mine.Value == "-0.5"
	}},
	{"gdb takes the type of another declaration of the handler", func(_, _ inspect.Leaf, l gdbLeaf, isSame bool) bool {
		return isSame && l.variable == "__cxxabiv1::__unexpected_handler"
	}},
	{"gdb adds const to the type of this", func(mine, _ inspect.Leaf, l gdbLeaf, isSame bool) bool {
		return isSame && sameType(mine.Type, strings.ReplaceAll(l.typ, " * const)", " *)"))
	}},
	{"gdb cannot read registers of the FPU from a core of M-profile", func(_, _ inspect.Leaf, l gdbLeaf, _ bool) bool {
		return strings.HasPrefix(l.value, "<error> Unable to access DWARF register number ")
	}},
	{"gdb finds a function that the linker left out at address 0", func(mine, _ inspect.Leaf, l gdbLeaf, _ bool) bool {
		return mine.Value == "(no variable)" && l.frame > 0 && l.value == "9"
	}},
}

// wantAgreement is the least share of scalars that have to agree, or differ for
// a reviewed reason.
const wantAgreement = 0.995

// report logs the counts and fails where too little agrees.
func (a *agreement) report(t *testing.T) {
	t.Helper()
	total, explained := a.same, 0
	var text strings.Builder
	for _, r := range slices.Sorted(maps.Keys(a.reasons)) {
		n := a.reasons[r]
		total += n
		if r != "" {
			explained += n
		}
		fmt.Fprintf(&text, "\n%7d %s", n, r)
	}
	t.Logf("%d values: %d agree, %d differ for a reason, %d differ; %d FP registers of callers agree%s", total, a.same, explained, len(a.lines), a.floats, text.String())
	for i, l := range a.lines {
		if i == 60 {
			break
		}
		t.Log(l)
	}
	if total > 0 && float64(a.same+explained) < wantAgreement*float64(total) {
		t.Errorf("%d of %d values differ", len(a.lines), total)
	}
}

// TestFirmwareAgainstGDB compares the variables of our crashes with gdb.
func TestFirmwareAgainstGDB(t *testing.T) {
	t.Parallel()
	cores, err := filepath.Glob("../../testdata/firmware/*/*.core")
	if err != nil || len(cores) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	sum := newAgreement()
	for _, c := range cores {
		elf := filepath.Join(filepath.Dir(c), "fw.elf")
		p := openProgram(t, elf)
		s, err := p.OpenDump(context.Background(), c, session.DumpOptions{})
		if err != nil {
			t.Fatal(err)
		}
		run := gdbRun{elf: elf, core: c, globals: globalsOf(t, p)}
		frames, leaves := run.do(t)
		sum.compare(t, filepath.Base(filepath.Dir(c))+"/"+filepath.Base(c), s, run.globals, frames[0], leaves[0])
		s.Close()
	}
	sum.report(t)
}
