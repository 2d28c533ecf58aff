package cause

import (
	"fmt"

	"pushmask/core"
	"pushmask/core/insn"
)

// Registers of the system control space (Armv7-M ARM B3.2.2).
const (
	cpuidAddr = 0xe000ed00
	ccrAddr   = 0xe000ed14
	cpacrAddr = 0xe000ed88

	ccrUnalignTrap = 1 << 3
	ccrDivTrap     = 1 << 4
	cpacrFPU       = 0xf << 20 // CP10 and CP11
)

// undefined explains an undefined instruction.
func (e *explainer) undefined() {
	if !e.at || !e.hasInst {
		if e.at && e.hasPC && !e.code(e.pc) {
			e.jump("")
			return
		}
		e.say(Undefined, "an undefined instruction%s", e.place())
		return
	}
	switch {
	case e.inst.Flow == insn.FlowTrap:
		e.trap()
	case e.inst.Raw == 0xffff || e.inst.Raw == 0xffffffff:
		e.say(Undefined, "erased flash is executed%s", e.place())
	case e.inst.Flow == insn.FlowUndef:
		e.say(Undefined, "`%s`%s is no instruction: what is executed is no code, or code of another core", e.inst.text(), e.place())
	default:
		e.say(Undefined, "`%s`%s: the core does not have this instruction, or not in its state", e.inst.text(), e.place())
	}
}

// trap explains a UDF, the instruction that is undefined for ever: compilers
// write it where control must not come (gcc 0xdeff, clang 0xdefe).
func (e *explainer) trap() {
	e.say(Trap, "`%s`%s: a trap that the program or its compiler put there, as for __builtin_trap or code that is not to be reached",
		e.inst.text(), e.place())
	if stop, ok := stopFunction(e.stack); ok {
		e.say(stop.kind, "%s%s: `%s`%s", stop.text, e.calledBy(stop), e.inst.text(), e.place())
	}
}

// usesFPU reports whether an instruction is one of the FPU: of coprocessor 10 or
// 11 in the coprocessor space (Armv7-M ARM A5.3.18), which A32 shares.
func (i *instruction) usesFPU() (coprocessor uint32, ok bool) {
	space := i.Raw >> 24 & 0xf
	if i.Size != 4 || i.Thumb && i.Raw>>29 != 7 || space < 0xc || space > 0xe {
		return 0, false
	}
	cp := i.Raw >> 8 & 15
	return cp, cp == 10 || cp == 11
}

// noCoprocessor explains an access to a coprocessor that is off or absent.
func (e *explainer) noCoprocessor() {
	what := "a coprocessor or FP instruction"
	reason := "the coprocessor is not enabled, or absent"
	if e.at && e.hasInst {
		what = "`" + e.inst.text() + "`"
		cp, fpu := e.inst.usesFPU()
		switch {
		case fpu:
			reason = "the FPU is not enabled, or the core has none"
			if v, err := core.ReadU32(e.in.Own, cpacrAddr); err == nil && v&cpacrFPU != cpacrFPU {
				reason = fmt.Sprintf("the FPU is not enabled (CPACR = %#x)", v)
			}
		case cp != 0:
			reason = fmt.Sprintf("coprocessor %d is not enabled, or absent", cp)
		}
	}
	e.say(NoFPU, "%s%s: %s", what, e.place(), reason)
}

// division explains a division by zero.
func (e *explainer) division() {
	if e.at && e.hasInst && isDivision(&e.inst) {
		e.say(DivisionByZero, "%s: division by zero%s", e.inst.quoted(&e.regs, e.inst.Rn, e.inst.Rm), e.place())
		return
	}
	e.say(DivisionByZero, "division by zero%s", e.place())
}

// isDivision reports whether i is UDIV or SDIV of T32, the only set of
// instructions whose divisions trap.
func isDivision(i *instruction) bool {
	return i.Thumb && i.Size == 4 && i.Raw&0xffd0f0f0 == 0xfb90f0f0
}

// unaligned explains an access that is not aligned.
func (e *explainer) unaligned() {
	acc, ok := access{}, false
	if e.at && e.hasInst {
		acc, ok = accessOf(&e.inst.Inst, &e.regs)
	}
	if !ok || acc.aligned(acc.natural()) {
		e.say(Unaligned, "an unaligned access%s", e.place())
		return
	}
	e.setAddr(acc.addr)
	verb := "read of"
	if acc.write {
		verb = "write to"
	}
	e.say(Unaligned, "%s: unaligned %s address %s%s%s%s", e.inst.quoted(&e.regs, acc.base, acc.index), verb, addrText(acc.addr),
		e.symbolIn(acc.addr), e.place(), e.whyAligned(&acc))
}

// whyAligned says why an access must be aligned.
func (e *explainer) whyAligned(acc *access) string {
	if acc.align > 1 && !acc.aligned(acc.align) {
		return fmt.Sprintf("; it must be a multiple of %d", acc.align)
	}
	if v, err := core.ReadU32(e.in.Own, ccrAddr); err == nil && v&ccrUnalignTrap != 0 {
		return "; CCR.UNALIGN_TRP forbids it"
	}
	return ""
}

// semihostingCalls are the operations of semihosting by number (Arm
// Semihosting, "Semihosting operations").
var semihostingCalls = map[uint32]string{
	0x01: "SYS_OPEN", 0x02: "SYS_CLOSE", 0x03: "SYS_WRITEC", 0x04: "SYS_WRITE0", 0x05: "SYS_WRITE", 0x06: "SYS_READ",
	0x07: "SYS_READC", 0x08: "SYS_ISERROR", 0x09: "SYS_ISTTY", 0x0a: "SYS_SEEK", 0x0c: "SYS_FLEN", 0x0d: "SYS_TMPNAM",
	0x0e: "SYS_REMOVE", 0x0f: "SYS_RENAME", 0x10: "SYS_CLOCK", 0x11: "SYS_TIME", 0x12: "SYS_SYSTEM", 0x13: "SYS_ERRNO",
	0x15: "SYS_GET_CMDLINE", 0x16: "SYS_HEAPINFO", 0x18: "SYS_EXIT", 0x20: "SYS_EXIT_EXTENDED", 0x30: "SYS_ELAPSED",
	0x31: "SYS_TICKFREQ",
}

// semihostingBKPT is the immediate of the BKPT that calls a debugger (Arm
// Semihosting, "The semihosting interface").
const semihostingBKPT = 0xab

// atBreakpoint explains a BKPT at the PC, if one is there.
func (e *explainer) atBreakpoint() bool {
	if !e.hasInst || e.inst.Op != insn.OpBKPT {
		return false
	}
	if e.inst.Imm == semihostingBKPT && e.inst.Thumb {
		call := "a semihosting call"
		if op, ok := e.regs.Get(core.R0); ok && semihostingCalls[op] != "" {
			call += ", " + semihostingCalls[op]
		}
		e.say(Semihosting, "`%s`%s: %s, which only a debugger takes", e.inst.text(), e.place(), call)
		return true
	}
	e.say(Breakpoint, "the program ran into a BKPT instruction, `%s`%s", e.inst.text(), e.place())
	if stop, ok := stopFunction(e.stack); ok {
		e.say(stop.kind, "%s%s: `%s`%s", stop.text, e.calledBy(stop), e.inst.text(), e.place())
	}
	return true
}
