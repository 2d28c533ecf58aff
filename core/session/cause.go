package session

import (
	"context"
	"fmt"

	"pushmask/core"
	"pushmask/core/exc"
	"pushmask/core/insn"
	"pushmask/core/thumb"
)

// Cause says why the target stopped.
type Cause struct {
	Name        string // "HardFault", "SIGSEGV", "Breakpoint", "Halted"
	Description string // one sentence: "precise data bus error reading 0xb0000000"
	Details     []string
}

// Cause explains the stop of a thread from what the artefact holds: on
// M-profile the fault registers, the active exception and the instruction at
// the PC, elsewhere the signal. Where none of them tells, it says so.
func (s *Session) Cause(ctx context.Context, id core.ThreadID) Cause {
	t, ok := s.Thread(id)
	if !ok {
		return Cause{}
	}
	regs, err := s.Registers(ctx, id)
	if err != nil {
		regs = core.Regs{}
	}
	if s.profile == core.ProfileM {
		if c, ok := s.faultCause(t, &regs); ok {
			return c
		}
		if s.atBreakpoint(&regs) {
			return Cause{Name: "Breakpoint", Description: "the program ran into a BKPT instruction"}
		}
	}
	if c, ok := signalCause(t, s.profile); ok {
		return c
	}
	return haltCause(activeException(&regs))
}

// activeException is the exception number in xPSR, 0 in thread mode or when
// it is not known (IPSR, Armv7-M ARM B1.4.2).
func activeException(regs *core.Regs) int {
	const ipsr = 0x1ff
	return int(regs.Value(core.PSR) & ipsr)
}

// Exception numbers of faults (Armv7-M ARM B1.5.2): HardFault to UsageFault,
// and SecureFault of ARMv8-M.
const (
	hardFault   = 3
	secureFault = 7
)

// faultCause explains a fault of the crashed thread.
func (s *Session) faultCause(t core.Thread, regs *core.Regs) (Cause, bool) {
	if !t.Crashed {
		return Cause{}, false
	}
	number := activeException(regs)
	inHandler := number >= hardFault && number <= secureFault
	faults, known := exc.ReadFaults(s.target.Memory())
	c := Cause{Description: faults.Summary(), Details: faults.Details()}
	switch {
	case inHandler:
		c.Name = exc.ExceptionName(number)
		if !known {
			c.Description = fmt.Sprintf("the %s handler is active; the dump has no fault registers that say why", c.Name)
		} else if c.Description == "" {
			c.Description = fmt.Sprintf("the %s handler is active; the fault registers state no cause", c.Name)
		}
	case c.Description == "":
		return Cause{}, false
	default:
		// The registers are those before the fault, or the fault was survived:
		// its status bits stay set until software clears them.
		c.Name = "Fault"
		if faults.Escalated() {
			c.Name = exc.ExceptionName(hardFault)
		}
		c.Details = append(c.Details, "no fault handler was active at the stop: the fault may be an old one")
	}
	return c, true
}

// atBreakpoint reports whether the instruction at the PC is a BKPT.
func (s *Session) atBreakpoint(regs *core.Regs) bool {
	pc, ok := regs.Get(core.PC)
	if !ok {
		return false
	}
	a, _ := core.CodeAddr(pc)
	var b [2]byte
	if _, err := s.memory.ReadAt(a, b[:]); err != nil {
		return false
	}
	i, err := thumb.Decode(b[:], a)
	return err == nil && i.Op == insn.OpBKPT
}

// signalCause explains the signal of a thread. Debug stubs of bare-metal
// targets report SIGTRAP and SIGINT for any halt, which explains nothing.
func signalCause(t core.Thread, p core.Profile) (Cause, bool) {
	const sigint, sigtrap = 2, 5
	if t.Signal == 0 || p == core.ProfileM && (t.Signal == sigint || t.Signal == sigtrap) {
		return Cause{}, false
	}
	name, meaning := signalName(t.Signal)
	if t.HasFaultAddr {
		meaning += fmt.Sprintf(" at %v", t.FaultAddr)
	}
	return Cause{Name: name, Description: meaning}, true
}

// haltCause is what remains to be said of a target that just stands.
func haltCause(exception int) Cause {
	c := Cause{Name: "Halted", Description: "the artefact does not say why the target stopped"}
	if name := exc.ExceptionName(exception); name != "" {
		c.Details = append(c.Details, name+" was active")
	}
	return c
}
