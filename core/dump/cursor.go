package dump

import (
	"bytes"
	"encoding/binary"
)

// cursor reads little-endian fields from a slice. Once a read passes the end,
// it and all later ones give zeros and short is set; callers test it once.
type cursor struct {
	b     []byte
	off   int
	short bool
}

func (c *cursor) bytes(n int) []byte {
	if n < 0 || n > len(c.b)-c.off {
		c.short = true
	}
	if c.short {
		return nil
	}
	c.off += n
	return c.b[c.off-n : c.off]
}

func (c *cursor) skip(n int) { c.bytes(n) }

// align moves to the next multiple of n from the start of the slice; the end
// of the slice is as good.
func (c *cursor) align(n int) {
	if !c.short {
		c.off = min((c.off+n-1)/n*n, len(c.b))
	}
}

func (c *cursor) left() int { return len(c.b) - c.off }

func (c *cursor) u16() uint16 {
	b := c.bytes(2)
	if b == nil {
		return 0
	}
	return binary.LittleEndian.Uint16(b)
}

func (c *cursor) u32() uint32 {
	b := c.bytes(4)
	if b == nil {
		return 0
	}
	return binary.LittleEndian.Uint32(b)
}

// cString returns b up to its first NUL, or all of it.
func cString(b []byte) string {
	b, _, _ = bytes.Cut(b, []byte{0})
	return string(b)
}

// nextString reads a NUL-terminated string; the end of the slice ends it too.
func (c *cursor) nextString() string {
	s := cString(c.b[c.off:])
	c.off = min(c.off+len(s)+1, len(c.b))
	return s
}
