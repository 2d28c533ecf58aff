package svd

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// toUTF8 returns the text of a file in UTF-8 without a byte order mark and
// without characters that XML 1.0 (2.2) forbids, whatever its declaration says:
// files that declare UTF-8 hold Latin-1 and the other way round. UTF-16 is told
// by its byte order mark; bytes that are no UTF-8 are taken as Latin-1.
func toUTF8(b []byte) []byte {
	switch {
	case bytes.HasPrefix(b, []byte{0xff, 0xfe}):
		b = fromUTF16(b[2:], binary.LittleEndian)
	case bytes.HasPrefix(b, []byte{0xfe, 0xff}):
		b = fromUTF16(b[2:], binary.BigEndian)
	default:
		b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	}
	if isClean(b) {
		return b
	}
	out := make([]byte, 0, len(b)+len(b)/16)
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			r = rune(b[0])
		}
		if r < ' ' && !isSpace(byte(r)) || r == 0xfffe || r == 0xffff {
			r = ' '
		}
		out = utf8.AppendRune(out, r)
		b = b[n:]
	}
	return out
}

// isClean reports whether b is UTF-8 that XML allows. U+FFFE and U+FFFF are the
// only ones beyond ASCII that it forbids.
func isClean(b []byte) bool {
	for _, c := range b {
		if c < ' ' && !isSpace(c) {
			return false
		}
	}
	return utf8.Valid(b) && !bytes.Contains(b, []byte("\uffff")) && !bytes.Contains(b, []byte("\ufffe"))
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func fromUTF16(b []byte, order binary.ByteOrder) []byte {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = order.Uint16(b[2*i:])
	}
	out := make([]byte, 0, len(units))
	for _, r := range utf16.Decode(units) {
		out = utf8.AppendRune(out, r)
	}
	return out
}
