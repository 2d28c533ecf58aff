package cursor

import (
	"errors"
	"testing"
)

func TestReads(t *testing.T) {
	t.Parallel()
	c := New("test", []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 'a', 'b', 0, 0x7f})
	if c.U8() != 1 || c.U16() != 0x0302 || c.U32() != 0x07060504 || c.U64() != 0x0f0e0d0c0b0a0908 {
		t.Error("fixed sizes")
	}
	if c.CString() != "ab" || c.Off() != 18 || c.Len() != 1 {
		t.Errorf("string: offset %d", c.Off())
	}
	c.Seek(0)
	sub := c.Sub(2)
	if sub.U16() != 0x0201 || sub.Len() != 0 || c.Off() != 2 || c.Err() != nil || sub.Err() != nil {
		t.Error("sub cursor")
	}
}

func TestErrorsStick(t *testing.T) {
	t.Parallel()
	c := New("test", []byte{1, 2, 3})
	c.U8()
	if c.U32() != 0 || c.Err() == nil {
		t.Fatal("read past the end")
	}
	first := c.Err()
	if c.U8() != 0 || c.Len() != 0 || c.CString() != "" || c.Bytes(0) != nil || c.ULEB() != 0 || c.Sub(1).Err() != first {
		t.Error("reads after an error give values")
	}
	c.Fail("second")
	c.Seek(0)
	c.SkipLEB()
	c.SkipCString()
	if c.Err() != first || c.Off() != 1 {
		t.Errorf("error %v at %d is not the first", c.Err(), c.Off())
	}
	e, ok := errors.AsType[*Error](first)
	if !ok || e.Section != "test" || e.Off != 1 || e.Error() != "test: offset 0x1: 4 bytes expected, 2 left" {
		t.Errorf("got %v", first)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	for name, read := range map[string]func(c *Cursor){
		"negative length": func(c *Cursor) { c.Bytes(-1) },
		"seek past end":   func(c *Cursor) { c.Seek(100) },
		"seek before":     func(c *Cursor) { c.Seek(-1) },
		"string":          func(c *Cursor) { c.CString() },
		"skipped string":  func(c *Cursor) { c.SkipCString() },
		"endless LEB":     func(c *Cursor) { c.ULEB() },
		"endless SLEB":    func(c *Cursor) { c.SLEB() },
		"skipped LEB":     func(c *Cursor) { c.SkipLEB() },
	} {
		c := New("test", []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
		if read(c); c.Err() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestLEB(t *testing.T) {
	t.Parallel()
	// The examples of DWARF 5, 7.6, and the limits.
	for _, tt := range []struct {
		in       []byte
		unsigned uint64
		signed   int64
	}{
		{[]byte{2}, 2, 2}, {[]byte{0x7f}, 127, -1}, {[]byte{0x80, 1}, 128, 128}, {[]byte{0x81, 0x7f}, 16257, -127},
		{[]byte{0xb9, 0x64}, 12857, -3527}, {[]byte{0x80, 0x80, 0}, 0, 0},
		{[]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, 1<<64 - 1, -1},
		{[]byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f}, 0x7f << 56, -1 << 56},
	} {
		u, s := New("u", tt.in), New("s", tt.in)
		if got := u.ULEB(); got != tt.unsigned || u.Err() != nil || u.Len() != 0 {
			t.Errorf("ULEB(% x) = %d, %v", tt.in, got, u.Err())
		}
		if got := s.SLEB(); got != tt.signed || s.Err() != nil || s.Len() != 0 {
			t.Errorf("SLEB(% x) = %d, %v", tt.in, got, s.Err())
		}
	}
	c := New("u", []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2})
	if got := c.ULEB(); got != 0 || c.Err() == nil {
		t.Errorf("65 bits give %d, %v", got, c.Err())
	}
}
