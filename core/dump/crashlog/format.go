package crashlog

import (
	"cmp"
	"slices"

	"pushmask/core/dump/crash"
	"pushmask/core/dump/logtext"
)

// Report is a crash report in a log with the lines that it was printed on.
type Report struct {
	*crash.Crash
	First, Last int // indices of lines in the log, both inclusive
	// Guess says that no format claims it: the lines have names of registers
	// and of a crash, and nothing else is known of who printed them.
	Guess bool
}

// format is a kind of printed crash report.
type format struct {
	name string // for people: "NuttX crash log"
	// begins tells the first line of a report: a heading or a line that
	// nobody else prints.
	begins func(text string) bool
	// read returns the reading of a report that begins; it is given that line
	// too.
	read func() reading
	// records says that reports stand one behind the other because somebody
	// kept nothing else: the next is another crash, not one in the handler.
	records bool
}

// formats lists the kinds of report. Where two claim the same lines the
// earlier one has them.
var formats = []format{
	px4Format,
	nuttxFormat,
	zephyrFormat,
	tfmFormat,
	cmBacktraceFormat,
	rtThreadFormat,
	mbedFormat,
	tockFormat, // before Rust: its panics are Rust's with more
	rustFormat,
	linuxFormat,
	tombstoneFormat,
	marlinFormat,
	duetFormat,
	teensyFormat,
	flipperFormat,
	playdateFormat,
	chromeECFormat,
	riotFormat,
	nordicFormat,
	mynewtFormat,
	ardupilotFormat,
	otherMachineFormat,
}

// reading is a report while it is being read.
type reading interface {
	// take is given the lines of the log from the first of the report on.
	take(line *logtext.Line) kind
	// crash returns what was read, nil where it came to nothing. It is asked
	// once, after the last line.
	crash() *crash.Crash
}

// kind is what a line is to the report that is being read.
type kind uint8

const (
	foreign kind = iota // not of the report
	part                // of the report
	last                // of the report, which ends with it
	next                // not of the report, which has ended before it
)

const (
	// maxGap is how many lines of others may stand between two lines of a
	// report.
	maxGap = 40
	// maxReports bounds the reports of one format; of more the newest are kept.
	maxReports = 4096
	// maxNested is how many lines of others may stand between two reports for
	// the second to be that of a crash in the crash handler. A machine that
	// starts again says more.
	maxNested = 1
)

// Find returns the crash reports in a log, in its order.
func Find(log *logtext.Log) []Report {
	claimed := make([]bool, len(log.Lines))
	var all []Report
	for i := range formats {
		reports := collect(log, &formats[i])
		reports = slices.DeleteFunc(reports, func(r Report) bool {
			return slices.Contains(claimed[r.First:r.Last+1], true)
		})
		for _, r := range reports {
			for j := r.First; j <= r.Last; j++ {
				claimed[j] = true
			}
		}
		all = append(all, reports...)
	}
	all = append(all, scan(log, claimed)...)
	slices.SortStableFunc(all, func(a, b Report) int { return cmp.Compare(a.First, b.First) })
	for _, r := range all {
		line := &log.Lines[r.First]
		r.Where = crash.Place{Offset: line.Offset, Line: line.Number}
		r.Time = cmp.Or(r.Time, line.Time)
	}
	complement(all)
	return all
}

// collect returns the reports of one format.
func collect(log *logtext.Log, f *format) []Report {
	var out []Report
	for i := 0; i < len(log.Lines); i++ {
		if !f.begins(log.Lines[i].Text) {
			continue
		}
		rd := f.read()
		r := Report{First: i, Last: readLines(log, rd, i)}
		i = r.Last
		if r.Crash = rd.crash(); r.Crash == nil || amongCode(log, r) {
			continue
		}
		r.Format = f.name
		if n := len(out); n > 0 && !f.records && r.First-out[n-1].Last-1 <= maxNested {
			r.Nested = true
			out[n-1].Warnf("the crash handler crashed itself: another report follows in line %d", log.Lines[r.First].Number)
		}
		if len(out) == maxReports {
			out = slices.Delete(out, 0, maxReports/2)
		}
		out = append(out, r)
	}
	return out
}

// readLines hands lines from first on to a reading and returns the index of
// the last line that was of the report.
func readLines(log *logtext.Log, rd reading, first int) int {
	end := first
	for i := first; i < len(log.Lines) && i-end <= maxGap; i++ {
		switch rd.take(&log.Lines[i]) {
		case part:
			end = i
		case last:
			return i
		case next:
			if i > first {
				return end
			}
		}
	}
	return end
}
