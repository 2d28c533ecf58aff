package session

import (
	"fmt"

	"pushmask/core/dump/crash"
)

// Crashes lists the crashes that the artefact holds, in its order; nil where
// the format holds one. Selected is the number of the one that was opened, 0
// then.
func (s *Session) Crashes() (all []CrashSummary, selected int) {
	if s.held == nil {
		return nil, 0
	}
	return s.held.Crashes, s.held.Selected
}

// Unplaced lists what the reader of the artefact did not understand, in the
// artefact's words.
func (s *Session) Unplaced() []string {
	if s.held == nil {
		return nil
	}
	return s.held.Unplaced
}

// Told lists what the firmware, or whoever wrote the artefact, said of the
// crash in words: the cause, and the call stack, which is shown as what it is
// and never believed.
func (s *Session) Told() (cause, calls []string) {
	if s.held == nil {
		return nil, nil
	}
	for _, c := range s.held.Backtrace {
		calls = append(calls, callText(&c))
	}
	first, details := reported(&s.held.Told)
	if first != "" {
		details = append([]string{first}, details...)
	}
	return details, calls
}

// callText is a call of a printed stack in one line.
func callText(c *crash.Call) string {
	text := c.Name
	if c.HasAddr {
		text = c.Addr.String()
		if c.Name != "" {
			text += " " + c.Name
		}
	}
	return joined(text, c.Location)
}

// CrashText is a crash of a list in one line: where it is in the artefact, when
// it happened, its format and cause, as far as they are known.
func CrashText(c *CrashSummary) string {
	text := c.Format
	switch {
	case c.File != "" && c.Line > 0:
		text = fmt.Sprintf("%s line %d: %s", c.File, c.Line, c.Format)
	case c.File != "":
		text = c.File + ": " + c.Format
	case c.Line > 0:
		text = fmt.Sprintf("line %d: %s", c.Line, c.Format)
	}
	if c.Time != "" {
		text += ", " + c.Time
	}
	if c.Cause != "" {
		text += ", " + c.Cause
	}
	if c.Truncated {
		text += ", truncated"
	}
	return text
}
