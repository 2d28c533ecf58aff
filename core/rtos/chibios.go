package rtos

import (
	"fmt"

	"pushmask/core"
)

// chibios reads the threads of ChibiOS/RT 3 to 21 (os/rt of
// https://github.com/ChibiOS/ChibiOS) that are in the registry
// (CH_CFG_USE_REGISTRY). The image carries a table of offsets for debuggers,
// unless the linker removed it; then DWARF tells them.
type chibios struct {
	*System
	l        listing
	table    map[string]uint32
	thread   *layout // thread_t, by the names of the table
	registry core.Addr
	current  []core.Addr // one for each core
	owners   map[core.Addr]string
}

func chibiosPresent(s *System) bool {
	if s.hasObjects("ch_debug") {
		return true
	}
	if !s.hasObjects("ch_system", "ch0") {
		return false
	}
	_, ok := s.chibiosDWARF()
	return ok
}

// chibiosTable are the members of chdebug_t by offset; those from intctxsize on
// are there since 21.
var chibiosTable = []struct {
	name string
	off  uint32
}{
	{"threadsize", 10}, {"prio", 11}, {"ctx", 12}, {"newer", 13}, {"older", 14}, {"name", 15}, {"stklimit", 16}, {"state", 17},
	{"intctxsize", 26}, {"instancesnum", 28}, {"sys_instances", 30}, {"sys_reglist", 31},
	{"inst_current", 37}, {"inst_reglist", 40},
}

// chibiosStates are CH_STATE_NAMES, in words; the second says what the thread
// waits for.
var chibiosStates = []struct{ text, waits string }{
	{stateReady, ""}, {stateReady, ""}, {"created", ""}, {"suspended", ""}, {"blocked", "queue"}, {"blocked", "semaphore"},
	{"blocked", "mutex"}, {"blocked", "condition variable"}, {"sleeping", ""}, {"blocked", "end of a thread"},
	{"blocked", "any of several events"}, {"blocked", "all of several events"}, {"blocked", "receiver of a message"},
	{"blocked", "reply to a message"}, {"blocked", "message"}, {"final", ""},
}

const chibiosFinal = 15

func chibiosThreads(s *System) (*listing, error) {
	c := &chibios{System: s, owners: make(map[core.Addr]string)}
	if err := c.readTable(); err != nil {
		return nil, err
	}
	if !c.findRegistry() {
		return nil, ErrNone
	}
	first, _ := s.word(c.registry)
	if first == 0 {
		return nil, ErrNone
	}
	list, err := c.walk(core.Addr(first))
	if err != nil {
		c.l.warnf("the registry of ChibiOS is %v", err)
	}
	for _, a := range append(list, c.current...) {
		if a != 0 && !c.l.seen[a] {
			c.add(a)
		}
	}
	if len(c.l.tasks) == 0 {
		return nil, ErrNone
	}
	c.l.early = true
	c.l.contexts(c.ways())
	c.waits()
	return &c.l, nil
}

// findRegistry finds the head of the list of all threads, and the current ones.
// Before 21 the head of the list of ready threads is also that of the registry,
// and has the members of a thread; where a thread has the name it has the
// current thread.
func (c *chibios) findRegistry() bool {
	if len(c.table) == len(chibiosTable) {
		return c.findInstances()
	}
	head, ok := c.object("ch")
	if !ok {
		if head, ok = c.object("rlist"); !ok {
			return false
		}
	}
	c.registry = core.Addr(head.Addr + c.table["newer"])
	v, _ := c.word(core.Addr(head.Addr + c.table["name"]))
	c.current = []core.Addr{core.Addr(v)}
	return true
}

// findInstances follows the system to its cores, each of which has a current
// thread; the registry is that of the only core or that of the system.
func (c *chibios) findInstances() bool {
	sys, ok := c.object("ch_system")
	if !ok {
		return false
	}
	for i := range min(c.table["instancesnum"], 8) {
		inst, ok := c.word(core.Addr(sys.Addr + c.table["sys_instances"] + 4*i))
		if !ok || inst == 0 {
			continue
		}
		if v, _ := c.word(core.Addr(inst + c.table["inst_current"])); v != 0 {
			c.current = append(c.current, core.Addr(v))
		}
		if off := c.table["inst_reglist"]; off != 0 && c.registry == 0 {
			c.registry = core.Addr(inst + off)
		}
	}
	if off := c.table["sys_reglist"]; off != 0 {
		c.registry = core.Addr(sys.Addr + off)
	}
	return c.registry != 0 && len(c.current) > 0
}

// walk returns the threads of the registry. Since 21 the links lead to links,
// before to threads; the head is in both cases the one that leads to itself.
func (c *chibios) walk(first core.Addr) ([]core.Addr, error) {
	link, end := core.Addr(c.table["newer"]), c.registry
	if len(c.table) != len(chibiosTable) {
		end, link = c.registry-link, 0
	}
	list, err := c.chain(first, end, func(at core.Addr) (core.Addr, error) {
		t, ok := c.record(at-link, c.thread)
		if !ok {
			return 0, errNext
		}
		next := t.pointer("newer")
		prev, ok := c.word(next - link + core.Addr(c.table["older"]))
		if ok && core.Addr(prev) != at {
			return 0, fmt.Errorf("the thread that it leads to says that it follows %#x", prev)
		}
		return next, nil
	})
	for i := range list {
		list[i] -= link
	}
	return list, err
}

// add reads a control block.
func (c *chibios) add(a core.Addr) {
	t, ok := c.record(a, c.thread)
	if !ok {
		c.l.warnf("the ChibiOS thread at %v is not in the artefact", a)
		return
	}
	out := task{control: a}
	for _, current := range c.current {
		out.current = out.current || current == a
	}
	if out.Name, ok = c.textAt(t.pointer("name")); !ok || out.Name == "" {
		out.Name = c.variableAt(a)
	}
	if p, ok := t.num("prio"); ok {
		out.Priority, out.BasePriority, out.HasPriority = int(p), int(p), true
	}
	if p, ok := t.num("realprio"); ok {
		out.BasePriority = int(p)
	}
	c.stackOf(t, &out)
	state, _ := t.num("state")
	if int(state) < len(chibiosStates) {
		out.State = chibiosStates[state].text
	}
	c.owners[a] = out.Name
	c.l.add(out)
}

// stackOf sets the bounds of the stack. Without a member that tells the high end
// it is below the control block, when this is in the working area, as it is of
// all threads but that of main.
func (c *chibios) stackOf(t *record, out *task) {
	low, high := t.pointer("wabase"), t.pointer("waend")
	if high == 0 || t.addr > low && t.addr < high {
		high = t.addr
	}
	if low == 0 || low&3 != 0 || high <= low || high-low > maxStack {
		return
	}
	if sp := t.pointer("ctx"); sp < low || sp > high {
		return
	}
	out.Stack = core.Stack{Low: low, High: high}
	out.fill = &fill{word: fillWord(0x55)} // CH_DBG_STACK_FILL_VALUE
}

// waits tells what threads wait for.
func (c *chibios) waits() {
	for i := range c.l.tasks {
		t := &c.l.tasks[i]
		r, ok := c.record(t.control, c.thread)
		state, _ := r.num("state")
		if !ok || int(state) >= len(chibiosStates) || t.current {
			continue
		}
		if state == chibiosFinal {
			t.context = nil
		}
		t.Waits = chibiosStates[state].waits
		const queue, semaphore, mutex = 4, 5, 6
		object := r.pointer("u.wtobjp")
		if object == 0 || state < queue || state > mutex {
			continue
		}
		t.Waits = c.describe(t.Waits, object)
		if state == mutex { // the owner follows the queue of those that wait
			owner, _ := c.word(object + 8)
			if name, ok := c.owners[core.Addr(owner)]; ok {
				t.Waits += " held by " + name
			}
		}
	}
}
