package dump

import (
	"bytes"
	"cmp"
	"slices"
	"unicode/utf8"

	"pushmask/core/dump/crash"
	"pushmask/core/dump/crashcatcher"
	"pushmask/core/dump/crashlog"
	"pushmask/core/dump/debugtext"
	"pushmask/core/dump/logtext"
	"pushmask/core/dump/memfault"
	"pushmask/core/dump/nuttx"
	"pushmask/core/dump/zephyr"
)

// maxText bounds the text that is read, in bytes: of a longer log the end is
// read, where the newest crash is.
const maxText = 16 << 20

// carriers lists the finders of binary dumps that logs carry as text: lines of
// hexadecimal digits or base64 behind a mark. Each returns the crashes that it
// found, in the order of the log, with the place where each begins.
var carriers = []func(*logtext.Log) []*crash.Crash{
	zephyr.FindLog,
	crashcatcher.FindLog,
	nuttx.FindLog,
	memfault.FindLog,
}

// openText opens a file that is text, as a log: reports that are printed in
// words, and dumps that are carried as text.
func openText(in *input, opt *Options) (*Dump, error) {
	skipped := max(0, in.size-maxText)
	data, err := in.read(skipped, maxText)
	if err != nil {
		return nil, err
	}
	log := logtext.Parse(data)
	crashes := findCrashes(log)
	for _, c := range crashes {
		c.Where.Offset += skipped
		if skipped > 0 {
			c.Where.Line = 0 // lines are counted from the part that was read
		}
	}
	d, err := choose(crashes, opt)
	if err != nil {
		return nil, err
	}
	if skipped > 0 {
		d.warnf("the log has %d bytes: only its last %d were searched for crashes", in.size, maxText)
	} else if log.Skipped > 0 {
		d.warnf("the log has more than %d lines: its first %d were not searched for crashes", logtext.MaxLines, log.Skipped)
	}
	return d, nil
}

// findCrashes returns the crashes of a log in its order. A dump is told what
// the report before it says of the crash in words.
func findCrashes(log *logtext.Log) []*crash.Crash {
	var better []span // lines of what is more than a guess
	var carried, all []*crash.Crash
	for _, find := range carriers {
		for _, c := range find(log) {
			carried = append(carried, c)
			i, _ := slices.BinarySearchFunc(log.Lines, c.Where.Offset, func(l logtext.Line, off int64) int { return cmp.Compare(l.Offset, off) })
			better = append(better, span{i, i})
		}
	}
	reports := crashlog.Find(log)
	firm := make([]bool, len(log.Lines))
	for _, r := range reports {
		for i := r.First; i <= r.Last && !r.Guess; i++ {
			firm[i] = true
		}
	}
	var sessions []*crash.Crash
	for _, s := range debugtext.Find(log, func(i int) bool { return firm[i] }) {
		lines := span{s.First, s.Last}
		if s.Complete() == 0 && slices.ContainsFunc(reports, func(r crashlog.Report) bool { return lines.overlaps(span{r.First, r.Last}) }) {
			continue // memory alone, of a handler that prints its stack as debuggers do
		}
		sessions = append(sessions, s.Crash)
		better = append(better, lines)
	}
	for _, r := range reports {
		if !r.Guess || !slices.ContainsFunc(better, span{r.First, r.Last}.overlaps) {
			all = append(all, r.Crash)
		}
	}
	for _, c := range carried {
		if r := reportBefore(all, c); r != nil {
			inherit(c, r)
		}
	}
	all = slices.Concat(all, carried, sessions)
	slices.SortStableFunc(all, func(a, b *crash.Crash) int { return cmp.Compare(a.Where.Offset, b.Where.Offset) })
	return all
}

// span is lines of a log, by their indices, both inclusive.
type span struct{ first, last int }

func (s span) overlaps(o span) bool { return s.first <= o.last && o.first <= s.last }

// maxApart is how many lines after the beginning of a report a dump of the
// same crash begins at most.
const maxApart = 1000

// reportBefore returns the last report that begins before a dump, nil if that
// is too far away to be of the same crash.
func reportBefore(reports []*crash.Crash, c *crash.Crash) *crash.Crash {
	i, _ := slices.BinarySearchFunc(reports, c.Where.Offset, func(r *crash.Crash, off int64) int { return cmp.Compare(r.Where.Offset, off) })
	if i == 0 || c.Where.Line-reports[i-1].Where.Line > maxApart {
		return nil
	}
	return reports[i-1]
}

// inherit adds what a report says in words to the dump that follows it.
func inherit(c, report *crash.Crash) {
	details := report.Details
	switch {
	case c.Cause == "":
		c.Cause = report.Cause
	case report.Cause != "" && report.Cause != c.Cause:
		details = append([]string{report.Cause}, details...)
	}
	c.Details = append(c.Details, details...)
	if t, ok := crashedIn(report); ok && c.Core != nil {
		c.Reported = &t
	}
	c.Location = cmp.Or(c.Location, report.Location)
	if c.Backtrace == nil {
		c.Backtrace = report.Backtrace
	}
	c.Time = cmp.Or(c.Time, report.Time)
	c.System = cmp.Or(c.System, report.System)
}

// isText reports whether the beginning of a file is text: UTF-16 with its mark,
// or bytes of which few are neither of ASCII's text, nor UTF-8, nor of a
// national encoding, whose bytes are from 0xa1 up. Zeros, which a line that is
// switched on brings, count for nothing.
func isText(head []byte) bool {
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return true
	}
	odd, lines, zeros := 0, 0, 0
	for rest := head; len(rest) > 0; {
		r, n := utf8.DecodeRune(rest)
		switch {
		case r == 0:
			zeros++
		case r == '\n' || r == '\r':
			lines++
		case r < ' ' && r != '\t' && r != '\x1b' && r != '\b' || r == 0x7f, r == utf8.RuneError && n == 1 && rest[0] < 0xa1:
			odd++
		}
		rest = rest[n:]
	}
	text := len(head) - zeros
	return odd*10 <= text && text*8 >= len(head) && (lines > 0 || len(head) < headSize)
}
