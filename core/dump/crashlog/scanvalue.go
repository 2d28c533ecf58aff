package crashlog

import (
	"strconv"
	"strings"

	"pushmask/core/exc"
)

// scanPair is a register of a hand-written report as it is printed.
type scanPair struct {
	scanName
	digits string // without 0x
	hex    bool   // it had 0x, or letters of a hexadecimal number
	at     int    // of the name in the line
	line   int    // of the log
}

// value returns the number. Bare digits are decimal where the report as a whole
// is, and where they are more than a word has.
func (p *scanPair) value(decimal bool) (uint32, bool) {
	base := 16
	if !p.hex && (decimal || len(p.digits) > 8) {
		base = 10
	}
	v, err := strconv.ParseUint(p.digits, base, 32)
	return uint32(v), err == nil
}

// isReturn reports whether the value is an EXC_RETURN.
func (p *scanPair) isReturn() bool {
	v, ok := p.value(false)
	return ok && exc.IsReturn(v)
}

// scanLine returns the registers of a line: names, what separates them from
// their values, and values, in all the ways that people write them.
func scanLine(text string) []scanPair {
	if len(text) > maxScanned || looksLikeCode(text) {
		return nil
	}
	var out []scanPair
	for i := 0; i < len(text); {
		if !isNameStart(text[i]) {
			i++
			continue
		}
		n, end := nameAt(text[i:])
		if n.kind == scanNothing {
			i += end
			continue
		}
		p := scanPair{scanName: n, at: i}
		after := i + end
		if used := p.readValue(text[after:]); used > 0 {
			out = append(out, p)
			after += used
		}
		i = after
	}
	return out
}

// maxScanned is the length of the longest line that is looked at, in bytes.
const maxScanned = 2048

// looksLikeCode reports whether a line is of a program, a script, a table of
// a document or a list of symbols rather than something that was printed.
func looksLikeCode(text string) bool {
	t := strings.TrimSpace(text)
	if t == "" {
		return true
	}
	switch t[len(t)-1] {
	case '}': // but not what Rust prints of a structure
		return !strings.Contains(t, "ExceptionFrame {")
	case ';', '{', '\\', '|':
		return true
	}
	switch t[0] {
	case '#': // but not "## Software Fault detected ##"
		return t[len(t)-1] != '#'
	case '*':
		return !strings.HasPrefix(t, "*** ")
	case '|', '@', '$', '"', '\'', '`':
		return true
	}
	if strings.HasPrefix(t, "//") || strings.HasPrefix(t, "/*") || strings.HasPrefix(t, "- ") {
		return true
	}
	return strings.Contains(t, "`") || strings.Contains(t, "&&") || strings.Contains(t, "printf")
}

func isNameStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
}

func isNameByte(c byte) bool { return isNameStart(c) || c >= '0' && c <= '9' }

// nameAt returns what the name at the start of s means and its length. The
// length is that of the word where it means nothing.
func nameAt(s string) (scanName, int) {
	if strings.IndexByte("pPrRlLsSeE", s[0]) >= 0 {
		for _, w := range spelledOut {
			if len(s) >= len(w.words) && strings.EqualFold(s[:len(w.words)], w.words) {
				n := w.name
				n.spelled = w.words
				return n, len(w.words)
			}
		}
	}
	end := 0
	for end < len(s) {
		switch {
		case isNameByte(s[end]) || s[end] >= 0x80:
			end++
		case s[end] == '.' && end+1 < len(s) && isNameStart(s[end+1]):
			end++
		case strings.HasPrefix(s[end:], "->") && end+2 < len(s) && isNameStart(s[end+2]):
			end += 2
		case s[end] == '[' && strings.IndexByte(s[end:], ']') > 0 && strings.IndexByte(s[end:], ']') <= 4:
			end += strings.IndexByte(s[end:], ']') + 1
			return lookupName(s[:end]), end
		default:
			return lookupName(s[:end]), end
		}
	}
	return lookupName(s[:end]), end
}

// readValue reads what follows a name up to the end of its value, and returns
// how long that is, 0 if there is no value.
func (p *scanPair) readValue(s string) int {
	at := aliasLen(s)
	sep := at
	for sep < len(s) && strings.IndexByte(" \t:=,>-.", s[sep]) >= 0 {
		sep++
	}
	mark := strings.ContainsAny(s[at:sep], ":=") || strings.Contains(s[at:sep], "->")
	if sep == at && at == 0 || strings.ContainsAny(s[at:sep], "\t") && strings.Count(s[at:sep], ",") > 1 {
		return 0
	}
	used := p.number(s[sep:], mark)
	if used == 0 {
		return 0
	}
	return sep + used
}

// aliasLen returns the length of what may stand between a name and its
// separator: another name of it in brackets or behind a slash, and a word that
// says nothing.
func aliasLen(s string) int {
	n := 0
	for {
		rest := strings.TrimLeft(s[n:], " ")
		blanks := len(s) - n - len(rest)
		switch {
		case rest != "" && (rest[0] == '[' || rest[0] == '('):
			end := strings.IndexAny(rest, "])")
			if end < 0 || end > 12 {
				return n
			}
			n += blanks + end + 1
		case n == 0 && blanks == 0 && rest != "" && rest[0] == '/':
			end := 1
			for end < len(rest) && isNameByte(rest[end]) {
				end++
			}
			n += end
		default:
			for _, w := range []string{"register", "value", "address", "is", "was", "at"} {
				if strings.HasPrefix(rest, w) && blanks > 0 && len(rest) > len(w) && !isNameByte(rest[len(w)]) {
					return n + blanks + len(w)
				}
			}
			return n
		}
	}
}

// number reads a value. Without a mark between name and value it must have 0x
// or all eight digits.
func (p *scanPair) number(s string, mark bool) int {
	at := 0
	if strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "0X") {
		at = 2
	}
	n := 0
	letters := false
	for at+n < len(s) && isHex(s[at+n]) {
		letters = letters || s[at+n] > '9'
		n++
	}
	switch {
	case n == 0:
		return 0
	case n > 8 && at == 0 && !letters && n <= 10: // decimal
	case n > 8:
		n = 8 // another name begins behind it
	}
	end := at + n
	rest := s[end:]
	switch {
	case rest == "" || !isNameByte(rest[0]) && rest[0] < 0x80:
		if len(rest) > 1 && strings.IndexByte(".:%/", rest[0]) >= 0 && (isNameByte(rest[1]) || rest[0] == '%') {
			return 0 // a fraction, a time, an address of a network
		}
	case (rest[0] == 'h' || rest[0] == 'H') && (len(rest) == 1 || !isNameByte(rest[1])):
		end++
		letters = true
	case n == 8 && mark: // a whole word, whatever touches it: "2100000fwhat"
	default: // "400MSP: 2000fb58"
		if name, _ := nameAt(rest); name.kind == scanNothing {
			return 0
		}
	}
	if !mark && at == 0 && n != 8 {
		return 0
	}
	p.digits, p.hex = s[at:at+n], at > 0 || letters
	return end
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
