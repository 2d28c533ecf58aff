package cause

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pushmask/core"
	"pushmask/core/exc"
)

// Exception numbers of faults (Armv7-M ARM B1.5.2): HardFault to UsageFault,
// and SecureFault of ARMv8-M.
const (
	hardFault   = 3
	secureFault = 7
)

func isFault(exception int) bool { return exception >= hardFault && exception <= secureFault }

// explainer works out one cause.
type explainer struct {
	in  *Input
	out Cause

	// M-profile: the fault registers, whether those that state a cause are
	// known, and the causes that they state.
	faults exc.Faults
	known  bool
	causes []exc.Cause
	// exception is the number of the fault exception that was entered, 0 if none
	// is known to have been.
	exception int
	entry     *core.ExceptionEntry // of exception, nil if not known
	abort     string               // A- and R-profile: the abort below whose entry regs are, "" if none
	// stack is what called the code that faulted, that code first.
	stack []Frame
	// regs are those of the code that faulted; at says that they are, and that
	// the instruction at pc is the one.
	regs    core.Regs
	at      bool
	pc      core.Addr
	hasPC   bool
	inst    instruction
	hasInst bool
	// status is what the fault registers, or the signal, say in words.
	status []string
	told   int // 1 + the index of the reported line that the description has, 0 if none
}

// Explain says why a thread stopped.
func Explain(in *Input) Cause {
	e := &explainer{in: in}
	e.findFault()
	e.findInstruction()
	switch {
	case !in.Thread.Crashed:
		e.standing()
	case e.lockup():
	case in.Profile == core.ProfileM && (e.exception != 0 || in.Thread.Faulted):
		e.fault()
	case in.Profile == core.ProfileA && e.armFault():
	case e.signal():
	case len(e.causes) > 0 || e.faults.Escalated():
		e.oldFault()
	case in.Profile == core.ProfileA && in.Thread.Faulted:
		e.out.Name = unnamedFault
		e.infer()
	default:
		e.standing()
	}
	if why := e.out.Description; e.out.Kind == UnexplainedFault && e.onlyReported() {
		e.note("%s", why)
	}
	e.finish()
	return e.out
}

// findFault tells which registers are those of the faulting code: those below
// the entry of a fault exception, or those of the thread itself.
func (e *explainer) findFault() {
	e.regs, e.stack = e.in.Regs, e.in.Frames
	if e.in.Profile == core.ProfileM {
		e.faults, e.known = exc.ReadFaults(e.in.Own)
		e.causes = e.faults.Causes()
	}
	e.at = e.in.Thread.Faulted
	if e.in.Profile != core.ProfileM {
		e.findAbort()
		return
	}
	active := int(e.in.Regs.Value(core.PSR) & ipsr)
	for i, f := range e.in.Frames {
		if f.Kind != core.FrameException || f.Exception == nil {
			continue
		}
		number := cmp.Or(f.Exception.Number, active)
		active = 0
		if !isFault(number) {
			continue
		}
		e.exception, e.entry = number, f.Exception
		e.interrupted(i + 1)
		return
	}
	if number := int(e.in.Regs.Value(core.PSR) & ipsr); isFault(number) && !e.at {
		e.exception, e.regs, e.stack = number, core.Regs{}, nil
	}
}

// interrupted takes the registers of the frame with index i of the stack, if
// there is one, for those of the faulting code.
func (e *explainer) interrupted(i int) {
	if e.at = i < len(e.in.Frames); e.at {
		e.stack = e.in.Frames[i:]
		e.regs = e.stack[0].Regs
	} else {
		e.regs, e.stack = core.Regs{}, nil
	}
}

// findInstruction reads the instruction at the PC of the faulting code. A frame
// that could not be stored tells no PC.
func (e *explainer) findInstruction() {
	if e.faults.FrameUntrue() && (e.at || e.exception != 0) {
		e.at, e.regs = false, core.Regs{}
	}
	v, ok := e.regs.Get(core.PC)
	if !ok {
		return
	}
	t32 := true
	if e.in.Profile == core.ProfileA {
		psr, known := e.regs.Get(core.PSR)
		t32 = psr&cpsrT != 0
		if !known {
			t32 = v&1 != 0 || e.in.Program.Thumb(core.Addr(v))
		}
	}
	if t32 {
		v &^= 1
	}
	e.pc, e.hasPC = core.Addr(v), true
	if c := e.in.Program.Content(e.pc); c == ContentNone || c == ContentVariable || c == ContentConstant {
		if !e.ownHas(e.pc) || c != ContentNone {
			return
		}
	}
	e.inst, e.hasInst = decode(e.in.Memory, e.pc, t32)
	if psr, ok := e.regs.Get(core.PSR); ok && t32 && e.in.Profile == core.ProfileM {
		if s := itState(psr); s.InBlock() {
			e.inst.cond = s.Cond()
		}
	}
}

// ownHas reports whether the artefact holds the byte at an address.
func (e *explainer) ownHas(a core.Addr) bool {
	var b [1]byte
	_, err := e.in.Own.ReadAt(a, b[:])
	return err == nil
}

// has reports whether memory or the image has the byte at an address.
func (e *explainer) has(a core.Addr) bool {
	var b [1]byte
	_, err := e.in.Memory.ReadAt(a, b[:])
	c := e.in.Program.Content(a)
	return err == nil || c != ContentUnknown && c != ContentNone
}

// say sets kind and description.
func (e *explainer) say(k Kind, format string, args ...any) {
	e.out.Kind, e.out.Description = k, fmt.Sprintf(format, args...)
}

func (e *explainer) note(format string, args ...any) {
	e.out.Notes = append(e.out.Notes, fmt.Sprintf(format, args...))
}

// setAddr notes the address of the failed access.
func (e *explainer) setAddr(a core.Addr) { e.out.Addr, e.out.HasAddr = a, true }

// place is " in main at app.c:120", "" where nothing is known of the PC.
func (e *explainer) place() string {
	if !e.hasPC {
		return ""
	}
	if p := e.in.Program.Place(e.pc); p != "" {
		return " in " + p
	}
	return fmt.Sprintf(" at pc %v", e.pc)
}

// noteHandler says that the fault was one of a handler.
func (e *explainer) noteHandler() {
	if name := exc.ExceptionName(int(e.regs.Value(core.PSR) & ipsr)); e.at && name != "" {
		e.note("it happened in the handler of %s", name)
	}
}

// finish adds what is said of every cause: the status in words, the fault
// registers, the instruction, and the words of the artefact.
func (e *explainer) finish() {
	status := slices.DeleteFunc(slices.Clone(e.status), func(s string) bool { return strings.Contains(e.out.Description, s) })
	if len(status) > 0 {
		e.out.Description += " (" + strings.Join(status, ", ") + ")"
	}
	if e.out.Inferred {
		e.out.Description += " (inferred)"
	}
	if !e.in.Thread.Crashed {
		return
	}
	e.patternGone()
	if e.in.Profile == core.ProfileM {
		e.out.Details = append(e.out.Details, e.faults.Details()...)
		if e.exception != 0 || e.in.Thread.Faulted {
			e.out.Notes = append(e.out.Notes, e.faults.FrameNotes()...)
			e.noteHandler()
		}
		if why := e.faults.WhyEscalated(); why != "" {
			e.out.Details = append(e.out.Details, why)
		}
	} else {
		e.out.Details = append(e.out.Details, e.in.Arm.Details()...)
	}
	if e.at && e.hasPC {
		e.out.PC, e.out.HasPC = e.pc, true
		if e.hasInst {
			e.out.Instruction = e.inst.text()
		}
	}
	e.reported()
}
