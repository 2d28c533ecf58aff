package msgpack

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func reader(s string) *Reader { return NewReader(strings.NewReader(s)) }

// TestToken holds each format of the specification.
func TestToken(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   string
		want Token
	}{
		{"\x00", Token{Uint, 0}}, {"\x7f", Token{Uint, 127}},
		{"\x80", Token{Map, 0}}, {"\x8f", Token{Map, 15}},
		{"\x90", Token{Array, 0}}, {"\x9f", Token{Array, 15}},
		{"\xa0", Token{Str, 0}}, {"\xbf", Token{Str, 31}},
		{"\xc0", Token{Nil, 0}}, {"\xc2", Token{Bool, 0}}, {"\xc3", Token{Bool, 1}},
		{"\xc4\xff", Token{Bin, 255}}, {"\xc5\x01\x00", Token{Bin, 256}}, {"\xc6\x00\x01\x00\x00", Token{Bin, 65536}},
		{"\xc7\x02", Token{Ext, 3}}, {"\xc8\x01\x00", Token{Ext, 257}}, {"\xc9\xff\xff\xff\xff", Token{Ext, 1 << 32}},
		{"\xca", Token{Float, 4}}, {"\xcb", Token{Float, 8}},
		{"\xcc\x80", Token{Uint, 128}}, {"\xcd\x12\x34", Token{Uint, 0x1234}}, {"\xce\xff\xff\xff\xff", Token{Uint, 1<<32 - 1}},
		{"\xcf\xff\xff\xff\xff\xff\xff\xff\xff", Token{Uint, 1<<64 - 1}},
		{"\xd0\x80", Token{Int, 1<<64 - 128}}, {"\xd0\x7f", Token{Uint, 127}}, {"\xd1\xff\xfe", Token{Int, 1<<64 - 2}},
		{"\xd2\x80\x00\x00\x00", Token{Int, 1<<64 - 1<<31}}, {"\xd3\xff\xff\xff\xff\xff\xff\xff\xff", Token{Int, 1<<64 - 1}},
		{"\xd4", Token{Ext, 2}}, {"\xd5", Token{Ext, 3}}, {"\xd6", Token{Ext, 5}}, {"\xd7", Token{Ext, 9}}, {"\xd8", Token{Ext, 17}},
		{"\xd9\x20", Token{Str, 32}}, {"\xda\x01\x00", Token{Str, 256}}, {"\xdb\x00\x01\x00\x00", Token{Str, 65536}},
		{"\xdc\x00\x10", Token{Array, 16}}, {"\xdd\x00\x01\x00\x00", Token{Array, 65536}},
		{"\xde\x00\x10", Token{Map, 16}}, {"\xdf\xff\xff\xff\xff", Token{Map, 1<<32 - 1}},
		{"\xe0", Token{Int, 1<<64 - 32}}, {"\xff", Token{Int, 1<<64 - 1}},
	} {
		r := reader(c.in)
		got := r.Token()
		if got != c.want || r.Err() != nil || r.Offset() != int64(len(c.in)) {
			t.Errorf("%x: %+v, %v at %d; want %+v", c.in, got, r.Err(), r.Offset(), c.want)
		}
		for n := range len(c.in) {
			r := reader(c.in[:n])
			if got := r.Token(); got != (Token{}) || !errors.Is(r.Err(), io.ErrUnexpectedEOF) {
				t.Errorf("%x cut to %d: %+v, %v", c.in, n, got, r.Err())
			}
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	broken := errors.New("line cut")
	for _, c := range []struct {
		name string
		in   io.Reader
		read func(*Reader)
		is   error
		want string
	}{
		{"byte that begins nothing", strings.NewReader("\x01\xc1"), func(r *Reader) { r.Token(); r.Token() }, ErrFormat,
			"read MessagePack at offset 0x1: byte 0xc1: not the MessagePack value that was expected"},
		{"other kind", strings.NewReader("\x01\xa0"), func(r *Reader) { r.Token(); r.Expect(Array) }, ErrFormat,
			"read MessagePack at offset 0x1: a string in place of an array: not the MessagePack value that was expected"},
		{"long string", strings.NewReader("\xa5hello"), func(r *Reader) { r.Str(4) }, ErrFormat,
			"read MessagePack at offset 0x0: a string of 5 bytes: not the MessagePack value that was expected"},
		{"string cut", strings.NewReader("\xa5hel"), func(r *Reader) { r.Str(8) }, io.ErrUnexpectedEOF,
			"read MessagePack at offset 0x4: unexpected EOF"},
		{"no bytes", strings.NewReader("\x80"), func(r *Reader) { r.Octets() }, ErrFormat,
			"read MessagePack at offset 0x0: a map in place of bytes: not the MessagePack value that was expected"},
		{"no byte", strings.NewReader("\x92\x01\xcd\x01\x00"), func(r *Reader) { r.Octets() }, ErrFormat,
			"read MessagePack at offset 0x5: 256 is no byte: not the MessagePack value that was expected"},
		{"input breaks", iotest.ErrReader(broken), func(r *Reader) { r.Token() }, broken,
			"read MessagePack at offset 0x0: line cut"},
		{"input breaks in skipped part", io.MultiReader(strings.NewReader("\xc4\x10abc"), iotest.ErrReader(broken)),
			func(r *Reader) { r.Skip(r.Token()) }, broken, "read MessagePack at offset 0x5: line cut"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := NewReader(c.in)
			c.read(r)
			if !errors.Is(r.Err(), c.is) || r.Err().Error() != c.want {
				t.Errorf("got  %v\nwant %s", r.Err(), c.want)
			}
			first := r.Err()
			r.Skip(Token{Str, 1})
			if r.Token() != (Token{}) || r.Expect(Map) != 0 || r.Str(9) != "" || r.Octets() != nil || r.Err() != first {
				t.Error("the error does not stick")
			}
		})
	}
}

func TestOctets(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{"\x93\x00\x7f\xcc\xff", "\x00\x7f\xff"}, {"\xc4\x03abc", "abc"}, {"\x90", ""}, {"\xdd\xff\xff\xff\xff\x01\x02", "\x01\x02"},
	} {
		if got := reader(c.in).Octets(); string(got) != c.want {
			t.Errorf("%x: %x, want %x", c.in, got, c.want)
		}
	}
}

// TestSkip skips a value and must stand at the integer 42 behind it.
func TestSkip(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		"\x01", "\xc0", "\xc3", "\xcb12345678", "\xa3abc", "\xc4\x02ab", "\xd4tx", "\xc7\x02tab", "\x90", "\x80",
		"\x92\x01\x92\x02\xa1x", "\x82\xa1a\x01\xa1b\x93\x01\x02\x80", "\xdc\x00\x02\x90\x91\x90",
		strings.Repeat("\x91", 1<<20) + "\x00",
	} {
		r := reader(in + "\x2a")
		r.Skip(r.Token())
		if got := r.Token(); got != (Token{Uint, 42}) || r.Err() != nil {
			t.Errorf("%.20x: %+v, %v", in, got, r.Err())
		}
	}
}

func TestKindNames(t *testing.T) {
	t.Parallel()
	got := []string{Invalid.String(), Map.String(), Kind(99).String()}
	if d := cmp.Diff([]string{"nothing", "a map", "kind 99"}, got); d != "" {
		t.Error(d)
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("\x82\xa1a\x01\xa1b\x93\x01\x02\x80"))
	f.Add([]byte("\xdf\xff\xff\xff\xff\xc4\x02ab\xcb12345678\xc9\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := NewReader(bytes.NewReader(b))
		for r.Err() == nil {
			before := r.Offset()
			r.Skip(r.Token())
			if r.Err() == nil && r.Offset() <= before {
				t.Fatalf("no progress at %d", before)
			}
		}
		if r.Offset() > int64(len(b)) {
			t.Fatalf("read %d of %d bytes", r.Offset(), len(b))
		}
	})
}
