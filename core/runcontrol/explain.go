package runcontrol

import (
	"context"
	"fmt"
	"strings"

	"pushmask/core"
	"pushmask/core/gdbremote"
	"pushmask/core/insn"
)

// explain says what a stop is to the user; nil when it is nothing to them: the
// end of a step of one instruction, a breakpoint of our own, a condition that is
// false.
func (r *runner) explain(ctx context.Context, stop gdbremote.Stop, paused, stepped bool) (*Event, error) {
	switch stop.Kind {
	case gdbremote.StopExited:
		return &Event{Kind: EventExited, Thread: r.thread, ExitCode: stop.Code}, nil
	case gdbremote.StopTerminated:
		return &Event{Kind: EventExited, Thread: r.thread, ExitCode: -1, Text: fmt.Sprintf("the program was ended by signal %d", stop.Code)}, nil
	}
	if id := r.machine.Thread(); id != r.thread {
		r.thread, stepped = id, false // another one stopped by itself meanwhile
	}
	regs, err := r.regs(ctx)
	if err != nil {
		return nil, err
	}
	data, tells := r.watched(&stop)
	if tells {
		if err := r.passAccess(ctx); err != nil {
			return nil, err
		}
		if regs, err = r.regs(ctx); err != nil {
			return nil, err
		}
	}
	if ev, err := r.dataHits(ctx, data); ev != nil || err != nil {
		return ev, err
	}
	if ev := r.caught(ctx, &regs); ev != nil {
		return ev, nil
	}
	pc := pcOf(&regs)
	if r.inserted(pc) {
		r.stands[r.thread] = pc
	}
	if ev, err := r.codeHits(ctx, pc); ev != nil || err != nil {
		return ev, err
	}
	switch {
	case paused:
		return &Event{Kind: EventPause}, nil
	case stepped || tells || r.inserted(pc):
		return nil, nil
	}
	return r.unexpected(&stop, &regs), nil
}

// signals are those of gdb that stubs of bare machines send (gdb/signals.def).
var signals = map[int]string{2: "SIGINT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGEMT", 8: "SIGFPE", 10: "SIGBUS", 11: "SIGSEGV"}

// unexpected is a stop that nobody here asked for.
func (r *runner) unexpected(stop *gdbremote.Stop, regs *core.Regs) *Event {
	pc := pcOf(regs)
	const sigtrap = 5
	if i, err := r.code.at(pc, r.inT32(regs)); err == nil && i.Op == insn.OpBKPT {
		return &Event{
			Kind: EventBreakpoint, Description: "BKPT instruction",
			Text: fmt.Sprintf("the program stopped itself at %v by BKPT #%d", pc, i.Imm),
		}
	}
	if name := signals[stop.Code]; name != "" && stop.Code > sigtrap {
		return &Event{Kind: EventException, Description: name, Text: "the target stopped with " + name}
	}
	return &Event{Kind: EventPause, Description: "halted", Text: fmt.Sprintf("the target halted by itself at %v", pc)}
}

// skipBreakpointInstruction moves the PC past a BKPT that stopped the program:
// executed again, it would stop it for good.
func (r *runner) skipBreakpointInstruction(ctx context.Context, regs *core.Regs) error {
	pc := pcOf(regs)
	i, err := r.code.at(pc, r.inT32(regs))
	if err != nil || i.Op != insn.OpBKPT || r.inserted(pc) || isSemihosting(&i) {
		return nil
	}
	if err := r.machine.WriteRegister(ctx, r.thread, core.PC, uint32(i.Next())); err != nil {
		return err
	}
	*regs, err = r.regs(ctx)
	return err
}

// isSemihosting tells calls of the debugger, which the stub answers
// (Semihosting for AArch32 and AArch64, 3: BKPT 0xAB).
func isSemihosting(i *insn.Inst) bool { return i.Op == insn.OpBKPT && i.Imm == 0xab }

// exception is the event of a fault, with its cause from the registers of the
// fault and the code.
func (r *runner) exception(ctx context.Context, name string) *Event {
	ev := &Event{Kind: EventException, Description: name, Text: name}
	s, err := r.program.OpenTarget(ctx, r.machine)
	if err != nil {
		return ev
	}
	c := s.Cause(ctx, r.thread)
	if c.Description == "" {
		return ev
	}
	ev.Text = name + ": " + c.Description
	if len(c.Details) > 0 {
		ev.Text += "\n" + strings.Join(c.Details, "\n")
	}
	return ev
}
