package lsp

import (
	"slices"
	"unicode/utf8"

	"go.lsp.dev/protocol"
)

// mapper converts between byte offsets of a text and positions of the
// protocol: zero-based lines, and characters counted in UTF-16 code units
// (LSP 3.17, "Position"). Nothing else in this package calculates positions.
type mapper struct {
	text  string
	lines []int // byte offset where each line begins, ascending, the first is 0
}

// newMapper finds the lines of a text. They end with \n, \r\n or \r.
func newMapper(text string) *mapper {
	m := &mapper{text: text, lines: []int{0}}
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\n', text[i] == '\r' && (i+1 == len(text) || text[i+1] != '\n'):
			m.lines = append(m.lines, i+1)
		}
	}
	return m
}

// position returns the position of a byte offset, which is clamped to the
// text. Inside of a character it is the position of the character.
func (m *mapper) position(offset int) protocol.Position {
	offset = min(max(offset, 0), len(m.text))
	line, exact := slices.BinarySearch(m.lines, offset)
	if !exact {
		line--
	}
	units := 0
	for i := m.lines[line]; i < offset; {
		r, size := utf8.DecodeRuneInString(m.text[i:])
		if i+size > offset {
			break
		}
		units += utf16Len(r)
		i += size
	}
	return protocol.Position{Line: uint32(line), Character: uint32(units)}
}

// offset returns the byte offset of a position. A character past the end of
// the line means the end of the line (LSP 3.17, "Position"), a line past the
// end of the text the end of the text, and the second unit of a surrogate
// pair the start of the pair.
func (m *mapper) offset(p protocol.Position) int {
	if uint64(p.Line) >= uint64(len(m.lines)) {
		return len(m.text)
	}
	i, end := m.lines[p.Line], m.lineEnd(int(p.Line))
	for units := 0; i < end; {
		r, size := utf8.DecodeRuneInString(m.text[i:])
		units += utf16Len(r)
		if uint64(units) > uint64(p.Character) {
			break
		}
		i += size
	}
	return i
}

// lineEnd is the byte offset of the end of a line's content.
func (m *mapper) lineEnd(line int) int {
	if line+1 == len(m.lines) {
		return len(m.text)
	}
	end := m.lines[line+1] - 1
	if end > m.lines[line] && m.text[end] == '\n' && m.text[end-1] == '\r' {
		end--
	}
	return end
}

// utf16Len counts UTF-16 code units. A byte that is no UTF-8 counts as one,
// the replacement character that editors show for it.
func utf16Len(r rune) int {
	if r >= 0x10000 {
		return 2
	}
	return 1
}
