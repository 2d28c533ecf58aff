package elfsym_test

import (
	"path/filepath"
	"slices"
	"testing"

	"pushmask/elfsym"
)

// everywhere runs a test at each function of each fixture.
func everywhere(t *testing.T, test func(t *testing.T, m *elfsym.Image, f elfsym.Func)) {
	t.Helper()
	paths, err := filepath.Glob("testdata/locate/*.elf")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			m := open(t, path, elfsym.Options{})
			for _, f := range m.Functions() {
				test(t, m, f)
			}
		})
	}
}

// statementAt reports whether a statement of a line begins at an address.
func statementAt(m *elfsym.Image, file string, line int, addr uint32) bool {
	return slices.ContainsFunc(m.FileRows(file), func(r elfsym.LineRow) bool { return r.Addr == addr && r.Line == line })
}

// TestRows has rows say what Locate says of each of their instructions, but where
// one of several at an address begins a statement and the last one does not.
func TestRows(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, m *elfsym.Image, f elfsym.Func) {
		rows := m.Rows(f.Entry, f.End)
		if !slices.IsSortedFunc(rows, func(a, b elfsym.LineRow) int { return int(a.Addr) - int(b.Addr) }) {
			t.Errorf("%s: %+v", f.Name, rows)
		}
		for pc := f.Entry; pc < f.End; pc += 2 {
			at := m.Locate(pc)
			i := slices.IndexFunc(rows, func(r elfsym.LineRow) bool { return r.Addr > pc })
			if i < 0 {
				i = len(rows)
			}
			if len(at) == 0 || i == 0 {
				if len(at) > 0 && at[0].Line > 0 {
					t.Errorf("%s: no row at %#x, %+v", f.Name, pc, at[0])
				}
				continue
			}
			r := rows[i-1]
			same := r.Line == at[0].Line && r.File == at[0].File
			if !same && (!r.Stmt || !statementAt(m, r.File, r.Line, r.Addr)) {
				t.Errorf("%#x is %s:%d by its row, %s:%d by Locate", pc, r.File, r.Line, at[0].File, at[0].Line)
			}
		}
	})
}

// TestFileRows finds the rows that begin statements by their files.
func TestFileRows(t *testing.T) {
	t.Parallel()
	type key struct {
		addr uint32
		line int
	}
	everywhere(t, func(t *testing.T, m *elfsym.Image, f elfsym.Func) {
		byFile := map[string]map[key]bool{}
		for _, file := range m.Sources() {
			byFile[file] = map[key]bool{}
			for _, r := range m.FileRows(file) {
				if !r.Stmt || r.File != file || r.Line < 1 {
					t.Errorf("%s: %+v", file, r)
				}
				byFile[file][key{r.Addr, r.Line}] = true
			}
		}
		for _, r := range m.Rows(f.Entry, f.End) {
			if r.Stmt && r.Line > 0 && !byFile[r.File][key{r.Addr, r.Line}] {
				t.Errorf("%s has no row %+v", r.File, r)
			}
		}
	})
	m := open(t, "testdata/locate/inline.dwarf5.elf", elfsym.Options{})
	if rows := m.FileRows("inline.c"); rows != nil {
		t.Errorf("a path that is not recorded has %+v", rows)
	}
}

// TestInlinedAt has the inlined calls of each instruction that Locate has, and
// those are all that the image has.
func TestInlinedAt(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, m *elfsym.Image, f elfsym.Func) {
		all := map[uint64]elfsym.InlinedCode{}
		for _, c := range m.Inlined(func(string) bool { return true }) {
			all[c.ID] = c
		}
		for pc := f.Entry; pc < f.End; pc += 2 {
			calls, at := m.InlinedAt(pc), m.Locate(pc)
			if len(calls) != max(len(at)-1, 0) {
				t.Errorf("%#x is in %+v, Locate has %d lines", pc, calls, len(at))
				continue
			}
			for i, c := range calls {
				if known := all[c.ID]; !c.Contains(pc) || !c.Contains(c.Entry) || c.Function != at[len(at)-2-i].Function || known.Entry != c.Entry {
					t.Errorf("%#x: call %d is %+v, Locate has %+v", pc, i, c, at)
				}
			}
		}
	})
}
