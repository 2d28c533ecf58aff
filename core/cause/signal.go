package cause

import (
	"fmt"

	"pushmask/core"
)

// Signals that tell what kind of fault a hosted program had.
const (
	sigint  = 2
	sigill  = 4
	sigtrap = 5
	sigabrt = 6
	sigbus  = 7
	sigfpe  = 8
	sigsegv = 11
)

// signal explains a thread that a signal stopped. Debug stubs of bare-metal
// targets report SIGTRAP and SIGINT for any halt, which explains nothing.
func (e *explainer) signal() bool {
	n := e.in.Thread.Signal
	if n == 0 || e.in.Profile == core.ProfileM && (n == sigint || n == sigtrap) {
		return false
	}
	name, meaning := signalName(n)
	e.out.Name, e.status = name, []string{meaning}
	e.at = e.hasPC
	addr, hasAddr := e.in.Thread.FaultAddr, e.in.Thread.HasFaultAddr
	stop, stops := stopFunction(e.stack)
	switch {
	case (n == sigsegv || n == sigbus) && e.hasPC && (hasAddr && addr == e.pc || e.badPC()):
		e.jump("")
	case n == sigbus && e.hasInst && e.misaligned():
		e.unaligned()
	case (n == sigsegv || n == sigbus) && (hasAddr || e.hasInst):
		e.dataAccess(addr, hasAddr, "")
	case n == sigill && e.hasPC:
		e.undefined()
	case n == sigtrap && e.atBreakpoint():
	case n == sigabrt && stops, n == sigfpe && stops && stop.kind == DivisionByZero:
		e.say(stop.kind, "%s%s%s", stop.text, e.arguments(stop), e.calledBy(stop))
	default:
		e.say(Signal, "%s%s", meaning, e.place())
	}
	return true
}

func (e *explainer) misaligned() bool {
	acc, ok := accessOf(&e.inst.Inst, &e.regs)
	return ok && !acc.aligned(acc.natural())
}

// signalName returns the name and the meaning of a Linux signal number
// (arch/arm/include/uapi/asm/signal.h has the generic numbers).
func signalName(n int) (name, meaning string) {
	if n > 0 && n < len(signals) {
		return signals[n].name, signals[n].meaning
	}
	return fmt.Sprintf("signal %d", n), "the program was stopped by a signal"
}

var signals = [...]struct{ name, meaning string }{
	1:  {"SIGHUP", "the terminal was closed"},
	2:  {"SIGINT", "interrupted"},
	3:  {"SIGQUIT", "quit was requested"},
	4:  {"SIGILL", "illegal instruction"},
	5:  {"SIGTRAP", "breakpoint or trace trap"},
	6:  {"SIGABRT", "the program aborted itself"},
	7:  {"SIGBUS", "bus error: the memory access has no memory behind it or is not aligned"},
	8:  {"SIGFPE", "arithmetic error, a division by zero in most cases"},
	9:  {"SIGKILL", "killed"},
	10: {"SIGUSR1", "user signal 1"},
	11: {"SIGSEGV", "invalid memory access"},
	12: {"SIGUSR2", "user signal 2"},
	13: {"SIGPIPE", "write to a pipe that nobody reads"},
	14: {"SIGALRM", "a timer ran out"},
	15: {"SIGTERM", "asked to end"},
	16: {"SIGSTKFLT", "stack fault of the coprocessor"},
	17: {"SIGCHLD", "a child process ended"},
	18: {"SIGCONT", "continued"},
	19: {"SIGSTOP", "stopped"},
	20: {"SIGTSTP", "stopped from the terminal"},
	21: {"SIGTTIN", "a background process read from the terminal"},
	22: {"SIGTTOU", "a background process wrote to the terminal"},
	23: {"SIGURG", "urgent data on a socket"},
	24: {"SIGXCPU", "the limit of processor time was passed"},
	25: {"SIGXFSZ", "the limit of file size was passed"},
	26: {"SIGVTALRM", "a virtual timer ran out"},
	27: {"SIGPROF", "a profiling timer ran out"},
	28: {"SIGWINCH", "the terminal changed its size"},
	29: {"SIGIO", "input or output is possible"},
	30: {"SIGPWR", "power failure"},
	31: {"SIGSYS", "a system call that does not exist"},
}
