package cause

import (
	"slices"

	"pushmask/core"
	"pushmask/core/exc"
	"pushmask/core/insn"
)

// fault explains a fault of an M-profile core.
func (e *explainer) fault() {
	e.leadCause()
	e.out.Name = e.faultName()
	e.status = e.statusText()
	switch {
	case e.overflow():
	case len(e.causes) > 0:
		e.stated(e.causes[0])
	default:
		e.infer()
	}
}

// leadCause puts the cause in front that the instruction at the PC agrees with,
// else one of the exception that was entered: status bits are sticky, so that
// others may be of earlier faults.
func (e *explainer) leadCause() {
	if len(e.causes) < 2 {
		return
	}
	k := slices.IndexFunc(e.causes, func(c exc.Cause) bool { return e.at && e.fits(&c) })
	if k < 0 && e.exception > hardFault {
		k = slices.IndexFunc(e.causes, func(c exc.Cause) bool { return c.Exception == e.exception })
	}
	if k > 0 {
		lead := e.causes[k]
		e.causes = slices.Insert(slices.Delete(e.causes, k, k+1), 0, lead)
	}
	if slices.ContainsFunc(e.causes, func(c exc.Cause) bool { return c.Exception != e.causes[0].Exception }) && !e.faults.FrameUntrue() {
		e.note("status bits stay set until they are cleared: some may be of an earlier fault")
	}
}

// faultName names the exception of the fault: the one that was entered or,
// where the artefact has the registers of before, the one that the status
// bits lead to.
func (e *explainer) faultName() string {
	switch {
	case e.exception != 0:
		return exc.ExceptionName(e.exception)
	case e.faults.Escalated() || len(e.causes) > 0 && hardFaultBits[e.causes[0].Bit]:
		return exc.ExceptionName(hardFault)
	case len(e.causes) == 0:
		return unnamedFault
	}
	return exc.ExceptionName(e.causes[0].Exception)
}

// hardFaultBits are the causes that HFSR states.
var hardFaultBits = map[string]bool{"VECTTBL": true, "DEBUGEVT": true}

// statusText words what the fault registers state.
func (e *explainer) statusText() []string {
	var parts []string
	for _, c := range e.causes {
		parts = append(parts, c.Text)
	}
	switch {
	case !e.faults.Escalated():
	case len(parts) == 0:
		parts = append(parts, "a fault was escalated to HardFault and its cause is not recorded")
	default:
		parts = append(parts, "escalated to HardFault")
	}
	return parts
}

// stated explains the leading cause of the fault registers.
func (e *explainer) stated(c exc.Cause) {
	switch c.Bit {
	case "UNDEFINSTR":
		e.undefined()
	case "INVSTATE", "IACCVIOL", "IBUSERR":
		e.jump(c.Bit)
	case "NOCP":
		e.noCoprocessor()
	case "UNALIGNED":
		e.unaligned()
	case "DIVBYZERO":
		e.division()
	case "INVPC", "INVER", "INVIS":
		e.exceptionReturn()
	case "DACCVIOL", "PRECISERR", "AUVIOL":
		e.dataAccess(c.Addr, c.HasAddr, c.Bit)
	case "IMPRECISERR":
		e.imprecise()
	case "VECTTBL":
		e.say(VectorTable, "the vector of an exception could not be read: VTOR does not point to a vector table")
	case "DEBUGEVT":
		e.debugEvent()
	case "INVEP", "INVTRAN", "LSERR":
		e.say(SecurityFault, "%s%s", c.Text, e.place())
	default: // stacking and unstacking
		e.say(StackFault, "%s: the stack pointer does not point to usable memory", c.Text)
	}
}

// debugEvent explains HFSR.DEBUGEVT.
func (e *explainer) debugEvent() {
	if e.hasInst && e.atBreakpoint() {
		return
	}
	e.say(Breakpoint, "a debug event with no debugger to take it%s", e.place())
}

// oldFault tells of status bits beside registers of which the artefact does not
// say that they are those of a fault. They are where the instruction at the PC
// is one that fails as the bits say. Otherwise the fault may be one that was
// survived, unless the artefact's words name it.
func (e *explainer) oldFault() {
	if len(e.causes) > 0 && e.fits(&e.causes[0]) {
		e.at = true
		e.fault()
		return
	}
	e.out.Name = e.faultName()
	e.out.Kind = UnexplainedFault
	if len(e.causes) > 0 {
		e.out.Kind = statedKinds[e.causes[0].Bit]
		if a := e.causes[0]; a.HasAddr {
			e.setAddr(a.Addr)
		}
	}
	e.out.Description = e.faults.Summary()
	if e.toldClasses()&e.statedClasses() == 0 {
		e.note("no fault handler was active at the stop: the fault may be an old one")
	}
}

// fits reports whether the instruction at the PC fails the way that a status bit
// says.
func (e *explainer) fits(c *exc.Cause) bool {
	if !e.hasPC {
		return false
	}
	if !e.hasInst {
		return (c.Bit == "INVSTATE" || c.Bit == "IACCVIOL" || c.Bit == "IBUSERR") && !e.code(e.pc)
	}
	acc, accesses := accessOf(&e.inst.Inst, &e.regs)
	_, fpu := e.inst.usesFPU()
	switch c.Bit {
	case "DACCVIOL", "PRECISERR", "AUVIOL":
		return accesses && c.HasAddr && acc.contains(c.Addr)
	case "UNALIGNED":
		return accesses && !acc.aligned(acc.natural())
	case "UNDEFINSTR":
		return e.inst.Flow == insn.FlowTrap || e.inst.Flow == insn.FlowUndef
	case "DIVBYZERO":
		return e.dividesByZero()
	case "NOCP":
		return fpu
	}
	return false
}

// statedKinds are the kinds of the causes where nothing but the status bit is
// known.
var statedKinds = map[string]Kind{
	"INVEP": SecurityFault, "AUVIOL": BadAccess, "INVTRAN": SecurityFault, "INVIS": ExceptionReturn,
	"INVER": ExceptionReturn, "LSERR": SecurityFault,
	"STKOF": StackOverflow, "UNDEFINSTR": Undefined, "INVSTATE": WildJump, "NOCP": NoFPU, "UNALIGNED": Unaligned,
	"DIVBYZERO": DivisionByZero, "INVPC": ExceptionReturn, "IACCVIOL": WildJump, "DACCVIOL": BadAccess,
	"IBUSERR": WildJump, "PRECISERR": BadAccess, "MSTKERR": StackFault, "STKERR": StackFault, "MUNSTKERR": StackFault,
	"UNSTKERR": StackFault, "MLSPERR": StackFault, "LSPERR": StackFault, "IMPRECISERR": ImpreciseWrite,
	"VECTTBL": VectorTable, "DEBUGEVT": Breakpoint,
}

// lockup explains a core that stands in lock-up.
func (e *explainer) lockup() bool {
	pc, ok := e.in.Regs.Get(core.PC)
	if e.in.Profile != core.ProfileM || !ok || !exc.IsLockup(core.Addr(pc)) {
		return false
	}
	e.out.Name = "Lockup"
	e.status = e.statusText()
	e.say(Lockup, "lock-up: a fault inside of the HardFault or NMI handler, or its vector could not be read")
	e.at = false
	return true
}
