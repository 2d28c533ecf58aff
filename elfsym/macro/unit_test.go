package macro

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// section writes .debug_macro and .debug_macinfo by hand.
type section []byte

func (s section) b(bytes ...byte) section   { return append(s, bytes...) }
func (s section) u16(n uint16) section      { return binary.LittleEndian.AppendUint16(s, n) }
func (s section) u32(n uint32) section      { return binary.LittleEndian.AppendUint32(s, n) }
func (s section) u64(n uint64) section      { return binary.LittleEndian.AppendUint64(s, n) }
func (s section) text(t string) section     { return append(append(s, t...), 0) }
func (s section) header(flags byte) section { return s.u16(5).b(flags) }

const oneLine = "\x00main\x00A 1\x00B 2\x00C 3\x00B\x00"

// units are units with the macros that they define, by file 1 at line 100.
func units() map[string]struct {
	sections Sections
	start    Start
	want     string // definitions, separated by ";"
	damaged  bool
} {
	type unit = struct {
		sections Sections
		start    Start
		want     string
		damaged  bool
	}
	str := []byte(oneLine)
	offsets := section{}.u32(8).b(5, 0, 0, 0).u32(6).u32(10) // after a header: "A 1", "B 2"
	wideOffsets := section{}.u64(12).b(5, 0, 0, 0).u64(6).u64(10)
	return map[string]unit{
		"inline": {Sections{Macro: section{}.header(0).b(3, 0, 1).b(1, 5).text("X 1").b(1, 6).text("F(a) a").b(2, 7).text("X").b(4, 0)}, Start{}, "F(a) a", false},
		"strp":   {Sections{Str: str, Macro: section{}.header(0).b(5, 5).u32(6).b(5, 5).u32(10).b(6, 6).u32(18).b(0)}, Start{}, "A 1", false},
		"wide": {Sections{Str: str, Macro: section{}.header(flagWide|flagLine).u64(99).b(5, 5).u64(6).b(0)}, Start{},
			"A 1", false},
		"strx": {Sections{Str: str, StrOffsets: offsets, Macro: section{}.header(0).b(11, 5, 0).b(11, 5, 1).b(0)}, Start{StrOffsets: 8}, "A 1;B 2", false},
		"strx wide": {Sections{Str: str, StrOffsets: wideOffsets, Macro: section{}.header(0).b(11, 5, 1).b(0)}, Start{StrOffsets: 12, Wide: true},
			"B 2", false},
		"import": {Sections{Macro: section{}.header(0).b(7).u32(9).b(0).header(0).b(1, 1).text("I 1").b(0)}, Start{}, "I 1", false},
		"cycle":  {Sections{Macro: section{}.header(0).b(1, 1).text("I 1").b(7).u32(0).b(0)}, Start{}, "I 1", true},
		"operands": {Sections{Macro: section{}.header(flagOperands).b(1, 0xf0, 3, formString, formUdata, formBlock1).
			b(0xf0).text("skipped").b(0x81, 1, 2, 9, 9).b(1, 1).text("X 1").b(0)}, Start{}, "X 1", false},
		"unknown":   {Sections{Macro: section{}.header(0).b(1, 1).text("X 1").b(0xf0)}, Start{}, "X 1", true},
		"version":   {Sections{Macro: section{}.u16(9).b(0)}, Start{}, "", true},
		"truncated": {Sections{Macro: section{}.header(0).b(1, 1).text("X 1").b(1)}, Start{}, "X 1", true},
		"past":      {Sections{Macro: section{}.header(0)}, Start{Offset: 1 << 40}, "", true},
		"no string": {Sections{Macro: section{}.header(0).b(5, 5).u32(6).b(11, 5, 9).b(0)}, Start{}, "", false},
		"other file": {Sections{Macro: section{}.header(0).b(8, 1).u32(5).b(9, 1).u32(5).b(10).u32(1).b(1, 1).text("X 1").b(0)}, Start{},
			"X 1", false},
		"macinfo": {Sections{Macinfo: section{}.b(0).b(1, 0).text("BUILT 1").b(3, 0, 1).b(1, 5).text("X 1").b(0xff, 3).text("v").b(2, 6).text("X").
			b(1, 200, 1).text("LATER 1").b(4, 0)}, Start{Offset: 1, Macinfo: true}, "BUILT 1", false},
		"macinfo unknown": {Sections{Macinfo: section{}.b(1, 0).text("BUILT 1").b(9)}, Start{Macinfo: true}, "BUILT 1", true},
	}
}

// names returns what is defined at a line of file 1.
func names(u *Unit, line int) []string {
	var list []string
	scope := u.At("main.c", line, func(n uint64) string { return map[uint64]string{1: "main.c", 2: "a.h"}[n] })
	scope.Names("", func(d *Definition) bool {
		list = append(list, d.String())
		return true
	})
	return list
}

// TestRead reads units in every form.
func TestRead(t *testing.T) {
	t.Parallel()
	for name, tt := range units() {
		u, err := Read(tt.sections, tt.start)
		if (err != nil) != tt.damaged || err != nil && !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
		got := names(u, 100)
		if slices.Sort(got); strings.Join(got, ";") != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// TestScope looks at lines of a file that includes another twice.
func TestScope(t *testing.T) {
	t.Parallel()
	data := section{}.header(0).b(1, 0).text("BUILT 1").b(3, 0, 1).
		b(1, 2).text("A 1").b(3, 4, 2).b(1, 1).text("H 1").b(1, 9).text("H2 1").b(4).
		b(2, 6).text("A").b(1, 8).text("A 2").b(3, 10, 2).b(2, 1).text("H").b(4).b(1, 12).text("Z 1").b(4, 0)
	u, err := Read(Sections{Macro: data}, Start{})
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[int][]string{
		1: {"BUILT 1"}, 2: {"BUILT 1", "A 1"}, 3: {"BUILT 1", "A 1"}, 4: {"BUILT 1", "A 1", "H 1", "H2 1"}, 6: {"BUILT 1", "H 1", "H2 1"},
		9: {"BUILT 1", "H 1", "H2 1", "A 2"}, 11: {"BUILT 1", "H2 1", "A 2"}, 99: {"BUILT 1", "H2 1", "A 2", "Z 1"},
	} {
		if diff := cmp.Diff(want, names(u, line)); diff != "" {
			t.Errorf("line %d (-want +got):\n%s", line, diff)
		}
	}
	file := func(n uint64) string { return map[uint64]string{1: "main.c", 2: "a.h"}[n] }
	in := u.At("a.h", 5, file)
	if _, ok := in.Lookup("H"); !ok {
		t.Error("H is defined at line 5 of a.h")
	}
	if _, ok := in.Lookup("H2"); ok {
		t.Error("H2 is not defined at line 5 of a.h")
	}
	if d, ok := u.At("elsewhere.c", 1, file).Lookup("Z"); !ok || d.Line != 12 {
		t.Errorf("in a file that is not included: %v, %v", d, ok)
	}
	if _, ok := (Scope{}).Lookup("A"); ok || !(Scope{}).Empty() {
		t.Error("the zero Scope has macros")
	}
}

// FuzzRead reads damaged units, and looks up what they have.
func FuzzRead(f *testing.F) {
	for _, tt := range units() {
		f.Add(tt.sections.Macro, tt.sections.Macinfo, tt.sections.Str, tt.sections.StrOffsets, tt.start.Offset, tt.start.Macinfo, tt.start.Wide)
	}
	f.Fuzz(func(t *testing.T, macro, macinfo, str, offsets []byte, off uint64, isMacinfo, wide bool) {
		u, err := Read(Sections{macro, macinfo, str, offsets}, Start{Offset: off, Macinfo: isMacinfo, Wide: wide})
		if err != nil && !errors.Is(err, ErrMalformed) {
			t.Errorf("%v is not ErrMalformed", err)
		}
		for _, line := range []int{0, 5, 1 << 30} {
			names(u, line)
		}
	})
}
