package session

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"pushmask/core"
)

// TestPlace moves an ELF by what gdb's add-symbol-file is told. The demo has
// .text at 0 and .data at 0x20000000.
func TestPlace(t *testing.T) {
	t.Parallel()
	at := func(offset core.Addr, sections ...SectionPlace) Placement {
		return Placement{Offset: offset, Sections: sections}
	}
	for _, test := range []struct {
		name string
		at   Placement
		bias core.Addr
		want string // in the error, "" for none
	}{
		{"where it is linked", at(0), 0, ""},
		{"offset", at(0x1000), 0x1000, ""},
		{"below", at(0xfffff000), 0xfffff000, ""},
		{"text", at(0, SectionPlace{".text", 0x8000}), 0x8000, ""},
		{"text where it is linked", at(0, SectionPlace{".text", 0}), 0, ""},
		{"all agree", at(0x8000, SectionPlace{".text", 0x8000}, SectionPlace{".data", 0x20008000}), 0x8000, ""},
		{"offset and text differ", at(0x1000, SectionPlace{".text", 0x8000}), 0,
			"section .text at 0x00008000 is 0x00008000 from where it is linked, by the offset it is 0x00001000: an ELF is moved as a whole"},
		{"data moves alone", at(0, SectionPlace{".text", 0}, SectionPlace{".data", 0x20001000}), 0,
			"section .data at 0x20001000 is 0x00001000 from where it is linked, by section .text it is 0x00000000"},
		{"no such section", at(0, SectionPlace{".code", 0}), 0, "no section .code in memory"},
		{"not in memory", at(0, SectionPlace{".debug_info", 0}), 0, "no section .debug_info in memory"},
	} {
		cfg := Config{Cwd: filepath.Join(fixtures, "demo")}
		f, err := cfg.Place(t.Context(), "fw.elf", test.at)
		switch {
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s: error %v, want %q", test.name, err, test.want)
		case test.want == "" && (err != nil || f != ImageFile{filepath.Join(fixtures, "demo", "fw.elf"), test.bias}):
			t.Errorf("%s: %+v, %v, want a bias of %v", test.name, f, err, test.bias)
		}
	}
}

// TestPlaceNoELF names the file that cannot be placed.
func TestPlaceNoELF(t *testing.T) {
	t.Parallel()
	cfg := Config{Cwd: fixtures, Image: "demo/fw.elf"}
	_, err := cfg.Place(t.Context(), "demo/want.txt", Placement{Sections: []SectionPlace{{".text", 0}}})
	e, ok := errors.AsType[*OpenError](err)
	if !ok || e.Path != filepath.Join(fixtures, "demo", "want.txt") || !errors.Is(err, ErrNotImage) {
		t.Errorf("error %v", err)
	}
}
