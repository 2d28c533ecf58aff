package elfsym_test

import (
	"bytes"
	"debug/elf"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pushmask/elfsym"
)

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	whole := elfFile{sections: []elfSection{code(".text", 0x8000, 64)}}.bytes()
	patched := func(off int, v byte) []byte {
		b := bytes.Clone(whole)
		b[off] = v
		return b
	}
	machine := func(m elf.Machine) []byte { return elfFile{machine: m}.bytes() }
	bigEndian := patched(5, 2)
	bigEndian[18], bigEndian[19] = 0, byte(elf.EM_ARM)
	aarch64 := patched(4, 2)
	aarch64[18] = byte(elf.EM_AARCH64)
	for _, tt := range []struct {
		name   string
		in     []byte
		reason error
		words  string
	}{
		{"empty", nil, elfsym.ErrNotELF, "empty"},
		{"raw binary", []byte{0x00, 0x40, 0x00, 0x20}, elfsym.ErrNotELF, "begins with 00 40 00 20"},
		{"intel hex", []byte(":020000040800F2\n"), elfsym.ErrNotELF, "Intel HEX"},
		{"s-record", []byte("S00600004844521B\n"), elfsym.ErrNotELF, "S-record"},
		{"uf2", []byte("UF2\nWQ]\x9e"), elfsym.ErrNotELF, "UF2"},
		{"archive", []byte("!<arch>\n"), elfsym.ErrNotELF, "static library"},
		{"header cut", whole[:40], elfsym.ErrTruncated, "40 bytes"},
		{"section headers cut", whole[:len(whole)-20], elfsym.ErrTruncated, "section headers"},
		{"xtensa", machine(elf.EM_XTENSA), elfsym.ErrNotARM, "Xtensa"},
		{"risc-v", machine(elf.EM_RISCV), elfsym.ErrNotARM, "RISC-V"},
		{"aarch64", aarch64, elfsym.ErrNotARM, "AArch64"},
		{"x86-64", machine(elf.EM_X86_64), elfsym.ErrNotARM, "x86-64"},
		{"other machine", machine(0x1234), elfsym.ErrNotARM, "4660"},
		{"big-endian", bigEndian, elfsym.ErrBigEndian, "little-endian"},
		{"64-bit", patched(4, 2), elfsym.ErrClass64, "class 2"},
		{"bad class", patched(4, 9), elfsym.ErrMalformed, "class 9"},
		{"bad data encoding", patched(5, 9), elfsym.ErrMalformed, "encoding 9"},
		{"core", elfFile{typ: elf.ET_CORE}.bytes(), elfsym.ErrCore, "as the dump"},
		{"object", elfFile{typ: elf.ET_REL}.bytes(), elfsym.ErrObject, "linker"},
		{"no type", patched(16, 77), elfsym.ErrMalformed, "type 77"},
		{"program header size", patched(42, 33), elfsym.ErrMalformed, "33 bytes each"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := elfsym.New(bytes.NewReader(tt.in), "fw.elf", elfsym.Options{})
			fe, ok := errors.AsType[*elfsym.FormatError](err)
			if !ok || !errors.Is(err, tt.reason) {
				t.Fatalf("got %v, want a FormatError for %v", err, tt.reason)
			}
			if fe.Path != "fw.elf" || !strings.Contains(err.Error(), tt.words) {
				t.Errorf("%v: want the path and %q", err, tt.words)
			}
		})
	}
}

// TestNewTruncatedSegment cuts a file whose headers are in front.
func TestNewTruncatedSegment(t *testing.T) {
	t.Parallel()
	b := elfFile{sections: []elfSection{code(".text", 0x8000, 4096)}}.bytes()
	_, err := elfsym.New(bytes.NewReader(withoutSections(b)[:2000]), "fw.elf", elfsym.Options{})
	if !errors.Is(err, elfsym.ErrTruncated) || !strings.Contains(err.Error(), "segment at 0x00008000") {
		t.Errorf("got %v, want the truncated segment", err)
	}
}

func TestOpenFiles(t *testing.T) {
	t.Parallel()
	m, err := elfsym.Open("testdata/locate/itcm.elf", elfsym.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if m.Path() != "testdata/locate/itcm.elf" || m.Entry()&1 == 0 {
		t.Errorf("path %s, entry %#x", m.Path(), m.Entry())
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if _, err := elfsym.Open(t.TempDir(), elfsym.Options{}); !errors.Is(err, elfsym.ErrNotELF) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := elfsym.Open(filepath.Join(t.TempDir(), "none.elf"), elfsym.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

// onlyReaderAt hides the size of a reader.
type onlyReaderAt struct{ r *bytes.Reader }

func (o onlyReaderAt) ReadAt(p []byte, off int64) (int, error) { return o.r.ReadAt(p, off) }

func TestNewFindsSizeByProbing(t *testing.T) {
	t.Parallel()
	b := elfFile{sections: []elfSection{code(".text", 0x8000, 64)}}.bytes()
	if _, err := elfsym.New(onlyReaderAt{bytes.NewReader(b)}, "x", elfsym.Options{}); err != nil {
		t.Error(err)
	}
	_, err := elfsym.New(onlyReaderAt{bytes.NewReader(b[:len(b)-1])}, "x", elfsym.Options{})
	if !errors.Is(err, elfsym.ErrTruncated) {
		t.Errorf("one byte short: %v", err)
	}
}
