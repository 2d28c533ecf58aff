package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFixtures compares the stacks of the recorded crashes with what gdb saw on
// the live machine: want.txt has the stack of all cores of a folder, X.txt that
// of X.core (kind, PC, function, file:line; "-" is unknown).
func TestFixtures(t *testing.T) {
	t.Parallel()
	cases, err := filepath.Glob(filepath.Join(fixtures, "*", "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) < 20 {
		t.Errorf("only %d fixtures: %v", len(cases), cases)
	}
	for _, want := range cases {
		dir := filepath.Dir(want)
		cores := []string{strings.TrimSuffix(want, ".txt") + ".core"}
		if filepath.Base(want) == "want.txt" {
			cores, err = filepath.Glob(filepath.Join(dir, "*.core"))
		}
		if err != nil || len(cores) == 0 {
			t.Errorf("%s: no core (%v)", dir, err)
		}
		for _, core := range cores {
			t.Run(filepath.Base(dir)+"/"+filepath.Base(core), func(t *testing.T) {
				t.Parallel()
				checkFixture(t, filepath.Join(dir, "fw.elf"), core, want)
			})
		}
	}
}

func checkFixture(t *testing.T, image, core, want string) {
	ctx := context.Background()
	p, err := OpenProgram(ctx, Config{Image: image})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	s, err := p.OpenDump(ctx, core, DumpOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if w := s.Warnings(); len(w) > 0 {
		t.Errorf("warnings: %q", w)
	}
	k, err := s.Stack(s.Threads()[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	frames, err := k.Frames(ctx, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	truth, err := os.ReadFile(want)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wanted(string(truth)), shown(frames)); diff != "" {
		t.Errorf("stack (-want +got), stop %v %q:\n%s", k.Stop().Kind, k.Stop().Detail, diff)
	}
	if w := p.Warnings(); len(w) > 0 {
		t.Errorf("warnings about the image: %q", w)
	}
	if !k.Stop().Complete() {
		t.Errorf("the stack stops early: %v, %s", k.Stop().Kind, k.Stop().Detail)
	}
}

// wanted is the content of want.txt without comments. A function that is
// inlined everywhere has no linkage name in DWARF; gdb puts its scope together
// from the entries around it, pushmask (like addr2line) shows the bare name.
func wanted(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.Fields(line)
		if name := words[2 : len(words)-1]; words[0] == string(KindInline) {
			joined := strings.Join(name, " ")
			words = []string{words[0], words[1], joined[strings.LastIndex(joined, ":")+1:], words[len(words)-1]}
		}
		lines = append(lines, strings.Join(words, " "))
	}
	return lines
}

// shown writes frames the way want.txt has them.
func shown(frames []Frame) []string {
	var lines []string
	for _, f := range frames {
		if f.Kind == KindException {
			name := strings.TrimSuffix(strings.TrimPrefix(f.Function, "<exception "), ">")
			lines = append(lines, fmt.Sprintf("exception - %s -", name))
			continue
		}
		name, where := f.Function, "-"
		if strings.HasPrefix(name, "sub_") || strings.HasPrefix(name, "<") {
			name = "-"
		}
		// Without DWARF the name of a clone is that of its symbol.
		name = strings.TrimSuffix(name, ".constprop.0")
		if f.Line > 0 {
			where = fmt.Sprintf("%s:%d", f.Recorded, f.Line)
		}
		lines = append(lines, fmt.Sprintf("%s %v %s %s", f.Kind, f.Core.PC, name, where))
	}
	return lines
}
