package lsp

import (
	"strconv"
	"strings"
)

// mention is a number in a text that is written the way addresses are.
type mention struct {
	start, end int // byte offsets
	value      uint32
}

// findMentions lists the numbers of a text that could be addresses, at most
// limit of them, in the order of the text: 0x and four to eight hexadecimal
// digits, or eight digits without a prefix. Letters, digits and underscores
// next to a number make it part of a name.
func findMentions(text string, limit int) []mention {
	var list []mention
	for i := 0; i < len(text) && len(list) < limit; {
		if !isWord(text[i]) {
			i++
			continue
		}
		start := i
		for i < len(text) && isWord(text[i]) {
			i++
		}
		if v, ok := addressOf(text[start:i]); ok {
			list = append(list, mention{start: start, end: i, value: v})
		}
	}
	return list
}

// addressOf reads a word as an address. Fewer than four digits are not
// accepted: flash begins at 0 on many parts, and 0x10 in a log is a count or
// a flag.
func addressOf(word string) (uint32, bool) {
	digits, prefixed := strings.CutPrefix(word, "0x")
	if !prefixed {
		digits, prefixed = strings.CutPrefix(word, "0X")
	}
	if len(digits) > 8 || len(digits) < 4 || !prefixed && len(digits) != 8 {
		return 0, false
	}
	v, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || strings.ContainsRune(digits, '_') {
		return 0, false
	}
	return uint32(v), true
}

// isWord reports whether a byte can be part of a name. Bytes of characters
// outside ASCII count: identifiers may have them.
func isWord(b byte) bool {
	return b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z' || b == '_' || b >= 0x80
}
