package inspect

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// literal returns the value of a number, which an i or j at the end makes an
// imaginary one (GNU C), or of a character.
func (c *context) literal(n *numberNode) (*Value, error) {
	real, isImaginary := *n, false
	if lower := strings.ToLower(n.text); !n.char && (!strings.HasPrefix(lower, "0x") || strings.Contains(lower, "p")) {
		for _, mark := range []string{"i", "j"} {
			if at := strings.LastIndex(lower, mark); at > 0 && strings.Trim(lower[at+1:], "ful") == "" {
				real.text, isImaginary = n.text[:at]+n.text[at+1:], true
			}
		}
	}
	x, err := literal(&real)
	if err != nil {
		return nil, err
	}
	if !isImaginary {
		return c.of(x), nil
	}
	t := complexOf(x.typ)
	return c.computed(t, complexNumber{t, number{typ: x.typ}, x}.encode()), nil
}

// literal returns the value of a number or a character as C has it (C17 6.4.4).
func literal(n *numberNode) (number, error) {
	if n.char {
		r, size := utf8.DecodeRuneInString(n.text)
		switch {
		case len(n.text) == 0:
			return number{}, fmt.Errorf("an empty character")
		case size < len(n.text):
			return number{}, fmt.Errorf("more than one character in single quotes")
		case r == utf8.RuneError:
			return number{typ: typeChar, i: uint64(n.text[0])}, nil
		case r > 0xff:
			return number{typ: typeUint, i: uint64(r)}, nil
		}
		return number{typ: typeChar, i: uint64(r)}, nil
	}
	text := strings.ToLower(strings.ReplaceAll(n.text, "_", ""))
	isHex := strings.HasPrefix(text, "0x")
	if strings.ContainsAny(text, ".p") || !isHex && strings.Contains(text, "e") {
		return floatLiteral(n.text, text, isHex)
	}
	digits := strings.TrimRight(text, "ul")
	suffix := text[len(digits):]
	if len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9' {
		digits = "0o" + digits[1:]
	}
	v, err := strconv.ParseUint(digits, 0, 64)
	if err != nil || suffix != "" && !integerSuffixes[suffix] {
		return number{}, fmt.Errorf("bad number %s", strconv.Quote(n.text))
	}
	return number{typ: literalType(v, digits[0] != '0' || v == 0, suffix), i: v}, nil
}

var integerSuffixes = map[string]bool{"u": true, "l": true, "ul": true, "lu": true, "ll": true, "ull": true, "llu": true}

func floatLiteral(text, lower string, isHex bool) (number, error) {
	digits := lower
	if !isHex {
		digits = strings.TrimRight(lower, "fl")
	}
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil && !math.IsInf(f, 0) {
		return number{}, fmt.Errorf("bad number %s", strconv.Quote(text))
	}
	n := number{typ: typeDouble, f: f}
	if strings.HasSuffix(lower, "f") && !isHex {
		n = n.to(typeFloat)
	}
	return n, nil
}

// literalType is the first type that holds the number (C17 6.4.4.1): numbers in
// hexadecimal and octal may be unsigned without saying so.
func literalType(v uint64, decimal bool, suffix string) *Type {
	unsigned := strings.Contains(suffix, "u")
	long, llong := strings.Contains(suffix, "l"), strings.Contains(suffix, "ll")
	narrowSigned, narrowUnsigned := typeInt, typeUint
	if long {
		narrowSigned, narrowUnsigned = typeLong, typeUlong
	}
	n := bitLen(v)
	switch {
	case !llong && !unsigned && n <= 31:
		return narrowSigned
	case !llong && (unsigned || !decimal) && n <= 32:
		return narrowUnsigned
	case !unsigned && n <= 63:
		return typeLlong
	}
	return typeUllong
}
