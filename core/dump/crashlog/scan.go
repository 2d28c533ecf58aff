package crashlog

import (
	"strings"

	"pushmask/core"
	"pushmask/core/dump/logtext"
)

// scanGap is how many lines without registers may stand between two lines of
// a hand-written report, and scanHeading how many between its heading and its
// first register.
const (
	scanGap     = 12
	scanHeading = 10
)

// scan finds the reports of hand-written handlers in the lines that no format
// claimed. It knows the names of registers and nothing of their order or form,
// so that it needs evidence that they are those of a crash; see
// [cluster.isCrash].
func scan(log *logtext.Log, claimed []bool) []Report {
	s := scanner{log: log, claimed: claimed, cur: new(cluster)}
	for i := 0; i < len(log.Lines); i++ {
		if claimed[i] || !s.cur.empty() && i-s.cur.last > scanGap {
			s.flush()
		}
		if !claimed[i] {
			i += s.line(i) - 1
		}
	}
	s.flush()
	return s.out
}

// scanner is the state of a scan.
type scanner struct {
	log     *logtext.Log
	claimed []bool
	cur     *cluster
	end     int // of the last report, where no heading of another can be
	out     []Report
}

// flush ends the cluster, which may be a report.
func (s *scanner) flush() {
	if s.cur.empty() {
		return
	}
	if r, ok := s.cur.report(); ok && !amongCode(s.log, r) {
		if len(s.out) == maxReports {
			s.out = append(s.out[:0], s.out[maxReports/2:]...)
		}
		s.out = append(s.out, r)
	}
	s.end = s.cur.last + 1
	s.cur = new(cluster) // the report keeps the old one
}

// line takes a line, or the lines of a table, and returns how many.
func (s *scanner) line(i int) int {
	text := s.log.Lines[i].Text
	pairs, used := scanTable(s.log, i)
	if used == 0 {
		pairs, used = scanLine(text), 1
		if len(pairs) > 0 && isProse(text, len(pairs)) {
			pairs = nil
		}
	}
	if len(pairs) == 0 {
		if s.cur.empty() {
			return 1
		}
		if s.cur.row(text) {
			s.cur.last = i
		} else if s.cur.cause == "" && speaksOfCrash(text) {
			if s.cur.beginsBlock() {
				s.flush()
				return 1
			}
			s.cur.cause, s.cur.fault = causeText(text, nil), true
		}
		return 1
	}
	if !s.cur.goesOn(pairs) && s.cur.restarts(pairs) {
		s.flush()
	}
	fault := speaksOfCrash(text)
	if s.cur.empty() {
		s.cur.first = i
		if h, ok := s.heading(i); ok && !fault {
			s.cur.first, s.cur.cause, s.cur.fault = h, causeText(s.log.Lines[h].Text, nil), true
		}
	}
	if s.cur.add(pairs, i+used-1); fault && s.cur.cause == "" {
		s.cur.cause, s.cur.fault = causeText(text, pairs), true
	}
	return used
}

// heading returns the line before line i that speaks of the crash.
func (s *scanner) heading(i int) (int, bool) {
	for j := i - 1; j >= max(s.end, i-scanHeading) && !s.claimed[j]; j-- {
		if speaksOfCrash(s.log.Lines[j].Text) {
			return j, true
		}
	}
	return 0, false
}

// amongCode reports whether the lines around a report are those of a program:
// three in ten end as statements and blocks do.
func amongCode(log *logtext.Log, r Report) bool {
	const around = 10
	code, all := 0, 0
	for _, line := range log.Lines[max(0, r.First-around):min(len(log.Lines), r.Last+1+around)] {
		all++
		t := strings.TrimRight(line.Text, " \t,)")
		if t != "" && strings.IndexByte(";{}(", t[len(t)-1]) >= 0 && !strings.Contains(t, "ExceptionFrame") {
			code++
		}
	}
	return code*10 >= all*3
}

// speaksOfCrash reports whether a line has a word of a crash.
func speaksOfCrash(text string) bool {
	if len(text) > maxScanned || looksLikeCode(text) {
		return false
	}
	lower := strings.ToLower(text)
	for _, w := range []string{"fault", "exception", "crash", "panic", "abort", "assert", "unhandled", "fatal"} {
		if strings.Contains(lower, w) {
			return true
		}
	}
	return false
}

// isProse reports whether a line with some registers is a sentence about them:
// it has many words more than they explain.
func isProse(text string, pairs int) bool {
	words := 0
	for _, w := range strings.Fields(text) {
		if len(w) > 1 && !strings.ContainsAny(w, "0123456789:=_") {
			words++
		}
	}
	return words > 5*pairs+3
}

// maxCause is the length of the longest line that is taken for a cause.
const maxCause = 120

// causeText returns a line without the registers in it.
func causeText(text string, pairs []scanPair) string {
	if len(pairs) > 0 {
		text = text[:pairs[0].at]
	}
	text = strings.Trim(text, " \t,:;-=*#[]{(")
	if len(text) > maxCause {
		return ""
	}
	return text
}

// scanTable reads a table of registers: a line of names alone and below it a
// line of as many values, or a range of names with its values behind it. used
// is how many lines it takes, 0 if there is none.
func scanTable(log *logtext.Log, i int) (pairs []scanPair, used int) {
	text := log.Lines[i].Text
	if len(text) > maxScanned {
		return nil, 0
	}
	if first, _ := nameAt(strings.TrimLeft(text, " \t")); first.kind == scanNothing {
		return nil, 0
	}
	if p := scanRange(text); p != nil {
		return p, 1
	}
	names := tableFields(text)
	if len(names) < 3 {
		return nil, 0
	}
	for _, n := range names {
		name := lookupName(n)
		if name.kind == scanNothing {
			return nil, 0
		}
		pairs = append(pairs, scanPair{scanName: name})
	}
	for j := i + 1; j < min(i+1+scanTableGap, len(log.Lines)); j++ {
		if setValues(pairs, tableFields(log.Lines[j].Text)) {
			return pairs, j - i + 1
		}
	}
	return nil, 0
}

// scanTableGap is within how many lines of its names a table has its values.
const scanTableGap = 3

// setValues gives the values of a line to the names of a table.
func setValues(pairs []scanPair, values []string) bool {
	if len(values) != len(pairs) {
		return false
	}
	for i, v := range values {
		if used := pairs[i].number(v, true); used == 0 || used != len(v) {
			return false
		}
	}
	return true
}

func tableFields(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t|,:", r) })
}

// scanRange reads "R0-R3: 00000000 00000001 00000002 00000003".
func scanRange(text string) []scanPair {
	head, rest, ok := strings.Cut(text, ":")
	if !ok {
		return nil
	}
	from, to, ok := strings.Cut(strings.ReplaceAll(strings.TrimSpace(head), "..", "-"), "-")
	a, b := plainName(strings.ToLower(strings.TrimSpace(from))), plainName(strings.ToLower(strings.TrimSpace(to)))
	if !ok || a.kind != scanRegister || b.kind != scanRegister || b.reg <= a.reg {
		return nil
	}
	values := tableFields(rest)
	out := make([]scanPair, b.reg-a.reg+1)
	for i := range out {
		out[i].scanName = scanName{kind: scanRegister, reg: a.reg + core.Reg(i)}
	}
	if !setValues(out, values) {
		return nil
	}
	return out
}
