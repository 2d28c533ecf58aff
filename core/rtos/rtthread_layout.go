package rtos

import "pushmask/core"

// rtthreadMembers are the members of struct rt_thread by the names that they
// had until 5.0, and by those since 5.1.
var rtthreadMembers = []struct{ old, now string }{
	{"name", "parent.name"}, {"type", "parent.type"}, {"list", "parent.list"},
	{"tlist", "sched_thread_ctx.thread_list_node"}, {"stat", "sched_thread_ctx.stat"},
	{"current_priority", "sched_thread_priv.current_priority"}, {"init_priority", "sched_thread_priv.init_priority"},
}

// layouts finds the layout of threads.
func (r *rtthread) layouts(first, head core.Addr) bool {
	l, ok := r.layoutOf([]string{"rt_thread"}, "sp", "stack_addr", "stack_size")
	if ok {
		l.fields = make(map[string]field)
		for _, m := range rtthreadMembers {
			if f, found := l.field(m.now); found && !l.has(m.old) {
				l.fields[m.old] = f
			}
		}
		if r.thread = l; l.has("name", "type", "list", "tlist", "stat") {
			return true
		}
	}
	size, _ := r.word(head + 8)
	for _, name := range []uint32{8, 12, 16, 20, 24, 32} { // RT_NAME_MAX
		for _, more := range []uint32{0, 4, 8} { // members of modules and of processes
			if r.thread = rtthreadKnown(size, name, more); r.holds(first, head) {
				return true
			}
		}
	}
	return false
}

// rtthreadKnown is the layout until 5.0 with names of up to name bytes.
func rtthreadKnown(size, name, more uint32) *layout {
	list := (name+2+3)&^3 + more
	at := func(off, n uint32) field { return field{list + off, n} }
	return fixed(max(size, list+44), map[string]field{
		"name": {0, name}, "type": {name, 1}, "list": at(0, 8), "tlist": at(8, 8), "sp": at(16, 4),
		"stack_addr": at(28, 4), "stack_size": at(32, 4), "stat": at(40, 1), "current_priority": at(41, 1), "init_priority": at(42, 1),
	})
}

// holds reports whether the layout makes sense of all threads: they have names,
// and their stack pointers are in their stacks.
func (r *rtthread) holds(first, head core.Addr) bool {
	list, err := r.walk(first, head)
	if err != nil || len(list) == 0 {
		return false
	}
	for _, a := range list {
		t, ok := r.record(a, r.thread)
		sp, low, size := t.pointer("sp"), t.pointer("stack_addr"), t.pointer("stack_size")
		if name, _ := r.name(t); !ok || name == "" || size == 0 || size > maxStack || sp < low || sp > low+size {
			return false
		}
	}
	return true
}

// rtthreadFormats are those of the ports for M-profile
// (libcpu/arm/cortex-m*/context_gcc.S).
var rtthreadFormats = []format{
	// secure-context EXC_RETURN psplim CONTROL r4-r11 [s16-s31] frame.
	{fits: mainline, read: func(c *saved) {
		c.skip(1)
		c.excReturn()
		c.take(core.PSPLIM)
		c.control()
		if c.err == nil && c.ret.OtherState() {
			c.fail("the thread was in secure state, its registers are on the secure stack")
		}
		c.span(core.R4, core.R11)
		c.calleeFP()
		c.frame()
	}},
	// flag r4-r11 [s16-s31] frame, of ports for cores with floating point.
	{fits: mainline, read: func(c *saved) {
		if c.flag() {
			c.ret &^= 1 << 4
		}
		c.span(core.R4, core.R11)
		c.calleeFP()
		c.frame()
	}},
	formatPlain,
}
