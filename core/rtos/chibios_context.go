package rtos

import (
	"fmt"

	"pushmask/core"
	"pushmask/core/exc"
)

// chibiosFormat is what __port_switch pushes before the return address
// (os/common/ports/*/compilers/GCC/chcoreasm.S); the thread goes on behind its
// call.
type chibiosFormat struct {
	size  uint32 // of the context, in bytes
	fits  func(*System) bool
	limit bool // PSPLIM comes first
	fp    bool // and s16 to s31
	high  bool // r8 to r11 come before r4 to r7
}

var chibiosFormats = []chibiosFormat{
	{size: 36, fits: baseline, high: true},
	{size: 36, fits: mainline},
	{size: 40, fits: mainline, limit: true},
	{size: 100, fits: mainline, fp: true},
	{size: 104, fits: mainline, limit: true, fp: true},
}

// ways lists how the registers of threads can be saved: by a port that switches
// in an exception in the control block, else on the stack, of the size that is
// known.
func (c *chibios) ways() []restore {
	for _, regs := range []string{"ctx.regs.", "ctx."} {
		if c.thread.has(regs+"r4", regs+"r11", regs+"lr_exc") {
			return []restore{func(a core.Addr) (core.Regs, error) { return c.restoredBlock(a, regs) }}
		}
	}
	size := c.table["intctxsize"]
	if l, ok := c.layoutOf([]string{"port_intctx"}, "lr"); ok {
		size = l.size
	}
	var ways []restore
	for _, f := range chibiosFormats {
		if f.fits(c.System) && (size == 0 || size == f.size) {
			ways = append(ways, func(a core.Addr) (core.Regs, error) { return c.restored(a, f) })
		}
	}
	return ways
}

// restored reads a context on the stack.
func (c *chibios) restored(a core.Addr, f chibiosFormat) (core.Regs, error) {
	sp, _ := c.word(a + c.thread.offset("ctx"))
	s := c.savedAt(core.Addr(sp))
	if f.limit {
		s.take(core.PSPLIM)
	}
	if f.fp {
		s.span(core.S0+16, core.S31)
	}
	if f.high {
		s.span(core.R8, core.R11)
		s.span(core.R4, core.R7)
	} else {
		s.span(core.R4, core.R11)
	}
	lr := s.word()
	pc, thumb := core.CodeAddr(lr)
	s.regs.Set(core.PC, uint32(pc))
	if c.Profile != core.ProfileM {
		psr := uint32(modeSystem)
		if thumb {
			psr |= cpsrT
		}
		s.regs.Set(core.PSR, psr)
		return s.doneA(s.at)
	}
	if s.err == nil && !thumb {
		return core.Regs{}, fmt.Errorf("%w: the return address is %#08x", errContext, lr)
	}
	s.regs.Set(core.PSR, xpsrT)
	s.regs.Set(core.SP, uint32(s.at))
	return s.done()
}

// restoredBlock reads a context in the control block, the members of which have
// names, and the frame of the hardware on the stack.
func (c *chibios) restoredBlock(a core.Addr, regs string) (core.Regs, error) {
	t, ok := c.record(a, c.thread)
	if !ok {
		return core.Regs{}, errContext
	}
	s := c.savedAt(t.pointer("ctx.sp"))
	for i := range core.Reg(8) {
		v, _ := t.num(fmt.Sprintf("%sr%d", regs, 4+i))
		s.regs.Set(core.R4+i, v)
	}
	ret, _ := t.num(regs + "lr_exc")
	if s.ret = exc.Return(ret); !exc.IsReturn(ret) || !s.ret.Thread() {
		s.fail("%#08x is no EXC_RETURN of a thread", ret)
	}
	for i := range core.Reg(16) {
		if v, ok := t.num(fmt.Sprintf("%ss%d", regs, 16+i)); ok && !s.ret.Basic() {
			s.regs.Set(core.S0+16+i, v)
		}
	}
	s.frame()
	return s.done()
}
