package rtos

import (
	"encoding/binary"
	"errors"
	"fmt"

	"pushmask/core"
	"pushmask/core/exc"
)

// errContext is the error of a saved context that no thread can go on with.
var errContext = errors.New("the saved context is not one")

// xPSR and CPSR bits: the instruction set state, and on M-profile the number of
// the exception, which is 0 in thread mode (Armv7-M ARM B1.4.2, Armv7-A ARM
// B1.3.3).
const (
	xpsrT    = 1 << 24
	xpsrIPSR = 0x1ff
	xpsrZero = 0x00c00000 // reserved bits 23 and 22; 21 is B of PACBTI, 19..16 GE
	cpsrT    = 1 << 5
	cpsrMode = 0x1f
)

// saved reads a saved context in the order of memory. After the first word that
// is missing every other read gives nothing and done returns the error.
type saved struct {
	s    *System
	at   core.Addr // next word
	regs core.Regs
	// ret is the EXC_RETURN value that the context goes on with. It is that of
	// a thread on the process stack without floating point until the context
	// says otherwise.
	ret exc.Return
	err error
}

// threadReturn is the EXC_RETURN of thread mode on the process stack with a
// basic frame (Armv7-M ARM B1.5.8).
const threadReturn exc.Return = 0xfffffffd

// savedAt begins to read at sp.
func (s *System) savedAt(sp core.Addr) *saved { return &saved{s: s, at: sp, ret: threadReturn} }

func (c *saved) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("%w: %s", errContext, fmt.Sprintf(format, args...))
	}
}

// word reads the next word.
func (c *saved) word() uint32 {
	if c.err != nil {
		return 0
	}
	v, ok := c.s.word(c.at)
	if !ok {
		c.fail("no word at %v", c.at)
		return 0
	}
	c.at += 4
	return v
}

// skip passes over n words.
func (c *saved) skip(n int) { c.at += core.Addr(4 * n) }

// take reads registers, lowest address first.
func (c *saved) take(regs ...core.Reg) {
	for _, r := range regs {
		if v := c.word(); c.err == nil {
			c.regs.Set(r, v)
		}
	}
}

// span reads the registers from first to last.
func (c *saved) span(first, last core.Reg) {
	for r := first; r <= last; r++ {
		c.take(r)
	}
}

// excReturn reads the EXC_RETURN value. A thread's names thread mode; the stack
// may be the main one in systems that give each thread its own.
func (c *saved) excReturn() {
	v := c.word()
	if c.err == nil && (!exc.IsReturn(v) || !exc.Return(v).Thread()) {
		c.fail("%#08x at %v is no EXC_RETURN of a thread", v, c.at-4)
	}
	c.ret = exc.Return(v)
}

// control reads the CONTROL register, of which a thread has the bits nPRIV,
// SPSEL, FPCA, SFPA and those of PACBTI (Armv8.1-M ARM, CONTROL).
func (c *saved) control() {
	const defined = 0xff
	v := c.word()
	if c.err == nil && v&^defined != 0 {
		c.fail("%#08x at %v is no CONTROL", v, c.at-4)
		return
	}
	c.regs.Set(core.CONTROL, v)
}

// calleeFP reads s16 to s31 where the thread has a floating-point context.
func (c *saved) calleeFP() {
	if !c.ret.Basic() {
		c.span(core.S0+16, core.S31)
	}
}

// frame reads the hardware's exception frame, which ends the context, and the
// registers in it.
func (c *saved) frame() {
	if c.err != nil {
		return
	}
	f, err := exc.ReadFrame(c.s.Memory, c.at, c.ret)
	if err != nil {
		c.err = fmt.Errorf("%w: %w", errContext, err)
		return
	}
	if err := f.Plausible(); err != nil {
		c.err = fmt.Errorf("%w: %w", errContext, err)
		return
	}
	c.regs = f.Restore(c.regs)
	if !c.ret.Basic() {
		c.at = f.Base + 32
		c.stackedFP()
	}
	c.at = f.SP
}

// stackedFP reads s0 to s15 and FPSCR as the hardware stacks them.
func (c *saved) stackedFP() {
	c.span(core.S0, core.S0+15)
	c.take(core.FPSCR)
}

// frameWords reads the eight words of a hardware frame that the kernel copied
// away from the stack; psp is where they belong.
func (c *saved) frameWords(psp core.Addr) {
	c.span(core.R0, core.R3)
	c.take(core.R12, core.LR, core.PC, core.PSR)
	c.regs.Set(core.PC, c.regs.Value(core.PC)&^1)
	size := core.Addr(0x20)
	if !c.ret.Basic() {
		size = 0x68
	}
	if c.regs.Value(core.PSR)&(1<<9) != 0 { // the hardware aligned the frame
		size += 4
	}
	c.regs.Set(core.SP, uint32(psp+size))
}

// done returns the registers of an M-profile thread after checking that it
// could go on with them: thread mode, T32 state, a PC in code.
func (c *saved) done() (core.Regs, error) {
	if c.err != nil {
		return core.Regs{}, c.err
	}
	psr, pc, sp := c.regs.Value(core.PSR), core.Addr(c.regs.Value(core.PC)), c.regs.Value(core.SP)
	switch {
	case psr&xpsrT == 0 || psr&(xpsrIPSR|xpsrZero) != 0:
		return core.Regs{}, fmt.Errorf("%w: xPSR is %#08x", errContext, psr)
	case !c.s.code(pc):
		return core.Regs{}, fmt.Errorf("%w: PC %v is not in code", errContext, pc)
	case sp&3 != 0 || sp == 0:
		return core.Regs{}, fmt.Errorf("%w: SP is %#08x", errContext, sp)
	}
	if c.ret.PSP() {
		c.regs.Set(core.PSP, sp)
	}
	return c.regs, nil
}

// doneA returns the registers of an A- or R-profile thread, of which the kernel
// saved PC and CPSR, after checking that it could go on with them.
func (c *saved) doneA(sp core.Addr) (core.Regs, error) {
	if c.err != nil {
		return core.Regs{}, c.err
	}
	psr, pc := c.regs.Value(core.PSR), core.Addr(c.regs.Value(core.PC))
	align := core.Addr(3)
	if psr&cpsrT != 0 {
		align, pc = 1, pc&^1
	}
	switch mode := psr & cpsrMode; {
	case mode != modeUser && mode != modeSystem && mode != modeSupervisor:
		return core.Regs{}, fmt.Errorf("%w: CPSR is %#08x", errContext, psr)
	case pc&align != 0 || !c.s.code(pc):
		return core.Regs{}, fmt.Errorf("%w: PC %v is not in code", errContext, pc)
	case sp&3 != 0:
		return core.Regs{}, fmt.Errorf("%w: SP is %v", errContext, sp)
	}
	c.regs.Set(core.PC, uint32(pc))
	c.regs.Set(core.SP, uint32(sp))
	return c.regs, nil
}

// Modes that threads run in (Armv7-A ARM B1.3.1).
const (
	modeUser       = 0x10
	modeSupervisor = 0x13
	modeSystem     = 0x1f
)

// doublewords reads the d registers from first to last, of which those up to
// d15 are pairs of s registers.
func (c *saved) doublewords(first, last int) {
	for d := first; d <= last; d++ {
		if d > 15 {
			c.skip(2)
			continue
		}
		c.span(core.S0+core.Reg(2*d), core.S0+core.Reg(2*d+1))
	}
}

// fillWord is a word of four equal bytes.
func fillWord(b byte) uint32 { return binary.LittleEndian.Uint32([]byte{b, b, b, b}) }
