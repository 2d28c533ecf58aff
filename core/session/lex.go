package session

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ExprError says what is wrong with an expression and where.
type ExprError struct {
	Expr string
	Off  int // byte offset in Expr
	Msg  string
	Err  error // cause, nil when the expression itself is wrong
}

// Error implements error.
func (e *ExprError) Error() string {
	text := fmt.Sprintf("%s at column %d of %q", e.Msg, e.Off+1, e.Expr)
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *ExprError) Unwrap() error { return e.Err }

// tokenKind is the kind of a word of the expression language.
type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenNumber
	tokenName     // a symbol or a register
	tokenRegister // $name
	tokenPunct    // one of + - * & ( )
)

// token is one word of an expression.
type token struct {
	kind tokenKind
	text string // without the $ of a register
	num  uint32
	off  int
}

// describe names a token in an error.
func (t token) describe() string {
	if t.kind == tokenEnd {
		return "the end"
	}
	return strconv.Quote(t.text)
}

// exprLimit bounds the length of an expression in bytes; no one types more.
const exprLimit = 1024

// lex cuts an expression into tokens, the last one tokenEnd.
func lex(expr string) ([]token, error) {
	if len(expr) > exprLimit {
		return nil, &ExprError{Expr: strings.ToValidUTF8(expr[:16], "?"), Msg: fmt.Sprintf("expression is longer than %d bytes", exprLimit)}
	}
	var tokens []token
	for off := 0; off < len(expr); {
		r, size := utf8.DecodeRuneInString(expr[off:])
		if unicode.IsSpace(r) {
			off += size
			continue
		}
		t := token{kind: tokenPunct, text: expr[off : off+size], off: off}
		switch {
		case strings.ContainsRune("+-*&()", r):
		case '0' <= r && r <= '9':
			t.kind, t.text = tokenNumber, word(expr[off:])
			n, err := strconv.ParseUint(strings.TrimRight(t.text, "uUlL"), 0, 32)
			if err != nil {
				return nil, &ExprError{Expr: expr, Off: off, Msg: "bad 32-bit number " + strconv.Quote(t.text)}
			}
			t.num = uint32(n)
		case r == '$':
			t.kind, t.text = tokenRegister, word(expr[off+1:])
			size = 1 + len(t.text)
		case nameRune(r):
			t.kind, t.text = tokenName, name(expr[off:])
		default:
			return nil, &ExprError{Expr: expr, Off: off, Msg: "unexpected " + strconv.Quote(t.text)}
		}
		off += max(size, len(t.text))
		tokens = append(tokens, t)
	}
	return append(tokens, token{kind: tokenEnd, off: len(expr)}), nil
}

// nameRune reports whether r can stand in a symbol's name: letters, digits,
// and what compilers add (foo.part.0, _ZN.., foo$bar, foo@plt).
func nameRune(r rune) bool {
	return r == '_' || r == '.' || r == '$' || r == '@' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// word is the run of name runes at the start of s.
func word(s string) string {
	return s[:len(s)-len(strings.TrimLeftFunc(s, nameRune))]
}

// name is the qualified name at the start of s: words joined by "::", the last
// of which may be a destructor.
func name(s string) string {
	n := len(word(s))
	for strings.HasPrefix(s[n:], "::") {
		rest := s[n+2:]
		tilde := len(rest) - len(strings.TrimPrefix(rest, "~"))
		w := word(rest[tilde:])
		if w == "" {
			break
		}
		n += 2 + tilde + len(w)
	}
	return s[:n]
}
