package elfsym_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/elfsym"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with a file of testdata.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Error(d)
	}
}

// chainText is "0x0000001a square inline.c:10 < work inline.c:34".
func chainText(pc uint32, chain []elfsym.Location) string {
	parts := make([]string, len(chain))
	for i, l := range chain {
		parts[i] = fmt.Sprintf("%s %s:%d:%d", l.Function, l.File, l.Line, l.Column)
		if l.Inline != (i < len(chain)-1) {
			parts[i] += " (wrong inline mark)"
		}
	}
	return fmt.Sprintf("%#08x %s\n", pc, strings.Join(parts, " < "))
}

// locateText lists where the position changes in all functions.
func locateText(m *elfsym.Image) string {
	var b strings.Builder
	for _, f := range m.Functions() {
		fmt.Fprintf(&b, "%#08x-%#08x %s\n", f.Entry, f.End, f.Name)
		last := ""
		for pc := f.Entry; pc < f.End; pc += 2 {
			text := chainText(pc, m.Locate(pc))
			if _, where, _ := strings.Cut(text, " "); where != last {
				b.WriteString("  " + text)
				last = where
			}
		}
	}
	return b.String()
}

// TestLocateFixtures covers DWARF 2 to 5, 64-bit DWARF, the compressions, two
// compilers, Windows paths, and DWARF of discarded functions in
// an image whose flash begins at 0. See testdata/locate/build.sh.
func TestLocateFixtures(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/locate/*.elf")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			m := open(t, path, elfsym.Options{})
			name, _, _ := strings.Cut(filepath.Base(path), ".")
			golden(t, filepath.Join("testdata/locate", name+".txt"), locateText(m))
			if p := m.Problems(); len(p) > 0 {
				t.Error(p)
			}
			if name == "itcm" {
				return // without symbols its function at 0 cannot be told from discarded ones
			}
			// Without the symbol table DWARF gives the same functions.
			bare := open(t, path, elfsym.Options{NoSymbols: true})
			if d := cmp.Diff(bounds(m), bounds(bare)); d != "" {
				t.Errorf("without symbols: %s", d)
			}
		})
	}
}

// bounds returns the entry and end of all functions.
func bounds(m *elfsym.Image) [][2]uint32 {
	var out [][2]uint32
	for _, f := range m.Functions() {
		out = append(out, [2]uint32{f.Entry, f.End})
	}
	return out
}

func TestSourcesAndAddresses(t *testing.T) {
	t.Parallel()
	m := open(t, "testdata/locate/inline.dwarf5.elf", elfsym.Options{})
	if d := cmp.Diff([]string{"/build/inline.c"}, m.Sources()); d != "" {
		t.Error(d)
	}
	// Line 9 is inlined twice into work; the copies in the discarded function
	// are no places for a breakpoint.
	for line, want := range map[int][]uint32{9: {0x28, 0x3a}, 53: {0x70}, 37: nil, 0: nil, 999: nil} {
		got := m.Addresses("/build/inline.c", line)
		for _, pc := range got {
			if at := m.Locate(pc); at[0].Line != line {
				t.Errorf("line %d: %#x is at line %d", line, pc, at[0].Line)
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("line %d: %s", line, d)
		}
	}
	if got := m.Addresses("inline.c", 9); got != nil {
		t.Errorf("a path that is not recorded gives %#x", got)
	}
	windows := open(t, "testdata/locate/windows.elf", elfsym.Options{})
	if d := cmp.Diff([]string{`C:\build\fw\inline.c`}, windows.Sources()); d != "" {
		t.Error(d)
	}
}

// TestInlinedEntry takes DW_AT_entry_pc for the beginning of inlined code whose
// lowest address is of a part that runs later.
func TestInlinedEntry(t *testing.T) {
	t.Parallel()
	want := map[string]uint32{"square": 58, "nested": 96}
	for _, file := range []string{"dwarf2", "dwarf3", "dwarf4", "dwarf5", "dwarf64"} {
		m := open(t, "testdata/locate/inline."+file+".elf", elfsym.Options{})
		for name, entry := range want {
			found := slices.ContainsFunc(m.Inlined(func(s string) bool { return s == name }), func(c elfsym.InlinedCode) bool {
				return c.Entry == entry && c.Ranges[0].Lo < entry
			})
			if !found {
				t.Errorf("%s: no copy of %s begins at %#x", file, name, entry)
			}
		}
	}
}

// TestDiscardedFunctions checks that DWARF of discarded functions, which
// claims addresses from 0 on, names nothing: neither the vector table nor the
// functions that lie there. GDB and binutils do attribute them.
func TestDiscardedFunctions(t *testing.T) {
	t.Parallel()
	for _, opt := range []elfsym.Options{{}, {NoSymbols: true}} {
		m := open(t, "testdata/locate/inline.dwarf4.elf", opt)
		for pc := uint32(0); pc < 0x10; pc += 2 {
			if got := m.Locate(pc); got != nil {
				t.Errorf("%+v: the vector table is %s", opt, chainText(pc, got))
			}
			if f, ok := m.FuncAt(pc); ok {
				t.Errorf("%+v: the vector table is in %+v", opt, f)
			}
		}
		for _, f := range m.Functions() {
			if f.Name == "discarded" || f.Name == "source" {
				t.Errorf("%+v: discarded function is listed: %+v", opt, f)
			}
		}
	}
}

func TestNoDebug(t *testing.T) {
	t.Parallel()
	m := open(t, "testdata/locate/inline.dwarf5.elf", elfsym.Options{NoDebug: true})
	if m.HasDebug() || m.Sources() != nil || m.Addresses("/build/inline.c", 9) != nil {
		t.Error("NoDebug is not honoured")
	}
	if d := cmp.Diff([]elfsym.Location{{Function: "work"}}, m.Locate(0x28)); d != "" {
		t.Error(d)
	}
	blind := open(t, "testdata/locate/inline.dwarf5.elf", elfsym.Options{NoDebug: true, NoSymbols: true})
	if f, ok := blind.FuncAt(0x28); ok || blind.Locate(0x28) != nil {
		t.Errorf("with nothing allowed: %+v", f)
	}
}

// TestConcurrentUse is for the race detector.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	m := open(t, "testdata/locate/inline.dwarf5.elf", elfsym.Options{})
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for pc := uint32(i); pc < 0x80; pc += 2 {
				m.Locate(pc)
				m.FuncAt(pc)
				m.State(pc)
				m.SymbolAt(pc)
			}
			m.Addresses("/build/inline.c", 9)
			m.Functions()
			m.Lookup("work")
			m.Problems()
			var b [8]byte
			if _, err := m.ReadAt(0x10, b[:]); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}
