package logtext

import "bytes"

// Line is a line of a log.
type Line struct {
	Number int    // from 1
	Offset int64  // of its first byte in the file
	Text   string // UTF-8, without what terminals add and without trailing blanks
}

// Log is a captured log.
type Log struct {
	Lines []Line
}

// MaxLine bounds the length of a line in bytes; what is longer is cut into
// several lines of the same number.
const MaxLine = 64 << 10

// Parse cuts a log into lines. Lines end with LF, CR LF or CR.
func Parse(data []byte) *Log {
	l := new(Log)
	off := int64(0)
	for n := 1; len(data) > 0; n++ {
		end := bytes.IndexAny(data, "\r\n")
		rest := end + 1
		if end < 0 {
			end, rest = len(data), len(data)
		} else if data[end] == '\r' && rest < len(data) && data[rest] == '\n' {
			rest++
		}
		l.add(n, off, data[:end])
		data, off = data[rest:], off+int64(rest)
	}
	return l
}

// add appends a line, in pieces where it is too long.
func (l *Log) add(number int, off int64, text []byte) {
	for {
		n := min(len(text), MaxLine)
		l.Lines = append(l.Lines, Line{number, off, string(bytes.TrimRight(text[:n], " \t\x00"))})
		if text, off = text[n:], off+int64(n); len(text) == 0 {
			return
		}
	}
}
