package rtos

import (
	"encoding/binary"
	"fmt"

	"pushmask/core"
)

// layouts finds the layout of threads: in DWARF, or by the offsets that the
// image carries for debuggers.
func (n *nuttx) layouts() bool {
	if l, ok := n.layoutOf([]string{"tcb_s"}, "pid", "sched_priority", "task_state", "xcp.regs"); ok {
		f, _ := l.field("xcp.regs")
		n.tcb, n.pointer = l, f.size == 4
		return true
	}
	o, ok := n.object("g_tcbinfo")
	var b [14]byte
	if read, _ := n.Memory.ReadAt(core.Addr(o.Addr), b[:]); !ok || read != len(b) {
		return false
	}
	off := func(i int) uint32 { return uint32(binary.LittleEndian.Uint16(b[2*i:])) }
	const name = 64 // at most
	fields := map[string]field{"pid": {off(0), 4}, "task_state": {off(1), 1}, "sched_priority": {off(2), 1}}
	if off(3) != 0 {
		fields["name"] = field{off(3), name}
	}
	regs := off(4)
	switch o.Size { // of struct tcbinfo_s
	case 18: // 10: offsets of registers, from the start of the control block
		table, _ := n.word(core.Addr(o.Addr + 10))
		var r13 [2]byte
		read, _ := n.Memory.ReadAt(core.Addr(table+2*13), r13[:])
		if regs = uint32(binary.LittleEndian.Uint16(r13[:])); read != len(r13) {
			return false
		}
	case 22: // 11 to 12.3
		n.pointer = true
	case 24, 26: // since 12.4
		n.pointer, regs = true, off(6)
		fields["stack_base_ptr"], fields["adj_stack_size"] = field{off(4), 4}, field{off(5), 4}
	default:
		return false
	}
	fields["xcp.regs"] = field{regs, 4}
	size := uint32(0)
	for _, f := range fields {
		size = max(size, f.off+f.size)
	}
	n.tcb = fixed(size, fields)
	return true
}

// nuttxFormat is the way a context is saved on M-profile
// (arch/arm/include/armv*-m/irq.h): SP BASEPRI r4-r11 [CONTROL] EXC_RETURN
// [s16-s31] [PSPLIM] r0-r3 r12 lr pc xPSR [s0-s15 fpscr].
type nuttxFormat struct{ control, fp, limit bool }

// ways lists how the registers of threads can be saved.
func (n *nuttx) ways() []restore {
	var ways []restore
	if n.Profile != core.ProfileM {
		for _, fp := range []int{0, 16, 32} {
			ways = append(ways, func(a core.Addr) (core.Regs, error) { return n.restoredA(a, fp) })
		}
		return ways
	}
	for _, control := range []bool{true, false} {
		for _, fp := range []bool{true, false} {
			for _, limit := range []bool{false, true} {
				f := nuttxFormat{control, fp, limit}
				ways = append(ways, func(a core.Addr) (core.Regs, error) { return n.restored(a, f) })
			}
		}
	}
	return ways
}

// context returns where the context of a thread is.
func (n *nuttx) context(a core.Addr) (core.Addr, error) {
	at := a + n.tcb.offset("xcp.regs")
	if !n.pointer {
		return at, nil
	}
	v, ok := n.word(at)
	if !ok || v == 0 {
		return 0, fmt.Errorf("%w: the control block does not lead to one", errContext)
	}
	return core.Addr(v), nil
}

// restored reads a context of M-profile. SP is that before the exception, but
// for a word with which the hardware may have aligned the frame.
func (n *nuttx) restored(a core.Addr, f nuttxFormat) (core.Regs, error) {
	at, err := n.context(a)
	if err != nil {
		return core.Regs{}, err
	}
	c := n.savedAt(at)
	before := core.Addr(c.word())
	c.take(core.BASEPRI)
	c.span(core.R4, core.R11)
	if f.control {
		c.control()
	}
	c.excReturn()
	switch {
	case f.fp && c.ret.Basic():
		c.skip(16)
	case f.fp:
		c.span(core.S0+16, core.S31)
	}
	if f.limit {
		c.take(core.PSPLIM)
	}
	const basic, extended = 0x20, 0x68
	frame := core.Addr(extended)
	if c.ret.Basic() {
		frame = basic
	}
	if n.pointer {
		c.frame()
		size := core.Addr(basic)
		if f.fp {
			size = extended
		}
		// The handler takes the frame to be as large as the build's can be.
		if sp := core.Addr(c.regs.Value(core.SP)) - frame + size; c.err == nil && sp != before && sp != before+4 {
			c.fail("SP %v and the frame do not fit", before)
		}
		return c.done()
	}
	fp := c.at + 4*8
	c.frameWords(before - frame)
	if c.at = fp; f.fp && !c.ret.Basic() {
		c.stackedFP()
	}
	return c.done()
}

// restoredA reads a context of A- or R-profile: [d0-d15 [d16-d31] fpscr] SP lr
// r0-r12 pc CPSR.
func (n *nuttx) restoredA(a core.Addr, fp int) (core.Regs, error) {
	at, err := n.context(a)
	if err != nil {
		return core.Regs{}, err
	}
	c := n.savedAt(at)
	if fp > 0 {
		c.doublewords(0, fp-1)
		c.take(core.FPSCR)
	}
	sp := core.Addr(c.word())
	c.take(core.LR)
	c.span(core.R0, core.R12)
	c.take(core.PC, core.PSR)
	return c.doneA(sp)
}
