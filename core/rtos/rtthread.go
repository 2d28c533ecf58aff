package rtos

import (
	"fmt"

	"pushmask/core"
)

// rtthread reads the threads of RT-Thread 3 to 5 (include/rtdef.h and
// src/object.c of https://github.com/RT-Thread/rt-thread), single-core.
type rtthread struct {
	*System
	l      listing
	thread *layout // struct rt_thread
	owners map[core.Addr]string
}

func rtthreadPresent(s *System) bool { return s.rtthreadContainer().Size != 0 }

// rtthreadContainers are the names of the array of lists of objects, of which
// the first holds the threads: before 4.0.4 and since.
var rtthreadContainers = []string{"_object_container", "rt_object_container"}

// rtthreadContainer returns the array, an empty symbol where there is none.
func (s *System) rtthreadContainer() (c struct{ Addr, Size uint32 }) {
	for _, name := range rtthreadContainers {
		if o, ok := s.object(name); ok && o.Size >= 16 {
			c.Addr, c.Size = o.Addr, o.Size
			return c
		}
	}
	return c
}

// Object classes (enum rt_object_class_type); the top bit marks objects that
// are not allocated.
const (
	rtthreadClassThread = 1
	rtthreadClassStatic = 0x80
)

var rtthreadClasses = map[byte]string{2: "semaphore", 3: "mutex", 4: "event", 5: "mailbox", 6: "message queue"}

const rtthreadClassMutex = 3

// rtthreadStates are RT_THREAD_INIT and so on. The values of suspended threads
// since 5.0 differ by what wakes them up; before it was 2, and ready 1.
func rtthreadState(v uint32, old bool) string {
	switch v &= 7; {
	case v == 0:
		return "init"
	case v >= 4 && !(old && v == 4):
		return "suspended"
	case old:
		return map[uint32]string{1: stateReady, 2: "suspended", 3: stateReady, 4: "closed"}[v]
	}
	return map[uint32]string{1: "closed", 2: stateReady, 3: stateReady}[v]
}

func rtthreadThreads(s *System) (*listing, error) {
	r := &rtthread{System: s, owners: make(map[core.Addr]string)}
	head := core.Addr(s.rtthreadContainer().Addr) + 4
	first, ok := s.word(head)
	if !ok || first == 0 || core.Addr(first) == head {
		return nil, ErrNone
	}
	if !r.layouts(core.Addr(first), head) {
		return nil, fmt.Errorf("read the threads of RT-Thread: no known layout of rt_thread makes them a list")
	}
	current := r.executing()
	r.l.idle = current == 0
	list, err := r.walk(core.Addr(first), head)
	if err != nil {
		r.l.warnf("the RT-Thread list of threads is %v", err)
	}
	old := r.oldStates(list, current)
	for _, a := range list {
		r.add(a, current, old)
	}
	if current != 0 && !r.l.seen[current] {
		r.add(current, current, old)
	}
	if len(r.l.tasks) == 0 {
		return nil, ErrNone
	}
	r.l.early = true
	r.l.contexts(s.formats(rtthreadFormats, r.thread.offset("sp")))
	r.waits()
	return &r.l, nil
}

// executing returns the thread that the machine executes, 0 before the
// scheduler starts. Between the choice of the next thread and the exception that
// switches to it, it is the one that is switched from.
func (r *rtthread) executing() core.Addr {
	if from, _ := r.variable("rt_interrupt_from_thread"); from != 0 {
		if pending, _ := r.variable("rt_thread_switch_interrupt_flag"); pending == 1 {
			return core.Addr(from) - r.thread.offset("sp") // it points to the member
		}
	}
	for _, name := range []string{"rt_current_thread", "_cpu", "_cpus"} {
		if v, ok := r.variable(name); ok && v != 0 {
			return core.Addr(v)
		}
	}
	return 0
}

// walk returns the threads on the list of all. The list goes through a member of
// each, which must be the one after the one before it.
func (r *rtthread) walk(first, head core.Addr) ([]core.Addr, error) {
	off := r.thread.offset("list")
	nodes, err := r.chain(first, head, func(node core.Addr) (core.Addr, error) {
		t, ok := r.record(node-off, r.thread)
		if !ok {
			return 0, errNext
		}
		if class, _ := t.num("type"); class&^rtthreadClassStatic != rtthreadClassThread {
			return 0, fmt.Errorf("its class is %#x, not that of a thread", class)
		}
		next, _ := r.word(node)
		if prev, ok := r.word(core.Addr(next) + 4); ok && core.Addr(prev) != node {
			return 0, fmt.Errorf("the one that it leads to says that it follows %#x", prev)
		}
		return core.Addr(next), nil
	})
	for i := range nodes {
		nodes[i] -= off
	}
	return nodes, err
}

// oldStates tells which values states have by the idle thread, which is ready
// or executed whenever another is: only before 5.0 ready is 1.
func (r *rtthread) oldStates(list []core.Addr, current core.Addr) bool {
	for _, a := range list {
		t, ok := r.record(a, r.thread)
		name, _ := t.text("name")
		if v, _ := t.num("stat"); ok && a != current && len(name) > 4 && name[:5] == "tidle" {
			return v&7 == 1
		}
	}
	return false
}

// add reads a control block.
func (r *rtthread) add(a, current core.Addr, old bool) {
	t, ok := r.record(a, r.thread)
	if !ok {
		r.l.warnf("the RT-Thread thread at %v is not in the artefact", a)
		return
	}
	out := task{control: a, current: a == current}
	if out.Name, ok = r.name(t); !ok {
		r.l.warnf("the RT-Thread thread at %v is left out: its name is no text", a)
		return
	}
	if p, ok := t.num("current_priority"); ok {
		out.Priority, out.BasePriority, out.HasPriority = int(p), int(p), true
	}
	if p, ok := t.num("init_priority"); ok {
		out.BasePriority = int(p)
	}
	low, size := t.pointer("stack_addr"), t.pointer("stack_size")
	if low != 0 && size > 0 && size <= maxStack {
		out.Stack = core.Stack{Low: low, High: low + size}
		out.fill = &fill{word: fillWord('#')}
	}
	state, _ := t.num("stat")
	out.State = rtthreadState(state, old)
	r.owners[a] = out.Name
	r.l.add(out)
}

// name returns the name of an object: an array, or a pointer where names have
// no limit (RT_NAME_MAX 0).
func (r *rtthread) name(t *record) (string, bool) {
	if f, _ := r.thread.field("name"); f.size == 4 {
		if name, ok := r.textAt(t.pointer("name")); ok {
			return name, true
		}
	}
	return t.text("name")
}

// waits tells what suspended threads wait for: the list that a thread is on goes
// through the head in an object.
func (r *rtthread) waits() {
	for i := range r.l.tasks {
		t := &r.l.tasks[i]
		if t.State == "suspended" && !(t.current && !r.l.idle) {
			t.Waits = r.waitObject(t.control + r.thread.offset("tlist"))
		}
	}
}

// waitObject names the object. A thread on no list sleeps, or was suspended.
func (r *rtthread) waitObject(node core.Addr) string {
	at, ok := r.word(node)
	const most = 64 // threads that wait for one object
	for range most {
		if !ok || core.Addr(at) == node {
			break
		}
		if text := r.describeHead(core.Addr(at)); text != "" {
			return text
		}
		at, ok = r.word(core.Addr(at))
	}
	return ""
}

// describeHead names the object that has the head of the list of those that
// wait, which follows what begins every object (struct rt_ipc_object). It is ""
// for a node of a thread.
func (r *rtthread) describeHead(head core.Addr) string {
	object := head - r.thread.offset("list") - 8
	class, ok := r.byteAt(object + r.thread.offset("type"))
	what, known := rtthreadClasses[class&^rtthreadClassStatic]
	if !ok || !known {
		return ""
	}
	t, ok := r.record(object, fixed(r.thread.size, map[string]field{"name": r.nameField()}))
	name, text := "", false
	if ok {
		name, text = r.name(t)
	}
	if !text || name == "" {
		return ""
	}
	what += " " + name
	if class&^rtthreadClassStatic == rtthreadClassMutex {
		owner, _ := r.word(head + 8 + 4) // behind the list and a word of counts
		if holder, ok := r.owners[core.Addr(owner)]; ok {
			what += " held by " + holder
		}
	}
	return what
}

// nameField is where the name of an object is.
func (r *rtthread) nameField() field {
	f, _ := r.thread.field("name")
	return f
}
