package logtext

import (
	"strings"
	"unicode/utf8"
)

// minWrap is the width of the narrowest terminal that is thought of, in
// characters.
const minWrap = 60

// unwrap joins lines that a terminal or a mail program cut. A line was cut
// where it is as wide as the widest of the log, or one less with a blank at its
// end that is gone, and
//
//   - its last hexadecimal digits together with the first ones of the next line
//     make the eight that a word has, or
//   - it ends with a word and the next line has nothing but words.
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
		for last := line.Text; i+1 < len(l.Lines); i++ {
			following := l.Lines[i+1].Text
			missing := width - utf8.RuneCountInString(last)
			if missing == 0 && cutInWord(last, following) {
				line.Text += following
			} else if missing <= 1 && cutBetweenWords(last, following) {
				line.Text += " " + following
			} else {
				break
			}
			last = following
		}
		kept = append(kept, line)
	}
	l.Lines = kept
}

// cutInWord reports whether the digits at the end of one line and at the
// start of the next are the two parts of a word, or 0x is cut or left alone. A
// year is no part of a word.
func cutInWord(line, next string) bool {
	if stampLen(next) > 0 {
		return false
	}
	if s, ok := strings.CutSuffix(line, "0"); ok && (s == "" || !isWord(s[len(s)-1])) && next != "" && next[0]|0x20 == 'x' {
		n, digit := number("0" + next)
		return n-digit == wordDigits
	}
	if strings.HasSuffix(line, "0x") {
		n, digit := number("0x" + next)
		return n-digit == wordDigits
	}
	tail := 0
	for tail < len(line) && isHexDigit(line[len(line)-1-tail]) {
		tail++
	}
	head := digits(next)
	if tail == 0 || head == 0 || tail+head != wordDigits || head < len(next) && isWord(next[head]) || startsWithTime(next) {
		return false
	}
	before := len(line) - tail - 1
	return before < 0 || !isWord(line[before]) || line[before] == 'x' && before > 0 && line[before-1] == '0'
}

// cutBetweenWords reports whether a line ends with a word and the next one is
// all words, fewer than the line has: the rest of a row of a memory dump.
func cutBetweenWords(line, next string) bool {
	words, ok := OnlyWords(next)
	if !ok || len(next) >= len(line)-wordDigits || next[0] == ' ' {
		return false
	}
	_, ok = Word(line[strings.LastIndexAny(line, " \t")+1:])
	return ok && len(words) > 0
}

// startsWithTime reports whether a line starts with a date or a time, whose
// digits are no part of a word: it has a prefix of its own.
func startsWithTime(line string) bool { return dateLen(line) > 0 || clockLen(line) > 0 }
