package logtext

import "unicode/utf8"

// minWrap is the width of the narrowest terminal that is thought of, in
// characters.
const minWrap = 60

// unwrap joins lines that a terminal or a mail program cut inside a number. A
// line was cut where it is as wide as the widest of the log, and its last
// hexadecimal digits together with the first ones of the next line make the
// eight that a word has. A row that was cut between words needs no help: its
// words go on in a line of nothing else.
func (l *Log) unwrap() {
	width := 0
	for i := range l.Lines {
		width = max(width, utf8.RuneCountInString(l.Lines[i].Text))
	}
	if width < minWrap {
		return
	}
	kept := l.Lines[:0]
	for i := 0; i < len(l.Lines); i++ {
		line := l.Lines[i]
		full := utf8.RuneCountInString(line.Text) == width
		for full && i+1 < len(l.Lines) && cutInWord(line.Text, l.Lines[i+1].Text) {
			i++
			full = utf8.RuneCountInString(l.Lines[i].Text) == width
			line.Text += l.Lines[i].Text
		}
		kept = append(kept, line)
	}
	l.Lines = kept
}

// cutInWord reports whether the digits at the end of one line and at the
// start of the next are the two parts of a word.
func cutInWord(line, next string) bool {
	tail := 0
	for tail < len(line) && isHexDigit(line[len(line)-1-tail]) {
		tail++
	}
	head := digits(next)
	if tail == 0 || head == 0 || tail+head != 8 || head < len(next) && isWord(next[head]) {
		return false
	}
	before := len(line) - tail - 1
	return before < 0 || !isWord(line[before]) || line[before] == 'x' && before > 0 && line[before-1] == '0'
}
