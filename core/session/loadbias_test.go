package session

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
	"pushmask/core/coretest"
	"pushmask/core/dump"
)

// movedBias is how far the tests move the A32 fixture.
const movedBias = 0x3aa00000

// movedFixture writes the A32 fixture as an ELF of type ET_DYN, under name, and
// returns its path.
func movedFixture(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(fixtures, "a32", "fw.elf"))
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint16(b[16:], 3) // e_type
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// movedCore writes the crash of the A32 fixture as Linux would have left it, of
// a process that ran bias away: memory, registers and every word that is an
// address of the program are moved.
func movedCore(t *testing.T, bias uint32, notes ...[]byte) string {
	t.Helper()
	d, err := dump.Open(filepath.Join(fixtures, "a32", "crash.core"), dump.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	own := func(v uint32) uint32 {
		if v >= 0x40000000 && v < 0x400005dc || v >= 0x41000000 && v < 0x41001000 { // code, RAM
			return v + bias
		}
		return v
	}
	status := coretest.PRStatus{Signal: 11, PID: 77}
	regs, err := d.Registers(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range status.Regs {
		status.Regs[i] = own(regs.Value(core.R0 + core.Reg(i)))
	}
	file := coretest.ELFCore{Segments: []coretest.ELFSegment{
		coretest.NoteSegment(append([][]byte{status.Note(), coretest.ELFNote("CORE", 3, coretest.PRPSInfo(77, "station", "station"))}, notes...)...),
	}}
	for _, r := range d.Regions {
		data := make([]byte, r.Size)
		if _, err := d.Memory().ReadAt(r.Addr, data); err != nil {
			t.Fatal(err)
		}
		for i := 0; i+4 <= len(data); i += 4 {
			binary.LittleEndian.PutUint32(data[i:], own(binary.LittleEndian.Uint32(data[i:])))
		}
		file.Segments = append(file.Segments, coretest.ELFSegment{Addr: uint32(r.Addr) + bias, Data: data})
	}
	path := filepath.Join(t.TempDir(), "core")
	if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// auxiliary is the note that tells where a program begins.
func auxiliary(words ...uint32) []byte {
	return coretest.ELFNote("CORE", 6, coretest.Words(append(words, 0, 0)...))
}

const fixtureEntry = 0x40000000 // e_entry of the A32 fixture

// mappings is an NT_FILE note of the moved code of a program, which lies at
// offset 0x1000 of its ELF, and of a library.
func mappings(path string) []byte {
	return coretest.FileNote(
		coretest.MappedFile{Start: 0x20000000, End: 0x20100000, Path: "/lib/libc.so.6"},
		coretest.MappedFile{Start: fixtureEntry + movedBias, End: fixtureEntry + movedBias + 0x1000, Page: 1, Path: path},
		coretest.MappedFile{Start: 0x41000000 + movedBias, End: 0x41001000 + movedBias, Page: 2, Path: path})
}

// TestMovedProgram opens crashes of a program that ran elsewhere than where it
// is linked: the frames are those of the crash that was not moved, with
// addresses moved.
func TestMovedProgram(t *testing.T) {
	t.Parallel()
	for name, notes := range map[string][][]byte{
		"by the auxiliary vector":        {auxiliary(9, fixtureEntry+movedBias)},
		"by the name of the ELF":         {mappings("/opt/fw.elf")},
		"by the name of a replaced file": {mappings("/opt/fw.elf (deleted)")},
		"by the name of the process":     {mappings("/opt/station")},
		"started by the dynamic linker":  {auxiliary(9, 0x20200000, 3, 0x20200034), mappings("/opt/fw.elf")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openPairOf(t, movedFixture(t, "fw.elf"), movedCore(t, movedBias, notes...))
			if w := s.Warnings(); len(w) > 0 {
				t.Errorf("warnings %q", w)
			}
			if diff := cmp.Diff(stackOf(t, openPairOf(t, filepath.Join(fixtures, "a32", "fw.elf"), filepath.Join(fixtures, "a32", "crash.core")), movedBias), stackOf(t, s, 0)); diff != "" {
				t.Errorf("stack (-not moved +moved):\n%s", diff)
			}
			if got := s.Program().Images().Main().Entry(); got != fixtureEntry+movedBias {
				t.Errorf("entry %#x", got)
			}
		})
	}
}

// TestNotMoved: an ELF that cannot have been what ran, where the dump says it
// ran, is told and not moved.
func TestNotMoved(t *testing.T) {
	t.Parallel()
	fixed := filepath.Join(fixtures, "a32", "fw.elf")
	for _, c := range []struct {
		name, image string
		notes       [][]byte
		want        string
	}{
		{"linked to an address", fixed, [][]byte{auxiliary(9, fixtureEntry+movedBias)}, "no thread has a PC or LR in its code"},
		{"not by pages", movedFixture(t, "fw.elf"), [][]byte{auxiliary(9, fixtureEntry+movedBias+0x30)}, "no thread has a PC or LR in its code"},
		{"nothing is said", movedFixture(t, "fw.elf"), nil, "no thread has a PC or LR in its code"},
		{"another entry", movedFixture(t, "fw.elf"), [][]byte{mappings("/opt/fw.elf"), auxiliary(9, fixtureEntry+movedBias+0x30)},
			"the program was started at 0x7aa00030, the ELF begins at 0x7aa00000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := openPairOf(t, c.image, movedCore(t, movedBias, c.notes...))
			if w := strings.Join(s.Warnings(), "\n"); !strings.Contains(w, c.want) {
				t.Errorf("warnings %q", w)
			}
		})
	}
}

// openPairOf opens a dump of an image.
func openPairOf(t *testing.T, image, path string) *Session {
	t.Helper()
	p, err := OpenProgram(t.Context(), Config{Image: image})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	s, err := p.OpenDump(context.Background(), path, DumpOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// stackOf is the stack of the first thread as in want.txt, with add added to the
// addresses.
func stackOf(t *testing.T, s *Session, add core.Addr) []string {
	t.Helper()
	k, err := s.Stack(s.Threads()[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	frames, err := k.Frames(t.Context(), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := range frames {
		frames[i].Core.PC += add
	}
	return append(shown(frames), k.Stop().Kind.String())
}
