package dump

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
	"pushmask/core/coretest"
)

var update = flag.Bool("update", false, "rewrite the goldens in testdata")

func openBytes(b []byte) (*Dump, error) {
	return OpenReader(bytes.NewReader(b), int64(len(b)), Options{})
}

func mustOpen(t *testing.T, b []byte) *Dump {
	t.Helper()
	d, err := openBytes(b)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// checkGolden compares got with the file, or writes it under -update.
func checkGolden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Error(d)
	}
}

// TestELFGoldens opens each case and compares its description.
func TestELFGoldens(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, c := range elfCases() {
		golden := filepath.Join("testdata", "elf", c.name+".txt")
		if known[golden] {
			t.Fatalf("two cases are named %s", c.name)
		}
		known[golden] = true
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			checkGolden(t, golden, describe(t, mustOpen(t, c.bytes())))
		})
	}
	files, err := filepath.Glob(filepath.Join("testdata", "elf", "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !known[f] {
			t.Errorf("%s belongs to no case", f)
		}
	}
}

// TestELFRefused: what is no usable core is refused with the reason that
// helps most.
func TestELFRefused(t *testing.T) {
	t.Parallel()
	notes := coretest.NoteSegment(status(1, 0))
	file := func(c coretest.ELFCore) []byte {
		c.Segments = append(c.Segments, notes)
		return c.Bytes()
	}
	ok := file(coretest.ELFCore{})
	for _, c := range []struct {
		name string
		data []byte
		is   error // nil when no sentinel applies
		want string
	}{
		{"empty", nil, ErrEmpty, "the file is empty"},
		{"text", []byte("Hard fault!\n"), ErrUnrecognized, "no known crash format"},
		{"half a magic", ok[:3], ErrUnrecognized, "no known crash format, and no address is given that it could be raw memory of"},
		{"magic only", ok[:4], nil, "ELF core, offset 0x4: the file ends in the ELF header, after 4 of 52 bytes"},
		{"header only", ok[:52], nil, "ELF core, offset 0x34: the file ends before the first program header"},
		{"executable", file(coretest.ELFCore{Type: 2}), ErrNotCore, "ELF core, offset 0x10: this is an executable, not a core file"},
		{"shared library", file(coretest.ELFCore{Type: 3}), ErrNotCore, "ELF core, offset 0x10: this is a position independent executable or a shared library, not a core file"},
		{"object file", file(coretest.ELFCore{Type: 1}), ErrNotCore, "ELF core, offset 0x10: this is an object file, not a core file"},
		{"type of an operating system", file(coretest.ELFCore{Type: 0xfe00}), ErrNotCore, "ELF core, offset 0x10: this is an ELF file of type 65024, not a core file"},
		{"executable of x86-64", file(coretest.ELFCore{Type: 2, Machine: 62, Class: 2}), ErrNotCore, "ELF core, offset 0x10: this is an executable, not a core file"},
		{"Xtensa", file(coretest.ELFCore{Machine: 94}), ErrUnsupported, "ELF core, offset 0x12: the core is for Xtensa; only 32-bit ARM is supported"},
		{"RISC-V", file(coretest.ELFCore{Machine: 243}), ErrUnsupported, "ELF core, offset 0x12: the core is for RISC-V; only 32-bit ARM is supported"},
		{"AArch64", file(coretest.ELFCore{Machine: 183, Class: 2}), ErrUnsupported, "ELF core, offset 0x12: the core is for AArch64; only 32-bit ARM is supported"},
		{"big-endian MIPS", file(coretest.ELFCore{Machine: 8, Data: 2}), ErrUnsupported, "ELF core, offset 0x12: the core is for MIPS; only 32-bit ARM is supported"},
		{"unknown machine", file(coretest.ELFCore{Machine: 999}), ErrUnsupported, "ELF core, offset 0x12: the core is for ELF machine 999; only 32-bit ARM is supported"},
		{"big-endian ARM", file(coretest.ELFCore{Data: 2}), ErrUnsupported, "ELF core, offset 0x5: the core is for big-endian ARM; only little-endian is supported"},
		{"64-bit ARM machine number", file(coretest.ELFCore{Class: 2}), ErrUnsupported, "ELF core, offset 0x4: the core is for a 64-bit machine; only 32-bit ARM is supported"},
		{"class", file(coretest.ELFCore{Class: 3}), nil, "ELF core, offset 0x4: class is 3, not 1 (32 bit) or 2 (64 bit)"},
		{"byte order", file(coretest.ELFCore{Data: 7}), nil, "ELF core, offset 0x5: byte order is 7, not 1 (little-endian) or 2 (big-endian)"},
		{"no program headers", coretest.ELFCore{}.Bytes(), nil, "ELF core, offset 0x2c: there are no program headers"},
		{"program header size", file(coretest.ELFCore{HeaderSize: 56}), nil, "ELF core, offset 0x2a: program headers have 56 bytes, not 32"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d, err := openBytes(c.data)
			if d != nil || err == nil {
				t.Fatalf("opened, error %v", err)
			}
			if err.Error() != c.want {
				t.Errorf("error %q\nwant  %q", err, c.want)
			}
			for _, s := range []error{ErrEmpty, ErrUnrecognized, ErrNotCore, ErrUnsupported} {
				if errors.Is(err, s) != (s == c.is) {
					t.Errorf("errors.Is(err, %q) = %v", s, !(s == c.is))
				}
			}
			if _, typed := errors.AsType[*FormatError](err); typed != strings.HasPrefix(c.want, "ELF core") {
				t.Errorf("*FormatError: %v", typed)
			}
		})
	}
}

func TestELFMemory(t *testing.T) {
	t.Parallel()
	partly := load(0x1000, 4, 0x10)
	partly.MemSize = 16
	whole := coretest.ELFCore{Segments: []coretest.ELFSegment{
		load(0x20000004, 4, 0xa0), load(0x20000000, 16, 0), load(0x2000000c, 16, 0x80), partly,
		coretest.NoteSegment(status(1, 0)), load(0xfffffff8, 16, 0x30), load(0x3000, 8, 0x70),
	}}.Bytes()
	d := mustOpen(t, whole[:len(whole)-3])
	for _, c := range []struct {
		name string
		addr core.Addr
		size int
		want string
		hole *core.ReadError
	}{
		{"first of two wins", 0x20000002, 8, "\x02\x03\xa0\xa1\xa2\xa3\x08\x09", nil},
		{"second goes on where the first ends", 0x2000000e, 4, "\x0e\x0f\x84\x85", nil},
		{"not saved", 0x1002, 4, "\x12\x13", &core.ReadError{Addr: 0x1004, Len: 2}},
		{"cut from the file", 0x3000, 8, "\x70\x71\x72\x73\x74", &core.ReadError{Addr: 0x3005, Len: 3}},
		{"top of the address space", 0xfffffffc, 4, "\x34\x35\x36\x37", nil},
		{"does not wrap", 0, 1, "", &core.ReadError{Addr: 0, Len: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := make([]byte, c.size)
			n, err := d.Memory().ReadAt(c.addr, p)
			if string(p[:n]) != c.want {
				t.Errorf("read %q, want %q", p[:n], c.want)
			}
			got, _ := errors.AsType[*core.ReadError](err)
			if diff := cmp.Diff(c.hole, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// sparseCore is a core of 3 GiB of which only the start has content.
type sparseCore struct {
	head []byte
	read *int // bytes read
}

func (s sparseCore) ReadAt(p []byte, off int64) (int, error) {
	clear(p)
	if off < int64(len(s.head)) {
		copy(p, s.head[off:])
	}
	*s.read += len(p)
	return len(p), nil
}

func TestELFLargeIsNotLoaded(t *testing.T) {
	t.Parallel()
	const size = 3 << 30
	head := coretest.ELFCore{Segments: []coretest.ELFSegment{
		coretest.NoteSegment(status(1, 0x20000000)), {Addr: 0x20000000, FileSize: size, MemSize: size, Offset: 1024},
	}}.Bytes()
	read := 0
	d, err := OpenReader(sparseCore{head, &read}, size+1024, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Warnings) > 0 || read > 16<<10 {
		t.Errorf("opening reads %d bytes; warnings %q", read, d.Warnings)
	}
	if _, err := core.ReadU32(d.Memory(), 0xdffffffc); err != nil {
		t.Error(err)
	}
}

// brokenDisk fails after its first bytes.
type brokenDisk struct {
	data []byte
	good int
}

var errDisk = errors.New("medium error")

func (b brokenDisk) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > int64(b.good) {
		return 0, errDisk
	}
	return bytes.NewReader(b.data).ReadAt(p, off)
}

// TestELFReadFails: a failing disk is an error, never a dump with less in it.
func TestELFReadFails(t *testing.T) {
	t.Parallel()
	seg := load(0x20000000, 8192, 0)
	b := coretest.ELFCore{Segments: []coretest.ELFSegment{seg, coretest.NoteSegment(status(1, 0))}}.Bytes()
	for _, good := range []int{100, 4096, 8300} {
		if d, err := OpenReader(brokenDisk{b, good}, int64(len(b)), Options{}); d != nil || !errors.Is(err, errDisk) {
			t.Errorf("%d good bytes: error %v", good, err)
		}
	}
	d, err := OpenReader(brokenDisk{b, len(b)}, int64(len(b)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Memory().ReadAt(0x20000000, make([]byte, 4)); err != nil {
		t.Error(err)
	}
}

func TestUnknownThread(t *testing.T) {
	t.Parallel()
	d := mustOpen(t, elfCases()[0].bytes())
	if _, err := d.Registers(t.Context(), 4711); !errors.Is(err, ErrNoThread) {
		t.Errorf("error %v", err)
	}
}

func TestOpenFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "core.1")
	if err := os.WriteFile(path, elfCases()[0].bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d.Path != path {
		t.Errorf("path %q", d.Path)
	}
	b := make([]byte, 4)
	if _, err := d.Memory().ReadAt(0xbefff000, b); err != nil {
		t.Error(err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if _, err := d.Memory().ReadAt(0xbefff000, b); err == nil {
		t.Error("memory can be read after Close")
	}
	if _, err := Open(filepath.Join(dir, "absent"), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent file: %v", err)
	}
	if _, err := Open(dir, Options{}); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("folder: %v", err)
	}
	empty := filepath.Join(dir, "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(empty, Options{}); !errors.Is(err, ErrEmpty) || !strings.Contains(err.Error(), empty) {
		t.Errorf("empty file: %v", err)
	}
}
