package logtext

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/simplifiedchinese"
)

// utf16Order recognises UTF-16 by its byte order mark, and by the zeros that
// the digits and Latin letters of a log have in it: the mark alone may be
// rubbish of the line.
func utf16Order(data []byte) (binary.ByteOrder, bool) {
	head := data[:min(len(data), 256)]
	if len(data) < 2 || bytes.Count(head, []byte{0})*8 < len(head) {
		return nil, false
	}
	switch binary.BigEndian.Uint16(data) {
	case 0xfffe:
		return binary.LittleEndian, true
	case 0xfeff:
		return binary.BigEndian, true
	}
	return nil, false
}

// decodeUTF16 returns UTF-8. The byte order mark is kept, as its UTF-8 form,
// so that offsets stay true; see [utf16Size].
func decodeUTF16(data []byte, order binary.ByteOrder) []byte {
	out := make([]byte, 0, len(data)/2)
	for len(data) >= 2 {
		r, n := rune(order.Uint16(data)), 2
		if utf16.IsSurrogate(r) {
			r2 := rune(0)
			if len(data) >= 4 {
				r2 = rune(order.Uint16(data[2:]))
			}
			if r = utf16.DecodeRune(r, r2); r != utf8.RuneError {
				n = 4
			}
		}
		out = utf8.AppendRune(out, r)
		data = data[n:]
	}
	return out
}

// utf16Size returns how many bytes a text that decodeUTF16 returned has in
// UTF-16.
func utf16Size(text []byte) int64 {
	n := int64(0)
	for len(text) > 0 {
		r, w := utf8.DecodeRune(text)
		n += 2
		if r > 0xffff {
			n += 2
		}
		text = text[w:]
	}
	return n
}

// decode returns text as UTF-8. Encodings are told a line at a time, since a
// log often holds several: what the firmware prints, what the host adds, and
// rubbish of a line that was not idle.
//
// A line that is no UTF-8 and whose bytes above 0x7f are all pairs of GB 2312
// (both from 0xa1 up, the first up to 0xf7) is Chinese; any other is Latin-1,
// in which every byte is a character.
func decode(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	if isGB2312(text) {
		if s, err := simplifiedchinese.GBK.NewDecoder().String(text); err == nil {
			return s
		}
	}
	var b strings.Builder
	for i := range len(text) {
		b.WriteRune(rune(text[i]))
	}
	return b.String()
}

func isGB2312(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] < 0x80 {
			continue
		}
		if text[i] < 0xa1 || text[i] > 0xf7 || i+1 == len(text) || text[i+1] < 0xa1 || text[i+1] == 0xff {
			return false
		}
		i++
	}
	return true
}
