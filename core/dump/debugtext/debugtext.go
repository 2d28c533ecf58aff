// Package debugtext reads what people paste from debuggers: registers, memory
// and call stacks as gdb, OpenOCD, the J-Link Commander, pyOCD and lldb print
// them, in one log, with prompts and commands between them.
//
// Registers are those of the stopped machine: in a fault handler they are the
// handler's. Memory that was read before the machine ran on is not taken for
// memory of the next stop; each stop of a log is a crash of its own.
package debugtext

import (
	"fmt"
	"slices"
	"strings"

	"pushmask/core"
	"pushmask/core/dump/crash"
	"pushmask/core/dump/logtext"
)

// Session is a stop in a log with the lines that it is printed on.
type Session struct {
	*crash.Crash
	First, Last int // indices of lines in the log, both inclusive
}

const (
	// maxGap is how many lines of others may stand between two lines of a stop.
	maxGap = 100
	// maxBlock is how many lines of others may stand between two lines of a list
	// whose lines nobody knows without its heading.
	maxBlock = 2
	// maxStops bounds the stops of a log; of more the newest are kept.
	maxStops = 4096
)

// Find returns the stops in a log, in its order. Lines that are taken belong to
// others.
func Find(log *logtext.Log, taken func(i int) bool) []Session {
	r := &reader{cur: new(stop), lastCall: noCall}
	for i := range log.Lines {
		r.index, r.number = i, log.Lines[i].Number
		if taken(i) {
			r.close("")
			continue
		}
		r.line(&log.Lines[i])
	}
	r.close("")
	var out []Session
	for _, s := range r.stops {
		c := s.crash()
		c.Where = crash.Place{Offset: log.Lines[s.first].Offset, Line: log.Lines[s.first].Number}
		out = append(out, Session{c, s.first, s.last})
	}
	if m := r.memory; len(out) == 0 && m != nil && m.lines*2 >= len(log.Lines) {
		// A file of nothing but memory is part of a crash whose registers are
		// elsewhere.
		c := m.crash()
		c.Where = crash.Place{Offset: log.Lines[m.first].Offset, Line: log.Lines[m.first].Number}
		out = append(out, Session{c, m.first, m.last})
	}
	return out
}

// reader goes through a log.
type reader struct {
	index, number int // of the line, in the log and in the file
	stops         []*stop
	cur           *stop
	reason        string // of the next stop
	// memory holds what was read of memory since the machine last ran, for logs
	// without registers.
	memory *stop
	tool   string // whose list the lines may go on with, "" for none
	mode   string // of a J-Link list, whose registers the lines have
	foreign,
	inBlock int // lines of others since the last line of the stop, and of the list
	// frame is the number of the frame that the user selected in the debugger:
	// registers of others than the first are computed.
	frame, lastCall int
	readAt          core.Addr // of a J-Link log, where hasRead
	hasRead         bool
}

// fact is what a line says.
type fact struct {
	tool string
	regs []value
	rows []row
	// heading names the tool whose list follows.
	heading string
	call    *crash.Call
	level   int // of call
	// machine is another one whose registers the line has, by its name.
	machine string
	// thread is the number of the thread that what follows is of, 0 for none.
	thread int
}

// value is a register with its value, or where mode is one the register of that
// mode.
type value struct {
	reg    core.Reg
	v      uint32
	mode   core.Mode
	banked core.BankedReg
}

// noCall is a number that no call of a stack follows.
const noCall = -2

// recognisers ask in turn what a line says; each is quick to say that it does
// not know.
var recognisers = []func(text string) (fact, bool){
	openOCDRegister, haltRegisters, gdbRegister, gdbThread, memoryRow, jlinkHeading, heading, callLine,
}

// line takes a line.
func (r *reader) line(l *logtext.Line) {
	text, prompt := cutPrompt(l.Text)
	if prompt || strings.Contains(l.Prefix, ">") {
		r.command(text)
	}
	if reason, ok := ranOn(text); ok {
		r.close(reason)
		r.reason = reason
		return
	}
	f, ok := fact{}, false
	for _, recognise := range recognisers {
		if f, ok = recognise(text); ok {
			break
		}
	}
	if !ok && r.tool != "" {
		f, ok = r.inList(text)
	}
	if !ok {
		f, ok = r.dllLog(text)
	}
	if !ok {
		r.other()
		return
	}
	r.take(&f)
}

// other counts a line that says nothing.
func (r *reader) other() {
	if r.foreign++; r.foreign > maxGap {
		r.close("")
	}
	if r.inBlock++; r.inBlock > maxBlock {
		r.tool = ""
	}
}

// take adds what a line says to the stop.
func (r *reader) take(f *fact) {
	r.foreign, r.inBlock = 0, 0
	if f.heading != "" {
		r.tool, r.mode = f.heading, ""
	}
	if f.thread != 0 {
		r.frame = 0
		r.cur.thread = f.thread
		return
	}
	if f.call != nil {
		r.takeCall(f)
		return
	}
	if len(f.regs) > 0 && r.frame > 0 {
		r.cur.skip(fmt.Sprintf("line %d: registers of frame %d, which the debugger computed", r.number, r.frame))
		return
	}
	if f.machine != "" {
		r.cur.machine = f.machine
		r.cur.at(r.index, f.tool)
		return
	}
	if len(f.regs) == 0 && len(f.rows) == 0 {
		return
	}
	if len(f.rows) > 0 && len(r.cur.tools) > 0 {
		f.tool = "" // the forms of memory are those of several tools
	}
	if r.cur.contradicts(f.regs) {
		r.next()
	}
	r.cur.at(r.index, f.tool)
	r.cur.set(f.regs)
	if len(f.rows) > 0 {
		r.cur.read(f.rows)
		if r.memory == nil {
			r.memory = new(stop)
		}
		r.memory.at(r.index, f.tool)
		r.memory.read(f.rows)
	}
}

// takeCall takes a line of a call stack. One that does not follow the line
// before is of a frame that the user selected.
func (r *reader) takeCall(f *fact) {
	follows := f.level == r.lastCall+1
	r.lastCall = f.level
	switch {
	case f.level == 0:
		r.frame = 0
		if len(r.cur.calls) > 1 {
			return // the same stack again, or the place of the stop
		}
		r.cur.calls = []crash.Call{*f.call}
	case follows && len(r.cur.calls) == f.level:
		r.cur.calls = append(r.cur.calls, *f.call)
	case !follows:
		r.frame = f.level
		return
	}
	r.cur.at(r.index, f.tool)
}

// command takes a command that the user typed.
func (r *reader) command(text string) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return
	}
	r.lastCall = noCall
	switch words[0] {
	case "up", "up-silently":
		r.frame++
	case "down", "down-silently":
		r.frame = max(0, r.frame-1)
	case "frame", "f":
		n, ok := logtext.Decimal(words[len(words)-1])
		if ok {
			r.frame = int(n)
		}
	case "bt", "backtrace", "where":
		r.lastCall = -1
		r.cur.calls = nil
	}
	if runs[words[0]] || words[0] == "monitor" && len(words) > 1 && runs[words[1]] {
		r.close("")
	}
}

// close ends a stop: the machine ran on, or what follows is of something else.
func (r *reader) close(why string) {
	if r.cur.hasRegisters() || len(r.cur.calls) > 1 || r.cur.machine != "" {
		r.keep(r.cur)
	}
	old := r.cur
	r.cur = new(stop)
	if !old.hasRegisters() {
		r.cur.skipped = old.skipped
		if len(old.before) > 0 {
			r.cur.skip(fmt.Sprintf("memory that was read before line %d: the machine ran on after it", r.number))
		}
	}
	r.frame, r.lastCall, r.foreign, r.reason = 0, noCall, 0, ""
	if why != "" {
		r.memory = nil
	}
}

func (r *reader) keep(s *stop) {
	s.reason = r.reason
	if len(r.stops) == maxStops {
		r.stops = slices.Delete(r.stops, 0, maxStops/2)
	}
	r.stops = append(r.stops, s)
}

// next begins another stop where registers have new values and nothing says
// when the machine ran. What is between belongs to the registers that it
// stands beside: in a log that has memory first, to those behind it.
func (r *reader) next() {
	s := r.cur
	r.keep(s)
	r.cur, r.reason = new(stop), ""
	if len(s.before) > 0 && len(s.after) > 0 {
		r.cur.before, s.after = s.after, nil
		r.cur.first, r.cur.began = s.afterLine, true
	}
}
