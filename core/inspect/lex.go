package inspect

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
	tokenChar     // 'a', also u'a' and L'\n'
	tokenString   // "text"
	tokenName     // an identifier or a keyword
	tokenQuoted   // 'file.c' or 'ns::name': a name in single quotes
	tokenRegister // $name
	tokenPunct
)

// token is one word of an expression.
type token struct {
	kind tokenKind
	text string // without quotes and the $ of a register, escapes resolved
	off  int    // bytes
	end  int    // of the token in the expression, exclusive
}

// describe names a token in an error.
func (t token) describe() string {
	if t.kind == tokenEnd {
		return "the end"
	}
	return strconv.Quote(t.text)
}

func (t token) is(punct string) bool { return t.kind == tokenPunct && t.text == punct }

// isQuoted reports whether a token may be a name in quotes: 'a' is a character
// too.
func (t token) isQuoted() bool { return t.kind == tokenQuoted || t.kind == tokenChar }

// exprLimit bounds the length of an expression in bytes. Names of instances of
// templates, and paths to deep children, are long.
const exprLimit = 1 << 14

// punctuators, the longest first.
var punctuators = []string{
	"<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "::",
	"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=",
	"+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "<", ">", "=", "?", ":", ",", ".", "(", ")", "[", "]", "{", "}", "@", "#",
}

// lexer cuts an expression into tokens.
type lexer struct {
	expr   string
	off    int
	tokens []token
}

// lex returns the tokens of an expression, the last one tokenEnd.
func lex(expr string) ([]token, error) {
	l := &lexer{expr: expr}
	if len(expr) > exprLimit {
		l.expr = strings.ToValidUTF8(expr[:16], "?")
		return nil, l.fail(0, fmt.Sprintf("the expression is longer than %d bytes", exprLimit))
	}
	for {
		for l.off < len(expr) && isSpace(expr[l.off]) {
			l.off++
		}
		if l.off == len(expr) {
			return append(l.tokens, token{kind: tokenEnd, off: len(expr), end: len(expr)}), nil
		}
		t, err := l.next()
		if err != nil {
			return nil, err
		}
		l.off = t.end
		l.tokens = append(l.tokens, t)
	}
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func (l *lexer) fail(off int, msg string) error { return &ExprError{Expr: l.expr, Off: off, Msg: msg} }

// next reads the token at l.off, which is no space.
func (l *lexer) next() (token, error) {
	rest := l.expr[l.off:]
	c := rest[0]
	switch {
	case c >= '0' && c <= '9', c == '.' && len(rest) > 1 && rest[1] >= '0' && rest[1] <= '9' && !l.afterOperand():
		return l.number(), nil
	case c == '$':
		n := nameLen(rest[1:])
		return token{tokenRegister, rest[1 : 1+n], l.off, l.off + 1 + n}, nil
	case c == '"', c == '\'':
		return l.quoted(l.off)
	}
	if n := nameLen(rest); n > 0 {
		if prefix := rest[:n]; n < len(rest) && rest[n] == '\'' && (prefix == "L" || prefix == "u" || prefix == "U" || prefix == "u8") {
			t, err := l.quoted(l.off + n)
			t.off = l.off
			return t, err
		}
		return token{tokenName, rest[:n], l.off, l.off + n}, nil
	}
	for _, p := range punctuators {
		if strings.HasPrefix(rest, p) {
			return token{tokenPunct, p, l.off, l.off + len(p)}, nil
		}
	}
	_, size := utf8.DecodeRuneInString(rest)
	return token{}, l.fail(l.off, "unexpected "+strconv.Quote(rest[:size]))
}

// afterOperand reports whether the last token ends an operand, so that a dot
// selects a member: the "x.0" of Rust's tuples.
func (l *lexer) afterOperand() bool {
	if len(l.tokens) == 0 {
		return false
	}
	t := l.tokens[len(l.tokens)-1]
	return t.kind == tokenName || t.is(")") || t.is("]") || t.kind == tokenNumber && l.afterDot(1)
}

// afterDot reports whether the token before the last n is a dot.
func (l *lexer) afterDot(n int) bool {
	i := len(l.tokens) - 1 - n
	return i >= 0 && l.tokens[i].is(".")
}

// number reads a number with whatever is joined to it; what it is worth, the
// evaluator says. After the dot of a member it is digits alone.
func (l *lexer) number() token {
	end := l.off
	digitsOnly := l.afterDot(0) && l.expr[l.off] != '.'
	hex := strings.HasPrefix(strings.ToLower(l.expr[l.off:]), "0x")
	for end < len(l.expr) {
		c := l.expr[end]
		sign := c == '+' || c == '-'
		exponent := end > l.off && (lowerByte(l.expr[end-1]) == 'e' && !hex || lowerByte(l.expr[end-1]) == 'p' && hex)
		isDigit := c >= '0' && c <= '9'
		if !isDigit && (digitsOnly || !(c == '.' || isNameByte(c) || sign && exponent)) {
			break
		}
		end++
	}
	return token{tokenNumber, l.expr[l.off:end], l.off, end}
}

func lowerByte(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func isNameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// nameLen is the length of the identifier at the start of s. Compilers put "$"
// and letters of all scripts into names.
func nameLen(s string) int {
	n := 0
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		letter := r == '_' || r != utf8.RuneError && unicode.IsLetter(r)
		if !letter && (n == 0 || r != '$' && !unicode.IsDigit(r)) {
			break
		}
		n += size
	}
	return n
}

// quoted reads a character, a string or a quoted name, whose quote is at open.
func (l *lexer) quoted(open int) (token, error) {
	quote := l.expr[open]
	var text []byte
	escaped := false
	for i := open + 1; i < len(l.expr); {
		switch c := l.expr[i]; c {
		case quote:
			t := token{tokenString, string(text), l.off, i + 1}
			if quote == '\'' {
				t.kind = tokenQuoted
				if escaped || utf8.RuneCountInString(t.text) == 1 {
					t.kind = tokenChar
				}
			}
			return t, nil
		case '\\':
			b, n := unescape(l.expr[i:])
			if n == 0 {
				return token{}, l.fail(i, "unknown escape")
			}
			text, escaped = append(text, b), true
			i += n
		default:
			text = append(text, c)
			i++
		}
	}
	return token{}, l.fail(open, "the quote is not closed")
}

var escapes = map[byte]byte{
	'n': '\n', 't': '\t', 'r': '\r', 'a': '\a', 'b': '\b', 'f': '\f', 'v': '\v', 'e': 0x1b,
	'\\': '\\', '\'': '\'', '"': '"', '?': '?',
}

// unescape returns the byte of the escape at the start of s and the length of
// the escape, 0 where it is none.
func unescape(s string) (b byte, n int) {
	if len(s) < 2 {
		return 0, 0
	}
	base, from, limit := 8, 1, 4
	if s[1] == 'x' {
		base, from, limit = 16, 2, 4
	} else if s[1] < '0' || s[1] > '7' {
		b, ok := escapes[s[1]]
		if !ok {
			return 0, 0
		}
		return b, 2
	}
	n = from
	for n < len(s) && n < limit {
		if _, err := strconv.ParseUint(s[n:n+1], base, 8); err != nil {
			break
		}
		n++
	}
	v, err := strconv.ParseUint(s[from:n], base, 8)
	if err != nil {
		return 0, 0
	}
	return byte(v), n
}
