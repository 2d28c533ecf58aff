package rtos

import (
	"fmt"

	"pushmask/core"
)

// embos reads the tasks of SEGGER embOS 3 to 5 whose structures DWARF
// describes (RTOS.h: OS_GLOBAL_STRUCT, OS_TASK_STRUCT). How the kernel, which is
// a library, saves registers is not published: they are left out.
type embos struct {
	*System
	l    listing
	task *layout
}

func embosPresent(s *System) bool {
	if !s.hasObjects("OS_Global") {
		return false
	}
	_, ok := s.layoutOf([]string{"OS_GLOBAL_STRUCT", "OS_GLOBAL"}, "pTask", "pCurrentTask")
	return ok
}

func embosThreads(s *System) (*listing, error) {
	e := &embos{System: s}
	o, _ := s.object("OS_Global")
	global, _ := s.layoutOf([]string{"OS_GLOBAL_STRUCT", "OS_GLOBAL"}, "pTask", "pCurrentTask")
	r, ok := s.record(core.Addr(o.Addr), global)
	if !ok || r.pointer("pTask") == 0 {
		return nil, ErrNone
	}
	if e.task, ok = s.layoutOf([]string{"OS_TASK_STRUCT", "OS_TASK"}, "pNext", "pStack", "Priority"); !ok {
		return nil, fmt.Errorf("read the tasks of embOS: DWARF does not tell the layout of OS_TASK")
	}
	current := r.pointer("pCurrentTask")
	running, ok := s.number("OS_Running")
	e.l.idle = ok && running == 0
	list, err := s.chain(r.pointer("pTask"), 0, func(a core.Addr) (core.Addr, error) {
		t, ok := s.record(a, e.task)
		if !ok {
			return 0, errNext
		}
		return t.pointer("pNext"), nil
	})
	if err != nil {
		e.l.warnf("the embOS list of tasks is %v", err)
	}
	for _, a := range append(list, current) {
		if a != 0 && !e.l.seen[a] {
			e.add(a, current)
		}
	}
	if len(e.l.tasks) == 0 {
		return nil, ErrNone
	}
	e.l.warnf("the registers of embOS tasks that do not run are not known: the kernel does not publish how it saves them")
	return &e.l, nil
}

// add reads a control block.
func (e *embos) add(a, current core.Addr) {
	t, ok := e.record(a, e.task)
	if !ok {
		e.l.warnf("the embOS task at %v is not in the artefact", a)
		return
	}
	out := task{control: a, current: a == current}
	for _, name := range []string{"Name", "sName"} {
		if text, ok := e.textAt(t.pointer(name)); ok && text != "" {
			out.Name = text
		}
	}
	if out.Name == "" {
		out.Name = e.variableAt(a)
	}
	if p, ok := t.num("Priority"); ok {
		out.Priority, out.BasePriority, out.HasPriority = int(p), int(p), true
	}
	if p, ok := t.num("BasePrio"); ok {
		out.BasePriority = int(p)
	}
	low, size := t.pointer("pStackBot"), t.pointer("StackSize")
	if e.task.has("pStackBase") {
		low = t.pointer("pStackBase")
	}
	if low != 0 && size > 0 && size <= maxStack {
		out.Stack = core.Stack{Low: low, High: low + size}
		out.fill = &fill{word: fillWord(0xcd)}
	}
	e.state(t, &out)
	e.l.add(out)
}

// state tells a task that waits at an object, or for a time, from one that is
// ready.
func (e *embos) state(t *record, out *task) {
	stat, okStat := t.num("Stat")
	switch list := t.pointer("pWaitList"); {
	case out.current && !e.l.idle:
	case list != 0:
		out.State = "waiting"
		if l, ok := e.layoutOf([]string{"OS_WAIT_LIST_STRUCT", "OS_WAIT_LIST"}, "pWaitObj"); ok {
			object, _ := e.word(list + l.offset("pWaitObj"))
			out.Waits = e.describe("object", core.Addr(object))
		}
	case okStat && stat == 0:
		out.State = stateReady
	case okStat:
		out.State = "waiting"
	}
}
