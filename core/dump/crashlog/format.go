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
}

// format is a kind of printed crash report.
type format struct {
	name string // for people: "NuttX crash log"
	// find returns the reports in the log, in its order. It keeps to what is
	// surely of its format: a heading or a line that nobody else prints.
	find func(*logtext.Log) []Report
}

// formats lists the kinds of report. Where two claim the same lines the
// earlier one has them.
var formats = []format{}

// Find returns the crash reports in a log, in its order.
func Find(log *logtext.Log) []Report {
	var all []Report
	for _, f := range formats {
		for _, r := range f.find(log) {
			if !slices.ContainsFunc(all, r.overlaps) {
				all = append(all, r)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Report) int { return cmp.Compare(a.First, b.First) })
	for _, r := range all {
		r.Where = crash.Place{Offset: log.Lines[r.First].Offset, Line: log.Lines[r.First].Number}
	}
	return all
}

func (r Report) overlaps(o Report) bool { return r.First <= o.Last && o.First <= r.Last }
