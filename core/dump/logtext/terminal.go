package logtext

import (
	"strings"
)

// clean returns a raw line as UTF-8 without control characters, control
// sequences of terminals and trailing blanks.
func clean(raw []byte) string {
	plain := true
	for _, c := range raw {
		if c < ' ' && c != '\t' || c >= 0x7f || c == '[' || c == '^' {
			plain = false
			break
		}
	}
	text := string(raw)
	if !plain {
		text = decode(stripControls(text))
		text = strings.TrimPrefix(text, "\ufeff")
	}
	return strings.TrimRight(text, " \t\u00a0␍␊") // terminals may show CR and LF
}

// stripControls removes control characters and control sequences.
func stripControls(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for i := 0; i < len(text); {
		if n, blank := sequence(text[i:]); n > 0 {
			if blank {
				b.WriteByte(' ')
			}
			i += n
			continue
		}
		if c := text[i]; c >= ' ' && c != 0x7f || c == '\t' {
			b.WriteByte(c)
		}
		i++
	}
	return b.String()
}

// sequence returns the length of the control sequence at the start of text, 0
// if there is none (ECMA-48, 5.4 and 8.3). blank says that it moves the
// cursor, so that what follows does not touch what precedes.
//
// Sequences that lost their ESC, or show it as ^[, are known by their form: of
// those only colours, [0m and [1;31m, are common and nothing else.
func sequence(text string) (n int, blank bool) {
	switch {
	case strings.HasPrefix(text, "\x1b["):
		return csi(text, 2)
	case strings.HasPrefix(text, "^[["):
		return csi(text, 3)
	case strings.HasPrefix(text, "\x1b]"): // operating system command, up to BEL or ESC \
		if i := strings.IndexByte(text, '\a'); i >= 0 {
			return i + 1, false
		}
		if i := strings.Index(text, "\x1b\\"); i >= 0 {
			return i + 2, false
		}
		return 2, false
	case strings.HasPrefix(text, "\x1b("), strings.HasPrefix(text, "\x1b)"): // character set
		return min(3, len(text)), false
	case strings.HasPrefix(text, "\x1b") && len(text) > 1 && text[1] >= ' ' && text[1] < 0x7f:
		return 2, false
	case text[0] == '[':
		n, _ := csi(text, 1)
		if n > 1 && text[n-1] == 'm' && onlyDigits(text[1:n-1]) && (n > 2 || len(text) == n || !isWord(text[n])) {
			return n, false // but "[m" may begin a word: "[module]"
		}
	}
	return 0, false
}

// csi returns the length of a control sequence whose parameters begin at off,
// and whether it moves the cursor.
func csi(text string, off int) (n int, blank bool) {
	i := off
	for i < len(text) && text[i] >= 0x30 && text[i] <= 0x3f {
		i++
	}
	for i < len(text) && text[i] >= 0x20 && text[i] <= 0x2f {
		i++
	}
	if i == len(text) || text[i] < 0x40 || text[i] > 0x7e {
		return off, false
	}
	return i + 1, strings.IndexByte("ABCDEFGHf", text[i]) >= 0
}

// onlyDigits reports whether s consists of digits and semicolons.
func onlyDigits(s string) bool {
	for _, c := range s {
		if (c < '0' || c > '9') && c != ';' {
			return false
		}
	}
	return true
}
