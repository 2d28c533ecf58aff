package line_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/elfsym/line"
)

// program is a line program that a test writes by hand.
type program struct {
	version  uint16
	tables   []byte // directories and files
	opcodes  []byte
	lineBase int8
	base     uint8 // opcode base, 0 means 13
	rng      uint8 // line range, 0 means 14
}

func (p program) bytes() []byte {
	le := binary.LittleEndian
	if p.base == 0 {
		p.base = 13
	}
	if p.rng == 0 {
		p.rng = 14
	}
	head := []byte{1} // minimum instruction length
	if p.version >= 4 {
		head = append(head, 1)
	}
	head = append(head, 1, byte(p.lineBase), p.rng, p.base)
	head = append(head, []byte{0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1}[:p.base-1]...)
	head = append(head, p.tables...)
	body := le.AppendUint16(nil, p.version)
	if p.version >= 5 {
		body = append(body, 4, 0)
	}
	body = le.AppendUint32(body, uint32(len(head)))
	body = append(append(body, head...), p.opcodes...)
	return append(le.AppendUint32(nil, uint32(len(body))), body...)
}

// tables4 writes the tables of DWARF 2 to 4; files are "directory name".
func tables4(dirs []string, files ...string) []byte {
	var b []byte
	for _, d := range dirs {
		b = append(b, d+"\x00"...)
	}
	b = append(b, 0)
	for _, f := range files {
		b = append(b, f[1:]+"\x00"...)
		b = append(b, f[0]-'0', 0, 0)
	}
	return append(b, 0)
}

func TestFiles(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, compDir string
		prog          program
		want          []string
	}{
		{"dwarf 4", "/build", program{version: 4, tables: tables4([]string{"src", "/usr/include"}, "0main.c", "1app.c", "2stdint.h", "1/abs.c", "0<built-in>", "9lost.c")},
			[]string{"", "/build/main.c", "/build/src/app.c", "/usr/include/stdint.h", "/abs.c", "<built-in>", "lost.c"}},
		{"dwarf 2 on Windows", `C:\fw\Debug`, program{version: 2, tables: tables4([]string{"../Core/Src", `D:\lib`}, `1it.c`, "2x.c", `0..\a.c`)},
			[]string{"", `C:\fw\Core\Src\it.c`, `D:\lib\x.c`, `C:\fw\a.c`}},
		{"dwarf 5", "/build", program{version: 5, tables: []byte{
			1, 1, 8, 3, '/', 'b', 'u', 'i', 'l', 'd', 0, 'i', 'n', 'c', 0, '/', 'x', 0, // directories: path as string
			3, 1, 8, 2, 0x0b, 5, 0x1e, 2, // files: path as string, directory as data1, MD5
			'a', '.', 'c', 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
			'b', '.', 'h', 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
		}}, []string{"/build/a.c", "/build/inc/b.h"}},
		{"dwarf 5, relative compilation directory", "fw", program{version: 5, tables: []byte{
			1, 1, 8, 1, 'f', 'w', 0, 2, 1, 8, 2, 0x0f, 1, 'a', '.', 'c', 0, 0}}, []string{"fw/a.c"}},
	} {
		p, err := line.Parse(line.Sections{Line: tt.prog.bytes()}, 0, tt.compDir, 4)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if d := cmp.Diff(tt.want, p.Files); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	good := program{version: 4, tables: tables4(nil, "0a.c")}.bytes()
	patch := func(off int, v byte) []byte {
		b := append([]byte(nil), good...)
		b[off] = v
		return b
	}
	for _, tt := range []struct {
		name, words string
		in          []byte
	}{
		{"empty", "outside", nil},
		{"longer than the section", "are left", patch(1, 0xff)},
		{"version", "version 9", patch(4, 9)},
		{"header length", "header is longer", patch(7, 0xff)},
		{"no operations", "maximum operations", patch(11, 0)},
		{"line range", "line range", patch(14, 0)},
		{"opcode base", "opcode base", patch(15, 0)},
		{"cut in the files", "are left", good[:len(good)-3]},
		{"count without fields", "no fields", program{version: 5, tables: []byte{0, 0xff, 0xff, 0xff, 0xff, 0x7f}}.bytes()},
		{"endless count", "expected", program{version: 5, tables: []byte{1, 1, 0x0b, 0xff, 0xff, 0xff, 0xff, 0x7f}}.bytes()},
		{"form", "form 0x10", program{version: 5, tables: []byte{1, 1, 0x10, 1}}.bytes()},
	} {
		_, err := line.Parse(line.Sections{Line: tt.in}, 0, "", 4)
		if err == nil || !strings.Contains(err.Error(), tt.words) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.words)
		}
	}
}

// TestRun executes each opcode; the comments give the state it leads to.
func TestRun(t *testing.T) {
	t.Parallel()
	opcodes := []byte{
		0, 5, 2, 0x00, 0x10, 0, 0, // set_address 0x1000
		5, 7, // set_column 7
		1,    // copy: 0x1000 line 1
		3, 9, // advance_line 9: line 10
		6,    // negate_stmt
		2, 4, // advance_pc 4: 0x1004
		1,             // copy
		13 + 14*2 + 3, // special: +2 bytes, +0 lines (base -3): 0x1006
		8,             // const_add_pc: (255-13)/14 = 17: 0x1017
		9, 3, 0,       // fixed_advance_pc 3: 0x101a
		7, 10, 11, 12, 1, // basic_block, prologue_end, epilogue_begin, set_isa
		4, 2, // set_file 2
		0, 2, 4, 5, // set_discriminator
		0, 6, 3, 'x', 0, 0, 0, 0, // define_file x: file 2
		1,    // copy
		2, 2, // 0x101c
		0, 1, 1, // end_sequence
		0, 5, 2, 0x00, 0x20, 0, 0, 1, // a sequence without end
	}
	p, err := line.Parse(line.Sections{Line: program{version: 3, lineBase: -3, tables: tables4(nil, "0a.c"), opcodes: opcodes}.bytes()}, 0, "/b", 4)
	if err != nil {
		t.Fatal(err)
	}
	table, err := p.Run()
	if err != nil {
		t.Fatal(err)
	}
	want := []line.Sequence{{Start: 0x1000, End: 0x101c, Rows: []line.Row{
		{Addr: 0x1000, File: 1, Line: 1, Column: 7, Stmt: true},
		{Addr: 0x1004, File: 1, Line: 10, Column: 7},
		{Addr: 0x1006, File: 1, Line: 10, Column: 7},
		{Addr: 0x101a, File: 2, Line: 10, Column: 7, PrologueEnd: true},
	}}}
	if d := cmp.Diff(want, table.Sequences); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"", "/b/a.c", "/b/x"}, p.Files); d != "" {
		t.Error(d)
	}
}

// TestRunDamaged keeps the sequences before the damage.
func TestRunDamaged(t *testing.T) {
	t.Parallel()
	whole := []byte{0, 5, 2, 0x00, 0x10, 0, 0, 1, 2, 2, 0, 1, 1}
	for _, damage := range [][]byte{{0, 9, 1}, {0, 0}, {2, 0x80}, {0, 3, 2, 1, 1}} {
		in := program{version: 4, tables: tables4(nil, "0a.c"), opcodes: append(append([]byte(nil), whole...), damage...)}
		p, err := line.Parse(line.Sections{Line: in.bytes()}, 0, "", 4)
		if err != nil {
			t.Fatal(err)
		}
		table, err := p.Run()
		if err == nil || len(table.Sequences) != 1 {
			t.Errorf("% x: %v, %d sequences", damage, err, len(table.Sequences))
		}
	}
}
