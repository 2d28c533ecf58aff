package logtext

import "strings"

// wordDigits is how many hexadecimal digits a word of the target has.
const wordDigits = 8

func isHexDigit(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// isWord reports whether c can be part of a name or a number.
func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

// digits returns how many hexadecimal digits s begins with.
func digits(s string) int {
	n := 0
	for n < len(s) && isHexDigit(s[n]) {
		n++
	}
	return n
}

// number returns the length of the number at the start of s, and where its
// digits begin: 0x and one to eight hexadecimal digits, or as many without 0x,
// and nothing after them that could be part of a name, a file name ("a.c") or
// a fraction. n is 0 if there is none.
func number(s string) (n, digit int) {
	if len(s) > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') {
		digit = 2
	}
	n = digit + digits(s[digit:])
	if n == digit || n-digit > wordDigits || n < len(s) && isWord(s[n]) {
		return 0, 0
	}
	if n+1 < len(s) && s[n] == '.' && isWord(s[n+1]) {
		return 0, 0
	}
	return n, digit
}

// Hex reads s, all of it, as a hexadecimal number of at most 32 bits, with or
// without 0x and leading zeros.
func Hex(s string) (uint32, bool) {
	n, digit := number(s)
	if n == 0 || n != len(s) {
		return 0, false
	}
	v := uint32(0)
	for _, c := range []byte(s[digit:]) {
		v = v<<4 | uint32(hexValue(c))
	}
	return v, true
}

func hexValue(c byte) byte {
	switch {
	case c <= '9':
		return c - '0'
	case c >= 'a':
		return c - 'a' + 10
	}
	return c - 'A' + 10
}

// Decimal reads s, all of it, as a decimal number of at most 32 bits.
func Decimal(s string) (uint32, bool) {
	if s == "" || len(s) > 10 {
		return 0, false
	}
	v := uint64(0)
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0, false
		}
		v = v*10 + uint64(c-'0')
	}
	return uint32(v), v <= 0xffffffff
}

// Word reads s, all of it, as a word with all of its eight hexadecimal digits,
// with or without 0x.
func Word(s string) (uint32, bool) {
	if n, digit := number(s); n-digit != wordDigits {
		return 0, false
	}
	return Hex(s)
}

// Words reads the words at the start of s, which blanks separate, and returns
// them with the rest of s.
func Words(s string) (words []uint32, rest string) {
	for {
		s = strings.TrimLeft(s, " \t")
		end := strings.IndexAny(s, " \t")
		if end < 0 {
			end = len(s)
		}
		w, ok := Word(s[:end])
		if !ok {
			return words, s
		}
		words, s = append(words, w), s[end:]
	}
}

// OnlyWords reads s as words with nothing else.
func OnlyWords(s string) ([]uint32, bool) {
	w, rest := Words(s)
	return w, len(w) > 0 && rest == ""
}

// Row is a line of a memory dump.
type Row struct {
	Addr  uint32
	Words []uint32
	Rest  string // what follows the words
}

// ReadRow reads a line of the form "20001234: w w w w" with an address of
// eight digits, all with or without 0x; '=' and blanks separate as ':' does.
func ReadRow(s string) (Row, bool) {
	s = strings.TrimLeft(s, " \t")
	n, digit := number(s)
	if n-digit != wordDigits {
		return Row{}, false
	}
	addr, _ := Hex(s[:n])
	words, rest := Words(strings.TrimLeft(s[n:], " \t:="))
	return Row{addr, words, rest}, len(words) > 0
}

// minBytes is how many bytes a line of a dump by bytes has at least.
const minBytes = 8

// ReadByteRow reads a line of the form "20001234: 34 12 00 20 00 00 00 00 |4.. |"
// with an address of eight digits. The bytes before the first whole word and
// behind the last one are left out.
func ReadByteRow(s string) (Row, bool) {
	at, rest, ok := strings.Cut(strings.TrimLeft(s, " \t"), ":")
	addr, isAddress := Word(at)
	if !ok || !isAddress {
		return Row{}, false
	}
	fields := strings.Fields(rest)
	n := 0
	for n < len(fields) && len(fields[n]) == 2 && digits(fields[n]) == 2 {
		n++
	}
	if n < minBytes || n < len(fields) && fields[n][0] != '|' {
		return Row{}, false
	}
	row := Row{Addr: (addr + 3) &^ 3}
	for i := int(row.Addr - addr); i+4 <= n; i += 4 {
		w, _ := Hex(fields[i+3] + fields[i+2] + fields[i+1] + fields[i])
		row.Words = append(row.Words, w)
	}
	return row, true
}
