package rtos

import (
	"fmt"

	"pushmask/core"
)

// mynewt reads the tasks of Apache Mynewt (kernel/os of
// https://github.com/apache/mynewt-core).
type mynewt struct {
	*System
	l      listing
	task   *layout // struct os_task
	owners map[core.Addr]string
}

func mynewtPresent(s *System) bool { return s.hasObjects("g_os_task_list", "g_current_task") }

// Flags of a sleeping task (OS_TASK_FLAG_...).
const (
	mynewtForever = 0x01
	mynewtMutex   = 0x04
)

var mynewtWaits = []flagWord{{0x02, "semaphore"}, {mynewtMutex, "mutex"}, {0x08, "event"}}

func mynewtThreads(s *System) (*listing, error) {
	m := &mynewt{System: s, owners: make(map[core.Addr]string)}
	first, _ := s.variable("g_os_task_list")
	if first == 0 {
		return nil, ErrNone
	}
	m.layouts()
	current, _ := s.variable("g_current_task")
	started, ok := s.number("g_os_started")
	m.l.idle = ok && started == 0
	list, err := m.chain(core.Addr(first), 0, func(a core.Addr) (core.Addr, error) {
		r, ok := m.record(a, m.task)
		if !ok {
			return 0, errNext
		}
		if !m.holds(r) {
			return 0, fmt.Errorf("its stack pointer is not in its stack")
		}
		return r.pointer("t_os_task_list"), nil
	})
	if err != nil {
		m.l.warnf("the Mynewt list of tasks is %v", err)
	}
	for _, a := range append(list, core.Addr(current)) {
		if a != 0 && !m.l.seen[a] {
			m.add(a, core.Addr(current))
		}
	}
	if len(m.l.tasks) == 0 {
		return nil, ErrNone
	}
	m.l.contexts(s.formats(mynewtFormats, m.task.offset("t_stackptr")))
	m.waits()
	return &m.l, nil
}

// mynewtFormats are those of the ports (kernel/os/src/arch/cortex_m*).
var mynewtFormats = []format{
	formatReturn,
	// FType r4-r11 [s16-s31] frame, of Cortex-M33: bit 4 of EXC_RETURN, which is
	// clear for a thread with floating-point registers.
	{fits: mainline, read: func(c *saved) {
		switch v := c.word(); {
		case c.err == nil && v != 0 && v != 1<<4:
			c.fail("%#x at %v is no bit of EXC_RETURN", v, c.at-4)
		case v == 0:
			c.ret &^= 1 << 4
		}
		c.span(core.R4, core.R11)
		c.calleeFP()
		c.frame()
	}},
	formatPlain,
}

// layouts finds the layout of tasks: in DWARF, or that of version 1.
func (m *mynewt) layouts() {
	l, ok := m.layoutOf([]string{"os_task"}, "t_stackptr", "t_stacksize", "t_prio", "t_state", "t_flags", "t_name", "t_os_task_list")
	if !ok {
		l = fixed(80, map[string]field{
			"t_stackptr": {0, 4}, "t_stackbottom": {4, 4}, "t_stacksize": {8, 2}, "t_prio": {11, 1}, "t_state": {12, 1}, "t_flags": {13, 1},
			"t_name": {16, 4}, "t_obj": {28, 4}, "t_next_wakeup": {52, 4}, "t_os_task_list": {64, 4},
		})
	}
	m.task = l
}

// stack returns the bounds of a stack, of which a control block has the low end,
// in old versions the high one, and the size in words.
func (m *mynewt) stack(r *record) core.Stack {
	size, _ := r.num("t_stacksize")
	low := r.pointer("t_stackbottom")
	if !m.task.has("t_stackbottom") {
		low = r.pointer("t_stacktop") - core.Addr(4*size)
	}
	if low == 0 || size == 0 || size > maxStack/4 {
		return core.Stack{}
	}
	return core.Stack{Low: low, High: low + core.Addr(4*size)}
}

// holds reports whether the saved stack pointer is in the stack.
func (m *mynewt) holds(r *record) bool {
	st, sp := m.stack(r), r.pointer("t_stackptr")
	return st.Known() && sp >= st.Low && sp <= st.High
}

// add reads a control block.
func (m *mynewt) add(a, current core.Addr) {
	r, ok := m.record(a, m.task)
	if !ok {
		m.l.warnf("the Mynewt task at %v is not in the artefact", a)
		return
	}
	t := task{control: a, current: a == current}
	if t.Name, ok = m.textAt(r.pointer("t_name")); !ok {
		m.l.warnf("the Mynewt task at %v is left out: its name is no text", a)
		return
	}
	if p, ok := r.num("t_prio"); ok {
		t.Priority, t.BasePriority, t.HasPriority = int(p), int(p), true
	}
	if t.Stack = m.stack(r); t.Stack.Known() {
		t.fill = &fill{word: 0xdeadbeef} // OS_STACK_PATTERN
	}
	switch state, _ := r.num("t_state"); state {
	case 1:
		t.State = stateReady
	case 2:
		t.State = "sleeping"
	}
	m.owners[a] = t.Name
	m.l.add(t)
}

// waits tells what sleeping tasks wait for.
func (m *mynewt) waits() {
	for i := range m.l.tasks {
		t := &m.l.tasks[i]
		r, ok := m.record(t.control, m.task)
		if !ok || t.State != "sleeping" || t.current && !m.l.idle {
			continue
		}
		flags, _ := r.num("t_flags")
		t.Waits = m.waitObject(r, flags)
		if flags&mynewtForever == 0 {
			t.Waits += m.ticksLeft(r)
		}
	}
}

// waitObject names the object that a task waits for. A mutex is said by whom it
// is held.
func (m *mynewt) waitObject(r *record, flags uint32) string {
	what := flagWords(flags, mynewtWaits)
	if what == "" {
		return "delay"
	}
	object := r.pointer("t_obj")
	if object == 0 {
		return what
	}
	text := m.describe(what, object)
	if flags&mynewtMutex != 0 {
		owner, _ := m.word(object + 8)
		if name, ok := m.owners[core.Addr(owner)]; ok {
			text += " held by " + name
		}
	}
	return text
}

// ticksLeft puts the time at which a task wakes up into words.
func (m *mynewt) ticksLeft(r *record) string {
	wake, ok := r.num("t_next_wakeup")
	now, okNow := m.variable("g_os_time")
	if left := int32(wake - now); ok && okNow && left >= 0 {
		return fmt.Sprintf(" (%d ticks left)", left)
	}
	return ""
}
