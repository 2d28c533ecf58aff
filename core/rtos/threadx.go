package rtos

import (
	"fmt"

	"pushmask/core"
)

// threadx reads the threads of ThreadX 5 and 6, also known as Azure RTOS
// (common/inc/tx_api.h and tx_thread.h of
// https://github.com/eclipse-threadx/threadx).
type threadx struct {
	*System
	l      listing
	thread *layout // TX_THREAD
	owners map[core.Addr]string
}

func threadxPresent(s *System) bool {
	return s.hasObjects("_tx_thread_created_ptr", "_tx_thread_current_ptr")
}

// threadxID begins every control block of a created thread (TX_THREAD_ID).
const threadxID = 0x54485244

// States of a thread (tx_api.h, TX_READY and so on), and the number that begins
// the control block of what a thread waits for (TX_QUEUE_ID and so on).
const (
	threadxReady      = 0
	threadxCompleted  = 1
	threadxTerminated = 2
	threadxQueue      = 5
	threadxMutex      = 13
)

var threadxStates = []struct {
	text string
	what string // what the thread waits for
	id   uint32 // of the control block of that, 0 where it has none
}{
	{text: stateReady}, {text: "completed"}, {text: "terminated"}, {text: "suspended"},
	{text: "sleeping"},
	{"blocked", "queue", 0x51554555},
	{"blocked", "semaphore", 0x53454d41},
	{"blocked", "event flags", 0x4456444e},
	{"blocked", "block pool", 0x424c4f43},
	{"blocked", "byte pool", 0x42595445},
	{"blocked", "I/O driver", 0},
	{"blocked", "file", 0},
	{"blocked", "TCP/IP", 0},
	{"blocked", "mutex", 0x4d555445},
	{text: "priority change"},
}

func threadxThreads(s *System) (*listing, error) {
	x := &threadx{System: s, owners: make(map[core.Addr]string)}
	first, _ := s.variable("_tx_thread_created_ptr")
	if first == 0 {
		return nil, ErrNone
	}
	current, _ := s.variable("_tx_thread_current_ptr")
	count, counted := s.variable("_tx_thread_created_count")
	if !x.layouts(core.Addr(first), int(count)) {
		return nil, fmt.Errorf("read the threads of ThreadX: no known layout of TX_THREAD makes them a list")
	}
	x.l.idle = x.initializing()
	list, err := x.ring(core.Addr(first), x.thread)
	if err != nil {
		x.l.warnf("the ThreadX list of threads is %v", err)
	}
	for _, a := range list {
		x.add(a, core.Addr(current))
	}
	if current != 0 && !x.l.seen[core.Addr(current)] {
		x.add(core.Addr(current), core.Addr(current))
	}
	if len(x.l.tasks) == 0 {
		return nil, ErrNone
	}
	if counted && int(count) > len(x.l.tasks) {
		x.l.warnf("ThreadX says that there are %d threads, %d could be read", count, len(x.l.tasks))
	}
	x.l.early = true
	// PendSV_Handler alone schedules (ports/cortex_m*/gnu/src/tx_thread_schedule.S).
	// Threads of modules have a kernel stack too.
	x.l.confined = !x.hasFunction("_txm_module_manager_kernel_dispatch")
	x.l.contexts(x.ways())
	x.stopped()
	return &x.l, nil
}

// initializing reports whether the scheduler has not started
// (TX_INITIALIZE_IN_PROGRESS and TX_INITIALIZE_ALMOST_DONE).
func (x *threadx) initializing() bool {
	v, ok := x.variable("_tx_thread_system_state")
	return ok && v&^1 == 0xf0f0f0f0
}

// layouts finds the layout of threads.
func (x *threadx) layouts(first core.Addr, count int) bool {
	var ok bool
	if x.thread, ok = x.layoutOf([]string{"TX_THREAD_STRUCT", "TX_THREAD"}, "tx_thread_id", "tx_thread_stack_ptr", "tx_thread_name",
		"tx_thread_state", "tx_thread_created_next"); ok {
		return true
	}
	// Ports can add members before the links of the list of all threads; which
	// did is told by the list's being whole.
	const least, most = 136, 256
	for next := uint32(least); next <= most; next += 4 {
		x.thread = threadxKnown(next)
		if list, err := x.ring(first, x.thread); err == nil && (len(list) == count || count == 0) {
			return true
		}
	}
	x.thread = threadxKnown(least) // the list is broken: what can be read of it
	r, ok := x.record(first, x.thread)
	id, _ := r.num("tx_thread_id")
	return ok && id == threadxID
}

// threadxKnown is the layout of versions 5 and 6 with the link to the next
// thread at next.
func threadxKnown(next uint32) *layout {
	return fixed(next+12, map[string]field{
		"tx_thread_id": {0, 4}, "tx_thread_stack_ptr": {8, 4}, "tx_thread_stack_start": {12, 4}, "tx_thread_stack_end": {16, 4},
		"tx_thread_name": {40, 4}, "tx_thread_priority": {44, 4}, "tx_thread_state": {48, 4},
		"tx_thread_suspend_control_block": {108, 4},
		"tx_thread_created_next":          {next, 4}, "tx_thread_created_previous": {next + 4, 4},
		"tx_thread_vfp_enable": {next + 8, 4}, // of A- and R-profile ports
	})
}

// ring returns the threads on the list of all, which leads back to the first.
// Each must have the mark of a thread, and be the one before the next.
func (x *threadx) ring(first core.Addr, l *layout) ([]core.Addr, error) {
	var list []core.Addr
	more, err := x.chain(first, 0, func(a core.Addr) (core.Addr, error) {
		r, ok := x.record(a, l)
		if !ok {
			return 0, errNext
		}
		if id, _ := r.num("tx_thread_id"); id != threadxID {
			return 0, fmt.Errorf("it does not begin with the mark of a thread")
		}
		next := r.pointer("tx_thread_created_next")
		if n, ok := x.record(next, l); ok && n.pointer("tx_thread_created_previous") != a {
			return 0, fmt.Errorf("the thread that it leads to says that it follows %v", n.pointer("tx_thread_created_previous"))
		}
		if next == first {
			next = 0
		}
		return next, nil
	})
	return append(list, more...), err
}

// add reads a control block.
func (x *threadx) add(a, current core.Addr) {
	r, ok := x.record(a, x.thread)
	if !ok {
		x.l.warnf("the ThreadX thread at %v is not in the artefact", a)
		return
	}
	t := task{control: a, current: a == current}
	if t.Name, ok = x.textAt(r.pointer("tx_thread_name")); !ok {
		t.Name = x.variableAt(a)
	}
	if p, ok := r.num("tx_thread_priority"); ok {
		t.Priority, t.BasePriority, t.HasPriority = int(p), int(p), true
	}
	if p, ok := r.num("tx_thread_user_priority"); ok {
		t.BasePriority = int(p)
	}
	low, high := r.pointer("tx_thread_stack_start"), r.pointer("tx_thread_stack_end")+1
	if low != 0 && high > low && high-low <= maxStack {
		t.Stack = core.Stack{Low: low, High: high}
		t.fill = &fill{word: threadxFill}
		if v, ok := r.num("tx_thread_stack_fill_value"); ok {
			t.fill.word = v
		}
	}
	state, _ := r.num("tx_thread_state")
	if int(state) < len(threadxStates) {
		t.State = threadxStates[state].text
		x.owners[a] = t.Name
	} else {
		x.l.warnf("the ThreadX thread %q is in the unknown state %d", t.Name, state)
	}
	x.l.add(t)
}

// threadxFill is TX_STACK_FILL.
const threadxFill = 0xefefefef

// stopped adds what threads wait for, and takes the registers from those that
// do not go on.
func (x *threadx) stopped() {
	for i := range x.l.tasks {
		t := &x.l.tasks[i]
		r, ok := x.record(t.control, x.thread)
		if !ok || t.current && !x.l.idle {
			continue
		}
		switch state, _ := r.num("tx_thread_state"); {
		case state == threadxCompleted || state == threadxTerminated:
			t.context = nil
		case int(state) < len(threadxStates):
			t.Waits = x.waitObject(state, r.pointer("tx_thread_suspend_control_block"))
		}
	}
}

// waitObject names the object that a thread in a state waits for: by its own
// name, by the variable that it is. A mutex is said by whom it is held. Threads
// wait at a queue that is empty to receive, and at another to send.
func (x *threadx) waitObject(state uint32, object core.Addr) string {
	s := threadxStates[state]
	if id, ok := x.word(object); s.id == 0 || !ok || id != s.id {
		return s.what
	}
	text := x.describeNamed(s.what, object, 4)
	switch state {
	case threadxQueue:
		if enqueued, ok := x.word(object + 16); ok && enqueued != 0 {
			return "space in " + text
		}
	case threadxMutex:
		owner, _ := x.word(object + 12)
		if name, ok := x.owners[core.Addr(owner)]; ok {
			return text + " held by " + name
		}
	}
	return text
}
