package memmap

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
)

// picture draws the addresses from..from+n-1 of m: the byte where there is
// one, '.' for a hole. It reads byte by byte and checks that one read of all
// of it agrees.
func picture(t *testing.T, m core.Memory, from core.Addr, n int) string {
	t.Helper()
	out := bytes.Repeat([]byte{'.'}, n)
	for i := range n {
		if _, err := m.ReadAt(from+core.Addr(i), out[i:i+1]); err != nil && !errors.Is(err, core.ErrNoMemory) {
			t.Fatalf("read %v: %v", from+core.Addr(i), err)
		}
	}
	whole := make([]byte, n)
	got, err := m.ReadAt(from, whole)
	want := strings.IndexByte(string(out), '.')
	if want < 0 {
		want = n
	}
	if got != want || string(whole[:got]) != string(out[:want]) || (err == nil) != (want == n) {
		t.Fatalf("one read gives %d bytes %q, %v; byte by byte gives %q", got, whole[:got], err, out)
	}
	return string(out)
}

func TestOverlap(t *testing.T) {
	t.Parallel()
	const base = 0x2000_0000
	type part struct {
		at    int
		bytes string
	}
	for _, c := range []struct {
		name    string
		parts   []part // in the order they are added
		want    string
		regions int
	}{
		{"apart", []part{{0, "aaa"}, {5, "bbb"}}, "aaa..bbb", 2},
		{"touching", []part{{0, "aaa"}, {3, "bbb"}}, "aaabbb..", 1},
		{"touching, added downwards", []part{{3, "bbb"}, {0, "aaa"}}, "aaabbb..", 1},
		{"equal", []part{{1, "abc"}, {1, "xyz"}}, ".xyz....", 1},
		{"begins below", []part{{2, "abcd"}, {0, "xyzw"}}, "xyzwcd..", 1},
		{"ends above", []part{{0, "abcd"}, {2, "xyzw"}}, "abxyzw..", 1},
		{"inside", []part{{0, "abcdef"}, {2, "xy"}}, "abxyef..", 1},
		{"inside, same start", []part{{0, "abcdef"}, {0, "xy"}}, "xycdef..", 1},
		{"inside, same end", []part{{0, "abcdef"}, {4, "xy"}}, "abcdxy..", 1},
		{"covers", []part{{2, "ab"}, {0, "uvwxyz"}}, "uvwxyz..", 1},
		{"covers, same start", []part{{0, "ab"}, {0, "uvwxyz"}}, "uvwxyz..", 1},
		{"covers, same end", []part{{4, "ab"}, {0, "uvwxyz"}}, "uvwxyz..", 1},
		{"over a gap", []part{{0, "ab"}, {6, "cd"}, {1, "uvwxyz"}}, "auvwxyzd", 1},
		{"covers two and a gap", []part{{1, "ab"}, {5, "cd"}, {0, "rstuvwxy"}}, "rstuvwxy", 1},
		{"nested, newest innermost", []part{{0, "aaaaaaaa"}, {1, "bbbbbb"}, {3, "cc"}}, "abbccbba", 1},
		{"nested, newest outermost", []part{{3, "cc"}, {1, "bbbbbb"}, {0, "aaaaaaaa"}}, "aaaaaaaa", 1},
		{"middle age between", []part{{2, "cccc"}, {0, "aaa"}, {4, "bbb"}}, "aaacbbb.", 1},
		{"size 0 over bytes", []part{{0, "abc"}, {1, ""}}, "abc.....", 1},
		{"size 0 alone", []part{{1, ""}}, "........", 0},
		{"empty", nil, "........", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var m Map
			for _, p := range c.parts {
				m.AddBytes(base+core.Addr(p.at), []byte(p.bytes))
			}
			if got := picture(t, &m, base, 8); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if got := len(m.Regions()); got != c.regions {
				t.Errorf("%d regions, want %d: %v", got, c.regions, m.Regions())
			}
		})
	}
}

func TestReadHoles(t *testing.T) {
	t.Parallel()
	var m Map
	m.AddBytes(0x100, []byte("abcd"))
	m.AddBytes(0x108, []byte("efgh"))
	m.AddBytes(0xffff_fffc, []byte("top!"))
	for _, c := range []struct {
		name string
		addr core.Addr
		size int
		want string
		err  error
	}{
		{"whole region", 0x100, 4, "abcd", nil},
		{"nothing asked of a hole", 0x50, 0, "", nil},
		{"hole up to the next region", 0x102, 10, "cd", &core.ReadError{Addr: 0x104, Len: 4}},
		{"hole up to the end of the request", 0x102, 4, "cd", &core.ReadError{Addr: 0x104, Len: 2}},
		{"begins in a hole", 0xf0, 64, "", &core.ReadError{Addr: 0xf0, Len: 16}},
		{"after the last region", 0x10a, 16, "gh", &core.ReadError{Addr: 0x10c, Len: 14}},
		{"last bytes", 0xffff_fffc, 4, "top!", nil},
		{"past the top", 0xffff_fffe, 8, "p!", ErrTop},
		{"hole below the top", 0xffff_fff8, 16, "", &core.ReadError{Addr: 0xffff_fff8, Len: 4}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := make([]byte, c.size)
			n, err := m.ReadAt(c.addr, p)
			if string(p[:n]) != c.want {
				t.Errorf("read %q, want %q", p[:n], c.want)
			}
			checkError(t, err, c.err)
		})
	}
}

func checkError(t *testing.T, got, want error) {
	t.Helper()
	if re, ok := errors.AsType[*core.ReadError](want); ok {
		g, ok := errors.AsType[*core.ReadError](got)
		if !ok || *g != *re {
			t.Errorf("error %v, want %v", got, want)
		}
		return
	}
	if !errors.Is(got, want) {
		t.Errorf("error %v, want %v", got, want)
	}
}

func TestHoleBelowTopEnd(t *testing.T) {
	t.Parallel()
	var m Map
	m.AddBytes(0xffff_fff0, []byte("12345678"))
	n, err := m.ReadAt(0xffff_fff0, make([]byte, 32))
	if n != 8 {
		t.Errorf("read %d bytes, want 8", n)
	}
	checkError(t, err, &core.ReadError{Addr: 0xffff_fff8, Len: 8})
}

func TestRegionCutAtTop(t *testing.T) {
	t.Parallel()
	var m Map
	m.AddReader(0xffff_fffe, 100, strings.NewReader("abcdef"), 1)
	want := []Region{{0xffff_fffe, 2}}
	if d := cmp.Diff(want, m.Regions()); d != "" {
		t.Error(d)
	}
	if got := picture(t, &m, 0xffff_fffe, 2); got != "bc" {
		t.Errorf("got %q", got)
	}
	if m.Contains(0, 1) {
		t.Error("region wrapped to address 0")
	}
}

func TestWholeAddressSpace(t *testing.T) {
	t.Parallel()
	var m Map
	m.AddMemory(0, 1<<33, Func(func(a core.Addr, p []byte) (int, error) {
		for i := range p {
			p[i] = byte(a) + byte(i)
		}
		return len(p), nil
	}))
	if d := cmp.Diff([]Region{{0, 1 << 32}}, m.Regions()); d != "" {
		t.Error(d)
	}
	if v, err := core.ReadU32(&m, 0xffff_fffc); v != 0xfffefdfc || err != nil {
		t.Errorf("got %#x, %v", v, err)
	}
	if !m.Contains(0, 1<<32) {
		t.Error("does not contain the address space")
	}
}

// TestPieceOffsets: the piece of an older region above a newer one must read
// from the right place of its file.
func TestPieceOffsets(t *testing.T) {
	t.Parallel()
	var m Map
	m.AddReader(0x1000, 8, strings.NewReader("....abcdefgh...."), 4)
	m.AddBytes(0x1002, []byte("XY"))
	if got := picture(t, &m, 0x0fff, 10); got != ".abXYefgh." {
		t.Errorf("got %q", got)
	}
}

func TestShortSources(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk on fire")
	for _, c := range []struct {
		name string
		src  core.Memory
		want error
	}{
		{"file ends early", readerSource{addr: 0x100, r: strings.NewReader("ab")}, &core.ReadError{Addr: 0x102, Len: 2}},
		{"silent short read", Func(func(_ core.Addr, p []byte) (int, error) { return copy(p, "ab"), nil }), &core.ReadError{Addr: 0x102, Len: 2}},
		{"hole of a nested memory", Func(func(_ core.Addr, p []byte) (int, error) {
			return copy(p, "ab"), fmt.Errorf("nested: %w", &core.ReadError{Addr: 0x102, Len: 1})
		}), &core.ReadError{Addr: 0x102, Len: 1}},
		{"broken", Func(func(_ core.Addr, p []byte) (int, error) { return copy(p, "ab"), broken }), broken},
		{"unexpected end", Func(func(_ core.Addr, p []byte) (int, error) { return copy(p, "ab"), io.ErrUnexpectedEOF }), &core.ReadError{Addr: 0x102, Len: 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var m Map
			m.AddMemory(0x100, 4, c.src)
			p := make([]byte, 4)
			n, err := m.ReadAt(0x100, p)
			if string(p[:n]) != "ab" {
				t.Errorf("read %q", p[:n])
			}
			checkError(t, err, c.want)
			if (c.want == broken) == errors.Is(err, core.ErrNoMemory) {
				t.Errorf("a failing source must not look like missing memory: %v", err)
			}
		})
	}
}

func TestContains(t *testing.T) {
	t.Parallel()
	var m Map
	m.AddBytes(0x100, make([]byte, 8))
	m.AddBytes(0x108, make([]byte, 8)) // touches
	m.AddBytes(0x120, make([]byte, 8))
	for _, c := range []struct {
		addr core.Addr
		size uint64
		want bool
	}{
		{0x100, 8, true}, {0x100, 16, true}, {0x100, 17, false}, {0xff, 2, false},
		{0x10f, 1, true}, {0x110, 1, false}, {0x110, 0, false}, {0x10f, 0, true},
		{0x120, 8, true}, {0x10c, 0x18, false}, {0x128, 1, false}, {0x100, 1 << 32, false},
	} {
		if got := m.Contains(c.addr, c.size); got != c.want {
			t.Errorf("Contains(%v, %d) = %v", c.addr, c.size, got)
		}
	}
}

// TestAgainstPaint compares the map with the simplest model: bytes painted
// one region after the other on an array.
func TestAgainstPaint(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		const size = 48
		want := bytes.Repeat([]byte{'.'}, size)
		var m Map
		for i := range 1 + rnd.IntN(8) {
			at := rnd.IntN(size)
			b := make([]byte, rnd.IntN(size-at+1))
			for j := range b {
				b[j] = 'A' + byte((i*7+j)%50)
			}
			copy(want[at:], b)
			m.AddBytes(core.Addr(0x8000+at), b)
		}
		if got := picture(t, &m, 0x8000, size); got != string(want) {
			t.Fatalf("got  %s\nwant %s", got, want)
		}
	}
}

func TestAddAfterRead(t *testing.T) {
	t.Parallel()
	var m Map
	m.AddBytes(0, []byte("aaaa"))
	picture(t, &m, 0, 4)
	m.AddBytes(1, []byte("b"))
	if got := picture(t, &m, 0, 4); got != "abaa" {
		t.Errorf("got %q", got)
	}
}

// BenchmarkManyRegions is the worst order for an insertion sort.
func BenchmarkManyRegions(b *testing.B) {
	for range b.N {
		var m Map
		for i := range core.Addr(65536) {
			m.AddBytes((65536-i)*16, make([]byte, 24))
		}
		if len(m.Regions()) != 1 {
			b.Fatal("regions are not joined")
		}
	}
}
