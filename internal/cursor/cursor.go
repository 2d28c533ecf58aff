// Package cursor reads little-endian binary data with one sticky error, so
// that parsers of untrusted input check for truncation once, at the end of a
// record. It allocates nothing and knows no format.
package cursor

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// Error reports a read that went past the end of the data, or a value that
// cannot be represented.
type Error struct {
	Section string // what was being read, for people
	Off     int    // offset in the section where the read began
	Msg     string
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("%s: offset %#x: %s", e.Section, e.Off, e.Msg)
}

// Cursor is a position in a byte slice. After the first failed read every
// other read returns zero values and Err tells what happened.
type Cursor struct {
	section string
	data    []byte
	off     int
	err     error
}

// New returns a cursor at the start of data; section names it in errors.
func New(section string, data []byte) *Cursor { return &Cursor{section: section, data: data} }

// Err returns the first error.
func (c *Cursor) Err() error { return c.err }

// Off returns the offset of the next byte.
func (c *Cursor) Off() int { return c.off }

// Len returns the number of bytes left, 0 after an error.
func (c *Cursor) Len() int {
	if c.err != nil {
		return 0
	}
	return len(c.data) - c.off
}

// Fail records msg as the error unless there already is one.
func (c *Cursor) Fail(msg string) {
	if c.err == nil {
		c.err = &Error{c.section, c.off, msg}
	}
}

// Bytes returns the next n bytes without copying them.
func (c *Cursor) Bytes(n int) []byte {
	if c.err != nil {
		return nil
	}
	if n < 0 || n > len(c.data)-c.off {
		c.Fail(fmt.Sprintf("%d bytes expected, %d left", n, len(c.data)-c.off))
		return nil
	}
	b := c.data[c.off : c.off+n : c.off+n]
	c.off += n
	return b
}

// Sub returns a cursor over the next n bytes and skips them.
func (c *Cursor) Sub(n int) *Cursor {
	sub := New(c.section, c.Bytes(n))
	sub.err = c.err
	return sub
}

// Skip moves n bytes on.
func (c *Cursor) Skip(n int) { c.Bytes(n) }

// Seek moves to the offset off.
func (c *Cursor) Seek(off int) {
	if off < 0 || off > len(c.data) {
		c.Fail(fmt.Sprintf("offset %#x is outside", off))
		return
	}
	if c.err == nil {
		c.off = off
	}
}

// Align moves to the next multiple of n from the start of the data, or to its
// end if that comes first.
func (c *Cursor) Align(n int) {
	if c.err == nil {
		c.off = min((c.off+n-1)/n*n, len(c.data))
	}
}

// U8 reads a byte.
func (c *Cursor) U8() uint8 {
	if b := c.Bytes(1); b != nil {
		return b[0]
	}
	return 0
}

// U16 reads a 16-bit value.
func (c *Cursor) U16() uint16 {
	if b := c.Bytes(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

// U32 reads a 32-bit value.
func (c *Cursor) U32() uint32 {
	if b := c.Bytes(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// U64 reads a 64-bit value.
func (c *Cursor) U64() uint64 {
	if b := c.Bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// ULEB reads an unsigned LEB128 value (DWARF 5, 7.6) of at most 64 bits.
func (c *Cursor) ULEB() uint64 {
	var v uint64
	for shift := uint(0); ; shift += 7 {
		b := c.U8()
		if c.err != nil {
			return 0
		}
		if shift >= 64 || shift == 63 && b&0x7e != 0 {
			c.Fail("LEB128 value does not fit 64 bits")
			return 0
		}
		v |= uint64(b&0x7f) << shift
		if b&0x80 == 0 {
			return v
		}
	}
}

// CString reads a NUL-terminated string.
func (c *Cursor) CString() string {
	if c.err != nil {
		return ""
	}
	n := bytes.IndexByte(c.data[c.off:], 0)
	if n < 0 {
		c.Fail("string has no end")
		return ""
	}
	s := string(c.data[c.off : c.off+n])
	c.off += n + 1
	return s
}

// SkipLEB passes over a LEB128 value of any length.
func (c *Cursor) SkipLEB() {
	for c.U8()&0x80 != 0 && c.err == nil {
	}
}

// SkipCString passes over a NUL-terminated string.
func (c *Cursor) SkipCString() {
	if c.err != nil {
		return
	}
	n := bytes.IndexByte(c.data[c.off:], 0)
	if n < 0 {
		c.Fail("string has no end")
		return
	}
	c.off += n + 1
}

// SLEB reads a signed LEB128 value (DWARF 5, 7.6) of at most 64 bits.
func (c *Cursor) SLEB() int64 {
	var v int64
	for shift := uint(0); ; shift += 7 {
		b := c.U8()
		if c.err != nil {
			return 0
		}
		if shift >= 64 {
			c.Fail("LEB128 value does not fit 64 bits")
			return 0
		}
		v |= int64(b&0x7f) << shift
		if b&0x80 == 0 {
			if b&0x40 != 0 && shift < 57 {
				v |= -1 << (shift + 7)
			}
			return v
		}
	}
}
