package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pushmask/core"
	"pushmask/core/rtos"
)

// system is the operating system that was found in the memory of a target.
type system struct {
	kernel string
	// saved are the registers of threads that the target itself does not list.
	saved map[core.ThreadID]core.Regs
	// own are the target's own IDs of threads that have another one here.
	own map[core.ThreadID]core.ThreadID
	// confined are the threads of which [rtos.Thread.Confined] is true.
	confined map[core.ThreadID]bool
}

// joinSystem adds the threads of the operating system to those of the target.
// A target that lists one thread for each core has been asked for no more than
// the machine knows: the first of each core is the thread that runs there, and
// the others follow it. One that lists more threads than there are cores knows
// the system itself; what memory says is added to them, and no thread is. IDs come from
// tasks, which is nil for a target that never moves.
func (s *Session) joinSystem(ctx context.Context, tasks *Tasks) {
	list, err := s.systemThreads(ctx, tasks != nil)
	if errors.Is(err, rtos.ErrNone) {
		return
	}
	if err != nil {
		s.warnings = append(s.warnings, fmt.Sprintf("the threads of %s are not listed: %v", list.Kernel, err))
		return
	}
	s.system.kernel = list.Kernel
	s.warnings = append(s.warnings, list.Warnings...)
	cores := max(runningCount(list.Threads), 1)
	knowsSystem := len(s.threads) > cores
	var rest []rtos.Thread
	taken := make([]bool, len(s.threads))
	for _, t := range list.Threads {
		i := s.counterpart(t, list.Threads, knowsSystem, taken)
		if i < 0 {
			rest = append(rest, t)
			continue
		}
		taken[i] = true
		describe(&s.threads[i], t.Thread)
		if tasks != nil && !knowsSystem {
			s.rename(&s.threads[i], tasks.id(t.Control))
		}
		if t.Confined && t.Core == i {
			s.confine(s.threads[i].ID)
		}
	}
	if !knowsSystem {
		s.addThreads(rest, tasks)
	}
}

func runningCount(threads []rtos.Thread) int {
	n := 0
	for _, t := range threads {
		if t.Running {
			n++
		}
	}
	return n
}

// systemThreads asks for the threads of the system, which is in the first image
// that has one. Registers of several threads are those of several cores only
// where as many threads run.
func (s *Session) systemThreads(ctx context.Context, live bool) (rtos.List, error) {
	var all []core.Regs
	for _, t := range s.threads {
		regs, err := s.target.Registers(ctx, t.ID)
		if err != nil {
			return rtos.List{}, rtos.ErrNone
		}
		all = append(all, regs)
	}
	for _, m := range s.program.images.Images() {
		if s.program.yields(m) {
			continue // its variables are no more, or not yet
		}
		sys := &rtos.System{Image: m, Memory: s.quiet(s.memory), Profile: s.profile, Unmeasured: live}
		if list, err := systemOf(sys, all); !errors.Is(err, rtos.ErrNone) {
			return list, err
		}
	}
	return rtos.List{}, rtos.ErrNone
}

// systemOf asks for the threads of a system with the registers of the target's
// threads.
func systemOf(sys *rtos.System, all []core.Regs) (rtos.List, error) {
	sys.Stopped = all[:min(len(all), 1)]
	list, err := rtos.Threads(sys)
	if err == nil && len(all) > 1 && runningCount(list.Threads) == len(all) {
		sys.Stopped = all
		list, err = rtos.Threads(sys)
	}
	return list, err
}

// counterpart returns the index of the target's thread that t is, -1 where it
// has none: the thread with its name, the core that runs it, or one that stands
// where t will go on.
func (s *Session) counterpart(t rtos.Thread, all []rtos.Thread, knowsSystem bool, taken []bool) int {
	find := func(is func(core.Thread) bool) int {
		found := -1
		for i, own := range s.threads {
			if taken[i] || !is(own) {
				continue
			}
			if found >= 0 {
				return -1
			}
			found = i
		}
		return found
	}
	if i := find(func(own core.Thread) bool { return own.Name != "" && own.Name == t.Name }); i >= 0 {
		return i
	}
	if !knowsSystem {
		if t.Core < 0 || t.Core >= len(s.threads) || taken[t.Core] {
			return -1
		}
		name := s.threads[t.Core].Name
		if name != "" && slices.ContainsFunc(all, func(o rtos.Thread) bool { return o.Name == name }) {
			return -1 // the artefact says that another thread runs
		}
		return t.Core
	}
	sp, ok := t.Regs.Get(core.SP)
	return find(func(own core.Thread) bool {
		regs, err := s.target.Registers(context.Background(), own.ID)
		return ok && err == nil && own.Name == "" && regs.Value(core.SP) == sp
	})
}

// describe adds what the system knows of a thread to what the target says.
func describe(own *core.Thread, t core.Thread) {
	if own.Name == "" {
		own.Name = t.Name
	}
	own.State, own.Waits = t.State, t.Waits
	own.Priority, own.BasePriority, own.HasPriority = t.Priority, t.BasePriority, t.HasPriority
	own.Stack = t.Stack
}

// rename gives a thread of the target the ID of the task that it runs.
func (s *Session) rename(t *core.Thread, id core.ThreadID) {
	if s.system.own == nil {
		s.system.own = make(map[core.ThreadID]core.ThreadID)
	}
	s.system.own[id] = t.ID
	t.ID = id
}

// confine notes that an exception of the thread's core interrupted it, on its stack.
func (s *Session) confine(id core.ThreadID) {
	if s.system.confined == nil {
		s.system.confined = make(map[core.ThreadID]bool)
	}
	s.system.confined[id] = true
}

// addThreads appends threads that the target does not list. Their IDs are those
// of tasks, or follow those of the target in the order of their control blocks,
// so that they do not depend on what state a thread is in.
func (s *Session) addThreads(rest []rtos.Thread, tasks *Tasks) {
	next := core.ThreadID(0)
	for _, t := range s.threads {
		next = max(next, t.ID)
	}
	byControl := slices.Clone(rest)
	slices.SortFunc(byControl, func(a, b rtos.Thread) int { return int(int64(a.Control) - int64(b.Control)) })
	ids := make(map[core.Addr]core.ThreadID)
	for _, t := range byControl {
		next++
		ids[t.Control] = next
		if tasks != nil {
			ids[t.Control] = tasks.id(t.Control)
		}
	}
	s.system.saved = make(map[core.ThreadID]core.Regs)
	for _, t := range rest {
		t.ID = ids[t.Control]
		s.system.saved[t.ID] = t.Regs
		s.threads = append(s.threads, t.Thread)
	}
}

// Registers returns the registers of a thread: at the stop, or for a thread
// that did not run those that it goes on with. None is known of a thread whose
// saved context could not be read.
func (s *Session) Registers(ctx context.Context, id core.ThreadID) (core.Regs, error) {
	if regs, ok := s.system.saved[id]; ok {
		return regs, nil
	}
	own, _ := s.OwnThread(id)
	return s.target.Registers(ctx, own)
}

// Kernel names the operating system whose threads are listed, "" where none was
// found in memory.
func (s *Session) Kernel() string { return s.system.kernel }

// ThreadTitle names a thread for people, with what is known of its state:
// "main [running, prio 3]". A thread without a name is known by its core, "core
// 2", or else by its ID.
func ThreadTitle(t core.Thread) string {
	name := t.Name
	switch {
	case name == "" && t.CPU > 0:
		name = fmt.Sprintf("core %d", t.CPU)
	case name == "":
		name = fmt.Sprintf("thread %d", t.ID)
	}
	if text := ThreadState(t); text != "" {
		name += " [" + text + "]"
	}
	return name
}

// ThreadState puts state and priority of a thread into words: "running, prio
// 3", "running, core 1, prio 3", "blocked on queue rx, prio 5 (base 2)". It is "" where nothing is known.
func ThreadState(t core.Thread) string {
	var parts []string
	if t.State != "" {
		state := t.State
		if t.Waits != "" {
			state += " on " + t.Waits
		}
		parts = append(parts, state)
	}
	if t.Name != "" && t.CPU > 0 {
		parts = append(parts, fmt.Sprintf("core %d", t.CPU))
	}
	if t.HasPriority {
		prio := fmt.Sprintf("prio %d", t.Priority)
		if t.BasePriority != t.Priority {
			prio += fmt.Sprintf(" (base %d)", t.BasePriority)
		}
		parts = append(parts, prio)
	}
	return strings.Join(parts, ", ")
}

// StackUse puts bounds and use of a thread's stack into words: "stack
// 0x20000400..0x20000800, 312 of 1024 bytes used". It is "" where nothing is
// known.
func StackUse(k core.Stack) string {
	if !k.Known() {
		return ""
	}
	text := fmt.Sprintf("stack %v..%v", k.Low, k.High)
	if k.HasUsed {
		text += fmt.Sprintf(", %d of %d bytes used", k.Used, k.High-k.Low)
	}
	return text
}
