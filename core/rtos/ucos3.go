package rtos

import (
	"fmt"

	"pushmask/core"
	"pushmask/elfsym"
)

// ucos3 reads the tasks of uC/OS-III 3.03 to 3.08 (Source/os.h).
type ucos3 struct {
	*System
	l      listing
	tcb    *layout // OS_TCB
	pended *layout // OS_PEND_OBJ
	mutex  *layout // OS_MUTEX
	owners map[core.Addr]string
}

func ucos3Present(s *System) bool { return s.hasObjects("OSTCBCurPtr", "OSTCBHighRdyPtr") }

// Bits of the state of a task (OS_TASK_STATE_BIT_...), and the state of one that
// was deleted.
var ucos3States = []flagWord{{1 << 0, "delayed"}, {1 << 1, "pending"}, {1 << 2, "suspended"}}

const (
	ucos3Delayed = 1 << 0
	ucos3Pending = 1 << 1
	ucos3Deleted = 255
)

// What a task waits for (OS_TASK_PEND_ON_...).
var ucos3Waits = []string{"", "event flags", "message to the task", "condition", "mutex", "queue", "semaphore", "semaphore of the task"}

const ucos3Mutex = 4

func ucos3Threads(s *System) (*listing, error) {
	u := &ucos3{System: s, owners: make(map[core.Addr]string)}
	current, _ := s.variable("OSTCBCurPtr")
	first, _ := s.variable("OSTaskDbgListPtr")
	if current == 0 && first == 0 {
		return nil, ErrNone
	}
	if !u.layouts(core.Addr(first)) {
		return nil, fmt.Errorf("read the tasks of uC/OS-III: no known layout of OS_TCB makes them a list")
	}
	running, ok := s.number("OSRunning")
	u.l.idle = ok && running == 0
	u.l.confined = true // OS_CPU_PendSVHandler alone sets the current task
	list := u.all(core.Addr(first))
	for _, a := range append(list, core.Addr(current)) {
		u.add(a, core.Addr(current))
	}
	if len(u.l.tasks) == 0 {
		return nil, ErrNone
	}
	if n, ok := s.number("OSTaskQty"); ok && int(n) > len(u.l.tasks) {
		u.l.warnf("uC/OS-III says that there are %d tasks, %d could be read", n, len(u.l.tasks))
	}
	u.l.contexts(s.formats(ucosFormats, u.tcb.offset("StkPtr")))
	u.waits()
	return &u.l, nil
}

// all returns the tasks on the list for debuggers, or where the kernel has none
// (OS_CFG_DBG_EN) those that are ready and those that are variables.
func (u *ucos3) all(first core.Addr) []core.Addr {
	if first != 0 {
		list, err := u.walk(first)
		if err != nil {
			u.l.warnf("the uC/OS-III list of tasks is %v", err)
		}
		return list
	}
	u.l.warnf("uC/OS-III was built without OS_CFG_DBG_EN: only the current task, ready ones and those in variables are listed")
	var list []core.Addr
	u.Image.EachVariable(func(v elfsym.Symbol) bool {
		if v.Size == u.tcb.size && u.created(core.Addr(v.Addr)) {
			list = append(list, core.Addr(v.Addr))
		}
		return len(list) < maxThreads
	})
	ready, _ := u.object("OSRdyList")
	entry, ok := u.layoutOf([]string{"os_rdy_list", "OS_RDY_LIST"}, "HeadPtr")
	if !ok {
		return list
	}
	for off := uint32(0); off+entry.size <= ready.Size; off += entry.size {
		head, _ := u.word(core.Addr(ready.Addr+off) + entry.offset("HeadPtr"))
		more, err := u.chain(core.Addr(head), 0, func(a core.Addr) (core.Addr, error) {
			r, ok := u.record(a, u.tcb)
			if !ok {
				return 0, errNext
			}
			return r.pointer("NextPtr"), nil
		})
		if err != nil {
			u.l.warnf("OSRdyList[%d] is %v", off/entry.size, err)
		}
		list = append(list, more...)
	}
	return list
}

// created reports whether what may be a control block is one in use.
func (u *ucos3) created(a core.Addr) bool {
	r, ok := u.record(a, u.tcb)
	state, _ := r.num("TaskState")
	return ok && u.ram(r.pointer("StkPtr")) && r.pointer("StkPtr") != 0 && u.ram(r.pointer("StkLimitPtr")) && state <= 7
}

// walk returns the tasks of the list for debuggers, each of which is the one
// before the next.
func (u *ucos3) walk(first core.Addr) ([]core.Addr, error) {
	return u.chain(first, 0, func(a core.Addr) (core.Addr, error) {
		r, ok := u.record(a, u.tcb)
		if !ok {
			return 0, errNext
		}
		next := r.pointer("DbgNextPtr")
		if n, ok := u.record(next, u.tcb); next != 0 && ok && n.pointer("DbgPrevPtr") != a {
			return 0, fmt.Errorf("the task that it leads to says that it follows %v", n.pointer("DbgPrevPtr"))
		}
		return next, nil
	})
}

// add reads a control block.
func (u *ucos3) add(a, current core.Addr) {
	if a == 0 || u.l.seen[a] {
		return
	}
	r, ok := u.record(a, u.tcb)
	if !ok {
		u.l.warnf("the uC/OS-III task at %v is not in the artefact", a)
		return
	}
	t := task{control: a, current: a == current}
	if t.Name, ok = u.textAt(r.pointer("NamePtr")); !ok || t.Name == "" {
		t.Name = u.variableAt(a)
	}
	if p, ok := r.num("Prio"); ok {
		t.Priority, t.BasePriority, t.HasPriority = int(p), int(p), true
	}
	if p, ok := r.num("BasePrio"); ok {
		t.BasePriority = int(p)
	}
	opt, _ := r.num("Opt")
	size, _ := r.num("StkSize")
	ucosStack(&t, r.pointer("StkBasePtr"), size, opt)
	if state, ok := r.num("TaskState"); ok {
		switch {
		case state == 0:
			t.State = stateReady
		case state == ucos3Deleted:
			t.State = "deleted"
		default:
			t.State = flagWords(state, ucos3States)
		}
	}
	u.owners[a] = t.Name
	u.l.add(t)
}

// waits tells what pending and delayed tasks wait for.
func (u *ucos3) waits() {
	for i := range u.l.tasks {
		t := &u.l.tasks[i]
		r, ok := u.record(t.control, u.tcb)
		state, okState := r.num("TaskState")
		if !ok || !okState || state == ucos3Deleted || t.current && !u.l.idle {
			continue
		}
		limit := ""
		if left, ok := r.num("TickRemain"); ok && state&ucos3Delayed != 0 && left > 0 {
			limit = fmt.Sprintf(" (%d ticks left)", left)
		}
		switch {
		case state&ucos3Pending != 0:
			t.Waits = u.waitObject(r) + limit
		case state&ucos3Delayed != 0:
			t.Waits = "delay" + limit
		}
	}
}

// waitObject names the object that a task waits for.
func (u *ucos3) waitObject(r *record) string {
	on, _ := r.num("PendOn")
	if int(on) >= len(ucos3Waits) {
		return ""
	}
	what, object := ucos3Waits[on], r.pointer("PendObjPtr")
	if object == 0 {
		return what
	}
	text := u.describe(what, object)
	if u.pended != nil {
		text = u.describeNamed(what, object, u.pended.offset("NamePtr"))
	}
	if on == ucos3Mutex && u.mutex != nil {
		owner, _ := u.word(object + u.mutex.offset("OwnerTCBPtr"))
		if name, ok := u.owners[core.Addr(owner)]; ok {
			text += " held by " + name
		}
	}
	return text
}
