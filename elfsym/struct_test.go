package elfsym_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/elfsym"
)

// structCompilers are the compilers whose layouts are read, in each version of
// DWARF and with link-time optimisation.
var structCompilers = []struct {
	name, c, cxx string
	flags        []string
}{
	{"gcc DWARF 2", "arm-none-eabi-gcc", "arm-none-eabi-g++", []string{"-mcpu=cortex-m4", "-gdwarf-2", "-gstrict-dwarf"}},
	{"gcc DWARF 3", "arm-none-eabi-gcc", "arm-none-eabi-g++", []string{"-mcpu=cortex-m0", "-gdwarf-3", "-gstrict-dwarf"}},
	{"gcc DWARF 4", "arm-none-eabi-gcc", "arm-none-eabi-g++", []string{"-mcpu=cortex-m4", "-gdwarf-4"}},
	{"gcc DWARF 5", "arm-none-eabi-gcc", "arm-none-eabi-g++", []string{"-mcpu=cortex-m4", "-gdwarf-5"}},
	{"gcc short enums", "arm-none-eabi-gcc", "arm-none-eabi-g++", []string{"-mcpu=cortex-m4", "-g", "-fshort-enums", "-O2", "-flto"}},
	{"clang DWARF 4", "clang-16", "clang-16", []string{"--target=arm-none-eabi", "-mcpu=cortex-m4", "-gdwarf-4", "-fuse-ld=lld-16"}},
	{"clang DWARF 5", "clang-16", "clang-16", []string{"--target=arm-none-eabi", "-mcpu=cortex-m4", "-gdwarf-5", "-fuse-ld=lld-16"}},
}

// compileStruct builds a file of testdata/struct and opens it.
func compileStruct(t *testing.T, compiler, source string, flags []string) *elfsym.Image {
	t.Helper()
	if _, err := exec.LookPath(compiler); err != nil {
		t.Skipf("%s is not installed: layouts are not compared with it", compiler)
	}
	out := filepath.Join(t.TempDir(), "fw.elf")
	args := append([]string{"-mthumb", "-ffreestanding", "-nostdlib", "-fno-exceptions", "-fno-rtti", "-o", out, filepath.Join("testdata", "struct", source)}, flags...)
	if b, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", compiler, strings.Join(args, " "), err, b)
	}
	m, err := elfsym.Open(out, elfsym.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// object reads the initial value of the only variable of a name.
func object(t *testing.T, m *elfsym.Image, name string) []byte {
	t.Helper()
	list := m.Variables(name)
	if len(list) != 1 {
		t.Fatalf("%d variables are called %s", len(list), name)
	}
	b := make([]byte, list[0].Size)
	if n, err := m.ReadAt(list[0].Addr, b); n != len(b) {
		t.Fatalf("read %s: %v", name, err)
	}
	return b
}

// TestStruct compares layouts with what the compiler put into the image.
func TestStruct(t *testing.T) {
	t.Parallel()
	for _, c := range structCompilers {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := compileStruct(t, c.c, "layout.c", c.flags)
			checkTruth(t, m)
			checkBits(t, m)
			checkTypes(t, m)
		})
	}
}

// checkTruth compares offsets and sizes with the array truth.
func checkTruth(t *testing.T, m *elfsym.Image) {
	text := func(b []byte) string { s, _, _ := strings.Cut(string(b), "\x00"); return s }
	checked := 0
	for b := object(t, m, "truth"); len(b) >= 56; b = b[56:] {
		name, member := text(b[:24]), text(b[24:48])
		want := [2]uint32{binary.LittleEndian.Uint32(b[48:]), binary.LittleEndian.Uint32(b[52:])}
		s, ok := m.Struct(strings.TrimPrefix(name, "struct "))
		if !ok {
			t.Errorf("no layout of %s", name)
			continue
		}
		got := [2]uint32{0, s.Size}
		if member != "" {
			f, ok := s.Member(member)
			if !ok {
				t.Errorf("%s has no member %s", name, member)
			}
			got = [2]uint32{f.Offset, f.Type.Size}
		}
		if got != want {
			t.Errorf("%s.%s: offset and size %v, the compiler has %v", name, member, got, want)
		}
		checked++
	}
	if checked < 25 {
		t.Errorf("%d members compared", checked)
	}
}

// checkBits compares bit fields with objects that have one of them set.
func checkBits(t *testing.T, m *elfsym.Image) {
	for _, name := range []string{"bits.a", "bits.b", "bits.c", "bits.d", "bits.e", "bits.f", "bits.g", "packed.c", "packed.d", "packed.e"} {
		tag, member, _ := strings.Cut(name, ".")
		s, _ := m.Struct(tag)
		f, ok := s.Member(member)
		if !ok || f.BitSize == 0 {
			t.Errorf("%s is no bit field: %+v", name, f)
			continue
		}
		want := object(t, m, tag+"_"+member)
		got := make([]byte, len(want))
		for i := range int(f.BitSize) {
			bit := int(f.Offset)*8 + int(f.BitOffset) + i
			if bit/8 < len(got) {
				got[bit/8] |= 1 << (bit % 8)
			}
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: bits at %x, the compiler has %x", name, got, want)
		}
	}
}

// checkTypes checks what offsets do not tell.
func checkTypes(t *testing.T, m *elfsym.Image) {
	got := map[string]string{}
	for _, path := range []string{"outer.head", "outer.grid", "outer.list", "outer.tail", "outer.link", "user.handle", "user.state", "user.text", "user.flag", "user.d", "anonymous_tag_t.level", "anonymous_tag_t.name"} {
		tag, member, _ := strings.Cut(path, ".")
		s, _ := m.Struct(tag)
		f, _ := s.Member(member)
		got[path] = typeText(f.Type)
	}
	want := map[string]string{
		"outer.head": "pointer to node", "outer.grid": "[2][5]uint", "outer.list": "[3]struct renamed_t",
		"outer.tail": "[0]char", "outer.link": "struct node", "user.handle": "pointer to opaque", "user.state": "enum",
		"user.text": "[8]char", "user.flag": "bool", "user.d": "float", "anonymous_tag_t.level": "char",
		"anonymous_tag_t.name": "pointer to char",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	enum, _ := m.Enum("state")
	if d := cmp.Diff([]elfsym.Enumerator{{Name: "STATE_IDLE"}, {Name: "STATE_READY", Value: 5}, {Name: "STATE_NEGATIVE", Value: -3}}, enum); d != "" {
		t.Error(d)
	}
	if typedef, ok := m.Enum("mode_t_"); !ok || len(typedef) != 2 || typedef[1].Value != 2 {
		t.Errorf("typedef of an enumeration: %v", typedef)
	}
	for _, name := range []string{"opaque", "no_such", "state", "uint32_t", ""} {
		if s, ok := m.Struct(name); ok {
			t.Errorf("%q has a layout: %+v", name, s)
		}
	}
	if p := m.Problems(); len(p) > 0 {
		t.Errorf("problems: %v", p)
	}
}

// typeText writes a type in one line.
func typeText(t elfsym.Type) string {
	kinds := [...]string{"unknown", "int", "uint", "bool", "char", "float", "enum", "pointer", "struct", "array"}
	switch t.Kind {
	case elfsym.KindPointer:
		return "pointer to " + t.Target
	case elfsym.KindArray:
		return fmt.Sprintf("[%d]%s", t.Count, typeText(*t.Elem))
	case elfsym.KindStruct:
		return "struct " + t.Name
	}
	return kinds[t.Kind]
}

// TestStructCXX reads classes: bases, nested names, references, and members of
// a type that debug/dwarf fails for.
func TestStructCXX(t *testing.T) {
	t.Parallel()
	for _, c := range structCompilers {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := compileStruct(t, c.cxx, "layout.cc", c.flags)
			b := object(t, m, "truth_of_task")
			scope := "app::"
			if strings.HasSuffix(c.name, "DWARF 2") {
				scope = "" // namespaces came with DWARF 3
			}
			s, ok := m.Struct(scope + "Task")
			if !ok {
				t.Fatalf("no layout of %sTask", scope)
			}
			got := []uint32{s.Size}
			for _, name := range []string{"config", "config.budget", "wide", "next", "id"} {
				f, ok := s.Member(name)
				if !ok {
					t.Errorf("no member %s", name)
				}
				got = append(got, f.Offset)
			}
			var want []uint32
			for i := 0; i < len(b); i += 4 {
				want = append(want, binary.LittleEndian.Uint32(b[i:]))
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
			next, _ := s.Member("next")
			ref, _ := s.Member("ref")
			if ref.Offset != next.Offset+4 || ref.Type.Kind != elfsym.KindPointer {
				t.Errorf("reference: %+v", ref)
			}
			if _, ok := s.Member("count"); ok {
				t.Error("a static member has a place")
			}
			if nested, ok := m.Struct(scope + "Task::Config"); !ok || nested.Size != 8 {
				t.Errorf("nested class: %+v", nested)
			}
			if e, ok := m.Enum(scope + "Colour"); !ok || e[1].Value != 7 {
				t.Errorf("enumeration: %v", e)
			}
		})
	}
}

// TestVariables finds variables by the names of the source.
func TestVariables(t *testing.T) {
	t.Parallel()
	data := elfSection{name: ".data", flags: codeFlags &^ 4, addr: 0x20000000, data: make([]byte, 64)}
	names := []string{"x", "x.lto_priv.0", "x.llvm.4711", "x.1", "x.part.0", ".x", "x.", "y.lto_priv.1"}
	var symbols []elfSymbol
	for i, name := range names {
		s := label(name, 0x20000000+uint32(4*(len(names)-i)))
		s.size = 4
		symbols = append(symbols, s)
	}
	symbols = append(symbols, elfSymbol{name: "x", value: 0x20000030, size: 4, typ: 2, bind: 0, section: 1})
	m := elfFile{sections: []elfSection{data}, symbols: symbols}.image(t)
	list := func(name string) string {
		var out []string
		for _, s := range m.Variables(name) {
			out = append(out, fmt.Sprintf("%s@%x", s.Name, s.Addr&0xff))
		}
		return strings.Join(out, " ")
	}
	got := map[string]string{"x": list("x"), "y": list("y"), "x.part.0": list("x.part.0"), "z": list("z")}
	want := map[string]string{"x": "x@20 x.@8 x.1@14 x.llvm.4711@18 x.lto_priv.0@1c", "y": "y.lto_priv.1@4", "x.part.0": "x.part.0@10", "z": ""}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	count := 0
	m.EachVariable(func(elfsym.Symbol) bool { count++; return count < 3 })
	if count != 3 {
		t.Errorf("%d variables visited after the third ended it", count)
	}
}
