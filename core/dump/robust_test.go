package dump

import (
	"errors"
	"testing"

	"pushmask/core"
	"pushmask/core/coretest"
)

// exercise uses a dump as its users do; a reader that kept something broken
// fails or panics here.
func exercise(t testing.TB, d *Dump) {
	t.Helper()
	threads, err := d.Threads(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	seen := map[core.ThreadID]bool{}
	for i, th := range threads {
		if th.ID <= 0 || seen[th.ID] {
			t.Fatalf("thread ID %d is not positive or not unique", th.ID)
		}
		seen[th.ID] = true
		if th.Crashed != (i == 0) {
			t.Fatalf("thread %d of the list, crashed: %v", i, th.Crashed)
		}
		if _, err := d.Registers(t.Context(), th.ID); err != nil {
			t.Fatal(err)
		}
	}
	var end uint64
	for _, r := range d.Regions {
		if uint64(r.Addr) < end || r.Size == 0 || uint64(r.Addr)+uint64(r.Size) > 1<<32 {
			t.Fatalf("region %v +%#x after %#x", r.Addr, r.Size, end)
		}
		end = uint64(r.Addr) + uint64(r.Size)
		b := make([]byte, min(r.Size, 1<<16))
		if n, err := d.Memory().ReadAt(r.Addr, b); n != len(b) || err != nil {
			t.Fatalf("read %d of %d bytes of region %v: %v", n, len(b), r.Addr, err)
		}
	}
	for _, r := range d.Unsaved {
		if r.Size == 0 || uint64(r.Addr)+uint64(r.Size) > 1<<32 {
			t.Fatalf("not saved: %v +%#x", r.Addr, r.Size)
		}
	}
	if len(threads) == 0 && len(d.Regions) == 0 && len(d.Warnings) == 0 {
		t.Fatal("an empty dump without a warning")
	}
}

// smallCore is a core whose every byte matters but for the last padding.
func smallCore() []byte {
	return coretest.ELFCore{Segments: []coretest.ELFSegment{
		load(0x20000000, 24, 0), load(0x20000010, 24, 9),
		coretest.NoteSegment(status(1, 0x20000000), coretest.ELFNote("CORE", 3, coretest.PRPSInfo(1, "app", "app -x")),
			coretest.VFP(1, 2), status(2, 0x20000010), coretest.ELFNote("CORE", 6, coretest.Words(3, 4, 9, 5, 0, 0))),
	}}.Bytes()
}

func TestTruncatedAnywhere(t *testing.T) {
	t.Parallel()
	whole := smallCore()
	if d := mustOpen(t, whole); len(d.Warnings) > 0 {
		t.Fatalf("warnings for the whole file: %q", d.Warnings)
	}
	opened := 0
	for n := range len(whole) {
		d, err := openBytes(whole[:n])
		if err != nil {
			continue
		}
		opened++
		exercise(t, d)
		if len(d.Warnings) == 0 {
			t.Errorf("cut to %d of %d bytes: no warning", n, len(whole))
		}
	}
	if first := len(whole) - opened; first > 52+32 {
		t.Errorf("files of less than %d bytes do not open; one program header is enough", first)
	}
}

func TestBitFlips(t *testing.T) {
	t.Parallel()
	b := smallCore()
	for bit := range len(b) * 8 {
		b[bit/8] ^= 1 << (bit % 8)
		if d, err := openBytes(b); err == nil {
			exercise(t, d)
		} else if _, ok := errors.AsType[*FormatError](err); !ok && !errors.Is(err, ErrUnrecognized) {
			t.Errorf("bit %d: %v", bit, err)
		}
		b[bit/8] ^= 1 << (bit % 8)
	}
}

// TestManyWarnings: a file that is wrong in every segment does not flood.
func TestManyWarnings(t *testing.T) {
	t.Parallel()
	file := coretest.ELFCore{Segments: make([]coretest.ELFSegment, 300)}
	for i := range file.Segments {
		file.Segments[i] = coretest.ELFSegment{Addr: 0x100, Data: make([]byte, 8), MemSize: 4}
	}
	d := mustOpen(t, file.Bytes())
	if n := len(d.Warnings); n != maxWarnings || d.Warnings[n-1] != "further warnings are left out" {
		t.Errorf("%d warnings, the last is %q", n, d.Warnings[n-1])
	}
}

// TestMoreNotesThanRead: notes are read up to a bound, and what is left out is
// said.
func TestMoreNotesThanRead(t *testing.T) {
	t.Parallel()
	empty := coretest.ELFNote("", 7, nil)
	var notes []byte
	for range maxNotes + 1 {
		notes = append(notes, empty...)
	}
	d := mustOpen(t, coretest.ELFCore{Segments: []coretest.ELFSegment{
		coretest.NoteSegment(notes), coretest.NoteSegment(status(1, 0)),
	}}.Bytes())
	want := "there are more notes than can be read; the rest is left out"
	if len(d.Notes) != maxNotes || len(d.Warnings) == 0 || d.Warnings[0] != want {
		t.Errorf("%d notes, warnings %q", len(d.Notes), d.Warnings)
	}
}

// FuzzOpen: whatever the bytes, Open gives a usable dump or an error.
func FuzzOpen(f *testing.F) {
	for _, c := range elfCases() {
		f.Add(c.bytes())
	}
	for _, c := range probersCases() {
		f.Add(c.bytes())
	}
	f.Add(smallCore())
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := openBytes(b)
		if (d == nil) == (err == nil) {
			t.Fatalf("dump %v, error %v", d, err)
		}
		if err == nil {
			exercise(t, d)
		}
	})
}
