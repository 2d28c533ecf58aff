package runcontrol

import (
	"pushmask/core"
	"pushmask/core/a32"
	"pushmask/core/gdbremote"
	"pushmask/core/insn"
	"pushmask/core/live"
	"pushmask/core/thumb"
	"pushmask/elfsym"
)

// codeReader decodes the code of the target, which is read from the ELFs where
// the target was found to hold the same.
type codeReader struct{ memory core.Memory }

// at decodes the instruction at an address.
func (c *codeReader) at(a core.Addr, t32 bool) (insn.Inst, error) {
	var b [4]byte
	n, err := c.memory.ReadAt(a, b[:])
	if n < 2 || !t32 && n < 4 {
		return insn.Inst{}, err
	}
	if t32 {
		return thumb.Decode(b[:n], a)
	}
	return a32.Decode(b[:n], a)
}

// cpsrT is the bit T of CPSR: T32 is executed (Armv7-A ARM B1.3.3).
const cpsrT = 1 << 5

// inT32 reports whether a thread executes T32: always on M-profile, else by
// CPSR.T (Armv7-A ARM B1.3.3).
func (l *Live) inT32(regs *core.Regs) bool {
	return l.machine.Profile() == core.ProfileM || regs.Value(core.PSR)&cpsrT != 0
}

// t32At tells the instruction set of code by the images.
func (l *Live) t32At(a core.Addr) bool {
	if l.machine.Profile() == core.ProfileM || l.lines.images.Empty() {
		return true
	}
	switch l.lines.images.State(uint32(a)) {
	case elfsym.StateThumb:
		return true
	case elfsym.StateARM:
		return false
	}
	f, ok := l.lines.function(a)
	return ok && f.Thumb
}

// point is a breakpoint at an address, of the size that its instruction has: 2
// and 3 are T32 of 16 and 32 bits, 4 is A32 (E.5.1.2, ARM Breakpoint Kinds).
func (l *Live) point(a core.Addr) live.Point {
	p := live.Point{Kind: gdbremote.SoftwareBreakpoint, Addr: a, Size: 2}
	if l.opt.Breakpoints.Require {
		p.Kind = gdbremote.HardwareBreakpoint
	}
	if !l.t32At(a) {
		p.Size = 4
	} else if i, err := l.code.at(a, true); err == nil && i.Size == 4 {
		p.Size = 3
	}
	return p
}

// executes reports whether the instruction will run, by the condition of its
// own or of its IT block, which PSR has: ITSTATE is in bits 15..10 and 26..25,
// the condition in its upper half (Armv7-M ARM B1.4.2, A7.3.3; Armv7-A ARM
// B1.3.3). It answers true where the condition is that of a register.
func executes(i *insn.Inst, psr uint32) bool {
	cond := i.Cond
	if state := psr>>25&3 | psr>>8&0xfc; i.Thumb && state&0xf != 0 {
		cond = insn.Cond(state >> 4)
	}
	return holds(cond, psr)
}

// holds evaluates a condition on the flags N, Z, C and V, bits 31 to 28 (Arm
// ARM, ConditionPassed).
func holds(cond insn.Cond, psr uint32) bool {
	n, z, c, v := psr>>31&1 != 0, psr>>30&1 != 0, psr>>29&1 != 0, psr>>28&1 != 0
	var result bool
	switch cond >> 1 {
	case 0:
		result = z
	case 1:
		result = c
	case 2:
		result = n
	case 3:
		result = v
	case 4:
		result = c && !z
	case 5:
		result = n == v
	case 6:
		result = n == v && !z
	default:
		return true
	}
	return result == (cond&1 == 0)
}
