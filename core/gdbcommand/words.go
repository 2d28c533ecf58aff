package gdbcommand

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// word is one argument of a command that takes files.
type word struct {
	text   string
	quoted bool
}

// splitWords splits arguments at spaces as gdb does for commands that take
// files (gdb_buildargv): single and double quotes keep spaces, a backslash
// takes the next character literally. Unlike gdb, a backslash is kept before
// anything but a space, a quote or a backslash, so that the path C:\fw\a.elf
// is what it looks like.
func splitWords(text string) ([]word, error) {
	var out []word
	var b strings.Builder
	var quote byte
	inWord, quoted := false, false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && i+1 < len(text) && strings.IndexByte(" \t'\"\\", text[i+1]) >= 0:
			i++
			b.WriteByte(text[i])
			inWord = true
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote, inWord, quoted = c, true, true
		case quote == 0 && (c == ' ' || c == '\t'):
			if inWord {
				out = append(out, word{b.String(), quoted})
				b.Reset()
				inWord, quoted = false, false
			}
		default:
			b.WriteByte(c)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("a %c is not closed", quote)
	}
	if inWord {
		out = append(out, word{b.String(), quoted})
	}
	return out, nil
}

// quoteWord writes a word that splitWords reads as s.
func quoteWord(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t'\"\\") && s[0] != '-' {
		return s
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// fields splits at the first run of spaces.
func fields(text string) (first, rest string) {
	i := strings.IndexAny(text, " \t")
	if i < 0 {
		return text, ""
	}
	return text[:i], strings.TrimSpace(text[i:])
}

// parseUint reads an address or a size as C writes it: decimal, 0x, leading 0
// for octal.
func parseUint(s string) (uint32, error) {
	v, err := strconv.ParseUint(s, 0, 32)
	if err != nil || strings.Contains(s, "_") {
		return 0, fmt.Errorf("%q is not a number of 32 bits", shorten(s))
	}
	return uint32(v), nil
}

// parseOffset reads a signed distance.
func parseOffset(s string) (int64, error) {
	digits, negative := strings.CutPrefix(s, "-")
	v, err := parseUint(digits)
	if err != nil {
		return 0, err
	}
	if negative {
		return -int64(v), nil
	}
	return int64(v), nil
}

// parseCount reads a decimal count of at least least.
func parseCount(s string, least int) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < least || n > 1<<30 {
		return 0, fmt.Errorf("%q is not a count", shorten(s))
	}
	return n, nil
}

// numbers reads a list of decimal numbers and ranges ("1 3-5", "2,4").
func numbers(text string) ([]int, error) {
	const most = 1000
	var out []int
	for f := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ' ' || r == '\t' || r == ',' }) {
		from, to, isRange := strings.Cut(f, "-")
		if !isRange {
			to = from
		}
		a, errA := parseCount(from, 1)
		z, errZ := parseCount(to, 1)
		if err := errors.Join(errA, errZ); err != nil || z < a {
			return nil, fmt.Errorf("%q is not a number or a range", shorten(f))
		}
		if z-a >= most-len(out) {
			return nil, errors.New("the list of numbers is too long")
		}
		for n := a; n <= z; n++ {
			out = append(out, n)
		}
	}
	return out, nil
}

// scanTop calls f with the offset of every byte of text that is outside of
// quotes and brackets, until f returns false. It returns an error when quotes
// or brackets do not match.
func scanTop(text string, f func(i int) bool) error {
	var open []byte
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '\'' || c == '"' {
			end := quoteEnd(text, i)
			if end < 0 {
				return fmt.Errorf("a %c is not closed", c)
			}
			i = end
			continue
		}
		if at := strings.IndexByte("([{", c); at >= 0 {
			open = append(open, ")]}"[at])
		} else if strings.IndexByte(")]}", c) >= 0 {
			if len(open) == 0 || open[len(open)-1] != c {
				return fmt.Errorf("%q does not match", c)
			}
			open = open[:len(open)-1]
		} else if len(open) == 0 && !f(i) {
			return nil
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("%q is missing", open[len(open)-1])
	}
	return nil
}

// quoteEnd returns the offset of the quote that closes the one at i, -1 when
// there is none.
func quoteEnd(text string, i int) int {
	for j := i + 1; j < len(text); j++ {
		switch text[j] {
		case '\\':
			j++
		case text[i]:
			return j
		}
	}
	return -1
}

// expression checks that text can be an expression: there is one, and its
// quotes and brackets match.
func expression(text string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", errors.New("an expression is missing")
	}
	if err := scanTop(text, func(int) bool { return true }); err != nil {
		return "", err
	}
	return text, nil
}
