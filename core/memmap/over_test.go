package memmap

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"pushmask/core"
)

func TestOver(t *testing.T) {
	t.Parallel()
	const base = 0x2000_0000
	for _, c := range []struct{ name, top, bottom, want string }{
		{"top alone", "abcd....", "........", "abcd...."},
		{"bottom alone", "........", "..wxyz..", "..wxyz.."},
		{"top hides bottom", "abcdefgh", "stuvwxyz", "abcdefgh"},
		{"hole in the middle", "ab....gh", "stuvwxyz", "abuvwxgh"},
		{"holes at both ends", "..cdef..", "stuvwxyz", "stcdefyz"},
		{"many holes", "a.c.e.g.", "stuvwxyz", "atcvexgz"},
		{"bottom has holes too", "a......h", "st..wx..", "at..wx.h"},
		{"bottom ends inside the hole", "a......h", "stuv....", "atuv...h"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := Over(drawn(base, c.top), drawn(base, c.bottom))
			if got := picture(t, m, base, 8); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// drawn maps the bytes of pic other than '.'.
func drawn(at core.Addr, pic string) *Map {
	var m Map
	for i := range len(pic) {
		if pic[i] != '.' {
			m.AddBytes(at+core.Addr(i), []byte{pic[i]})
		}
	}
	return &m
}

func TestOverHoleLength(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, top, bottom string
		want              core.ReadError
	}{
		{"top comes back first", "ab...f..", "........", core.ReadError{Addr: 2, Len: 3}},
		{"bottom comes back first", "ab.....h", "....e...", core.ReadError{Addr: 2, Len: 2}},
		{"neither comes back", "ab......", "..c.....", core.ReadError{Addr: 3, Len: 5}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := Over(drawn(0, c.top), drawn(0, c.bottom)).ReadAt(0, make([]byte, 8))
			checkError(t, err, &c.want)
		})
	}
}

// TestOverUnknownExtent: a top that does not know how long its holes are must
// still win every byte it has.
func TestOverUnknownExtent(t *testing.T) {
	t.Parallel()
	inner := drawn(0, "a..de..h")
	top := Func(func(a core.Addr, p []byte) (int, error) {
		n, err := inner.ReadAt(a, p)
		if re, ok := errors.AsType[*core.ReadError](err); ok {
			return n, &core.ReadError{Addr: re.Addr}
		}
		return n, err
	})
	if got := picture(t, Over(top, drawn(0, "stuvwxyz")), 0, 8); got != "atudexyh" {
		t.Errorf("got %s", got)
	}
}

func TestOverTop(t *testing.T) {
	t.Parallel()
	low := drawn(0, "zzzzzzzz")
	low.AddBytes(0xffff_fff8, []byte("12345678"))
	for _, top := range []*Map{{}, drawn(0xffff_fff8, "..ab....")} {
		p := make([]byte, 32)
		n, err := Over(top, low).ReadAt(0xffff_fff8, p)
		if n != 8 || !errors.Is(err, ErrTop) {
			t.Errorf("read %d bytes %q, %v: must stop at the top", n, p[:n], err)
		}
	}
}

func TestOverBroken(t *testing.T) {
	t.Parallel()
	broken := errors.New("link lost")
	bad := Func(func(core.Addr, []byte) (int, error) { return 0, broken })
	good := drawn(0, "a..d")
	for name, m := range map[string]core.Memory{"top": Over(bad, good), "bottom": Over(good, bad)} {
		if _, err := m.ReadAt(0, make([]byte, 4)); !errors.Is(err, broken) {
			t.Errorf("%s broken: error %v", name, err)
		}
	}
}

func TestOverAgainstPaint(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		const size = 24
		top, bottom := make([]byte, size), make([]byte, size)
		for i := range size {
			top[i], bottom[i] = '.', '.'
			if rnd.IntN(3) == 0 {
				top[i] = 'T'
			}
			if rnd.IntN(3) > 0 {
				bottom[i] = 'b'
			}
		}
		want := bytes.Clone(top)
		for i, b := range want {
			if b == '.' {
				want[i] = bottom[i]
			}
		}
		if got := picture(t, Over(drawn(0, string(top)), drawn(0, string(bottom))), 0, size); got != string(want) {
			t.Fatalf("top %s bottom %s\ngot  %s\nwant %s", top, bottom, got, want)
		}
	}
}
