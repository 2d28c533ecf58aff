package rtos

import (
	"fmt"
	"strings"

	"pushmask/core"
	"pushmask/elfsym"
)

// zephyr reads the threads of Zephyr since 1.14 (include/zephyr/kernel/thread.h,
// kernel_structs.h and arch/arm of
// https://github.com/zephyrproject-rtos/zephyr).
type zephyr struct {
	*System
	l       listing
	kernel  core.Addr // _kernel
	thread  *layout   // struct k_thread
	current []core.Addr
	// threads is the head of the list of all threads, 0 without one
	// (CONFIG_THREAD_MONITOR).
	threads core.Addr
}

func zephyrPresent(s *System) bool {
	if !s.hasObjects("_kernel") {
		return false
	}
	_, ok := s.layoutOf([]string{"k_thread"}, "base.prio")
	return ok || len(zephyrOffsets(s)) > 0
}

// States of a thread (kernel_structs.h, _THREAD_...), in the words of
// k_thread_state_str. Bit 2 was "prestart" until 4.1 and is "sleeping" since.
const (
	zephyrDummy    = 1 << 0
	zephyrPending  = 1 << 1
	zephyrSleeping = 1 << 2
)

var zephyrStates = []struct {
	bit  uint32
	text string
}{
	{zephyrPending, "pending"}, {1 << 3, "dead"}, {1 << 4, "suspended"},
	{1 << 5, "aborting"}, {1 << 6, "suspending"}, {1 << 7, "queued"},
}

func zephyrThreads(s *System) (*listing, error) {
	z := &zephyr{System: s}
	o, _ := s.object("_kernel")
	z.kernel = core.Addr(o.Addr)
	if !z.layouts() {
		return nil, fmt.Errorf("read the threads of Zephyr: neither DWARF nor _kernel_thread_info_offsets tells their layout")
	}
	z.current = compactAddrs(z.current)
	if len(z.current) == 0 {
		return nil, ErrNone
	}
	z.l.confined = z.confined()
	for _, a := range z.candidates() {
		z.add(a)
	}
	if len(z.l.tasks) == 0 {
		return nil, ErrNone
	}
	return &z.l, nil
}

// confined reports whether PendSV switches threads, which have one stack each
// (arch/arm/core/cortex_m/swap_helper.S): not where exceptions of any number switch
// when they return (CONFIG_USE_SWITCH, arm-m-switch.c), nor where system calls of
// user mode go on to a privileged stack (CONFIG_USERSPACE).
func (z *zephyr) confined() bool {
	return z.hasFunction("z_arm_pendsv", "__pendsv") &&
		!z.hasFunction("arm_m_must_switch", "z_arm_do_syscall", "_arm_do_syscall")
}

// compactAddrs drops null pointers.
func compactAddrs(list []core.Addr) []core.Addr {
	var out []core.Addr
	for _, a := range list {
		if a != 0 {
			out = append(out, a)
		}
	}
	return out
}

// candidates lists the control blocks: those on the list of all threads, or
// without it the current ones and those that are variables.
func (z *zephyr) candidates() []core.Addr {
	if z.threads == 0 || !z.thread.has("next_thread") {
		return append(z.current, z.staticThreads()...)
	}
	first, _ := z.word(z.threads)
	list, err := z.chain(core.Addr(first), 0, func(a core.Addr) (core.Addr, error) {
		r, ok := z.record(a, z.thread)
		if !ok {
			return 0, errNext
		}
		return r.pointer("next_thread"), nil
	})
	if err != nil {
		z.l.warnf("the Zephyr list of threads is %v", err)
	}
	return append(list, z.current...)
}

// zephyrThreadPrefix begins the names that K_THREAD_DEFINE gives to control
// blocks.
const zephyrThreadPrefix = "_k_thread_obj_"

// staticThreads lists the control blocks that are variables. Without
// CONFIG_THREAD_MONITOR nothing leads to the others.
func (z *zephyr) staticThreads() []core.Addr {
	var list []core.Addr
	for _, name := range []string{"z_main_thread", "z_idle_threads", "k_sys_work_q"} {
		if o, ok := z.object(name); ok {
			list = append(list, core.Addr(o.Addr))
		}
	}
	z.Image.EachVariable(func(v elfsym.Symbol) bool {
		if strings.HasPrefix(v.Name, zephyrThreadPrefix) {
			list = append(list, core.Addr(v.Addr))
		}
		return len(list) < maxThreads
	})
	z.l.warnf("Zephyr was built without CONFIG_THREAD_MONITOR: only the current thread and static ones are listed")
	return list
}

// add reads a control block.
func (z *zephyr) add(a core.Addr) {
	r, ok := z.record(a, z.thread)
	if !ok {
		z.l.warnf("the Zephyr thread at %v is not in the artefact", a)
		return
	}
	t := task{control: a, current: z.isCurrent(a)}
	state, _ := r.num("base.thread_state")
	if state&zephyrDummy != 0 {
		z.l.idle = z.l.idle || t.current // the kernel has not started its first thread
		return
	}
	t.State = z.state(r, state)
	if t.current {
		t.State = stateReady
	}
	if t.Name, ok = r.text("name"); !ok && z.thread.has("name") {
		z.l.warnf("the Zephyr thread at %v is left out: its name is no text", a)
		return
	}
	if t.Name == "" {
		t.Name = strings.TrimPrefix(z.nameOf(a), zephyrThreadPrefix)
	}
	if p, ok := r.num("base.prio"); ok {
		t.Priority, t.HasPriority = int(int8(p)), true
		t.BasePriority = t.Priority
	}
	if p := r.pointer("base.pended_on"); state&zephyrPending != 0 && z.ram(p) {
		t.Waits = z.waitObject(p)
	}
	z.stackOf(r, &t)
	t.context = func() (core.Regs, error) { return z.restored(r) }
	z.l.add(t)
}

func (z *zephyr) isCurrent(a core.Addr) bool {
	for _, c := range z.current {
		if c == a {
			return true
		}
	}
	return false
}

// state puts the state bits into words. A thread without any is ready: it was
// taken from the queue to run, or is about to be put there.
func (z *zephyr) state(r *record, bits uint32) string {
	var parts []string
	for _, s := range zephyrStates {
		if bits&s.bit != 0 {
			parts = append(parts, s.text)
		}
	}
	if bits&zephyrSleeping != 0 {
		parts = append(parts, z.sleepingOrNew(r))
	}
	if len(parts) == 0 {
		return stateReady
	}
	return strings.Join(parts, "+")
}

// sleepingOrNew tells what bit 2 means: a thread that has not started stands at
// the function that all threads begin in.
func (z *zephyr) sleepingOrNew(r *record) string {
	regs, err := z.restored(r)
	f, ok := z.Image.FuncAt(regs.Value(core.PC))
	switch {
	case err != nil || !ok:
		return "prestart or sleeping"
	case f.Name == "z_thread_entry" && f.Entry == regs.Value(core.PC):
		return "prestart"
	}
	return "sleeping"
}

// waitObject names the object that a wait queue is a part of.
func (z *zephyr) waitObject(queue core.Addr) string {
	if sym, ok := z.Image.SymbolAt(uint32(queue)); ok && !sym.Func {
		return sym.Name
	}
	return z.describe("wait queue", queue)
}

// Fill bytes of stacks (CONFIG_INIT_STACKS) and the word that guards the low
// end (CONFIG_STACK_SENTINEL).
const (
	zephyrFill     = 0xaa
	zephyrSentinel = 0xf0f0f0f0
)

// stackOf sets bounds and pattern of the stack; without
// CONFIG_THREAD_STACK_INFO they are not known.
func (z *zephyr) stackOf(r *record, t *task) {
	start, okStart := r.num("stack_info.start")
	size, okSize := r.num("stack_info.size")
	if !okStart || !okSize || size == 0 || size > maxStack {
		return
	}
	t.Stack = core.Stack{Low: core.Addr(start), High: core.Addr(start + size)}
	t.fill = &fill{word: fillWord(zephyrFill)}
	if v, _ := z.word(core.Addr(start)); v == zephyrSentinel {
		t.fill.skip = 4
	}
}
