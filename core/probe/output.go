package probe

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Line is one line that a server printed.
type Line struct {
	Text   string // valid UTF-8, without the line's end
	Stderr bool
}

// maxLine is where a line that does not end is cut, in bytes.
const maxLine = 16 << 10

// keptLines is how many of the last lines are kept for errors.
const keptLines = 20

// output receives what a server prints on both streams. Its lock keeps the
// lines of both apart.
type output struct {
	mu     sync.Mutex
	report func(Line)
	kept   []string

	ready, fatal sighting
}

// sighting is the first line that matches a pattern.
type sighting struct {
	pattern *regexp.Regexp // nil when nothing is waited for
	seen    chan struct{}  // closed when it has matched
	done    bool
}

func newSighting(pattern *regexp.Regexp) sighting {
	return sighting{pattern: pattern, seen: make(chan struct{})}
}

// match looks for the pattern in a line.
func (s *sighting) match(line []byte) {
	if s.done || s.pattern == nil || !s.pattern.Match(line) {
		return
	}
	s.done = true
	close(s.seen)
}

func newOutput(report func(Line), ready, fatal *regexp.Regexp) *output {
	return &output{report: report, ready: newSighting(ready), fatal: newSighting(fatal)}
}

// last returns the last lines.
func (o *output) last() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.kept)
}

// stream returns the writer for one of the streams.
func (o *output) stream(stderr bool) *stream { return &stream{out: o, stderr: stderr} }

// stream splits one stream into lines.
type stream struct {
	out    *output
	stderr bool
	rest   []byte // the line that has not ended
}

var _ io.Writer = (*stream)(nil)

// Write implements io.Writer.
func (s *stream) Write(p []byte) (int, error) {
	n := len(p)
	s.out.mu.Lock()
	defer s.out.mu.Unlock()
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			end = len(p)
		}
		part := p[:min(end, maxLine-len(s.rest))]
		s.rest = append(s.rest, part...)
		p = p[len(part):]
		switch {
		case len(p) > 0 && p[0] == '\n':
			p = p[1:]
			s.end()
		case len(s.rest) == maxLine:
			s.end()
		}
	}
	// J-Link ends "Waiting for GDB connection..." when there is one.
	s.out.ready.match(s.rest)
	return n, nil
}

// flush reports a last line without an end.
func (s *stream) flush() {
	s.out.mu.Lock()
	defer s.out.mu.Unlock()
	if len(s.rest) > 0 {
		s.end()
	}
}

// end reports the line that has ended.
func (s *stream) end() {
	o := s.out
	o.ready.match(s.rest)
	o.fatal.match(s.rest)
	text := strings.ToValidUTF8(string(bytes.TrimRight(s.rest, "\r")), "\uFFFD")
	s.rest = s.rest[:0]
	if strings.TrimSpace(text) != "" {
		if len(o.kept) == keptLines {
			o.kept = slices.Delete(o.kept, 0, 1)
		}
		o.kept = append(o.kept, text)
	}
	if o.report != nil {
		o.report(Line{text, s.stderr})
	}
}
