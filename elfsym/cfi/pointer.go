package cfi

import (
	"fmt"
	"math"

	"pushmask/internal/cursor"
)

// Pointer encodings (LSB Core 5.0, section 10.5.1): the low four bits give the
// format, the next three what the value is relative to.
const (
	encodingFormat   = 0x0f
	encodingBase     = 0x70
	encodingIndirect = 0x80
	encodingOmit     = 0xff

	formatAbsolute = 0x00
	formatULEB     = 0x01
	formatU2       = 0x02
	formatU4       = 0x03
	formatU8       = 0x04
	formatSLEB     = 0x09
	formatS2       = 0x0a
	formatS4       = 0x0b
	formatS8       = 0x0c

	baseNone    = 0x00
	basePC      = 0x10
	baseText    = 0x20
	baseData    = 0x30
	baseAligned = 0x50
)

// readPointer reads an encoded address. In .debug_frame the encoding is 0, a
// plain address.
func (cie *CIE) readPointer(c *cursor.Cursor, encoding uint8) uint32 {
	if encoding&encodingIndirect != 0 {
		c.Fail(fmt.Sprintf("pointer encoding %#x: the address is in memory", encoding))
		return 0
	}
	at := cie.sec.Addr + uint32(c.Off())
	v := readValue(c, encoding)
	switch base := encoding & encodingBase; {
	case base == baseNone:
		return cie.sec.moved(v)
	case base == basePC:
		return at + v
	case base == baseText && cie.sec.TextBase != 0:
		return cie.sec.TextBase + v
	case base == baseData && cie.sec.DataBase != 0:
		return cie.sec.DataBase + v
	}
	c.Fail(fmt.Sprintf("pointer encoding %#x: its base is unknown", encoding))
	return 0
}

// moved returns where an absolute address is in a moved image. What linkers write
// in the entries of functions that they discarded stays what it is: 0 (GNU ld,
// lld) or all ones (lld from version 11 on).
func (s *Section) moved(a uint32) uint32 {
	if a == 0 || a == math.MaxUint32 {
		return a
	}
	return a + s.Bias
}

// skipPointer passes over an encoded address of any kind.
func (cie *CIE) skipPointer(c *cursor.Cursor, encoding uint8) {
	switch {
	case encoding == encodingOmit:
	case encoding == baseAligned:
		c.Skip(int(-(cie.sec.Addr + uint32(c.Off())) & 3))
		c.U32()
	default:
		readValue(c, encoding)
	}
}

// readValue reads the value of a pointer in the format of its encoding.
func readValue(c *cursor.Cursor, encoding uint8) uint32 {
	var v int64
	switch encoding & encodingFormat {
	case formatAbsolute, formatU4, formatS4:
		return c.U32()
	case formatU2:
		return uint32(c.U16())
	case formatS2:
		return uint32(int16(c.U16()))
	case formatULEB:
		v = int64(c.ULEB())
	case formatSLEB:
		v = c.SLEB()
	case formatU8, formatS8:
		v = int64(c.U64())
	default:
		c.Fail(fmt.Sprintf("pointer encoding %#x is unknown", encoding))
		return 0
	}
	if v < math.MinInt32 || v > math.MaxUint32 {
		c.Fail(fmt.Sprintf("pointer %#x does not fit 32 bits", v))
	}
	return uint32(v)
}
