package line_test

import (
	"debug/dwarf"
	"debug/elf"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core/coretest"
	"pushmask/elfsym/line"
	"pushmask/elfsym/srcpath"
)

// sections reads what line programs need from an ELF.
func sections(t testing.TB, f *elf.File) line.Sections {
	t.Helper()
	read := func(name string) []byte {
		s := f.Section(name)
		if s == nil {
			return nil
		}
		b, err := s.Data()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	return line.Sections{Line: read(".debug_line"), Str: read(".debug_str"), LineStr: read(".debug_line_str")}
}

// row is a row with its file's path, and whether it ends a sequence.
type row struct {
	Addr, Line uint32
	Column     uint16
	Stmt, End  bool
	File       string
}

// standard reads a line program with debug/dwarf, sorted as Table sorts.
func standard(t *testing.T, lr *dwarf.LineReader, compDir string) [][]row {
	t.Helper()
	var out [][]row
	var seq []row
	for {
		var e dwarf.LineEntry
		if err := lr.Next(&e); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if e.EndSequence {
			// Discarded functions of one section share a sequence, each from 0.
			slices.SortStableFunc(seq, func(a, b row) int { return int(int64(a.Addr) - int64(b.Addr)) })
			if len(seq) > 0 && uint32(e.Address) > seq[0].Addr {
				out = append(out, append(seq, row{Addr: uint32(e.Address), End: true}))
			}
			seq = nil
			continue
		}
		seq = append(seq, row{Addr: uint32(e.Address), Line: uint32(e.Line), Column: uint16(e.Column), Stmt: e.IsStmt,
			File: filePath(e.File.Name, compDir)})
	}
	slices.SortStableFunc(out, func(a, b []row) int { return int(int64(a[0].Addr) - int64(b[0].Addr)) })
	return out
}

// filePath completes names that the standard library leaves relative: those of
// DWARF 5 directories other than the first.
func filePath(name, compDir string) string {
	if srcpath.Absolute(compDir) {
		return srcpath.Join(compDir, name)
	}
	return srcpath.Clean(name)
}

func decoded(p *line.Program, table *line.Table) [][]row {
	var out [][]row
	for _, s := range table.Sequences {
		var seq []row
		for _, r := range s.Rows {
			seq = append(seq, row{Addr: r.Addr, Line: r.Line, Column: r.Column, Stmt: r.Stmt, File: p.Files[r.File]})
		}
		out = append(out, append(seq, row{Addr: s.End, End: true}))
	}
	return out
}

// compare decodes every line program of an ELF both ways and returns the
// number of rows.
func compare(t *testing.T, path string) (rows int) {
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := f.DWARF()
	if err != nil {
		t.Fatal(err)
	}
	sec := sections(t, f)
	r := data.Reader()
	for {
		cu, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if cu == nil {
			return rows
		}
		r.SkipChildren()
		lr, err := data.LineReader(cu)
		if err != nil {
			t.Fatal(err)
		}
		if lr == nil {
			continue
		}
		compDir, _ := cu.Val(dwarf.AttrCompDir).(string)
		p, err := line.Parse(sec, uint64(cu.Val(dwarf.AttrStmtList).(int64)), compDir, 4)
		if err != nil {
			t.Fatal(err)
		}
		table, err := p.Run()
		if err != nil {
			t.Fatal(err)
		}
		got, want := decoded(p, table), standard(t, lr, compDir)
		if !slices.EqualFunc(want, got, slices.Equal) {
			t.Fatalf("unit at %#x: %.2000s", cu.Offset, cmp.Diff(want, got))
		}
		for _, s := range got {
			rows += len(s)
		}
	}
}

// TestRowsMatchStandardLibrary compares all rows of the fixtures, and of the
// shared firmware where it is present, with debug/dwarf.
func TestRowsMatchStandardLibrary(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("../testdata/locate/inline.dwarf*.elf")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, path := range paths {
		if compare(t, path) == 0 {
			t.Errorf("%s has no rows", path)
		}
	}
	t.Run("shared", func(t *testing.T) {
		t.Parallel()
		for _, pattern := range []string{"dumps/probe-rs/*.elf", "cases/oracle/*-O2.elf"} {
			paths, err := filepath.Glob(filepath.Join(coretest.Shared(t), pattern))
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range paths {
				t.Logf("%s: %d rows", filepath.Base(path), compare(t, path))
			}
		}
	})
}

func TestCovering(t *testing.T) {
	t.Parallel()
	table := &line.Table{}
	table.Add([]line.Row{{Addr: 0x100, Line: 1}, {Addr: 0x104, Line: 2}, {Addr: 0x104, Line: 3}, {Addr: 0x108, Line: 0}}, 0x110)
	table.Add([]line.Row{{Addr: 0, Line: 90}}, 0x200) // of a discarded function
	table.Add([]line.Row{{Addr: 0x204, Line: 7}, {Addr: 0x200, Line: 6}}, 0x208)
	table.Add(nil, 0x300)
	table.Add([]line.Row{{Addr: 0x400, Line: 9}}, 0x400)
	table.Sort()
	for _, tt := range []struct {
		pc    uint32
		lines []uint32 // of the sequences
	}{
		{0x0, []uint32{90}}, {0x100, []uint32{1, 90}}, {0x103, []uint32{1, 90}}, {0x104, []uint32{3, 90}},
		{0x108, []uint32{0, 90}}, {0x10f, []uint32{0, 90}}, {0x110, []uint32{90}}, {0x1ff, []uint32{90}},
		{0x200, []uint32{6}}, {0x206, []uint32{7}}, {0x208, nil}, {0x400, nil}, {0xffffffff, nil},
	} {
		var got []uint32
		for _, s := range table.Covering(tt.pc) {
			got = append(got, s.At(tt.pc).Line)
		}
		if d := cmp.Diff(tt.lines, got); d != "" {
			t.Errorf("%#x: %s", tt.pc, d)
		}
	}
}

// FuzzProgram checks that no input panics, hangs or takes memory out of
// proportion.
func FuzzProgram(f *testing.F) {
	paths, err := filepath.Glob("../testdata/locate/inline.dwarf*.elf")
	if err != nil || len(paths) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, path := range paths {
		e, err := elf.Open(path)
		if err != nil {
			f.Fatal(err)
		}
		sec := sections(f, e)
		f.Add(sec.Line, sec.Str, sec.LineStr)
		e.Close()
	}
	f.Fuzz(func(t *testing.T, prog, str, lineStr []byte) {
		p, err := line.Parse(line.Sections{Line: prog, Str: str, LineStr: lineStr}, 0, "/build", 4)
		if err != nil {
			return
		}
		table, _ := p.Run()
		rows := 0
		for _, s := range table.Sequences {
			if s.Start >= s.End || s.Rows[0].Addr != s.Start {
				t.Fatalf("sequence %#x-%#x begins with %+v", s.Start, s.End, s.Rows[0])
			}
			rows += len(s.Rows)
			if len(table.Covering(s.Start)) == 0 {
				t.Fatalf("no sequence covers %#x", s.Start)
			}
		}
		if rows > len(prog) || len(p.Files) > len(prog)+1 {
			t.Fatalf("%d bytes give %d rows and %d files", len(prog), rows, len(p.Files))
		}
	})
}
