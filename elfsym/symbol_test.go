package elfsym_test

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/elfsym"
)

// describe lists functions one a line: name entry-end and marks.
func describe(m *elfsym.Image) []string {
	var out []string
	for _, f := range m.Functions() {
		s := fmt.Sprintf("%s %#x-%#x", f.Name, f.Entry, f.End)
		if !f.Sized {
			s += " unsized"
		}
		if !f.Thumb {
			s += " arm"
		}
		out = append(out, s)
	}
	return out
}

func global(s elfSymbol) elfSymbol { s.bind = elf.STB_GLOBAL; return s }
func weak(s elfSymbol) elfSymbol   { s.bind = elf.STB_WEAK; return s }
func local(s elfSymbol) elfSymbol  { s.bind = elf.STB_LOCAL; return s }

func TestFunctions(t *testing.T) {
	t.Parallel()
	text := []elfSection{code(".text", 0x8000, 0x100)}
	for _, tt := range []struct {
		name    string
		symbols []elfSymbol
		want    []string
	}{
		{"sized with a gap", []elfSymbol{fn("a", 0x8001, 8), fn("b", 0x8011, 4)},
			[]string{"a 0x8000-0x8008", "b 0x8010-0x8014"}},
		{"unsized end at the next and at the section's end", []elfSymbol{fn("a", 0x8001, 0), fn("b", 0x8011, 0)},
			[]string{"a 0x8000-0x8010 unsized", "b 0x8010-0x8100 unsized"}},
		{"size past the section", []elfSymbol{fn("a", 0x80f1, 0x1000)}, []string{"a 0x80f0-0x8100"}},
		// bugs B10: labels of assembler code hide its push.
		{"labels inside an unsized function", []elfSymbol{fn("main", 0x8001, 0), label(".clk", 0x8004), label("loop", 0x8008), fn("next", 0x8021, 4)},
			[]string{"main 0x8000-0x8020 unsized", "next 0x8020-0x8024"}},
		{"labels inside a sized function", []elfSymbol{fn("main", 0x8001, 16), global(label("inner", 0x8004))},
			[]string{"main 0x8000-0x8010"}},
		{"labels where no function is", []elfSymbol{global(label("Reset", 0x8000)), label("loop", 0x8004), global(label("next", 0x8010))},
			[]string{"Reset 0x8000-0x8010 unsized", "next 0x8010-0x8100 unsized"}},
		{"local label in a gap", []elfSymbol{fn("a", 0x8001, 8), label("stub", 0x8010), fn("b", 0x8021, 4)},
			[]string{"a 0x8000-0x8008", "stub 0x8010-0x8020 unsized", "b 0x8020-0x8024"}},
		{"input sections joined", []elfSymbol{label("$t", 0x8000), fn("a", 0x8001, 0), label("$t", 0x8010), global(label("b", 0x8010))},
			[]string{"a 0x8000-0x8010 unsized", "b 0x8010-0x8100 unsized"}},
		{"label on data", []elfSymbol{label("$t", 0x8000), fn("a", 0x8001, 4), label("$d", 0x8004), global(label("table", 0x8004))},
			[]string{"a 0x8000-0x8004"}},
		{"linker symbols", []elfSymbol{fn("a", 0x8001, 4), global(label("_etext", 0x8100)),
			{"_stack", 0x8010, 0, elf.STT_NOTYPE, elf.STB_GLOBAL, uint16(elf.SHN_ABS)}},
			[]string{"a 0x8000-0x8004"}},
		// bugs H02: aliases at one address.
		{"sized function before others", []elfSymbol{global(label("z", 0x8000)), fn("y", 0x8001, 0), fn("xx", 0x8001, 8)},
			[]string{"xx 0x8000-0x8008"}},
		{"global before weak before local", []elfSymbol{local(fn("a", 0x8001, 4)), weak(fn("b", 0x8001, 4)), fn("cc", 0x8001, 4)},
			[]string{"cc 0x8000-0x8004"}},
		{"fewer underscores", []elfSymbol{fn("__open", 0x8001, 4), fn("_open", 0x8001, 4), fn("open", 0x8001, 4)},
			[]string{"open 0x8000-0x8004"}},
		{"mangled names are plain", []elfSymbol{fn("_Z3foov", 0x8001, 4), fn("__foo", 0x8001, 4)},
			[]string{"_Z3foov 0x8000-0x8004"}},
		{"default handler", []elfSymbol{label("Default_Handler", 0x8000), weak(fn("ADC_IRQHandler", 0x8001, 2)),
			weak(fn("CAN_IRQHandler", 0x8001, 2)), weak(fn("DMA_IRQHandler", 0x8001, 2))},
			[]string{"Default_Handler 0x8000-0x8002"}},
		{"undefined and misplaced", []elfSymbol{{"u", 0, 4, elf.STT_FUNC, elf.STB_GLOBAL, 0}, fn("far", 0x9001, 4),
			{"badsection", 0x8001, 4, elf.STT_FUNC, elf.STB_GLOBAL, 99}, fn("a", 0x8001, 4)},
			[]string{"a 0x8000-0x8004"}},
		{"rom function", []elfSymbol{fn("a", 0x8001, 4),
			{"rom", 0x1001, 0x20, elf.STT_FUNC, elf.STB_GLOBAL, uint16(elf.SHN_ABS)},
			{"romlabel", 0x2001, 0, elf.STT_FUNC, elf.STB_GLOBAL, uint16(elf.SHN_ABS)}},
			[]string{"rom 0x1000-0x1020", "a 0x8000-0x8004"}},
		{"arm and thumb", []elfSymbol{label("$a", 0x8000), fn("a", 0x8000, 8), label("$t", 0x8008), fn("b", 0x8009, 8), label("$a", 0x8010), global(label("c", 0x8010))},
			[]string{"a 0x8000-0x8008 arm", "b 0x8008-0x8010", "c 0x8010-0x8100 unsized arm"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := elfFile{sections: text, symbols: tt.symbols, entry: 0x8001}.image(t)
			if d := cmp.Diff(tt.want, describe(m)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestFuncAt(t *testing.T) {
	t.Parallel()
	m := elfFile{
		sections: []elfSection{code(".text", 0x8000, 0x100)},
		symbols: []elfSymbol{
			fn("outer", 0x8001, 0x40), fn("inner", 0x8011, 8), fn("tail", 0x8041, 8),
			fn("last", 0x80f1, 0x10),
		},
	}.image(t)
	for _, tt := range []struct {
		pc   uint32
		want string
	}{
		{0x8000, "outer"}, {0x8001, "outer"}, {0x800e, "outer"}, {0x8010, "inner"}, {0x8017, "inner"},
		{0x8018, "outer"}, {0x803f, "outer"}, {0x8040, "tail"},
		// bugs H01: a gap does not belong to the function before it.
		{0x8048, ""}, {0x80ee, ""}, {0x80f0, "last"}, {0x80ff, "last"}, {0x8100, ""},
		{0, ""}, {0x7fff, ""}, {0xffffffff, ""},
	} {
		f, ok := m.FuncAt(tt.pc)
		if f.Name != tt.want || ok != (tt.want != "") {
			t.Errorf("FuncAt(%#x) = %+v, %v; want %q", tt.pc, f, ok, tt.want)
		}
	}
	if _, ok := (elfFile{sections: []elfSection{code(".text", 0x8000, 64)}}).image(t).FuncAt(0x8000); ok {
		t.Error("an image without symbols knows a function")
	}
}

func TestState(t *testing.T) {
	t.Parallel()
	file := elfFile{
		sections: []elfSection{code(".text", 0x8000, 0x20), code(".ram", 0x9000, 0x20)},
		symbols: []elfSymbol{
			label("$t", 0x8000), label("$d.1", 0x8008), label("$t.foo", 0x8010), label("$a", 0x8018),
			label("$x", 0x801c), label("$text", 0x801c), fn("f", 0x8001, 4),
		},
	}
	for _, tt := range []struct {
		addr     uint32
		arm, mpr elfsym.State // with and without an A32 core
	}{
		{0x7ffe, elfsym.StateUnknown, elfsym.StateUnknown},
		{0x8000, elfsym.StateThumb, elfsym.StateThumb},
		{0x8007, elfsym.StateThumb, elfsym.StateThumb},
		{0x8008, elfsym.StateData, elfsym.StateData},
		{0x8010, elfsym.StateThumb, elfsym.StateThumb},
		// bugs H03: $a over Thumb code of an M-profile core.
		{0x801e, elfsym.StateARM, elfsym.StateThumb},
		{0x8020, elfsym.StateUnknown, elfsym.StateUnknown},
		{0x9000, elfsym.StateUnknown, elfsym.StateUnknown},
	} {
		if got := file.image(t).State(tt.addr); got != tt.arm {
			t.Errorf("State(%#x) = %d, want %d", tt.addr, got, tt.arm)
		}
		if got := file.withProfile('M').image(t).State(tt.addr); got != tt.mpr {
			t.Errorf("M-profile: State(%#x) = %d, want %d", tt.addr, got, tt.mpr)
		}
	}
}

// withProfile adds build attributes with a Tag_CPU_arch_profile.
func (f elfFile) withProfile(p byte) elfFile {
	data := []byte{'A', 18, 0, 0, 0, 'a', 'e', 'a', 'b', 'i', 0, 1, 7, 0, 0, 0, 7, p, 0}
	f.sections = append(f.sections[:len(f.sections):len(f.sections)],
		elfSection{name: ".ARM.attributes", typ: elf.SHT_PROGBITS, data: data[:len(data)-1]})
	data[1] = byte(len(data) - 2)
	return f
}

func TestMProfile(t *testing.T) {
	t.Parallel()
	text := code(".text", 0x8000, 0x40)
	vectors := elfSection{name: ".isr_vector", flags: elf.SHF_ALLOC, addr: 0x7000,
		data: []byte{0, 0x10, 0, 0x20, 0x01, 0x80, 0, 0}}
	sections := []elfSection{text}
	for _, tt := range []struct {
		name string
		file elfFile
		want bool
	}{
		{"attribute M", elfFile{sections: sections, symbols: []elfSymbol{label("$a", 0x8000)}}.withProfile('M'), true},
		{"attribute A", elfFile{sections: sections, symbols: []elfSymbol{fn("f", 0x8001, 4)}}.withProfile('A'), false},
		{"attribute R", elfFile{sections: sections}.withProfile('R'), false},
		{"A32 mapping symbol", elfFile{sections: sections, symbols: []elfSymbol{label("$a", 0x8000), fn("f", 0x8011, 4)}}, false},
		{"A32 function", elfFile{sections: sections, symbols: []elfSymbol{fn("f", 0x8001, 4), fn("g", 0x8010, 4)}}, false},
		{"Thumb functions only", elfFile{sections: sections, symbols: []elfSymbol{fn("f", 0x8001, 4)}}, true},
		{"vector table", elfFile{sections: []elfSection{vectors, text}, entry: 0x8000}, true},
		{"even entry", elfFile{sections: sections, entry: 0x8000}, false},
		{"odd entry", elfFile{sections: sections, entry: 0x8001}, true},
		{"no entry", elfFile{sections: sections}, true},
	} {
		if got := tt.file.image(t).MProfile(); got != tt.want {
			t.Errorf("%s: MProfile = %v", tt.name, got)
		}
	}
}

func TestReadAt(t *testing.T) {
	t.Parallel()
	m := elfFile{sections: []elfSection{
		{name: ".text", flags: codeFlags, addr: 0x8000, data: []byte("0123")},
		{name: ".rodata", flags: elf.SHF_ALLOC, addr: 0x8004, data: []byte("4567")},
		{name: ".data", flags: elf.SHF_ALLOC | elf.SHF_WRITE, addr: 0x20000000, lma: 0x8008, data: []byte("89")},
		{name: ".bss", typ: elf.SHT_NOBITS, flags: elf.SHF_ALLOC | elf.SHF_WRITE, addr: 0x20000002, size: 8},
		{name: ".top", flags: elf.SHF_ALLOC, addr: 0xfffffffc, data: []byte("wxyz")},
	}}.image(t)
	for _, tt := range []struct {
		addr uint32
		n    int
		want string
	}{
		{0x8000, 4, "0123"}, {0x8002, 4, "2345"}, {0x8000, 8, "01234567"}, {0x8006, 4, "67"},
		{0x8008, 2, ""}, {0x20000000, 4, "89"}, {0x20000002, 1, ""}, {0x7fff, 4, ""}, {0xfffffffe, 4, "yz"},
		{0x8000, 0, ""},
	} {
		p := make([]byte, tt.n)
		n, err := m.ReadAt(tt.addr, p)
		if string(p[:n]) != tt.want {
			t.Errorf("ReadAt(%#x, %d) = %q, %v; want %q", tt.addr, tt.n, p[:n], err, tt.want)
		}
		if short := n < tt.n; short != (err != nil) || short && !errors.Is(err, elfsym.ErrNoBytes) {
			t.Errorf("ReadAt(%#x, %d) = %d, %v", tt.addr, tt.n, n, err)
		}
	}
	// ELF header, five program headers and 8 bytes of content come before.
	want := elfsym.Segment{Addr: 0x20000000, PhysAddr: 0x8008, FileSize: 2, MemSize: 2, Offset: 220, Read: true, Write: true}
	if d := cmp.Diff(want, m.Segments()[2]); d != "" {
		t.Error(d)
	}
}

func TestSymbolAtAndLookup(t *testing.T) {
	t.Parallel()
	object := func(name string, value, size uint32) elfSymbol {
		return elfSymbol{name, value, size, elf.STT_OBJECT, elf.STB_GLOBAL, 2}
	}
	m := elfFile{
		sections: []elfSection{
			code(".text", 0x8000, 0x40),
			{name: ".bss", typ: elf.SHT_NOBITS, flags: elf.SHF_ALLOC | elf.SHF_WRITE, addr: 0x20000000, size: 0x100},
		},
		symbols: []elfSymbol{
			fn("_ZN2ns3addEii", 0x8001, 8), fn("main", 0x8011, 8),
			object("buffer", 0x20000000, 0x20), object("buffer_end", 0x20000010, 0), object("count", 0x20000020, 4),
			fn("_RNvC6_123foo3bar", 0x8021, 4),
		},
	}.image(t)
	for addr, want := range map[uint32]string{
		0x8004: "_ZN2ns3addEii", 0x20000000: "buffer", 0x2000001f: "buffer", 0x20000010: "buffer_end",
		0x20000012: "buffer", 0x20000023: "count", 0x20000024: "", 0x800a: "",
	} {
		if s, ok := m.SymbolAt(addr); s.Name != want || ok != (want != "") {
			t.Errorf("SymbolAt(%#x) = %+v, %v; want %q", addr, s, ok, want)
		}
	}
	for name, want := range map[string]uint32{
		"main": 0x8010, "_ZN2ns3addEii": 0x8000, "ns::add": 0x8000, "ns::add(int, int)": 0x8000,
		"count": 0x20000020, "nobody": 0, "": 0,
	} {
		got := m.Lookup(name)
		if want == 0 && got != nil || want != 0 && (len(got) != 1 || got[0].Addr != want) {
			t.Errorf("Lookup(%q) = %+v, want %#x", name, got, want)
		}
	}
	loc := m.Locate(0x8004)
	if d := cmp.Diff([]elfsym.Location{{Function: "ns::add"}}, loc); d != "" {
		t.Errorf("without DWARF: %s", d)
	}
	if got := m.Locate(0x8038); got != nil {
		t.Errorf("Locate in a gap = %+v", got)
	}
}

func TestDemangle(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"main":                                   "main",
		"_start":                                 "_start",
		"_Z3fooi":                                "foo",
		"_ZN2ns1CC2Ev":                           "ns::C::C",
		"_ZZ4mainENKUlvE_clEv":                   "main::{lambda()#1}::operator()",
		"_ZN4core3fmt5write17h0123456789abcdefE": "core::fmt::write",
		"_RNvC6_123foo3bar":                      "123foo::bar",
		"_Znot a name":                           "_Znot a name",
	} {
		if got := elfsym.Demangle(name); got != want {
			t.Errorf("Demangle(%q) = %q, want %q", name, got, want)
		}
	}
	bomb := "_Z1f" + strings.Repeat("PFvS_E", 10) + strings.Repeat("S_", 2000)
	if got := elfsym.Demangle(bomb); len(got) > 1<<16 {
		t.Errorf("a hostile name expands to %d bytes", len(got))
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	b := elfFile{sections: []elfSection{code(".text", 0x8000, 64)}, symbols: []elfSymbol{fn("f", 0x8001, 8)}}.bytes()
	with, err := elfsym.New(bytes.NewReader(b), "x", elfsym.Options{})
	if err != nil {
		t.Fatal(err)
	}
	without, err := elfsym.New(bytes.NewReader(b), "x", elfsym.Options{NoSymbols: true})
	if err != nil {
		t.Fatal(err)
	}
	if !with.HasSymbols() || without.HasSymbols() || len(without.Functions()) != 0 {
		t.Error("NoSymbols is not honoured")
	}
	if with.HasDebug() {
		t.Error("HasDebug without DWARF")
	}
}

func TestBuildID(t *testing.T) {
	t.Parallel()
	note := []byte{4, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 0xaa, 0xbb, 0xcc, 0}
	other := []byte{2, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 'X', 0, 0, 0, 1, 0, 0, 0}
	section := func(b []byte) elfFile {
		return elfFile{sections: []elfSection{{name: ".note", typ: elf.SHT_NOTE, flags: elf.SHF_ALLOC, addr: 0x100, data: b}}}
	}
	if got := section(append(other, note...)).image(t).BuildID(); !bytes.Equal(got, []byte{0xaa, 0xbb, 0xcc}) {
		t.Errorf("BuildID = %x", got)
	}
	stripped, err := elfsym.New(bytes.NewReader(withoutSections(section(note).bytes())), "x", elfsym.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := stripped.BuildID(); !bytes.Equal(got, []byte{0xaa, 0xbb, 0xcc}) {
		t.Errorf("from the segment: %x", got)
	}
	for _, b := range [][]byte{nil, other, note[:15], note[:17], {0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 3, 0, 0, 0}} {
		if got := section(b).image(t).BuildID(); got != nil {
			t.Errorf("BuildID of % x = %x", b, got)
		}
	}
}
