package rtos

import (
	"fmt"

	"pushmask/core"
	"pushmask/core/exc"
)

// rtx5 reads the threads of Keil RTX5, the CMSIS-RTOS2 kernel
// (Include/rtx_os.h of https://github.com/ARM-software/CMSIS-RTX). The layouts
// without DWARF are those of versions 5.1 to 5.9.
type rtx5 struct {
	*System
	l      listing
	info   *record // osRtxInfo
	thread *layout // osRtxThread_t
	owners map[core.Addr]string
}

func rtx5Present(s *System) bool { return s.hasObjects("osRtxInfo") }

// Object identifiers (osRtxId...): the low four bits are those of all versions,
// the others are set since 5.4.
const (
	rtx5IDThread     = 0x1
	rtx5IDEventFlags = 0x3
	rtx5IDMutex      = 0x5
	rtx5IDSemaphore  = 0x6
	rtx5IDPool       = 0x7
	rtx5IDQueue      = 0xa
)

// States of threads (cmsis_os2.h, osThreadState_t), in the low four bits.
var rtx5States = map[uint32]string{0: "inactive", 1: stateReady, 2: stateReady, 3: "blocked", 4: "terminated"}

// What a blocked thread waits for (rtx_os.h, osRtxThreadWaiting...), in the high
// four bits of its state, and the identifier of the object.
var rtx5Waits = map[uint32]struct {
	what string
	id   uint32
}{
	1: {"delay", 0}, 2: {"end of a thread", 0}, 3: {"thread flags", 0},
	4: {"event flags", rtx5IDEventFlags}, 5: {"mutex", rtx5IDMutex}, 6: {"semaphore", rtx5IDSemaphore},
	7: {"memory pool", rtx5IDPool}, 8: {"message queue", rtx5IDQueue}, 9: {"space in message queue", rtx5IDQueue},
}

const (
	rtx5Join       = 2
	rtx5Terminated = 4
	rtx5Running    = 2 // osKernelRunning; locked and suspended are above it
)

func rtx5Threads(s *System) (*listing, error) {
	x := &rtx5{System: s, owners: make(map[core.Addr]string)}
	if err := x.layouts(); err != nil {
		return nil, err
	}
	current := x.info.pointer("thread.run.curr")
	if current == 0 && x.info.pointer("thread.idle") == 0 {
		return nil, ErrNone
	}
	state, _ := x.info.num("kernel.state")
	x.l.idle = state < rtx5Running
	x.add(current, current)
	for _, list := range []struct{ head, next string }{
		{"thread.ready.thread_list", "thread_next"}, {"thread.delay_list", "delay_next"},
		{"thread.wait_list", "delay_next"}, {"thread.terminate_list", "thread_next"},
	} {
		for _, a := range x.walk(list.head, list.next) {
			x.add(a, current)
		}
	}
	for _, one := range []string{"thread.run.next", "thread.idle", "timer.thread"} {
		x.add(x.info.pointer(one), current)
	}
	if len(x.l.tasks) == 0 {
		return nil, ErrNone
	}
	x.l.early = true
	x.waits()
	return &x.l, nil
}

// layouts finds the layouts of osRtxInfo, whose own are structures without a
// name, and of threads.
func (x *rtx5) layouts() error {
	o, _ := x.object("osRtxInfo")
	info, ok := x.layoutOf([]string{"osRtxInfo_t"}, "kernel.state", "thread.run.curr", "thread.ready.thread_list", "thread.delay_list", "thread.wait_list", "thread.idle")
	if !ok {
		info = fixed(72, map[string]field{
			"kernel.state": {8, 1}, "thread.run.curr": {20, 4}, "thread.run.next": {24, 4}, "thread.ready.thread_list": {36, 4},
			"thread.idle": {40, 4}, "thread.delay_list": {44, 4}, "thread.wait_list": {48, 4}, "thread.terminate_list": {52, 4},
		})
	}
	if x.info, ok = x.record(core.Addr(o.Addr), info); !ok {
		return ErrNone
	}
	if x.thread, ok = x.layoutOf([]string{"osRtxThread_s", "osRtxThread_t"}, "id", "state", "thread_next", "delay_next", "sp", "stack_frame"); !ok {
		x.thread = fixed(64, map[string]field{
			"id": {0, 1}, "state": {1, 1}, "name": {4, 4}, "thread_next": {8, 4}, "thread_prev": {12, 4}, "delay_next": {16, 4},
			"delay": {28, 4}, "priority": {32, 1}, "priority_base": {33, 1}, "stack_frame": {34, 1},
			"thread_join": {24, 4}, "stack_mem": {48, 4}, "stack_size": {52, 4}, "sp": {56, 4}, "thread_addr": {60, 4},
		})
	}
	return nil
}

// walk returns the threads of a list that ends with a null pointer.
func (x *rtx5) walk(head, next string) []core.Addr {
	list, err := x.chain(x.info.pointer(head), 0, func(a core.Addr) (core.Addr, error) {
		r, ok := x.control(a)
		if !ok {
			return 0, fmt.Errorf("it does not begin as a thread does")
		}
		return r.pointer(next), nil
	})
	if err != nil {
		x.l.warnf("the RTX list %s is %v", head, err)
	}
	return list
}

// control reads a control block, which begins with the identifier of one.
func (x *rtx5) control(a core.Addr) (*record, bool) {
	r, ok := x.record(a, x.thread)
	id, _ := r.num("id")
	return r, ok && (id == rtx5IDThread || id == 0xf0|rtx5IDThread)
}

// add reads a control block.
func (x *rtx5) add(a, current core.Addr) {
	if a == 0 || x.l.seen[a] {
		return
	}
	r, ok := x.control(a)
	if !ok {
		x.l.warnf("the RTX thread at %v is left out: it is not in the artefact or not one", a)
		return
	}
	t := task{control: a, current: a == current}
	if t.Name, ok = x.textAt(r.pointer("name")); !ok || t.Name == "" {
		t.Name = x.unnamed(r)
	}
	if p, ok := r.signed("priority"); ok {
		t.Priority, t.BasePriority, t.HasPriority = p, p, true
	}
	if p, ok := r.signed("priority_base"); ok {
		t.BasePriority = p
	}
	low, size := r.pointer("stack_mem"), r.pointer("stack_size")
	if low != 0 && size > 0 && size <= maxStack {
		t.Stack = core.Stack{Low: low, High: low + size}
		t.fill = &fill{word: 0xcccccccc} // osRtxStackFillPattern
		if v, _ := x.word(low); v == rtx5Magic {
			t.fill.skip = 4
		}
	}
	state, _ := r.num("state")
	if t.State = rtx5States[state&15]; t.State == "" {
		x.l.warnf("the RTX thread %q is in the unknown state %#x", t.Name, state)
	}
	if state&15 != rtx5Terminated {
		t.context = func() (core.Regs, error) { return x.restored(r) }
	}
	x.owners[a] = t.Name
	x.l.add(t)
}

// rtx5Magic is osRtxStackMagicWord, in the lowest word of each stack.
const rtx5Magic = 0xe25a2ea5

// unnamed names a thread that was given no name by its function.
func (x *rtx5) unnamed(r *record) string {
	entry, _ := core.CodeAddr(uint32(r.pointer("thread_addr")))
	if f, ok := x.Image.FuncAt(uint32(entry)); ok && f.Entry == uint32(entry) {
		return f.Name
	}
	return x.variableAt(r.addr)
}

// restored reads the registers of a thread (Source/GCC/irq_armv*.S): [s16-s31]
// r4-r11 frame, and the low byte of EXC_RETURN in the control block.
func (x *rtx5) restored(r *record) (core.Regs, error) {
	if x.Profile != core.ProfileM {
		return core.Regs{}, fmt.Errorf("%w: the port for A-profile is not known", errContext)
	}
	ret, _ := r.num("stack_frame")
	c := x.savedAt(r.pointer("sp"))
	c.ret = exc.Return(0xffffff00 | ret)
	switch {
	case !exc.IsReturn(uint32(c.ret)) || !c.ret.Thread():
		c.fail("%#02x is no EXC_RETURN of a thread", ret)
	case c.ret.OtherState():
		c.fail("the thread was in secure state, its registers are on the secure stack")
	}
	c.calleeFP()
	c.span(core.R4, core.R11)
	c.frame()
	return c.done()
}

// waits tells what each blocked thread waits for.
func (x *rtx5) waits() {
	for i := range x.l.tasks {
		t := &x.l.tasks[i]
		r, ok := x.control(t.control)
		state, _ := r.num("state")
		if !ok || state&15 != 3 || t.current && !x.l.idle {
			continue
		}
		w := x.waitObject(r, state>>4)
		const forever = 0xffffffff
		if left, ok := r.num("delay"); ok && left != forever && state>>4 == 1 {
			w += x.ticksLeft(r)
		}
		t.Waits = w
	}
}

// ticksLeft is the time at which a delayed thread wakes up: each thread on the
// list of delayed ones has the time that it waits longer than the one before.
func (x *rtx5) ticksLeft(r *record) string {
	total := uint32(0)
	list, _ := x.chain(x.info.pointer("thread.delay_list"), 0, func(a core.Addr) (core.Addr, error) {
		t, ok := x.control(a)
		if !ok {
			return 0, errNext
		}
		return t.pointer("delay_next"), nil
	})
	for _, a := range list {
		t, _ := x.control(a)
		left, _ := t.num("delay")
		total += left
		if a == r.addr {
			return fmt.Sprintf(" (%d ticks left)", total)
		}
	}
	return ""
}

// waitObject names the object that a thread waits for: the list of waiting
// threads leads back to it.
func (x *rtx5) waitObject(r *record, reason uint32) string {
	w, ok := rtx5Waits[reason]
	if !ok {
		return ""
	}
	if reason == rtx5Join {
		return x.joined(r.addr)
	}
	if w.id == 0 {
		return w.what
	}
	const enough = 256
	at := r.pointer("thread_prev")
	for range enough {
		prev, ok := x.control(at)
		if !ok {
			break
		}
		at = prev.pointer("thread_prev")
	}
	id, ok := x.byteAt(at)
	if !ok || uint32(id)&15 != w.id {
		return w.what
	}
	text := x.describeNamed(w.what, at, 4)
	if w.id == rtx5IDMutex {
		owner, _ := x.word(at + 12)
		if name, ok := x.owners[core.Addr(owner)]; ok {
			text += " held by " + name
		}
	}
	return text
}

// joined names the thread whose end a thread waits for.
func (x *rtx5) joined(by core.Addr) string {
	for a, name := range x.owners {
		if r, ok := x.control(a); ok && r.layout.has("thread_join") && r.pointer("thread_join") == by {
			return "end of " + name
		}
	}
	return rtx5Waits[rtx5Join].what
}
