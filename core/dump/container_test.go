package dump

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
)

// file is a file for an archive.
type file struct {
	name    string
	content []byte
}

func gzipped(t testing.TB, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func zipped(t testing.TB, files ...file) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: time.Unix(int64(2000000000-100*i), 0)}
		m, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Write(f.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func tarred(t testing.TB, files ...file) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range files {
		if err := w.WriteHeader(&tar.Header{Name: f.name, Mode: 0o600, Size: int64(len(f.content)), Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(f.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// registerless is an Intel HEX file of two bytes at 0x100.
const registerless = ":020100000102FA\n:00000001FF\n"

func TestPacked(t *testing.T) {
	t.Parallel()
	small := smallCore()
	crash := file{"b/crash.core", small}
	other := file{"a.hex", []byte(registerless)}
	tests := []struct {
		name  string
		data  []byte
		files []string // of the crashes
		which int
	}{
		{"gzip", gzipped(t, small), nil, 0},
		{"gzip in gzip", gzipped(t, gzipped(t, small)), nil, 0},
		{"zip", zipped(t, crash), []string{"b/crash.core"}, 1},
		{"zip, complete before newest", zipped(t, other, crash), []string{"a.hex", "b/crash.core"}, 2},
		{"zip, newest by its time", zipped(t, crash, file{"c.core", small}), []string{"b/crash.core", "c.core"}, 1},
		{"tar", tarred(t, file{"README", []byte("a crash\n")}, crash), []string{"b/crash.core"}, 1},
		{"tar, last of the same time", tarred(t, crash, file{"c.core", small}), []string{"b/crash.core", "c.core"}, 2},
		{"tar in gzip", gzipped(t, tarred(t, crash)), []string{"b/crash.core"}, 1},
		{"gzip in zip", zipped(t, file{"x.gz", gzipped(t, small)}), []string{"x.gz"}, 1},
		{"zip in zip", zipped(t, other, file{"x.zip", zipped(t, crash)}), []string{"a.hex", "x.zip/b/crash.core"}, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := mustOpen(t, tt.data)
			exercise(t, d)
			var files []string
			for i, s := range d.Crashes {
				files = append(files, s.File)
				if s.Number != i+1 {
					t.Errorf("number %d of crash %d", s.Number, i+1)
				}
			}
			if diff := cmp.Diff(tt.files, files); diff != "" || d.Selected != tt.which {
				t.Errorf("selected %d, want %d; (-want +got):\n%s", d.Selected, tt.which, diff)
			}
			if len(d.threads) != 2 || d.threads[0].regs.Value(core.SP) != mustOpen(t, small).threads[0].regs.Value(core.SP) {
				t.Errorf("%d threads, not those of the core", len(d.threads))
			}
			if more := strings.Contains(strings.Join(d.Warnings, "\n"), "the file holds 2 crashes"); more != (len(files) > 1) {
				t.Errorf("warnings %q", d.Warnings)
			}
		})
	}
}

func TestPackedSelection(t *testing.T) {
	t.Parallel()
	b := zipped(t, file{"notes.txt", []byte("hello\n")}, file{"a.hex", []byte(registerless)}, file{"b.core", smallCore()}, file{"fw.elf", smallCore()[:20]})
	open := func(n int) (*Dump, error) { return OpenReader(bytes.NewReader(b), int64(len(b)), Options{Crash: n}) }
	d, err := open(1)
	if err != nil || len(d.threads) != 0 || d.Selected != 1 || len(d.Crashes) != 2 {
		t.Fatalf("crash 1: error %v, %+v", err, d)
	}
	if diff := cmp.Diff([]string{"notes.txt: no known crash format"}, d.Unplaced); diff != "" {
		t.Errorf("unplaced (-want +got):\n%s", diff)
	}
	if !strings.Contains(strings.Join(d.Warnings, "\n"), "fw.elf: ELF core, offset 0x14") {
		t.Errorf("warnings %q", d.Warnings)
	}
	if _, err := open(3); !errors.Is(err, ErrNoCrash) {
		t.Errorf("crash 3: %v", err)
	}
}

func TestPackedRaw(t *testing.T) {
	t.Parallel()
	ram := bytes.Repeat([]byte{1, 2, 3, 4}, 20)
	opt := Options{Base: 0x20000000, HasBase: true}
	for name, b := range map[string][]byte{"raw": ram, "gzip": gzipped(t, ram), "zip": zipped(t, file{"ram.bin", ram})} {
		d, err := OpenReader(bytes.NewReader(b), int64(len(b)), opt)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got := make([]byte, 4)
		if _, err := d.Memory().ReadAt(0x2000004c, got); err != nil || got[0] != 1 || len(d.Regions) != 1 || d.Regions[0].Size != 80 {
			t.Errorf("%s: regions %v, read %v, error %v", name, d.Regions, got, err)
		}
	}
	two := zipped(t, file{"ram.bin", ram}, file{"b.bin", ram})
	if _, err := OpenReader(bytes.NewReader(two), int64(len(two)), opt); !errors.Is(err, ErrUnsupported) {
		t.Errorf("two files, one address: %v", err)
	}
	if _, err := OpenReader(bytes.NewReader(ram), int64(len(ram)), Options{}); !errors.Is(err, ErrNoAddress) {
		t.Errorf("no address: %v", err)
	}
	if _, err := OpenReader(bytes.NewReader(ram), int64(len(ram)), Options{Base: 0xfffffff0, HasBase: true}); !errors.Is(err, ErrUnsupported) {
		t.Errorf("past the top: %v", err)
	}
}

// TestPackedBombs: what unpacks to too much, or lies in too many others, is
// refused.
func TestPackedBombs(t *testing.T) {
	t.Parallel()
	var big bytes.Buffer
	w := gzip.NewWriter(&big)
	zeros := make([]byte, 1<<20)
	for range maxUnpacked>>20 + 1 {
		if _, err := w.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := openBytes(big.Bytes()); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a large gzip file: %v", err)
	}
	var many []file
	for range 20 {
		many = append(many, file{"x.gz", big.Bytes()})
	}
	start := time.Now()
	if _, err := openBytes(zipped(t, many...)); !errors.Is(err, ErrUnrecognized) {
		t.Errorf("many large files: %v", err)
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("many large files took %v", took)
	}
	deep := smallCore()
	for range maxDepth + 1 {
		deep = gzipped(t, deep)
	}
	if _, err := openBytes(deep); !errors.Is(err, ErrUnsupported) {
		t.Errorf("a deep file: %v", err)
	}
}

// TestPackedDamage cuts packed files everywhere, large ones in steps, and flips
// their bytes.
func TestPackedDamage(t *testing.T) {
	t.Parallel()
	small := smallCore()
	partial := 0
	for name, b := range map[string][]byte{"gzip": gzipped(t, small), "zip": zipped(t, file{"a", small}), "tar": tarred(t, file{"a", small})} {
		for n := 0; n < len(b); n += 1 + len(b)/1000 {
			if d, err := openBytes(b[:n]); err == nil {
				exercise(t, d)
				if len(d.Warnings) == 0 && name == "gzip" {
					t.Errorf("%s cut to %d of %d bytes: no warning", name, n, len(b))
				}
				partial++
			}
			b[n] ^= 0x55
			if d, err := openBytes(b); err == nil {
				exercise(t, d)
			}
			b[n] ^= 0x55
		}
	}
	if partial == 0 {
		t.Error("nothing of a cut file opens")
	}
}

// errReader fails after its bytes.
type errReader struct{ b *bytes.Reader }

func (e errReader) Read(p []byte) (int, error) {
	if n, err := e.b.Read(p); err != io.EOF {
		return n, err
	}
	return 0, io.ErrUnexpectedEOF
}

func TestUnpackAll(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, chunkSize - 1, chunkSize, chunkSize + 1} {
		b := bytes.Repeat([]byte{7}, n)
		for cut, r := range map[bool]io.Reader{false: bytes.NewReader(b), true: errReader{bytes.NewReader(b)}} {
			u, err := unpackAll(r, int64(n))
			if (err != nil) != cut || u.size != int64(n) {
				t.Errorf("%d bytes, cut %v: %d bytes, error %v", n, cut, u.size, err)
			}
			got := make([]byte, n+1)
			if k, err := u.ReadAt(got, 0); k != n || err != io.EOF {
				t.Errorf("%d bytes: read %d, error %v", n, k, err)
			}
		}
	}
	if _, err := unpackAll(bytes.NewReader(make([]byte, 11)), 10); !errors.Is(err, ErrTooLarge) {
		t.Errorf("11 of 10 bytes: %v", err)
	}
}
