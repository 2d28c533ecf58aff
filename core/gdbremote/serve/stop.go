package serve

import (
	"encoding/hex"
	"fmt"
	"strings"

	"pushmask/core"
	"pushmask/core/cause"
	"pushmask/core/session"
)

// Signals as gdb numbers them (include/gdb/signals.def).
const (
	sigINT     = 2
	sigILL     = 4
	sigTRAP    = 5
	sigABRT    = 6
	sigFPE     = 8
	sigBUS     = 10
	sigSEGV    = 11
	sigUnknown = 143
)

// linuxSignals are the signals of Linux (arch/arm/include/uapi/asm/signal.h) up to
// SIGSYS that gdb numbers differently.
var linuxSignals = map[int]int{
	7: sigBUS, 10: 30, 12: 31, 16: sigUnknown, 17: 20, 18: 19, 19: 17, 20: 18, 23: 16, 29: 23, 30: 32, 31: 12,
}

// fromLinux is gdb's number of a signal of Linux.
func fromLinux(n int) int {
	const last = 31 // SIGSYS; real-time signals follow
	own, differs := linuxSignals[n]
	switch {
	case differs:
		return own
	case n > last:
		return sigUnknown
	}
	return n
}

// causeSignals are the signals that say best what a machine without signals
// has met. Others are SIGABRT: the firmware gave up.
var causeSignals = map[cause.Kind]int{
	cause.NullRead: sigSEGV, cause.NullWrite: sigSEGV, cause.NullAccess: sigSEGV,
	cause.BadAccess: sigSEGV, cause.BadRead: sigSEGV, cause.BadWrite: sigSEGV, cause.FlashWrite: sigSEGV,
	cause.NullJump: sigSEGV, cause.WildJump: sigSEGV, cause.StackOverflow: sigSEGV, cause.StackFault: sigSEGV,
	cause.ExceptionReturn: sigSEGV, cause.SecurityFault: sigSEGV, cause.VectorTable: sigSEGV,
	cause.ImpreciseWrite: sigBUS, cause.Unaligned: sigBUS,
	cause.DivisionByZero: sigFPE,
	cause.Undefined:      sigILL, cause.NoFPU: sigILL,
	cause.Trap: sigTRAP, cause.Breakpoint: sigTRAP, cause.Semihosting: sigTRAP,
	cause.Halted: sigTRAP,
}

// signal is that of a thread's stop, 0 for one that just stands.
func (c *client) signal(t *session.DebuggerThread) int {
	if t.Interrupted != 0 || !t.Crashed && t.Signal == 0 && t.ID != c.stub.threads[0].ID {
		return 0
	}
	why := c.stub.cause(c.ctx, t.ID)
	if t.Signal > 0 && (why.Kind == cause.Signal || c.stub.session.Profile() == core.ProfileA) {
		return fromLinux(t.Signal)
	}
	if n, ok := causeSignals[why.Kind]; ok {
		return n
	}
	return sigABRT
}

// halted answers "?": why the machine stands.
func (c *client) halted(string) string {
	t := &c.stub.threads[0]
	return c.stopped(t, c.signal(t))
}

// atRest is what a user reads who wants the crash to go on.
const atRest = "pushmask: this is a crash, not a running machine: it can be examined and neither run nor stepped\n"

// resume answers c, s and vCont; see the package documentation. A step ends in
// the thread that was to make it, or gdb would show another one.
func (c *client) resume(args string) string {
	id := c.resumed
	for action := range strings.SplitSeq(args, ";") {
		verb, thread, named := strings.Cut(action, ":")
		if wanted, ok := parseThread(thread, c.resumed); ok && named && verb != "" && (verb[0] == 's' || verb[0] == 'S') {
			id = wanted
		}
	}
	t, ok := c.stub.thread(id)
	if !ok {
		t = &c.stub.threads[0]
	}
	signal := c.signal(t)
	if signal == 0 || signal == sigTRAP {
		signal = sigINT
	}
	c.print(atRest)
	return c.stopped(t, signal)
}

// threadStop answers lldb's qThreadStopInfo.
func (c *client) threadStop(args string) string {
	id, ok := parseThread(args, c.general)
	t, known := c.stub.thread(id)
	if !ok || !known {
		return c.number(errInvalid)
	}
	return c.stopped(t, c.signal(t))
}

// stopped is a stop reply (E.3, "T"), with the registers that every client asks
// for next.
func (c *client) stopped(t *session.DebuggerThread, signal int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "T%02x", signal)
	for i := range c.stub.regs {
		r := &c.stub.regs[i]
		if text, known := r.hex(&t.Regs); known && (r.reg == core.SP || r.reg == core.PC) {
			fmt.Fprintf(&b, "%02x:%s;", r.number, text)
		}
	}
	fmt.Fprintf(&b, "thread:%s;", threadID(t.ID))
	if c.lldb {
		b.WriteString(c.details(t))
	}
	if c.listThreads {
		fmt.Fprintf(&b, "threads:%s;", c.threadIDs())
	}
	return b.String()
}

// details is what lldb takes of a stop beside the signal: the name of the
// thread, and the reason in words.
func (c *client) details(t *session.DebuggerThread) string {
	var b strings.Builder
	if name := c.name(t); name != "" {
		fmt.Fprintf(&b, "hexname:%s;", hex.EncodeToString([]byte(name)))
	}
	if t.Crashed {
		why := c.stub.cause(c.ctx, t.ID)
		text := strings.Join(nonEmpty(why.Name, why.Description), ": ")
		fmt.Fprintf(&b, "reason:exception;description:%s;", hex.EncodeToString([]byte(text)))
	}
	return b.String()
}

// kill answers k: gdb waits for no answer, lldb for that of a process that a
// signal ended.
func (c *client) kill(string) (string, bool) {
	c.ended = true
	return "X09", c.lldb
}
