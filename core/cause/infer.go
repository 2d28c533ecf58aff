package cause

import (
	"fmt"

	"pushmask/core"
	"pushmask/core/insn"
)

// infer explains a fault that no status register states, from the instruction
// at the PC and the registers.
func (e *explainer) infer() {
	e.out.Inferred = true
	switch {
	case !e.at || !e.hasPC:
		e.unexplained()
	case e.badPC():
		e.jump("")
	case !e.hasInst:
		e.unexplained()
	case e.inst.Flow == insn.FlowTrap || e.inst.Flow == insn.FlowUndef:
		e.undefined()
	case e.atBreakpoint():
	case !runs(e.inst.cond, e.regs.Value(core.PSR)) && e.regs.Has(core.PSR):
		e.unexplained()
	case e.dividesByZero():
		e.division()
	case e.fpuOff():
		e.noCoprocessor()
	case e.inst.Op == insn.OpSVC:
		e.say(UnexplainedFault, "`%s`%s: a supervisor call that cannot be taken becomes a HardFault: it was masked, or made from a handler of its priority or above",
			e.inst.text(), e.place())
	case e.suspicious():
	default:
		e.unexplained()
	}
	switch e.out.Kind {
	case UnexplainedFault, Trap, Breakpoint, Semihosting:
	default:
		e.noteInferred()
	}
}

// noteInferred says what a cause that no fault register states follows from.
func (e *explainer) noteInferred() {
	switch {
	case e.in.Profile != core.ProfileM:
		e.note("inferred from the instruction and the registers: the artefact has no fault status")
	case e.known:
		e.note("inferred from the instruction and the registers: the fault registers state no cause")
	default:
		e.note("inferred from the instruction and the registers: the artefact has no fault registers that state a cause")
	}
}

// badPC reports whether the PC is no place for code, or the state is wrong, as
// far as can be told without a fault register. Code outside of the image may be
// a boot loader, ROM or a shared library.
func (e *explainer) badPC() bool {
	if e.in.Profile != core.ProfileM {
		return e.pc < nullSpan && !e.code(e.pc) || e.in.Thread.HasFaultAddr && e.in.Thread.FaultAddr == e.pc
	}
	if psr, ok := e.regs.Get(core.PSR); ok && psr&xpsrT == 0 {
		return true
	}
	switch e.in.Program.Content(e.pc) {
	case ContentCode, ContentCopied:
		return false
	case ContentVariable, ContentConstant:
		return true
	}
	return regionOf(e.pc).xn || e.pc < vectorSpan && !e.hasInst || e.pc == 0
}

// vectorSpan is the least room that a vector table takes at address 0, in bytes:
// no code is there.
const vectorSpan = 0x40

func (e *explainer) dividesByZero() bool {
	if !isDivision(&e.inst) {
		return false
	}
	v, ok := e.regs.Get(e.inst.Rm)
	ccr, err := core.ReadU32(e.in.Own, ccrAddr)
	return ok && v == 0 && (err != nil || ccr&ccrDivTrap != 0)
}

func (e *explainer) fpuOff() bool {
	_, fpu := e.inst.usesFPU()
	v, err := core.ReadU32(e.in.Own, cpacrAddr)
	return fpu && e.in.Profile == core.ProfileM && err == nil && v&cpacrFPU == 0
}

// suspicious explains the access of the instruction at the PC, if it is one
// that fails.
func (e *explainer) suspicious() bool {
	acc, ok := accessOf(&e.inst.Inst, &e.regs)
	if !ok {
		return false
	}
	content := e.in.Program.Content(acc.addr)
	switch {
	case !acc.aligned(acc.align), !acc.aligned(acc.natural()) && e.strict():
		e.unaligned()
	case acc.write && (content == ContentCode || content == ContentConstant):
		e.knownAccess(&acc, acc.addr, "")
	case e.has(acc.addr):
		return false
	case e.pointer(&acc) != "", e.in.Profile == core.ProfileM && !plausible(acc.addr):
		e.knownAccess(&acc, acc.addr, "")
	case !acc.aligned(acc.natural()):
		e.unaligned()
		e.note("only some cores and some memory forbid it")
	default:
		return false
	}
	return true
}

// plausible reports whether an address that nothing is known of may well be
// one: flash behind the image, a peripheral, a register of the core, or RAM that
// the artefact left out.
func plausible(a core.Addr) bool {
	switch regionOf(a).name {
	case "external device", "system":
		return false
	}
	return true
}

// strict reports whether the core is known to forbid all unaligned accesses: one
// of Armv6-M or Armv8-M Baseline, by CPUID (Armv7-M ARM B3.2.3).
func (e *explainer) strict() bool {
	v, err := core.ReadU32(e.in.Own, cpuidAddr)
	if err != nil {
		return false
	}
	switch v >> 4 & 0xfff {
	case 0xc20, 0xc21, 0xc60, 0xd20: // Cortex-M0, M1, M0+, M23
		return true
	}
	return false
}

// unexplained says of a fault that nothing tells why.
func (e *explainer) unexplained() {
	e.out.Inferred = false
	reason := "the dump has no fault registers that say why"
	if e.known {
		reason = "the fault registers state no cause"
	}
	if e.in.Profile != core.ProfileM {
		reason = "the artefact has no fault status that says why"
	}
	if e.faults.FrameUntrue() {
		reason = firstOr(e.status, reason)
	}
	subject := "the program crashed"
	if e.exception != 0 {
		subject = fmt.Sprintf("the %s handler is active", e.out.Name)
	}
	if e.at && e.hasInst {
		e.say(UnexplainedFault, "%s; %s, and nor does `%s`%s", subject, reason, e.inst.text(), e.place())
		return
	}
	e.say(UnexplainedFault, "%s; %s", subject, reason)
}
