package macro

import (
	"fmt"
	"strings"
)

// token is a preprocessing token (C17, 6.4).
type token struct {
	kind   tokenKind
	text   string
	space  bool     // white space is before it
	hidden *hideSet // macros that it is not expanded by
}

type tokenKind uint8

const (
	tokenOther tokenKind = iota // punctuation, and what is none of the others
	tokenName
	tokenNumber
	tokenText  // a string or a character with its quotes
	tokenEmpty // what is pasted for an argument that is empty
)

func (t token) is(text string) bool { return t.kind == tokenOther && t.text == text }

// hideSet is the names of macros that a token came out of: it is not expanded by
// them again (C17, 6.10.3.4).
type hideSet struct {
	name string
	next *hideSet
	size int // names from here on
}

func (h *hideSet) len() int {
	if h == nil {
		return 0
	}
	return h.size
}

func (h *hideSet) has(name string) bool {
	for ; h != nil; h = h.next {
		if h.name == name {
			return true
		}
	}
	return false
}

// with returns h with a name.
func (h *hideSet) with(name string) *hideSet {
	if h.has(name) {
		return h
	}
	return &hideSet{name, h, h.len() + 1}
}

// common returns the names that are in both.
func (h *hideSet) common(other *hideSet) *hideSet {
	if h == other {
		return h
	}
	var out *hideSet
	for ; h != nil; h = h.next {
		if other.has(h.name) {
			out = out.with(h.name)
		}
	}
	return out
}

// union returns the names that are in one of the two.
func (h *hideSet) union(other *hideSet) *hideSet {
	if h == nil || h == other {
		return other
	}
	for ; other != nil; other = other.next {
		h = h.with(other.name)
	}
	return h
}

// scan cuts text into tokens. Comments are white space.
func scan(text string) ([]token, error) {
	var out []token
	space := false
	for i := 0; i < len(text); {
		n := 1
		t := token{space: space}
		switch c := text[i]; {
		case c == ' ' || c >= '\t' && c <= '\r':
			space = true
			i++
			continue
		case strings.HasPrefix(text[i:], "/*"):
			end := strings.Index(text[i+2:], "*/")
			if end < 0 {
				return nil, fmt.Errorf("a comment is not closed in %q", text)
			}
			space = true
			i += end + 4
			continue
		case c == '"' || c == '\'':
			if n = quotedLen(text[i:]); n == 0 {
				return nil, fmt.Errorf("a quote is not closed in %q", text)
			}
			t.kind = tokenText
		case isDigit(c) || c == '.' && i+1 < len(text) && isDigit(text[i+1]):
			t.kind, n = tokenNumber, numberLen(text[i:])
		case isNameByte(c):
			t.kind, n = tokenName, nameLen(text[i:])
		default:
			n = punctuatorLen(text[i:])
		}
		t.text = text[i : i+n]
		out = append(out, t)
		space = false
		i += n
	}
	return out, nil
}

// punctuators are those of more than one character (C17, 6.4.6), the longest
// first.
var punctuators = []string{
	"<<=", ">>=", "...", "##", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
	"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "::",
}

// punctuatorLen is the length of the punctuator, or of the character, at the start
// of s.
func punctuatorLen(s string) int {
	for _, p := range punctuators {
		if strings.HasPrefix(s, p) {
			return len(p)
		}
	}
	return 1
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// numberLen is the length of the preprocessing number at the start of s
// (C17, 6.4.8).
func numberLen(s string) int {
	n := 1
	for n < len(s) {
		isSign := (s[n] == '+' || s[n] == '-') && strings.IndexByte("eEpP", s[n-1]) >= 0 && !isHexDigits(s[:n])
		if !isSign && s[n] != '.' && !isDigit(s[n]) && !isNameByte(s[n]) {
			break
		}
		n++
	}
	return n
}

// isHexDigits reports whether s is a hexadecimal number so far, in which "e" is a
// digit: 0x1e+1 is a sum to everyone who writes it, though not to the standard.
func isHexDigits(s string) bool {
	return len(s) > 2 && (s[:2] == "0x" || s[:2] == "0X") && strings.IndexByte("eE", s[len(s)-1]) >= 0
}

// quotedLen is the length of the string or character at the start of s, 0 where
// it does not end.
func quotedLen(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			return i + 1
		}
	}
	return 0
}

// text writes tokens, with a space where there was white space or where two
// tokens would become one.
func text(tokens []token) string {
	var b strings.Builder
	var last token
	for _, t := range tokens {
		if t.kind == tokenEmpty {
			continue
		}
		if b.Len() > 0 && (t.space || joins(last, t)) {
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
		last = t
	}
	return b.String()
}

// joins reports whether two tokens without white space between them would be read
// as others.
func joins(a, b token) bool {
	isWord := func(t token) bool { return t.kind == tokenName || t.kind == tokenNumber }
	if isWord(a) && (isWord(b) || b.kind == tokenText) || a.kind == tokenNumber && b.kind == tokenOther && strings.Contains("+-.", b.text) {
		return true
	}
	return a.kind == tokenOther && b.kind == tokenOther && punctuatorLen(a.text+b.text) > len(a.text)
}
