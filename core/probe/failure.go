package probe

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"regexp"
	"strings"
)

// StartError says why a server did not start.
type StartError struct {
	Name    string   // of the server, for people
	Command []string // the command line, nil when there was none
	Lines   []string // what the server printed last
	Hint    string   // what to check, for people; "" when nothing is known
	Err     error    // what happened
}

// Error implements error.
func (e *StartError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "start %s: %s", e.Name, strings.ReplaceAll(e.Err.Error(), "\n", ": "))
	if line := e.telling(); line != "" {
		fmt.Fprintf(&b, "; it said %q", line)
	}
	if e.Hint != "" {
		b.WriteString(". " + strings.ToUpper(e.Hint[:1]) + e.Hint[1:])
	}
	return b.String()
}

// Unwrap returns what happened.
func (e *StartError) Unwrap() error { return e.Err }

// telling returns the line that says most: the last that is an error, else the
// last.
func (e *StartError) telling() string {
	for i := len(e.Lines) - 1; i >= 0; i-- {
		if failureLine.MatchString(e.Lines[i]) {
			return strings.TrimSpace(e.Lines[i])
		}
	}
	if n := len(e.Lines); n > 0 {
		return strings.TrimSpace(e.Lines[n-1])
	}
	return ""
}

var failureLine = regexp.MustCompile(`(?i)\b(error|fail(ed|ure)?|critical|cannot|can't|could ?n[o']t|unable|not found|no such|no available|unsupported|invalid|denied)\b`)

// hint is what to check when a server printed something.
type hint struct {
	pattern string // regular expression
	text    string // $1 is the first group
}

// Sentences of more than one server.
const (
	noProbe  = "no debug probe was found: check its cable, and that no other program uses it"
	noTarget = "the probe does not reach the target: check power, wiring and reset of the board"
)

// commonHints are for every server.
var commonHints = []hint{
	{
		`(?i)address already in use|couldn't bind|failed to (bind|listen|find an available port)|failed to open listener port|port .* (is )?(already )?in use`,
		`a port is in use: end the other server, or remove ports from "serverArgs"`,
	},
	{
		`(?i)error while loading shared libraries: ([^:\s]+)`,
		"the library $1 of the server is missing: install it again, or set PATH and LD_LIBRARY_PATH in \"env\"",
	},
}

// explain returns what to check.
func (p *program) explain(err error, lines []string) string {
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf(`install %s, or set "serverpath" to its program`, p.name)
	case errors.Is(err, fs.ErrPermission):
		return `it may not be executed: check "serverpath"`
	}
	text := strings.Join(lines, "\n")
	for _, list := range [][]hint{commonHints, p.hints} {
		for _, h := range list {
			re := regexp.MustCompile(h.pattern)
			if m := re.FindStringSubmatchIndex(text); m != nil {
				return string(re.ExpandString(nil, h.text, text, m))
			}
		}
	}
	if errors.Is(err, errTimeout) {
		return `if the server is ready and says so in other words, set "overrideGDBServerStartedRegex"`
	}
	return ""
}
