package rtos

import (
	"slices"

	"pushmask/core"
)

// settle decides which threads run, asks the others for their registers, and
// measures stacks.
//
// The kernel's word for the current thread is not always the thread that the
// machine executes: between choosing the next thread and loading its stack
// pointer a context switch has the next thread's name on the last thread's
// stack. That is told by the frame of the last thread, once it is saved at the
// process stack pointer itself, and before by the stack that the core works on;
// unless it may be that a stack overflowed and ran into its neighbour.
func (s *System) settle(l *listing) List {
	if !s.Unmeasured {
		s.measure(l.tasks)
	}
	running := s.running(l)
	out := List{Kernel: l.kernel}
	for i := range l.tasks {
		t := &l.tasks[i]
		th := Thread{Thread: t.Thread, Control: t.control, Core: -1}
		th.Core, th.Running = running[i].core, running[i].is
		th.Confined = l.confined && t.current && th.Core >= 0 && t.Stack.Known() && s.Profile == core.ProfileM
		switch {
		case th.Running:
			th.State = stateRunning
		case t.context != nil:
			regs, err := t.context()
			if err != nil {
				l.warnf("the registers of thread %q are not known: %v", t.Name, err)
			}
			th.Regs = regs
		}
		out.Threads = append(out.Threads, th)
	}
	out.Warnings = l.warnings
	slices.SortStableFunc(out.Threads, func(a, b Thread) int {
		switch {
		case a.Running == b.Running:
			return 0
		case a.Running:
			return -1
		}
		return 1
	})
	return out
}

// Words for states that the framework sets; the others are the kernels' own.
const (
	stateRunning = "running"
	stateReady   = "ready"
)

// execution says whether a core executes a thread, and which core.
type execution struct {
	is   bool
	core int // index in Stopped, -1 where it is not known
}

// running tells for each task whether it is executed.
func (s *System) running(l *listing) []execution {
	out := make([]execution, len(l.tasks))
	var current []int
	for i := range out {
		out[i].core = -1
		if l.tasks[i].current && !l.idle {
			out[i].is = true
			current = append(current, i)
		}
	}
	for c := range s.Stopped {
		i := s.onCore(l.tasks, current, c)
		last := s.switchedFrom(l.tasks, c)
		if last < 0 {
			last = s.switchingFrom(l.tasks, i, c)
		}
		switch {
		case i < 0:
		case last >= 0:
			out[last], out[i] = execution{is: true, core: c}, execution{core: -1}
		default:
			out[i].core = c
		}
		if l.early {
			s.distrust(l, i, c)
		}
	}
	return out
}

// distrust takes the saved registers from tasks that core c may be switching
// from: they may be those of the time before. That is the one whose stack the
// core works on, or one whose stack is not known when it works on no other; in a
// handler that switches it may be any where the process stack pointer is not
// known. i is the current task, -1 without one.
func (s *System) distrust(l *listing, i, c int) {
	sp, known := s.threadSP(&s.Stopped[c])
	number := s.Stopped[c].Value(core.PSR) & xpsrIPSR
	if s.Profile != core.ProfileM || !known && number != 11 && number != 14 && number != 15 {
		return
	}
	nobodys := !slices.ContainsFunc(l.tasks, func(t task) bool { return t.holds(sp) }) && (i < 0 || l.tasks[i].Stack.Known())
	frame := s.switchedFrom(l.tasks, c)
	for k := range l.tasks {
		t := &l.tasks[k]
		if k == i || k == frame {
			continue
		}
		if !known || t.holds(sp) || nobodys && !t.Stack.Known() {
			t.context = nil
		}
	}
	if !known {
		l.warnf("the machine stopped in a switch of threads and PSP is not known: neither is what threads go on with")
	}
}

// switchingFrom returns the index of a task that the kernel no longer calls
// current, though core c still works on its stack and may not have saved its
// registers yet; i is the current task, -1 without one. It is -1 where there is
// none, and where the current task may have overrun its stack: the stack pointer
// is a little below that, or a fault was taken.
func (s *System) switchingFrom(tasks []task, i, c int) int {
	sp, ok := s.threadSP(&s.Stopped[c])
	if !ok || s.Profile != core.ProfileM {
		return -1
	}
	if i >= 0 {
		const overrun = 4096
		low, number := tasks[i].Stack.Low, s.Stopped[c].Value(core.PSR)&xpsrIPSR
		switches := number == 11 || number == 14 || number == 15 // SVCall, PendSV, SysTick
		faulted := number >= 3 && number <= 7
		if !tasks[i].Stack.Known() || tasks[i].holds(sp) || faulted || !switches && sp <= low && low-sp < overrun {
			return -1
		}
	}
	return slices.IndexFunc(tasks, func(t task) bool { return !t.current && t.holds(sp) })
}

// onCore returns the index of the current task that core c executes, -1 where
// that is not known: with one core it is the only one, with several the one
// whose stack the core works on.
func (s *System) onCore(tasks []task, current []int, c int) int {
	if len(current) == 1 && len(s.Stopped) == 1 {
		return current[0]
	}
	sp, ok := s.threadSP(&s.Stopped[c])
	if !ok {
		return -1
	}
	for _, i := range current {
		if tasks[i].holds(sp) {
			return i
		}
	}
	return -1
}

// threadSP is the stack pointer of the thread under whatever the core does: PSP
// on M-profile, SP in thread mode and on other profiles.
func (s *System) threadSP(regs *core.Regs) (core.Addr, bool) {
	psp, ok := regs.Get(core.PSP)
	if ok && s.Profile == core.ProfileM {
		return core.Addr(psp), true
	}
	if s.Profile == core.ProfileM && regs.Value(core.PSR)&xpsrIPSR != 0 {
		return 0, false
	}
	sp, ok := regs.Get(core.SP)
	return core.Addr(sp), ok
}

// switchedFrom returns the index of a task that the kernel no longer calls
// current and whose exception frame lies at the process stack pointer of core
// c, -1 where there is none.
func (s *System) switchedFrom(tasks []task, c int) int {
	psp, ok := s.Stopped[c].Get(core.PSP)
	if !ok || s.Profile != core.ProfileM || s.Stopped[c].Value(core.PSR)&xpsrIPSR == 0 {
		return -1
	}
	return slices.IndexFunc(tasks, func(t task) bool {
		if t.current || t.context == nil {
			return false
		}
		regs, err := t.context()
		if err != nil {
			return false
		}
		switch regs.Value(core.SP) - psp { // sizes of the frame, with padding
		case 0x20, 0x24, 0x68, 0x6c:
			return true
		}
		return false
	})
}
