package crashlog

import (
	"fmt"
	"strings"

	"pushmask/core"
	"pushmask/core/dump/crash"
	"pushmask/core/dump/logtext"
)

// rust reads what Rust programs and the tools that run them print of a crash:
//
//   - the message of a panic (library/core/src/panic/panic_info.rs,
//     github.com/rust-lang/rust), on the line of the place since 1.73;
//   - the ExceptionFrame of cortex-m-rt in its Debug form, on one line or many;
//   - the stack that probe-run and probe-rs run found
//     (probe-run/src/backtrace/pp.rs, github.com/knurling-rs/probe-run): names, with
//     addresses where there is no name or where they were asked for.
type rust struct {
	report
	panicked  bool // the heading of a panic has come
	waiting   bool // its message is on the next line
	frame     bool // ExceptionFrame
	backtrace bool
	probed    bool // the stack is that of probe-rs
}

const (
	rustFrame     = "ExceptionFrame {"
	rustBacktrace = "stack backtrace:"
	probeExit     = "Firmware exited unexpectedly"
)

var rustFormat = format{
	name: "Rust crash report",
	begins: func(text string) bool {
		text = strings.TrimSpace(text)
		_, _, isCall := probeCall(text)
		return panicHeading(text) || strings.Contains(text, rustFrame) || text == rustBacktrace ||
			isCall || strings.HasPrefix(text, probeExit)
	},
	read: func() reading { return &rust{} },
}

// panicHeading matches "panicked at src/main.rs:10:5:" and "panicked at 'msg',
// src/main.rs:10:5", alone or behind the name of a thread or the level of a
// log, and the headings of Tock.
func panicHeading(text string) bool {
	const maxBefore = 48
	i := strings.Index(text, "panicked at ")
	if i <= 0 || i > maxBefore {
		return i == 0 || strings.HasPrefix(text, "Kernel panic at ")
	}
	return strings.HasPrefix(text, "thread '") || strings.Contains(text[:i], "ERROR") || strings.HasPrefix(text, "Application Panic:")
}

// panicWords returns message and place of a panic. The message is "" where it
// is on the next line.
func panicWords(text string) (message, place string) {
	if rest, ok := strings.CutPrefix(text, "Kernel panic at "); ok {
		return "", strings.TrimSuffix(rest, ":")
	}
	_, rest, _ := strings.Cut(text, "panicked at ")
	if i := strings.LastIndex(rest, "', "); i > 0 && rest[0] == '\'' {
		return rest[1:i], strings.TrimSuffix(rest[i+len("', "):], ":")
	}
	if message, ok := strings.CutPrefix(rest, "'"); ok { // it goes on in the lines below
		return strings.TrimRight(message, "."), ""
	}
	return "", strings.TrimSuffix(rest, ":")
}

// frameHeading returns what is said before an exception frame, which is nothing
// where a debugger numbers what it prints: "$16 = cortex_m_rt::".
func frameHeading(before string) string {
	before = strings.Trim(before, " :=")
	if strings.HasSuffix(before, "cortex_m_rt") {
		before = strings.TrimRight(strings.TrimSuffix(before, "cortex_m_rt"), " :=")
	}
	before, _ = strings.CutSuffix(before, " at")
	if i := strings.LastIndexByte(before, '$'); i >= 0 {
		if _, number := logtext.Decimal(before[i+1:]); number {
			return ""
		}
	}
	return strings.TrimPrefix(before, "ERROR ")
}

// isSaid reports whether a line has a word, as a message has.
func isSaid(text string) bool {
	letters := 0
	for i := range len(text) {
		if c := text[i] | 0x20; c < 'a' || c > 'z' {
			letters = 0
		} else if letters++; letters == 3 {
			return true
		}
	}
	return false
}

func (r *rust) take(line *logtext.Line) kind {
	text := strings.TrimSpace(line.Text)
	switch {
	case panicHeading(text):
		if r.panicked || r.frame || r.backtrace {
			return next
		}
		r.panicked = true
		r.Cause, r.Location = panicWords(text)
		r.waiting = r.Cause == ""
	case strings.Contains(text, rustFrame):
		if r.frame || r.backtrace {
			return next
		}
		r.frame = true
		before, fields, _ := strings.Cut(text, rustFrame)
		if r.Cause == "" {
			r.Cause = frameHeading(before)
		}
		r.pairs(fields)
	case text == rustBacktrace:
		if r.backtrace {
			return next
		}
		r.backtrace = true
	case strings.HasPrefix(text, probeExit):
		if r.probed {
			return next
		}
		r.Details = append(r.Details, text)
		r.probed = true
	case r.probeCall(text):
	case r.backtrace:
		return r.call(text)
	case r.waiting && isSaid(text):
		r.Cause, r.waiting = text, false
	case r.frame && (text == "}" || r.pairs(text) > 0):
	default:
		return foreign
	}
	return part
}

// call takes a line of the stack: "0: 0x000007de @ main", "1: main",
// "<exception entry>", "at src/main.rs:12:5".
func (r *rust) call(text string) kind {
	n := len(r.Backtrace)
	if place, ok := strings.CutPrefix(text, "at "); ok && n > 0 && r.Backtrace[n-1].Location == "" {
		r.Backtrace[n-1].Location = place
		return part
	}
	if text == "<exception entry>" {
		r.Details = append(r.Details, fmt.Sprintf("exception entry before call %d of the stack", n))
		return part
	}
	number, rest, ok := strings.Cut(text, ":")
	index, isNumber := logtext.Decimal(number)
	rest = strings.TrimSpace(rest)
	if !ok || !isNumber || rest == "" {
		if strings.Contains(text, "the program panicked") || strings.Contains(text, "exited with") || strings.Contains(text, "program has overflowed its stack") {
			r.Details = append(r.Details, text)
			return last
		}
		return foreign
	}
	if int(index) < n {
		return next
	}
	r.addCall(rest)
	return part
}

// probeCall matches a line of the stack as probe-rs run prints it: "Frame 2: main @
// 0x080003fc inline" (probe-rs-tools/src/bin/probe-rs/cmd/run, github.com/probe-rs/probe-rs).
// What it says in place of a name when it gives up is none.
func probeCall(text string) (index uint32, rest string, ok bool) {
	number, rest, ok := strings.Cut(strings.TrimPrefix(text, "Frame "), ": ")
	index, isNumber := logtext.Decimal(number)
	return index, rest, ok && isNumber && strings.HasPrefix(text, "Frame ") && strings.Contains(rest, " @ 0x")
}

// probeCall takes a line of the stack of probe-rs, and the place below it.
func (r *rust) probeCall(text string) bool {
	n := len(r.Backtrace)
	if r.probed && n > 0 && r.Backtrace[n-1].Location == "" && isPlace(text) {
		r.Backtrace[n-1].Location = text
		return true
	}
	index, rest, ok := probeCall(text)
	if !ok || int(index) < n {
		return false
	}
	r.probed = true
	name, digits, _ := strings.Cut(rest, " @ ")
	digits, _, _ = strings.Cut(digits, " ")
	v, isAddress := logtext.Hex(digits)
	switch {
	case strings.HasPrefix(name, "UNWIND: "):
		r.Details = append(r.Details, name)
	case isAddress && v != 0:
		r.AddCall(v, name)
	default:
		r.AddName(name, "")
	}
	return true
}

// isPlace matches a file with a line and a column and nothing else.
func isPlace(text string) bool {
	f := strings.Split(text, ":")
	if len(f) < 3 || strings.ContainsAny(text, "\t@") {
		return false
	}
	_, line := logtext.Decimal(f[len(f)-2])
	_, column := logtext.Decimal(f[len(f)-1])
	return line && column
}

func (r *rust) addCall(text string) {
	digits, name, _ := strings.Cut(text, " ")
	v, ok := logtext.Hex(digits)
	name = strings.TrimLeft(name, "@- ")
	if name == "<unknown>" {
		name = ""
	}
	if ok && strings.HasPrefix(digits, "0x") {
		r.AddCall(v, name)
		return
	}
	r.AddName(text, "")
}

func (r *rust) crash() *crash.Crash {
	if r.empty() && r.Cause == "" && r.Location == "" && r.Backtrace == nil && len(r.Details) == 0 {
		return nil
	}
	if r.frame {
		r.setProfile(core.ProfileM)
	}
	r.faulted = true
	r.Truncated = r.frame && !r.regs.Has(core.PC)
	return r.finish()
}
