package logtext

import "bytes"

// Line is a line of a log.
type Line struct {
	Number int   // from 1, counted as editors do
	Offset int64 // of its first byte in the file
	// Prefix is what a logger or a terminal put before the text: time stamps,
	// levels, prompts. It is "" where there is none.
	Prefix string
	// Time is the date and time of day in it as they are written, "" if there
	// are none. It may count from the start of the system.
	Time string
	// Text is UTF-8 without the prefix, what terminals add, and trailing
	// blanks. Leading blanks are kept. It is never blank.
	Text string
}

// Log is a captured log. Blank lines are left out.
type Log struct {
	Lines []Line
	// Skipped is how many lines at the beginning were left out because there
	// were more than MaxLines.
	Skipped int
}

// Bounds of what is kept of a log.
const (
	// MaxLine is the length of a line in bytes; what is longer is cut into
	// several lines of the same number.
	MaxLine = 64 << 10
	// MaxLines is the number of lines; of a longer log the end is kept, where
	// the newest crash is.
	MaxLines = 1 << 18
)

// Parse cuts a log into lines. Lines end with LF, CR LF or CR.
func Parse(data []byte) *Log {
	u16, isU16 := utf16Order(data)
	if isU16 {
		data = decodeUTF16(data, u16)
	}
	l := new(Log)
	total := countLines(data)
	skip := max(0, total-MaxLines)
	l.Lines = make([]Line, 0, total-skip)
	off := int64(0)
	for n := 1; len(data) > 0; n++ {
		end, next := lineEnd(data)
		if n > skip {
			l.add(n, off, data[:end])
		} else {
			l.Skipped++
		}
		width := int64(next)
		if isU16 {
			width = utf16Size(data[:next])
		}
		data, off = data[next:], off+width
	}
	l.unwrap()
	for i := range l.Lines {
		l.Lines[i].splitPrefix()
	}
	l.dropBlank()
	return l
}

// lineEnd returns the length of the first line of data, which is not empty,
// and where the next one begins.
func lineEnd(data []byte) (end, next int) {
	end = bytes.IndexByte(data, '\n')
	if end < 0 {
		end = len(data)
	}
	if cr := bytes.IndexByte(data[:end], '\r'); cr >= 0 && cr != end-1 {
		return cr, cr + 1
	}
	switch {
	case end < len(data) && end > 0 && data[end-1] == '\r':
		return end - 1, end + 1
	case end < len(data):
		return end, end + 1
	case end > 0 && data[end-1] == '\r':
		return end - 1, end
	}
	return end, end
}

func countLines(data []byte) int {
	return bytes.Count(data, []byte{'\n'}) + bytes.Count(data, []byte{'\r'}) - bytes.Count(data, []byte("\r\n")) + 1
}

// add appends a line, in pieces where it is too long.
func (l *Log) add(number int, off int64, text []byte) {
	for len(text) > 0 {
		n := min(len(text), MaxLine)
		if s := clean(text[:n]); s != "" {
			l.Lines = append(l.Lines, Line{Number: number, Offset: off, Text: s})
		}
		text, off = text[n:], off+int64(n)
	}
}

// dropBlank removes lines that have nothing but a prefix.
func (l *Log) dropBlank() {
	kept := l.Lines[:0]
	for _, line := range l.Lines {
		if line.Text != "" {
			kept = append(kept, line)
		}
	}
	l.Lines = kept
}
