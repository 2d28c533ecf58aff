// Package hexfile reads memory that is written as text with addresses: Intel
// HEX, Motorola S-records, and the "@address" files of TI-TXT and Verilog. They
// carry no registers.
//
// A line that is damaged is left out, with a warning that has its number. What
// follows a line that may have been an address is left out as well, up to the
// next address: nothing is put where it may not belong.
package hexfile

import (
	"bytes"
	"cmp"
	"slices"

	"pushmask/core"
	"pushmask/core/dump/crash"
)

// format is a kind of file. A new scanner is given the lines in their order.
type format struct {
	name string
	// begins tells a line that a file can begin with, and the one after it.
	begins func(line, after []byte) bool
	// read reads all lines.
	read func(m *image, lines *lines)
}

var formats = []format{
	{"Intel HEX", isIntel, readIntel},
	{"S-records", isSRecord, readSRecords},
	{"TI-TXT or Verilog memory", isAddress, readAddressed},
}

// Is tells a file by its first lines: one of the first three that are not
// blank is whole, and all have the mark of the format.
func Is(head []byte) bool { return detect(head) != nil }

func detect(head []byte) *format {
	const looked = 3
	for i := range formats {
		f := &formats[i]
		l := lines{rest: head}
		line, ok := l.next()
		for range looked {
			if !ok || line[0] != ':' && line[0] != 'S' && line[0] != '@' {
				break
			}
			after, more := l.next()
			if f.begins(line, after) {
				return f
			}
			line, ok = after, more
		}
	}
	return nil
}

// Read reads a file.
func Read(data []byte) ([]*crash.Crash, error) {
	f := detect(data)
	if f == nil {
		return nil, nil
	}
	m := &image{c: &crash.Crash{Format: f.name}}
	f.read(m, &lines{rest: data})
	m.finish()
	return []*crash.Crash{m.c}, nil
}

// lines cuts data into lines.
type lines struct {
	rest   []byte
	number int // of the line that next returned, from 1
}

// next returns the next line that is not blank, without blanks around it.
func (l *lines) next() (line []byte, ok bool) {
	for len(l.rest) > 0 {
		end := bytes.IndexAny(l.rest, "\r\n")
		if end < 0 {
			end = len(l.rest)
		}
		line, l.rest = l.rest[:end], l.rest[end:]
		switch {
		case bytes.HasPrefix(l.rest, []byte("\r\n")):
			l.rest = l.rest[2:]
		case len(l.rest) > 0:
			l.rest = l.rest[1:]
		}
		l.number++
		if l.number == 1 {
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		}
		if line = bytes.TrimSpace(bytes.Trim(line, "\x00\x1a")); len(line) > 0 {
			return line, true
		}
	}
	return nil, false
}

// maxPieces bounds how many ranges of memory a file may have.
const maxPieces = 1 << 16

// image collects the memory of a file.
type image struct {
	c      *crash.Crash
	pieces []crash.Piece
	full   bool // maxPieces was reached
	bytes  int
}

// add adds data that a line carries. Data that passes the top of the address
// space is left out.
func (m *image) add(a core.Addr, data []byte) {
	if left := 1<<32 - uint64(a); uint64(len(data)) > left {
		m.c.Warnf("data at %v passes the top of the address space: the rest is left out", a)
		data = data[:left]
	}
	if len(data) == 0 {
		return
	}
	m.bytes += len(data)
	if n := len(m.pieces); n > 0 {
		if p := &m.pieces[n-1]; uint64(p.Addr)+uint64(len(p.Data)) == uint64(a) {
			p.Data = append(p.Data, data...)
			return
		}
	}
	if len(m.pieces) == maxPieces {
		if !m.full {
			m.c.Warnf("the memory is in more than %d pieces: the rest is left out", maxPieces)
		}
		m.full = true
		return
	}
	m.pieces = append(m.pieces, crash.Piece{Addr: a, Data: slices.Clone(data)})
}

// bad notes a line that is left out.
func (m *image) bad(l *lines, why string) { m.c.Warnf("line %d is left out: %s", l.number, why) }

// cut notes that the record that ends a file is missing.
func (m *image) cut() {
	m.c.Truncated = true
	m.c.Warnf("the record that ends the file is missing: the file may be cut")
}

// finish makes memory of the pieces. Two that overlap and differ are both of
// the file; the earlier one counts.
func (m *image) finish() {
	slices.SortStableFunc(m.pieces, func(a, b crash.Piece) int { return cmp.Compare(a.Addr, b.Addr) })
	var end uint64
	for _, p := range m.pieces {
		if uint64(p.Addr) < end {
			m.c.Warnf("the file has the memory at %v more than once", p.Addr)
		}
		end = max(end, uint64(p.Addr)+uint64(len(p.Data)))
		m.c.AddMemory(p.Addr, p.Data)
	}
	if m.bytes == 0 {
		m.c.Warnf("no line of the file carries memory")
	}
}
