package rtos

import (
	"fmt"
	"strings"

	"pushmask/core"
)

// riot reads the threads of RIOT (core/include/thread.h and sched.h of
// https://github.com/RIOT-OS/RIOT).
type riot struct {
	*System
	l      listing
	thread *layout           // struct _thread
	states map[uint32]string // by value, in the words of thread_status_t
}

func riotPresent(s *System) bool { return s.hasObjects("sched_threads", "sched_active_thread") }

// riotStates are the values since 2020, for images without DWARF.
var riotStates = map[uint32]string{
	0: "stopped", 1: "zombie", 2: "sleeping", 3: "mutex blocked", 4: "receive blocked", 5: "send blocked", 6: "reply blocked",
	7: "flag blocked any", 8: "flag blocked all", 9: "mbox blocked", 10: "cond blocked", 11: stateRunning, 12: "pending",
}

// riotWaits says in words what a blocked thread waits for.
var riotWaits = map[string]string{
	"mutex blocked": "mutex", "receive blocked": "message", "send blocked": "receiver of a message", "reply blocked": "reply",
	"flag blocked any": "any of thread flags", "flag blocked all": "all of thread flags", "mbox blocked": "mailbox",
	"cond blocked": "condition variable",
}

func riotThreads(s *System) (*listing, error) {
	r := &riot{System: s}
	r.layouts()
	active, _ := s.variable("sched_active_thread")
	table, _ := s.object("sched_threads")
	count := table.Size / 4
	if n, ok := s.number("max_threads"); ok && n > 0 {
		count = min(count, n)
	}
	const most = 256 // the number of a thread is told in a byte
	for pid := range min(count, most) {
		a, ok := s.word(core.Addr(table.Addr + 4*pid))
		switch {
		case !ok:
			r.l.warnf("sched_threads[%d] is not in the artefact", pid)
		case a != 0:
			r.add(core.Addr(a), core.Addr(active), pid)
		}
	}
	if len(r.l.tasks) == 0 {
		return nil, ErrNone
	}
	if n, ok := s.variable("sched_num_threads"); ok && int(n) > len(r.l.tasks) {
		r.l.warnf("RIOT says that there are %d threads, %d could be read", n, len(r.l.tasks))
	}
	r.l.early = true
	r.l.contexts(s.formats([]format{{fits: mainline, read: formatReturn.read}, formatHighFirst}, r.thread.offset("sp")))
	return &r.l, nil
}

// layouts finds the layout of threads, of which the beginning is the same in all
// configurations, and the values of states.
func (r *riot) layouts() {
	l, ok := r.layoutOf([]string{"_thread", "thread_t"}, "sp", "status", "priority", "pid")
	if !ok {
		fields := map[string]field{"sp": {0, 4}, "status": {4, 1}, "priority": {5, 1}, "pid": {6, 2}, "rq_entry": {8, 4}}
		size := uint32(12)
		// The offset of the name is there for debuggers, with DEVELHELP; the
		// bounds of the stack are around it then.
		if off, ok := r.number("_tcb_name_offset"); ok && off >= 12 && off < 128 {
			fields["name"], fields["stack_start"], fields["stack_size"] = field{off, 4}, field{off - 4, 4}, field{off + 4, 4}
			size = off + 8
		}
		l = fixed(size, fields)
	}
	r.thread, r.states = l, riotStates
	if list, ok := r.Image.Enum("thread_status_t"); ok {
		r.states = make(map[uint32]string)
		for _, e := range list {
			name := strings.ToLower(strings.TrimPrefix(e.Name, "STATUS_"))
			r.states[uint32(e.Value)&0xff] = strings.ReplaceAll(name, "_", " ")
		}
	}
}

// add reads a control block, which must have the number of its place in the
// table.
func (r *riot) add(a, active core.Addr, pid uint32) {
	t, ok := r.record(a, r.thread)
	if own, _ := t.num("pid"); !ok || own != pid {
		r.l.warnf("sched_threads[%d] is left out: the thread at %v is not in the artefact or not of that number", pid, a)
		return
	}
	out := task{control: a, current: a == active}
	if out.Name, ok = r.textAt(t.pointer("name")); !ok || out.Name == "" {
		out.Name = fmt.Sprintf("pid %d", pid)
	}
	if p, ok := t.num("priority"); ok {
		out.Priority, out.BasePriority, out.HasPriority = int(p), int(p), true
	}
	r.stackOf(t, &out)
	status, _ := t.num("status")
	out.State = r.states[status&0xff]
	switch what, blocked := riotWaits[out.State]; {
	case out.State == "":
		r.l.warnf("the RIOT thread %q is in the unknown state %d", out.Name, status)
	case out.State == stateRunning, out.State == "pending": // on the queue of those that are ready
		out.State = stateReady
	case blocked && !out.current:
		out.State, out.Waits = "blocked", what
		if name := r.waiters(t.at("rq_entry")); name != "" && what != "message" && what != "reply" {
			out.Waits += " " + name
		}
	}
	r.l.add(out)
}

// stackOf sets the bounds of the stack. Its high end is below the control block,
// which thread_create puts into the memory for the stack; without DEVELHELP the
// low one is told by the variable that this is.
func (r *riot) stackOf(t *record, out *task) {
	low, size := t.pointer("stack_start"), uint32(t.pointer("stack_size"))
	high := low + core.Addr(size)
	if low == 0 || size == 0 || size > maxStack {
		sym, ok := r.Image.SymbolAt(uint32(t.addr))
		if !ok || sym.Func || sym.Addr == uint32(t.addr) || sym.Size > maxStack {
			return
		}
		low, high = core.Addr(sym.Addr+3)&^3, core.Addr(sym.Addr+sym.Size)
	}
	if t.addr > low && t.addr < high {
		high = t.addr
	}
	if low&3 == 0 && high > low {
		out.Stack = core.Stack{Low: low, High: high}
		out.fill = &fill{address: true}
	}
}

// waiters names what a thread waits for by the queue that it is in: a ring
// through the threads, of which the variable leads to the last.
func (r *riot) waiters(entry core.Addr) string {
	at := entry
	const most = 64
	for range most {
		if name := r.handle(at); name != "" {
			return name
		}
		next, ok := r.word(at)
		if at = core.Addr(next); !ok || at == entry || at == 0 {
			break
		}
	}
	return ""
}
