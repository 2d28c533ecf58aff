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
	same    int               // values that are equal, and of equal types
	letters int               // those of them of which the types are written the same
	ours    map[string]int    // differences where ours is true or more, by the reason
	theirs  map[string]int    // differences where gdb's is
	lines   []string          // each that has no reason
	known   map[string]string // why ours is right of variables and expressions by name
	cores   int               // r4 to r11 of callers that are equal
	floats  int               // S16 to S31
}

func newAgreement() *agreement {
	return &agreement{ours: make(map[string]int), theirs: make(map[string]int)}
}

// noVariable stands for a variable that we do not list.
const noVariable = "(no variable)"

// globalsOf returns the variables outside of functions.
func globalsOf(t *testing.T, p *session.Program) []global {
	t.Helper()
	s, err := p.Static(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	f, err := s.InspectFrame(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []global
	list, _ := s.Inspect().Globals(f, "", 0, 2000)
	for _, v := range list {
		addr, _ := v.Value.Address()
		out = append(out, global{v.Value.Expr, v.Name, addr})
	}
	return out
}

// compare compares the variables of all frames that gdb finds too, and globals.
func (a *agreement) compare(t *testing.T, name string, s *session.Session, globals []global, theirs []gdbFrame, leaves []gdbLeaf) {
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
		v, err := s.Evaluate(ctx, g.expr, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		ours.add(-1, g.expr, v.Value)
	}
	mapped := matchFrames(theirs, frames)
	a.compareRegisters(t, name, frames, theirs, mapped)
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

// compareRegisters compares r4 to r11 and S16 to S31 of callers, as far as we know
// them.
func (a *agreement) compareRegisters(t *testing.T, name string, ours []session.Frame, theirs []gdbFrame, mapped map[int]int) {
	t.Helper()
	for n, i := range mapped {
		if n == 0 || ours[i].Core == ours[0].Core {
			continue // no caller
		}
		compare := func(first core.Reg, want []uint32) (equal int) {
			for k, w := range want {
				r := first + core.Reg(k)
				got, known := ours[i].Core.Regs.Get(r)
				if known && got != w {
					t.Errorf("%s #%d %s: gdb has %#08x in %v, we have %#08x", name, n, theirs[n].name, w, r, got)
				}
				if known {
					equal++
				}
			}
			return equal
		}
		a.cores += compare(core.R4, theirs[n].core)
		a.floats += compare(core.S0+16, theirs[n].high)
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
		mine = inspect.Leaf{Value: noVariable}
	}
	d := difference{mine, whole, l, sameLeaf(mine.Value, l.value)}
	if d.isSame && (!known || sameType(mine.Type, l.typ) && sameType(whole.Type, l.outer)) {
		a.same++
		if !known || mine.Type == l.typ && whole.Type == l.outer {
			a.letters++
		}
		return
	}
	reason, isOurs := explain(&d)
	if why, ok := a.known[l.variable]; ok {
		reason, isOurs = why, true
	}
	switch {
	case reason == "":
		a.lines = append(a.lines, fmt.Sprintf("%s #%d %s%s: gdb (%s) %s %q, ours (%s) %s %q", name, l.frame, l.variable, l.path, l.outer, l.typ, l.value, whole.Type, mine.Type, mine.Value))
	case isOurs:
		a.ours[reason]++
	default:
		a.theirs[reason]++
	}
}

// wantAgreement is the least share of the values that gdb shows and that are
// true that we have to show as well.
const wantAgreement = 0.995

// report logs the counts and fails where too little agrees, or a difference has
// no reason.
func (a *agreement) report(t *testing.T) {
	t.Helper()
	var text strings.Builder
	table := func(title string, reasons map[string]int) (sum int) {
		for _, r := range slices.Sorted(maps.Keys(reasons)) {
			fmt.Fprintf(&text, "\n%7d %s: %s", reasons[r], title, r)
			sum += reasons[r]
		}
		return sum
	}
	ours, theirs := table("ours is right", a.ours), table("gdb shows more", a.theirs)
	known := a.same + theirs + len(a.lines)
	t.Logf("%d values: %d agree (%.2f %%), %d of them in other words; of %d ours is right and of %d gdb's, %d have no reason; without those that gdb has wrong %.2f %% agree; of callers %d of r4 to r11 and %d of S16 to S31 are equal%s",
		known+ours, a.same, percent(a.same, known+ours), a.same-a.letters, ours, theirs, len(a.lines), percent(a.same, known), a.cores, a.floats, text.String())
	for i, l := range a.lines {
		if i == 60 {
			break
		}
		t.Error(l)
	}
	if float64(a.same) < wantAgreement*float64(known) {
		t.Errorf("%d of %d values that gdb shows differ", known-a.same, known)
	}
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }

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
