package rtos

import (
	"fmt"

	"pushmask/core"
)

// threadxFormats are those of the ports for M-profile
// (ports/cortex_m*/*/src/tx_thread_schedule.S).
var threadxFormats = []format{
	// EXC_RETURN [s16-s31] r4-r11 frame.
	{fits: mainline, read: func(c *saved) {
		c.excReturn()
		c.calleeFP()
		c.span(core.R4, core.R11)
		c.frame()
	}},
	// EXC_RETURN r8-r11 r4-r7 frame.
	{fits: baseline, read: func(c *saved) {
		c.excReturn()
		c.span(core.R8, core.R11)
		c.span(core.R4, core.R7)
		c.frame()
	}},
	// Without EXC_RETURN, before 5.8.
	{fits: mainline, read: formatPlain.read},
	{fits: baseline, read: func(c *saved) {
		c.span(core.R8, core.R11)
		c.span(core.R4, core.R7)
		c.frame()
	}},
}

// ways lists how the registers of threads can be saved.
func (x *threadx) ways() []restore {
	if x.Profile == core.ProfileM {
		return x.formats(threadxFormats, x.thread.offset("tx_thread_stack_ptr"))
	}
	var ways []restore
	for _, wide := range []bool{true, false} {
		ways = append(ways, func(a core.Addr) (core.Regs, error) { return x.restoredA(a, wide) })
	}
	return ways
}

// restoredA reads a context of A- or R-profile
// (ports/cortex_a9/gnu/src/tx_thread_schedule.S): 1 CPSR [d0-d15 d16-d31 fpscr]
// r0-r12 lr pc of a thread that was interrupted, 0 CPSR [d8-d15 d16-d31 fpscr]
// r4-r11 lr of one that called the scheduler. The control block says whether
// there are floating-point registers, of which there are 32 if wide.
func (x *threadx) restoredA(a core.Addr, wide bool) (core.Regs, error) {
	r, ok := x.record(a, x.thread)
	if !ok {
		return core.Regs{}, errContext
	}
	c := x.savedAt(r.pointer("tx_thread_stack_ptr"))
	kind := c.word()
	c.take(core.PSR)
	if kind > 1 {
		return core.Regs{}, fmt.Errorf("%w: %#x at %v is no kind of context", errContext, kind, r.pointer("tx_thread_stack_ptr"))
	}
	if v, _ := r.num("tx_thread_vfp_enable"); v == 1 {
		c.doublewords(8-8*int(kind), 15)
		if wide {
			c.doublewords(16, 31)
		}
		c.take(core.FPSCR)
	}
	if kind == 1 {
		c.span(core.R0, core.R12)
		c.take(core.LR, core.PC)
		return c.doneA(c.at)
	}
	c.span(core.R4, core.R11)
	c.take(core.PC)
	// MRS reads the instruction set state as 0; the return address has it.
	psr := c.regs.Value(core.PSR) &^ uint32(cpsrT)
	if c.regs.Value(core.PC)&1 != 0 {
		psr |= cpsrT
	}
	c.regs.Set(core.PSR, psr)
	return c.doneA(c.at)
}
