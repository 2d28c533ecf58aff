package zephyr

import (
	"encoding/hex"
	"strings"

	"pushmask/core/dump/crash"
	"pushmask/core/dump/logtext"
)

// What the logging backend prints (include/zephyr/debug/coredump.h).
const (
	mark      = "#CD:"
	markBegin = "BEGIN#"
	markEnd   = "END#"
	markError = "ERROR CANNOT DUMP#"
)

// FindLog returns the dumps that are printed in a log. A dump that cannot be
// read at all gives a crash with a warning.
func FindLog(log *logtext.Log) []*crash.Crash {
	var found []*crash.Crash
	var p *printed
	end := func() {
		if p != nil && len(p.b) > 0 {
			found = append(found, p.crash())
		}
		p = nil
	}
	for i := range log.Lines {
		l := &log.Lines[i]
		_, text, ok := strings.Cut(l.Text, mark)
		if !ok {
			continue
		}
		switch {
		case strings.HasPrefix(text, markBegin):
			end() // a fault while dumping begins a dump of its own
			p = &printed{first: *l}
		case strings.HasPrefix(text, markEnd):
			if p != nil {
				p.ended = true
			}
			end()
		case strings.HasPrefix(text, markError):
			if p != nil {
				p.failed = true
			}
		default:
			if p == nil || p.restarts(text) {
				end()
				p = &printed{first: *l}
			}
			p.add(text)
		}
	}
	end()
	return found
}

// printed is a dump while its lines are collected.
type printed struct {
	first  logtext.Line
	b      []byte
	lines  []int // where in b a line begins
	odd    int   // lines that lost digits
	ended  bool
	failed bool
}

// restarts reports whether a line begins another dump: the header of a fault
// in the code that dumps.
func (p *printed) restarts(text string) bool {
	b := digits(text)
	return len(p.b) >= headerSize && plausibleHeader(b)
}

// add appends the bytes of a line.
func (p *printed) add(text string) {
	n := hexPrefix(text)
	if n%2 != 0 {
		p.odd++
	}
	p.lines = append(p.lines, len(p.b))
	p.b = append(p.b, digits(text)...)
}

// digits decodes the hexadecimal digits that text begins with.
func digits(text string) []byte {
	b, _ := hex.DecodeString(text[:hexPrefix(text)&^1])
	return b
}

func hexPrefix(text string) int {
	n := strings.IndexFunc(text, func(r rune) bool { return !strings.ContainsRune("0123456789abcdefABCDEF", r) })
	if n < 0 {
		return len(text)
	}
	return n
}

// crash reads what was collected.
func (p *printed) crash() *crash.Crash {
	c := &crash.Crash{
		Format:    name + " in a log",
		Where:     crash.Place{Offset: p.first.Offset, Line: p.first.Number},
		Truncated: !p.ended,
	}
	if p.failed {
		c.Warnf("the device could not write the whole dump")
	}
	if !p.ended {
		c.Warnf("the end of the dump is not in the log")
	}
	if p.odd > 0 {
		c.Warnf("%d lines of the dump have an odd number of digits: characters were lost", p.odd)
	}
	if !plausibleHeader(p.b) {
		c.Truncated = true
		c.Warnf("the first line of the dump is not in the log: nothing of it can be placed")
		return c
	}
	d := &dump{crash: c, b: p.b, text: true, ended: p.ended, lines: p.lines}
	c.Refused = d.read()
	return c
}

// wholeLines returns how many of the n bytes that end at the offset come before
// the last line: where bytes are missing, that line is the first that cannot be
// placed.
func (d *dump) wholeLines(n int) int {
	begin := d.off - n
	last := begin
	for _, at := range d.lines {
		if at < d.off {
			last = max(last, at)
		}
	}
	return last - begin
}
