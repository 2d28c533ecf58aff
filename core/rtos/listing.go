package rtos

import (
	"fmt"

	"pushmask/core"
)

// Limits on what is believed of a system; real ones have some dozens of threads.
const (
	maxThreads  = 1024
	maxWarnings = 20
)

// task is what a kernel says of one thread.
type task struct {
	core.Thread // without ID and Crashed
	control     core.Addr
	// current marks the thread that the kernel says a core executes. The
	// machine may be between two threads: settle decides.
	current bool
	// fill is the word that the kernel fills stacks with where it fills them.
	fill *fill
	// context restores the registers that the thread goes on with. It is asked
	// for threads that do not run only; for others what it would read is stale.
	context func() (core.Regs, error)
}

// holds reports whether a stack pointer is in the stack of the task.
func (t *task) holds(sp core.Addr) bool { return sp > t.Stack.Low && sp <= t.Stack.High }

// listing collects what a kernel finds.
type listing struct {
	kernel   string
	tasks    []task
	warnings []string
	// idle says that the scheduler has not started: the machine executes no
	// thread, whatever the kernel calls current.
	idle bool
	// early says that the kernel no longer calls a thread current before it has
	// saved the registers.
	early bool
	// confined says that the kernel, on M-profile, makes threads current in its
	// handlers of SVCall and PendSV alone, where it writes PSP too, and that threads
	// have no stack beside the one that is listed.
	confined bool
	seen     map[core.Addr]bool
}

// add adds a task unless its control block was added before or there are too
// many.
func (l *listing) add(t task) bool {
	if l.seen == nil {
		l.seen = make(map[core.Addr]bool)
	}
	if l.seen[t.control] || len(l.tasks) >= maxThreads {
		return false
	}
	l.seen[t.control] = true
	l.tasks = append(l.tasks, t)
	return true
}

// warnf records what is missing or odd, for people.
func (l *listing) warnf(format string, args ...any) {
	if len(l.warnings) < maxWarnings {
		l.warnings = append(l.warnings, fmt.Sprintf(format, args...))
	}
}
