package rtos

import (
	"fmt"
	"strings"

	"pushmask/core"
)

// nuttx reads the threads of NuttX 7 to 12 (include/nuttx/sched.h, sched/sched
// and arch/arm of https://github.com/apache/nuttx).
type nuttx struct {
	*System
	l       listing
	tcb     *layout // struct tcb_s
	pointer bool    // xcp.regs points to the context, else it is the context
	current map[core.Addr]bool
	states  map[uint32]string
}

func nuttxPresent(s *System) bool { return s.hasObjects("g_pidhash", "g_readytorun") }

// nuttxStates are the first values of enum tstate_e, for images without DWARF;
// on a multi-core system one follows the third.
var nuttxStates = []string{"invalid", "pending", stateReady, stateRunning, "inactive", "waiting for semaphore", "waiting for signal"}

const nuttxAssigned = 3 // TSTATE_TASK_ASSIGNED of multi-core systems

// nuttxWords says in words what DWARF calls the states.
var nuttxWords = map[string]string{
	"TASK_INVALID": "invalid", "TASK_PENDING": "pending", "TASK_READYTORUN": stateReady, "TASK_ASSIGNED": "assigned",
	"TASK_RUNNING": stateRunning, "TASK_INACTIVE": "inactive", "WAIT_SEM": "waiting for semaphore", "WAIT_SIG": "waiting for signal",
	"WAIT_EVENT": "waiting for event", "WAIT_MQNOTEMPTY": "waiting for message", "WAIT_MQNOTFULL": "waiting for space in message queue",
	"WAIT_PAGEFILL": "waiting for page fill", "TASK_STOPPED": "stopped",
}

func nuttxThreads(s *System) (*listing, error) {
	n := &nuttx{System: s, current: make(map[core.Addr]bool)}
	if !n.layouts() {
		return nil, fmt.Errorf("read the threads of NuttX: neither DWARF nor g_tcbinfo tells the layout of tcb_s")
	}
	n.readStates()
	n.readCurrent()
	if len(n.current) == 0 {
		return nil, ErrNone
	}
	for _, a := range n.hash() {
		n.add(a)
	}
	for a := range n.current {
		n.add(a)
	}
	if len(n.l.tasks) == 0 {
		return nil, ErrNone
	}
	n.l.contexts(n.ways())
	return &n.l, nil
}

// readCurrent reads the threads that run, one for each core; before the system
// has started the first that is ready.
func (n *nuttx) readCurrent() {
	o, _ := n.object("g_running_tasks")
	const most = 32
	for i := range min(o.Size/4, most) {
		if v, ok := n.word(core.Addr(o.Addr + 4*i)); ok && v != 0 {
			n.current[core.Addr(v)] = true
		}
	}
	if len(n.current) == 0 {
		if v, ok := n.variable("g_readytorun"); ok && v != 0 {
			n.current[core.Addr(v)] = true
		}
	}
}

// hash returns the entries of the table of threads by their numbers: an array
// of structures of two words until 10.1, since then a pointer to pointers, of
// which there are g_npidhash.
func (n *nuttx) hash() []core.Addr {
	o, _ := n.object("g_pidhash")
	at, count, step := core.Addr(o.Addr), o.Size/8, core.Addr(8)
	if c, ok := n.variable("g_npidhash"); ok {
		v, _ := n.word(at)
		at, count, step = core.Addr(v), c, 4
	}
	var list []core.Addr
	for i := range core.Addr(min(count, maxThreads)) {
		v, ok := n.word(at + i*step)
		if !ok {
			n.l.warnf("entry %d of the NuttX table of threads is not in the artefact", i)
			break
		}
		if v != 0 {
			list = append(list, core.Addr(v))
		}
	}
	return list
}

// readStates reads the values of states, which depend on the configuration.
func (n *nuttx) readStates() {
	n.states = make(map[uint32]string)
	if list, ok := n.Image.Enum("tstate_e"); ok {
		for _, e := range list {
			if text, known := nuttxWords[strings.TrimPrefix(e.Name, "TSTATE_")]; known {
				n.states[uint32(e.Value)] = text
			}
		}
		return
	}
	smp := n.hasObjects("g_assignedtasks")
	for i, text := range nuttxStates {
		if smp && i >= nuttxAssigned {
			i++
		}
		n.states[uint32(i)] = text
	}
}

// add reads a control block.
func (n *nuttx) add(a core.Addr) {
	if n.l.seen[a] {
		return
	}
	r, ok := n.record(a, n.tcb)
	pid, _ := r.signed("pid")
	if !ok || pid < 0 {
		n.l.warnf("the NuttX thread at %v is not in the artefact", a)
		return
	}
	t := task{control: a, current: n.current[a]}
	if t.Name, ok = r.text("name"); !ok && n.tcb.has("name") {
		n.l.warnf("the NuttX thread at %v is left out: its name is no text", a)
		return
	}
	if t.Name == "" {
		t.Name = fmt.Sprintf("pid %d", pid)
	}
	if p, ok := r.num("sched_priority"); ok {
		t.Priority, t.BasePriority, t.HasPriority = int(p), int(p), true
	}
	for _, base := range []string{"base_priority", "init_priority"} {
		if p, ok := r.num(base); ok {
			t.BasePriority = int(p)
			break
		}
	}
	n.stackOf(r, &t)
	state, _ := r.num("task_state")
	t.State = n.states[state]
	if what, waits := strings.CutPrefix(t.State, "waiting for "); waits {
		t.State, t.Waits = "waiting", what
		if object := n.waitObject(r); what == "semaphore" && object != 0 && !t.current {
			t.Waits = n.describe(what, object)
		}
	}
	if t.State == stateRunning && !t.current {
		t.State = stateReady
	}
	n.l.add(t)
}

// waitObject returns the semaphore that a thread waits for.
func (n *nuttx) waitObject(r *record) core.Addr {
	if n.tcb.has("waitobj") {
		return r.pointer("waitobj")
	}
	return r.pointer("waitsem")
}

// nuttxColour is STACK_COLOR.
const nuttxColour = 0xdeadbeef

// stackOf sets the bounds of the stack. The control block has its low end, until
// 10.1 the last word at the high one.
func (n *nuttx) stackOf(r *record, t *task) {
	size := r.pointer("adj_stack_size")
	low := r.pointer("stack_base_ptr")
	if !n.tcb.has("stack_base_ptr") && n.tcb.has("adj_stack_ptr") {
		low = r.pointer("adj_stack_ptr") + 4 - size
	}
	if low == 0 || size == 0 || size > maxStack {
		return
	}
	t.Stack = core.Stack{Low: low, High: low + size}
	t.fill = &fill{word: nuttxColour}
}
