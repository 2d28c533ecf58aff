package inspect

import (
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"pushmask/elfsym/types"
)

// Limits of what is shown of text, in characters and in bytes.
const (
	maxString = 200
	maxText   = 1 << 14
)

// str is text in memory.
type str struct {
	text string
	more bool  // it goes on
	err  error // why it ends before it does
}

// quote writes text as a string of C.
func (s str) quote() string {
	out := `"` + escape(s.text, '"') + `"`
	if s.more || s.err != nil {
		out += "..."
	}
	return out
}

// escape writes text for quotes of a kind; bytes that are no UTF-8 are octal.
func escape(s string, quote byte) string {
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size <= 1:
			fmt.Fprintf(&b, `\%03o`, s[0])
		case r == rune(quote) || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case shortEscapes[r] != 0:
			b.WriteByte('\\')
			b.WriteByte(shortEscapes[r])
		case r < 0x20 || r >= 0x7f && r < 0xa0:
			fmt.Fprintf(&b, `\%03o`, r)
		default:
			b.WriteString(s[:size])
		}
		s = s[size:]
	}
	return b.String()
}

var shortEscapes = map[rune]byte{'\n': 'n', '\t': 't', '\r': 'r', '\a': 'a', '\b': 'b', '\f': 'f', '\v': 'v', 0x1b: 'e'}

// readString returns the text of an array of characters, or of what a pointer
// to them points to, up to a NUL and limit characters.
func (v *Value) readString(limit uint32) str {
	v = v.referred()
	t := v.Type.underlying()
	elem := t.Elem().underlying()
	width, _ := elem.Size()
	if width == 0 || width > 4 {
		width = 1
	}
	bounded, from := limit, v
	if t.isPointer() {
		n, err := v.bits()
		if err != nil {
			return str{err: err}
		}
		from = v.ctx.memory(elem, uint32(n))
	} else if n, ok := t.count(); ok {
		bounded = min(limit, n)
	}
	return from.characters(width, bounded, !t.isPointer() && bounded < limit+1)
}

// textChunk is how much is read at a time of text whose end is not known.
const textChunk = 64

// characters reads at most n characters of a width in bytes, up to a NUL.
func (v *Value) characters(width, n uint32, isArray bool) str {
	out := textBuilder{width: width}
	char := v.Type.underlying()
	if char.kind == types.Array {
		char = char.Elem().underlying()
	}
	for at := uint32(0); at < n; {
		chunk := min(textChunk, n-at)
		c := v.read(at*width, chunk*width)
		for i := range chunk {
			if !c.complete(i*width, width) {
				return str{text: out.text(), err: c.reason()}
			}
			x := little(char.ordered(c.data[i*width:][:width]))
			if x == 0 {
				return str{text: out.text()}
			}
			out.add(x)
		}
		at += chunk
	}
	count, known := v.Type.underlying().count()
	return str{text: out.text(), more: !isArray || known && count > n}
}

// textBuilder makes text of bytes, of UTF-16 or of UTF-32.
type textBuilder struct {
	width uint32 // of a unit in bytes
	out   strings.Builder
	high  rune // a surrogate that waits for its second half, 0 for none
}

func (b *textBuilder) add(x uint64) {
	r := rune(min(x, utf8.MaxRune))
	if b.width == 1 {
		b.out.WriteByte(byte(x))
		return
	}
	if b.high != 0 {
		if pair := utf16.DecodeRune(b.high, r); pair != utf8.RuneError {
			b.out.WriteRune(pair)
			b.high = 0
			return
		}
		b.flush()
	}
	if b.width == 2 && utf16.IsSurrogate(r) {
		b.high = r
		return
	}
	b.out.WriteRune(r)
}

// flush writes half of a pair by itself, as what is no character.
func (b *textBuilder) flush() {
	if b.high != 0 {
		b.out.WriteRune(utf8.RuneError)
		b.high = 0
	}
}

func (b *textBuilder) text() string {
	b.flush()
	return b.out.String()
}

// charText is the character of a code, in quotes.
func charText(n uint64, t *Type) string {
	r := rune(min(n, utf8.MaxRune))
	if size, _ := t.Size(); size == 1 && n >= 0x80 {
		return fmt.Sprintf(`'\%03o'`, n&0xff)
	}
	if r == 0 {
		return `'\000'`
	}
	return "'" + escape(string(r), '\'') + "'"
}

// isNamedChar reports whether t is a character by its name only: those of C are
// other names of integers (C17 7.19 and 7.28), and gcc does not mark those of C++.
func (t *Type) isNamedChar() bool {
	if t.dwarf == nil {
		return false
	}
	d := t.dwarf.Unqualified()
	for range maxHops {
		if d.Kind != types.Typedef && d.Kind != types.Base {
			break
		}
		switch d.TagName() {
		case "wchar_t", "char8_t", "char16_t", "char32_t":
			return true
		}
		if d.Kind == types.Base {
			break
		}
		d = d.Elem().Unqualified()
	}
	return false
}

// isString reports whether an array or a pointer is shown as text: char and the
// characters of Unicode, and not the bytes that uint8_t is another name for.
func isString(t *Type) bool {
	if t.kind != types.Array && t.kind != types.Pointer || t.kind == types.Array && len(t.dims) > 1 {
		return false
	}
	e := t.Elem().underlying()
	if t.Elem().isNamedChar() {
		return true
	}
	if !e.isChar() || e.isRust() {
		return false
	}
	return e.dwarf == nil || e.dwarf.TagName() == "char" || e.encoding == types.UTF
}
