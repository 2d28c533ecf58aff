package rtos

import (
	"fmt"

	"pushmask/core"
	"pushmask/core/exc"
)

// restored reads the registers that a thread goes on with.
func (z *zephyr) restored(r *record) (core.Regs, error) {
	switch {
	case z.Profile != core.ProfileM:
		return z.restoredA(r)
	case z.thread.has("switch_handle"):
		return z.restoredSwitch(r)
	}
	return z.restoredPendSV(r)
}

// Before 2.6 the control block has no EXC_RETURN: bit 2 of its mode mirrors
// CONTROL.FPCA, and tells that the frame has a floating-point part.
const (
	zephyrModeFPCA = 1 << 2
	returnBasic    = 1 << 4 // FType of EXC_RETURN, clear then
)

// restoredPendSV reads a context that the PendSV handler saved
// (arch/arm/core/cortex_m/swap_helper.S): r4 to r11 and PSP in the control
// block, the low byte of EXC_RETURN where it is stored
// (CONFIG_ARM_STORE_EXC_RETURN), s16 to s31 in the control block.
func (z *zephyr) restoredPendSV(r *record) (core.Regs, error) {
	psp, ok := r.num("callee_saved.psp")
	if !ok {
		return core.Regs{}, fmt.Errorf("%w: the layout has no stack pointer", errContext)
	}
	c := z.savedAt(r.at("callee_saved"))
	c.span(core.R4, core.R11)
	if mode, ok := r.num("arch.mode"); ok && mode&zephyrModeFPCA != 0 && !z.thread.has("arch.mode_exc_return") {
		c.ret = threadReturn &^ returnBasic
	}
	if b, ok := r.num("arch.mode_exc_return"); ok && b != 0 {
		// Sign-extended, as the handler restores it.
		if c.ret = exc.Return(0xffffff00 | b); !exc.IsReturn(uint32(c.ret)) || !c.ret.Thread() {
			c.fail("%#02x at %v is no EXC_RETURN of a thread", b, r.at("arch.mode_exc_return"))
		}
	}
	if !c.ret.Basic() && z.thread.has("arch.preempt_float") {
		c.at = r.at("arch.preempt_float")
		c.calleeFP()
	}
	c.at = core.Addr(psp)
	c.frame()
	return c.done()
}

// restoredSwitch reads a context of the context switch without PendSV
// (arch/arm/core/cortex_m/arm-m-switch.c, since 4.4): at the switch handle are
// [have_fpu [s0-s31 fpscr]] [psplim] apsr r0-r12 lr pc. Which of the words in
// brackets a kernel has is told by what they hold.
func (z *zephyr) restoredSwitch(r *record) (core.Regs, error) {
	handle := r.pointer("switch_handle")
	var err error
	for _, fpu := range []bool{true, false} {
		for _, limit := range []bool{true, false} {
			var regs core.Regs
			if regs, err = z.switchFrame(handle, fpu, limit); err == nil {
				return z.resumed(r, regs), nil
			}
		}
	}
	return core.Regs{}, err
}

func (z *zephyr) switchFrame(handle core.Addr, fpu, limit bool) (core.Regs, error) {
	const have = 4 // CONTROL.FPCA, or true
	c := z.savedAt(handle)
	if fpu {
		switch v := c.word(); {
		case c.err == nil && v != 0 && v != 1 && v != have:
			c.fail("%#x at %v does not say whether there are floating-point registers", v, handle)
		case v != 0:
			c.span(core.S0, core.S31)
			c.take(core.FPSCR)
		}
	}
	if limit {
		c.take(core.PSPLIM)
	}
	c.take(core.PSR)
	c.span(core.R0, core.R12)
	c.take(core.LR, core.PC)
	c.regs.Set(core.PC, c.regs.Value(core.PC)&^1)
	end := c.at
	if c.regs.Value(core.PSR)&(1<<9) != 0 { // a word of alignment of the hardware
		end += 4
	}
	c.regs.Set(core.SP, uint32(end))
	return c.done()
}

// resumed undoes the replacement of the return address of a thread that was
// interrupted in an IT block or a multiple load: its PC is in the control block.
func (z *zephyr) resumed(r *record, regs core.Regs) core.Regs {
	f, ok := z.Image.FuncAt(regs.Value(core.PC))
	pc, okPC := r.num("arch.iciit_pc")
	if ok && okPC && pc != 0 && f.Name == "arm_m_iciit_stub" {
		regs.Set(core.PC, pc&^1)
	}
	return regs
}

// restoredA reads a context of an A- or R-profile core
// (arch/arm/core/cortex_a_r/switch.S): the thread goes on behind its call of
// the context switch, with r4 to r11, SP and the return address.
func (z *zephyr) restoredA(r *record) (core.Regs, error) {
	if !r.layout.has("callee_saved.lr") {
		return core.Regs{}, fmt.Errorf("%w: this kernel does not save the return address in the control block", errContext)
	}
	c := z.savedAt(r.at("callee_saved"))
	c.span(core.R4, core.R11)
	c.take(core.SP, core.PC)
	if c.err != nil {
		return core.Regs{}, c.err
	}
	pc, thumb := core.CodeAddr(c.regs.Value(core.PC))
	if sp := c.regs.Value(core.SP); !z.code(pc) || sp&3 != 0 || sp == 0 {
		return core.Regs{}, fmt.Errorf("%w: PC %v, SP %#08x", errContext, pc, sp)
	}
	c.regs.Set(core.PC, uint32(pc))
	psr := uint32(modeSystem)
	if thumb {
		psr |= cpsrT
	}
	c.regs.Set(core.PSR, psr)
	return c.regs, nil
}
