package crashlog

import (
	"slices"
	"strconv"
	"strings"

	"pushmask/core"
	"pushmask/core/dump/crash"
	"pushmask/core/dump/logtext"
)

// nuttxTrace collects the call stack of the crashed task, which is the first
// that is printed: "backtrace| 3: 0x.. 0x.." with eight addresses a line, or
// one "[ 4] [<0x...>] sym+0x10/0x20" a line.
type nuttxTrace struct {
	told crash.Told
	pid  string
	done bool
}

const maxTrace = 256

func (t *nuttxTrace) take(line *logtext.Line, text string) bool {
	pid, list, ok := "", "", false
	if _, rest, found := strings.Cut(text, "backtrace|"); found {
		pid, list, ok = strings.Cut(rest, ":")
	} else if rest, found := strings.CutPrefix(text, "[<"); found {
		list, _, ok = strings.Cut(rest, ">]")
		pid = line.Prefix
	}
	if !ok {
		return false
	}
	pid = strings.TrimSpace(pid)
	if t.told.Backtrace != nil && pid != t.pid {
		t.done = true
	}
	if t.done {
		return true
	}
	t.pid = pid
	for _, f := range strings.Fields(list) {
		if v, ok := logtext.Hex(f); ok && len(t.told.Backtrace) < maxTrace {
			t.told.AddCall(v, "")
		}
	}
	return true
}

// nuttxTasks reads the task table. Its columns differ with the configuration;
// the heading names them.
type nuttxTasks struct {
	columns []string
	rows    []core.Thread
}

// maxTasks bounds the table.
const maxTasks = 1024

func (t *nuttxTasks) take(text string) bool {
	fields := strings.Fields(text)
	if len(fields) < 4 {
		return false
	}
	if name, rest, ok := strings.Cut(text, ": PID="); ok {
		return t.summary(name, rest)
	}
	if fields[0] == "PID" && fields[len(fields)-1] == "COMMAND" {
		t.columns = fields
		return true
	}
	if t.columns == nil {
		return false
	}
	if strings.HasPrefix(fields[0], "---") { // the interrupt stack
		return true
	}
	pid, err := strconv.Atoi(fields[0])
	if err != nil || len(t.rows) >= maxTasks {
		return false
	}
	th := core.Thread{ID: core.ThreadID(pid)}
	if !t.row(&th, fields) {
		return false
	}
	t.rows = append(t.rows, th)
	return true
}

// summary reads what the generation before the table has of a task:
// "wq:UART0: PID=311 Stack Used=632 of 1540".
func (t *nuttxTasks) summary(name, rest string) bool {
	pid, used, _ := strings.Cut(rest, " ")
	id, err := strconv.Atoi(pid)
	if err != nil || len(t.rows) >= maxTasks {
		return false
	}
	th := core.Thread{ID: core.ThreadID(id), Name: name}
	if used, ok := strings.CutPrefix(used, "Stack Used="); ok {
		used, _, _ = strings.Cut(used, " ")
		th.Stack.Used, th.Stack.HasUsed = logtext.Decimal(used)
	}
	t.rows = append(t.rows, th)
	return true
}

// row reads the fields of a task. EVENT may be empty or two words; it ends
// before the signal mask, which is the first field of eight or more hexadecimal
// digits.
func (t *nuttxTasks) row(th *core.Thread, fields []string) bool {
	at := 0
	for _, col := range t.columns {
		if at >= len(fields) {
			return false
		}
		field := fields[at]
		switch col {
		case "PRI":
			v, err := strconv.Atoi(field)
			if err != nil {
				return false
			}
			th.Priority, th.HasPriority = v, true
		case "STATE":
			th.State = field
		case "EVENT":
			n := slices.IndexFunc(fields[at:], isSignalMask)
			if n < 0 {
				return false
			}
			th.Waits = strings.Join(fields[at:at+n], " ")
			at += n
			continue
		case "STACKBASE":
			v, ok := logtext.Hex(field)
			if !ok {
				return false
			}
			th.Stack.Low, th.Stack.High = core.Addr(v), core.Addr(v)
		case "STACKSIZE":
			v, ok := logtext.Decimal(field)
			if !ok {
				return false
			}
			th.Stack.High += core.Addr(v)
		case "USED":
			th.Stack.Used, th.Stack.HasUsed = logtext.Decimal(field)
		case "COMMAND":
			th.Name = strings.Join(fields[at:], " ")
			return true
		}
		at++
	}
	return false
}

// isSignalMask matches a signal set (SIGSET_FMT): its digits, without 0x.
func isSignalMask(s string) bool {
	if len(s) < 8 {
		return false
	}
	for _, c := range []byte(s) {
		if !isHex(c) {
			return false
		}
	}
	return true
}
