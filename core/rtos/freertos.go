package rtos

import (
	"errors"
	"fmt"

	"pushmask/core"
)

// freertos reads the tasks of FreeRTOS V7 to V11 (tasks.c, list.h and queue.c
// of https://github.com/FreeRTOS/FreeRTOS-Kernel), single-core and SMP.
type freertos struct {
	*System
	l       listing
	list    *layout // List_t
	item    *layout // ListItem_t
	tcb     *layout // tskTaskControlBlock
	queue   *layout // QueueDefinition
	current map[core.Addr]bool
	// pending are the tasks whose event item is in the list of tasks that
	// became ready while the scheduler was suspended.
	pending map[core.Addr]bool
	owners  map[core.Addr]string // names of the tasks, by control block
	missing int                  // lists that memory does not hold
}

func freertosPresent(s *System) bool {
	return s.hasObjects("pxReadyTasksLists") && (s.hasObjects("pxCurrentTCB") || s.hasObjects("pxCurrentTCBs"))
}

// freertosLists are the lists that hold the state item of a task, in the order
// they are read, and the states they stand for. A task on a list of delayed
// tasks or that of suspended ones may be blocked.
var freertosLists = []struct{ object, state string }{
	{"xDelayedTaskList1", freertosBlocked},
	{"xDelayedTaskList2", freertosBlocked},
	{"xSuspendedTaskList", freertosSuspended},
	{"xTasksWaitingTermination", "deleted"},
}

// The words of eTaskState (task.h).
const (
	freertosReady     = "ready"
	freertosBlocked   = "blocked"
	freertosSuspended = "suspended"
)

// freertosFill is tskSTACK_FILL_BYTE.
var freertosFill = fill{word: fillWord(0xa5)}

func freertosThreads(s *System) (*listing, error) {
	f := &freertos{System: s, current: make(map[core.Addr]bool), pending: make(map[core.Addr]bool), owners: make(map[core.Addr]string)}
	if err := f.layouts(); err != nil {
		return nil, err
	}
	f.readCurrent()
	if len(f.current) == 0 {
		return nil, ErrNone
	}
	f.l.idle = !f.started()
	f.l.confined = f.confined()
	for _, t := range f.walkLists() {
		f.add(t)
	}
	f.addCurrent()
	if len(f.l.tasks) == 0 {
		return nil, ErrNone
	}
	f.checkCount()
	f.contexts()
	f.waits()
	return &f.l, nil
}

// started reports whether the scheduler runs. Ports with an MPU have a variable
// of the same name.
func (f *freertos) started() bool {
	list := f.Image.Variables("xSchedulerRunning")
	for _, v := range list {
		if w, ok := f.word(core.Addr(v.Addr)); !ok || w != 0 {
			return true
		}
	}
	return len(list) == 0
}

// confined reports whether threads have one stack each: system calls through the
// wrappers of V10.6 for MPUs run on another (vSystemCallEnter, portable/GCC/ARM_CM4_MPU/port.c).
// vTaskSwitchContext, which PendSV calls, names the current thread.
func (f *freertos) confined() bool {
	return !f.hasFunction("vSystemCallEnter") && (f.tcb == nil || !f.tcb.has("xMPUSettings"))
}

// readCurrent reads which tasks are current: one, or one for each core.
func (f *freertos) readCurrent() {
	o, ok := f.object("pxCurrentTCB")
	if !ok {
		o, _ = f.object("pxCurrentTCBs")
	}
	const maxCores = 32
	for i := range min(max(o.Size/4, 1), maxCores) {
		if v, ok := f.word(core.Addr(o.Addr + 4*i)); ok && v != 0 {
			f.current[core.Addr(v)] = true
		}
	}
}

// freertosTask is a control block that a list led to.
type freertosTask struct {
	tcb   core.Addr
	state string
	item  core.Addr // its state item
}

// walkLists visits all lists of tasks.
func (f *freertos) walkLists() []freertosTask {
	var found []freertosTask
	if o, ok := f.object("xPendingReadyList"); ok {
		for _, item := range f.walk(core.Addr(o.Addr), o.Name) {
			f.pending[f.owner(item)] = true
		}
	}
	ready, _ := f.object("pxReadyTasksLists")
	for off := uint32(0); off+f.list.size <= max(ready.Size, f.list.size); off += f.list.size {
		name := fmt.Sprintf("pxReadyTasksLists[%d]", off/f.list.size)
		for _, item := range f.walk(core.Addr(ready.Addr+off), name) {
			found = append(found, freertosTask{f.owner(item), freertosReady, item})
		}
	}
	for _, l := range freertosLists {
		o, ok := f.object(l.object)
		if !ok {
			continue
		}
		for _, item := range f.walk(core.Addr(o.Addr), o.Name) {
			found = append(found, freertosTask{f.owner(item), l.state, item})
		}
	}
	return found
}

// owner is the task that an item is a part of.
func (f *freertos) owner(item core.Addr) core.Addr {
	v, _ := f.word(item + f.item.offset("pvOwner"))
	return core.Addr(v)
}

// walk returns the items of a list of tasks, with a warning where it is broken.
func (f *freertos) walk(list core.Addr, name string) []core.Addr {
	items, count, err := f.items(list)
	switch {
	case errors.Is(err, errNext) && len(items) == 0:
		f.missing++
	case err != nil:
		f.l.warnf("FreeRTOS list %s is %v", name, err)
	case uint32(len(items)) != count:
		f.l.warnf("FreeRTOS list %s holds %d tasks and says that it holds %d", name, len(items), count)
	}
	return items
}

// items returns the items of a List_t, each of which must say that it is on
// this list, and how many the list says that it has. A list of zeros was not
// used yet and is empty.
func (f *freertos) items(list core.Addr) (items []core.Addr, count uint32, err error) {
	head, ok := f.record(list, f.list)
	if !ok {
		return nil, 0, errNext
	}
	count, _ = head.num("uxNumberOfItems")
	first := head.pointer("xListEnd.pxNext")
	if count == 0 && first == 0 {
		return nil, 0, nil
	}
	items, err = f.chain(first, head.at("xListEnd"), func(item core.Addr) (core.Addr, error) {
		r, ok := f.record(item, f.item)
		switch {
		case !ok:
			return 0, errNext
		case r.pointer("pxContainer") != list:
			return 0, fmt.Errorf("it says that it is on the list at %v", r.pointer("pxContainer"))
		}
		return r.pointer("pxNext"), nil
	})
	return items, count, err
}

// addCurrent adds the current tasks that no list led to: a list is being changed,
// or the artefact holds little memory. Without DWARF and another task the state
// item is tried where it is without an MPU; that it is one is shown by its owner.
func (f *freertos) addCurrent() {
	for tcb := range f.current {
		state := core.Addr(4)
		if f.tcb != nil {
			state = f.tcb.offset("xStateListItem")
		}
		if !f.l.seen[tcb] && f.owner(tcb+state) == tcb {
			f.add(freertosTask{tcb: tcb, state: freertosReady, item: tcb + state})
		}
	}
}

// checkCount compares what was found with what the kernel counts.
func (f *freertos) checkCount() {
	if f.missing > 0 {
		f.l.warnf("FreeRTOS tasks may be missing: lists that are not in the artefact: %d", f.missing)
	}
	if n, ok := f.variable("uxCurrentNumberOfTasks"); ok && int(n) > len(f.l.tasks) {
		f.l.warnf("FreeRTOS says that there are %d tasks, %d could be read", n, len(f.l.tasks))
	}
}
