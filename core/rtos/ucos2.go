package rtos

import (
	"fmt"
	"slices"

	"pushmask/core"
)

// ucos2 reads the tasks of uC/OS-II 2.8 and 2.9 (Source/ucos_ii.h).
type ucos2 struct {
	*System
	l     listing
	tcb   *layout // OS_TCB
	event *layout // OS_EVENT
	prios map[core.Addr]uint32
}

func ucos2Present(s *System) bool {
	return s.hasObjects("OSTCBCur", "OSTCBList", "OSTCBPrioTbl")
}

// What tasks wait for (OS_STAT_...): without any of the bits a task is ready,
// or delayed.
const (
	ucos2Suspended = 0x08
	ucos2Pending   = 0xb7
)

var ucos2Waits = []flagWord{
	{0x01, "semaphore"}, {0x02, "mailbox"}, {0x04, "queue"}, {0x10, "mutex"}, {0x20, "event flags"}, {0x80, "several events"},
}

func ucos2Threads(s *System) (*listing, error) {
	u := &ucos2{System: s, prios: make(map[core.Addr]uint32)}
	first, _ := s.variable("OSTCBList")
	if first == 0 {
		return nil, ErrNone
	}
	if !u.layouts(core.Addr(first)) {
		return nil, fmt.Errorf("read the tasks of uC/OS-II: no known layout of OS_TCB makes them a list")
	}
	current, _ := s.variable("OSTCBCur")
	running, ok := s.number("OSRunning")
	u.l.idle = ok && running == 0
	u.l.confined = true // OS_CPU_PendSVHandler alone sets the current task
	list, err := u.walk(core.Addr(first))
	if err != nil {
		u.l.warnf("the uC/OS-II list of tasks is %v", err)
	}
	list = append(list, core.Addr(current))
	for _, a := range append(list, u.table()...) {
		if a != 0 && !u.l.seen[a] {
			u.add(a, core.Addr(current))
		}
	}
	if len(u.l.tasks) == 0 {
		return nil, ErrNone
	}
	u.l.contexts(s.formats(ucosFormats, u.tcb.offset("OSTCBStkPtr")))
	return &u.l, nil
}

// walk returns the tasks of the list of all, each of which is the one before
// the next.
func (u *ucos2) walk(first core.Addr) ([]core.Addr, error) {
	return u.chain(first, 0, func(a core.Addr) (core.Addr, error) {
		r, ok := u.record(a, u.tcb)
		if !ok {
			return 0, errNext
		}
		next := r.pointer("OSTCBNext")
		if n, ok := u.record(next, u.tcb); next != 0 && ok && n.pointer("OSTCBPrev") != a {
			return 0, fmt.Errorf("the task that it leads to says that it follows %v", n.pointer("OSTCBPrev"))
		}
		return next, nil
	})
}

// table returns the tasks in the table of priorities, in which 1 marks a place
// that a mutex reserves.
func (u *ucos2) table() []core.Addr {
	var list []core.Addr
	o, _ := u.object("OSTCBPrioTbl")
	for i := range min(o.Size/4, 256) {
		if v, ok := u.word(core.Addr(o.Addr + 4*i)); ok && v > 1 {
			list = append(list, core.Addr(v))
			u.prios[core.Addr(v)] = i
		}
	}
	return list
}

// layouts finds the layouts of tasks and events.
func (u *ucos2) layouts(first core.Addr) bool {
	u.event, _ = u.layoutOf([]string{"os_event", "OS_EVENT"}, "OSEventType")
	u.table()
	var ok bool
	if u.tcb, ok = u.layoutOf([]string{"os_tcb", "OS_TCB"}, "OSTCBStkPtr", "OSTCBNext", "OSTCBPrev", "OSTCBStat", "OSTCBPrio"); ok {
		return true
	}
	for _, ext := range []bool{true, false} {
		for prio := uint32(14); prio < 96; prio++ {
			u.tcb = u.known(ext, prio)
			if list, err := u.walk(first); err == nil && u.prioritised(list) {
				u.named(list)
				return true
			}
		}
	}
	return false
}

// named adds the name to a layout that is not from DWARF: it is the last member
// (OS_TASK_NAME_EN) but for registers of the task (OS_TASK_REG_TBL_SIZE), if
// every task has text there. The size is that of a
// constant of os_dbg.c, which the linker may have removed, or the distance of
// control blocks in the table that all are in.
func (u *ucos2) named(list []core.Addr) {
	size, _ := u.number("OSTCBSize")
	for i := range list {
		for _, other := range list[i+1:] {
			if d := uint32(max(list[i], other) - min(list[i], other)); size == 0 || d < size {
				size = d
			}
		}
	}
	const most = 256
	if size > most || size&3 != 0 {
		return
	}
	for off := size - 4; off >= u.tcb.size && off < size; off -= 4 {
		if !slices.ContainsFunc(list, func(a core.Addr) bool { return !u.textIn(a + core.Addr(off)) }) {
			u.tcb.fields["OSTCBTaskName"], u.tcb.size = field{off, 4}, size
			return
		}
	}
}

// textIn reports whether the pointer at a leads to text.
func (u *ucos2) textIn(a core.Addr) bool {
	p, _ := u.word(a)
	name, ok := u.textAt(core.Addr(p))
	return ok && name != ""
}

// prioritised reports whether the table of priorities has each task at the
// priority that its control block says.
func (u *ucos2) prioritised(list []core.Addr) bool {
	for _, a := range list {
		r, ok := u.record(a, u.tcb)
		p, _ := r.num("OSTCBPrio")
		if place, found := u.prios[a]; !ok || !found || place != p {
			return false
		}
	}
	return len(list) > 1 // there is always an idle task
}

// known is the layout with the priority at prio, with the members of tasks that
// have extensions (OS_TASK_CREATE_EXT_EN) or without.
func (u *ucos2) known(ext bool, prio uint32) *layout {
	fields := map[string]field{"OSTCBStkPtr": {0, 4}, "OSTCBStat": {prio - 2, 1}, "OSTCBPrio": {prio, 1}}
	next := uint32(4)
	if ext {
		next = 20
		fields["OSTCBStkBottom"], fields["OSTCBStkSize"], fields["OSTCBOpt"] = field{8, 4}, field{12, 4}, field{16, 2}
	}
	fields["OSTCBNext"], fields["OSTCBPrev"] = field{next, 4}, field{next + 4, 4}
	fields["OSTCBDly"] = field{(prio - 2 - 4) &^ 3, 4}
	return fixed(prio+1, fields)
}

// add reads a control block.
func (u *ucos2) add(a, current core.Addr) {
	r, ok := u.record(a, u.tcb)
	if !ok {
		u.l.warnf("the uC/OS-II task at %v is not in the artefact", a)
		return
	}
	t := task{control: a, current: a == current}
	t.Name = u.name(r)
	if p, ok := r.num("OSTCBPrio"); ok {
		t.Priority, t.BasePriority, t.HasPriority = int(p), int(p), true
		if place, found := u.prios[a]; found && place != p {
			u.l.warnf("the uC/OS-II task %q at %v says that it has priority %d, the table says %d", t.Name, a, p, place)
		}
	}
	opt, _ := r.num("OSTCBOpt")
	size, _ := r.num("OSTCBStkSize")
	ucosStack(&t, r.pointer("OSTCBStkBottom"), size, opt)
	u.state(&t, r)
	u.l.add(t)
}

// name returns the name of a task: a pointer to it since 2.89, an array before.
// A task that was given none is called "?" by the kernel.
func (u *ucos2) name(r *record) string {
	f, _ := u.tcb.field("OSTCBTaskName")
	name, ok := "", false
	if f.size == 4 {
		name, ok = u.textAt(r.pointer("OSTCBTaskName"))
	} else {
		name, ok = r.text("OSTCBTaskName")
	}
	if !ok || name == "?" {
		return ""
	}
	return name
}

// state puts the state into words.
func (u *ucos2) state(t *task, r *record) {
	bits, _ := r.num("OSTCBStat")
	left, _ := r.num("OSTCBDly")
	limit := ""
	if left > 0 {
		limit = fmt.Sprintf(" (%d ticks left)", left)
	}
	switch {
	case bits&ucos2Pending != 0:
		t.State, t.Waits = "pending", flagWords(bits, ucos2Waits)
		if event := r.pointer("OSTCBEventPtr"); event != 0 {
			t.Waits = u.describeEvent(t.Waits, event)
		}
		t.Waits += limit
	case left > 0:
		t.State, t.Waits = "delayed", "delay"+limit
	case bits&ucos2Suspended == 0:
		t.State = stateReady
	}
	if bits&ucos2Suspended != 0 {
		if t.State != "" {
			t.State += "+"
		}
		t.State += "suspended"
	}
}

// describeEvent names an event control block.
func (u *ucos2) describeEvent(what string, a core.Addr) string {
	if u.event != nil && u.event.has("OSEventName") {
		p, _ := u.word(a + u.event.offset("OSEventName"))
		if name, ok := u.textAt(core.Addr(p)); ok && name != "" && name != "?" {
			return what + " " + name
		}
	}
	return u.describe(what, a)
}
