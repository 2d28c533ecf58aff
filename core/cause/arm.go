package cause

import (
	"fmt"
	"slices"
	"strings"

	"pushmask/core"
	"pushmask/core/exc"
	"pushmask/core/insn"
)

// Exceptions of A- and R-profile cores that are faults, as the unwinder names
// their entries.
const (
	dataAbort     = "Data Abort"
	prefetchAbort = "Prefetch Abort"
	undefinedInst = "Undefined Instruction"
)

// findAbort tells which registers are those below the entry of a fault.
func (e *explainer) findAbort() {
	for i, f := range e.in.Frames {
		if f.Kind != core.FrameException || f.Exception == nil {
			continue
		}
		switch name := f.Exception.Name; name {
		case dataAbort, prefetchAbort, undefinedInst:
			e.abort, e.entry = name, f.Exception
			e.interrupted(i + 1)
			return
		}
	}
}

// armFault explains a fault of an A- or R-profile core by the exception that was
// entered and by its fault registers.
func (e *explainer) armFault() bool {
	causes := slices.DeleteFunc(e.in.Arm.Causes(), func(c exc.ArmCause) bool {
		return e.abort == undefinedInst || e.abort != "" && c.Data != (e.abort == dataAbort)
	})
	switch {
	case len(causes) > 0:
		e.armStated(causes)
		return true
	case e.abort == "":
		return false
	}
	e.out.Name = e.abort
	switch {
	case e.abort == undefinedInst:
		e.undefinedARM()
	case e.abort == prefetchAbort:
		e.jump("")
	default:
		e.dataAccess(0, false, "")
		e.note("the artefact has no DFSR and DFAR: the address follows from the instruction and the registers")
		e.out.Inferred = true
	}
	return true
}

// undefinedARM explains an undefined instruction, which is also what an FP
// instruction is while the FPU is off (Armv7-AR ARM B1.11.2).
func (e *explainer) undefinedARM() {
	if e.at && e.hasInst {
		if _, fpu := e.inst.usesFPU(); fpu && e.inst.Flow != insn.FlowUndef {
			e.noCoprocessor()
			return
		}
	}
	e.undefined()
}

// armStated explains an abort that the fault registers state.
func (e *explainer) armStated(causes []exc.ArmCause) {
	c := causes[0]
	if len(causes) > 1 {
		if e.prefetched(&causes[1]) {
			c = causes[1]
		}
		e.note("DFSR and IFSR both have a status; one of them may be of an earlier abort")
	}
	e.leaveAbortMode(&c)
	e.out.Name, e.status = prefetchAbort, []string{c.Text}
	if c.Data {
		e.out.Name = dataAbort
	}
	switch {
	case c.Async:
		e.say(ImpreciseWrite, "an access to memory failed before the pc%s", e.place())
		e.note("the abort is asynchronous: the instruction at the pc is not the one to blame")
	case !c.Data && e.at:
		e.jump("")
	case !c.Data:
		e.say(WildJump, "code could not be fetched%s", atAddr(c))
	case isAlignment(c.Text) && e.at && e.hasInst && e.misaligned():
		e.unaligned()
	default:
		e.armData(&c)
	}
}

func isAlignment(text string) bool { return text == exc.AlignmentFault }

// armData explains a data abort. Where the instruction is not known DFSR tells
// reads from writes.
func (e *explainer) armData(c *exc.ArmCause) {
	e.dataAccess(c.Addr, c.HasAddr, "")
	switch {
	case c.Write && e.out.Kind == BadAccess:
		e.out.Kind = BadWrite
	case c.Write && e.out.Kind == NullAccess:
		e.out.Kind = NullWrite
	case e.out.Kind == BadAccess:
		e.out.Kind = BadRead
	case e.out.Kind == NullAccess:
		e.out.Kind = NullRead
	default:
		return
	}
	verb := "read of"
	if c.Write {
		verb = "write to"
	}
	e.out.Description = strings.Replace(e.out.Description, "access to", verb, 1)
}

func atAddr(c exc.ArmCause) string {
	if !c.HasAddr {
		return ""
	}
	return fmt.Sprintf(" at %s", addrText(c.Addr))
}

// prefetched reports whether a prefetch abort is the one that the registers are
// of: the PC is its address.
func (e *explainer) prefetched(c *exc.ArmCause) bool {
	return e.hasPC && c.HasAddr && c.Addr-e.pc < 4
}

// leaveAbortMode finds the instruction that aborted where the registers are
// those of the handler: LR of its mode leads there, if it was not changed since.
// It is believed where the instruction fits the fault address. SP and LR of the
// aborted code are in another mode's bank.
func (e *explainer) leaveAbortMode(c *exc.ArmCause) {
	psr, hasPSR := e.in.Regs.Get(core.PSR)
	lr, hasLR := e.in.Regs.Get(core.LR)
	if e.at || !hasPSR || !hasLR {
		return
	}
	at, ok := exc.AbortedAt(psr, lr, c.Data, false)
	if !ok {
		e.at = e.hasPC
		return
	}
	e.hasPC, e.hasInst = false, false
	for _, t32 := range []bool{e.in.Program.Thumb(at), !e.in.Program.Thumb(at)} {
		i, ok := decode(e.in.Memory, at, t32)
		if !c.Data && c.HasAddr && at == c.Addr {
			e.pc, e.hasPC, e.at, e.inst, e.hasInst = at, true, true, i, ok
			break
		}
		acc, found := accessOf(&i.Inst, &e.regs)
		if ok && found && c.Data && c.HasAddr && acc.contains(c.Addr) && acc.base != core.SP {
			e.pc, e.hasPC, e.at, e.inst, e.hasInst = at, true, true, i, true
			break
		}
	}
	e.regs.Forget(core.SP)
	e.regs.Forget(core.LR)
}
