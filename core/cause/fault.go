package cause

import (
	"strings"

	"pushmask/core"
	"pushmask/core/exc"
)

// fault explains a fault of an M-profile core.
func (e *explainer) fault() {
	e.out.Name = e.faultName()
	e.status = e.statusText()
	switch {
	case e.overflow():
	case len(e.causes) > 0:
		e.stated(e.causes[0])
	default:
		if e.faults.Escalated() {
			e.status = "a fault was escalated to HardFault and its cause is not recorded"
		}
		e.infer()
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
		return "Fault"
	}
	return exc.ExceptionName(e.causes[0].Exception)
}

// hardFaultBits are the causes that HFSR states.
var hardFaultBits = map[string]bool{"VECTTBL": true, "DEBUGEVT": true}

// statusText words the causes that the fault registers state. The address that
// the description has is left out.
func (e *explainer) statusText() string {
	if e.faults.Escalated() && len(e.causes) == 0 {
		return ""
	}
	var parts []string
	for _, c := range e.causes {
		parts = append(parts, c.Text)
	}
	s := strings.Join(parts, "; ")
	if e.faults.Escalated() {
		s += ", escalated to HardFault"
	}
	return s
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

// oldFault tells of status bits beside registers that are of no fault: a fault
// that was survived, or an artefact that does not say what its registers are.
func (e *explainer) oldFault() {
	e.out.Name = e.faultName()
	if e.faults.Escalated() {
		e.out.Name = exc.ExceptionName(hardFault)
	}
	e.out.Kind = UnexplainedFault
	if len(e.causes) > 0 {
		e.out.Kind = statedKinds[e.causes[0].Bit]
		if a := e.causes[0]; a.HasAddr {
			e.setAddr(a.Addr)
		}
	}
	e.out.Description = e.faults.Summary()
	e.note("no fault handler was active at the stop: the fault may be an old one")
}

// statedKinds are the kinds of the causes where nothing but the status bit is
// known.
var statedKinds = map[string]Kind{
	"INVEP": SecurityFault, "AUVIOL": SecurityFault, "INVTRAN": SecurityFault, "INVIS": ExceptionReturn,
	"INVER": ExceptionReturn, "LSERR": SecurityFault,
	"STKOF": StackOverflow, "UNDEFINSTR": Undefined, "INVSTATE": WildJump, "NOCP": NoFPU, "UNALIGNED": Unaligned,
	"DIVBYZERO": DivisionByZero, "INVPC": ExceptionReturn, "IACCVIOL": WildJump, "DACCVIOL": BadRead,
	"IBUSERR": WildJump, "PRECISERR": BadRead, "MSTKERR": StackFault, "STKERR": StackFault, "MUNSTKERR": StackFault,
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
