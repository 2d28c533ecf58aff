package runcontrol

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"pushmask/core"
	"pushmask/core/exc"
	"pushmask/core/insn"
)

// stepInstruction is a step of one instruction, over a call when over is set.
func (r *runner) stepInstruction(ctx context.Context, over bool) (*Event, error) {
	regs, err := r.regs(ctx)
	if err != nil {
		return nil, err
	}
	i, err := r.code.at(pcOf(&regs), r.inT32(&regs))
	if over && err == nil && isCall(&i) && executes(&i, regs.Value(core.PSR)) {
		if err := r.catch.arm(ctx, true); err != nil {
			return nil, err
		}
		return r.overCall(ctx, &i, &regs)
	}
	return r.single(ctx)
}

// single runs one instruction of the code that is stopped: where an interrupt
// comes first, it is served before the step ends. A fault is an event.
func (r *runner) single(ctx context.Context) (*Event, error) {
	for {
		before, err := r.regs(ctx)
		if err != nil {
			return nil, err
		}
		if err := r.skipBreakpointInstruction(ctx, &before); err != nil {
			return nil, err
		}
		i, decodeErr := r.code.at(pcOf(&before), r.inT32(&before))
		ev, err := r.step(ctx)
		if ev != nil || err != nil {
			return ev, err
		}
		after, err := r.regs(ctx)
		if err != nil {
			return nil, err
		}
		entered, fault := r.entered(&before, &after)
		switch {
		case fault != "" && r.steps:
			return r.exception(ctx, fault), nil
		case fault != "":
			return nil, nil // the program's own business
		case !entered || decodeErr == nil && r.causes(&i, &before, &after):
			return nil, nil
		}
		done, ev, err := r.serve(ctx, &i, &before, &after)
		if done || ev != nil || err != nil {
			return ev, err
		}
	}
}

// causes reports whether an instruction itself enters or leaves exceptions: by
// EXC_RETURN as the address of a branch on M-profile.
func (r *runner) causes(i *insn.Inst, before, after *core.Regs) bool {
	const svcall = 11 // Armv7-M ARM B1.5.2
	if i.Op == insn.OpSVC && r.machine.Profile() == core.ProfileM {
		return after.Value(core.PSR)&ipsr == svcall
	}
	if i.Op == insn.OpMode || i.ExceptionReturn {
		return true
	}
	if r.machine.Profile() != core.ProfileM || before.Value(core.PSR)&ipsr == 0 {
		return false
	}
	list, _, ok := r.successors(i, before)
	const excReturn = 0xf0000000 // Armv7-M ARM B1.5.8
	return !ok || slices.ContainsFunc(list, func(a core.Addr) bool { return a >= excReturn })
}

// entered reports whether the core entered the handler of an exception between
// two stops; fault names one that is no interrupt.
func (r *runner) entered(before, after *core.Regs) (entered bool, fault string) {
	was, is := before.Value(core.PSR), after.Value(core.PSR)
	if r.machine.Profile() == core.ProfileM {
		n := int(is & ipsr)
		if n == int(was&ipsr) || n == 0 {
			return false, ""
		}
		if _, ok := faultNumbers[n]; ok {
			return true, exc.ExceptionName(n)
		}
		return true, ""
	}
	switch mode := core.ModeOf(is); {
	case mode == core.ModeOf(was):
		return false, ""
	case mode == core.ModeUndefined:
		return true, "Undefined Instruction"
	case mode == core.ModeAbort:
		v, ok := abortVectors[r.catch.vectors[pcOf(after)]]
		if !ok {
			return true, "Abort"
		}
		return true, v.name
	default:
		return mode == core.ModeIRQ || mode == core.ModeFIQ, ""
	}
}

// serve lets the handler of an interrupt run that came before or after the
// instruction i, whose effect it waits for: while the target was halted, the next
// interrupt may have become due, and would come before the instruction again. Where
// it is not known where i leads, done is false once the handler has returned to it.
func (r *runner) serve(ctx context.Context, i *insn.Inst, before, after *core.Regs) (done bool, ev *Event, err error) {
	lower, err := r.machine.Lift(ctx, pcOf(before))
	defer func() {
		if ev == nil || ev.Kind != EventExited {
			err = errors.Join(err, lower(ctx))
		}
	}()
	if err != nil {
		return false, nil, err
	}
	back := *before
	back.Set(core.PC, after.Value(core.LR)-irqOffset)
	if r.machine.Profile() == core.ProfileM {
		to, err := r.interrupted(ctx)
		if err != nil {
			return false, nil, err
		}
		back = *to
	}
	if pcOf(&back) != pcOf(before) {
		ev, err := r.runTo(ctx, pcOf(&back), r.as(&back))
		return true, ev, err
	}
	list, sp, ok := r.successors(i, before)
	if !ok {
		ev, err := r.runTo(ctx, pcOf(&back), r.as(&back))
		return false, ev, err
	}
	ev, err = r.runToAny(ctx, list, func(now *core.Regs) bool {
		return now.Value(core.SP) == sp && r.sameContext(before, now)
	})
	return true, ev, err
}

// irqOffset: LR_irq and LR_fiq are the address to go on at plus 4 (Armv7-A ARM
// B1.8.3).
const irqOffset = 4

// as accepts a stop in the context of to, with its stack pointer.
func (r *runner) as(to *core.Regs) func(*core.Regs) bool {
	return func(now *core.Regs) bool {
		return now.Value(core.SP) == to.Value(core.SP) && r.sameContext(to, now)
	}
}

// successors are the addresses that an instruction may lead to, and the stack
// pointer there.
func (r *runner) successors(i *insn.Inst, regs *core.Regs) (list []core.Addr, sp uint32, ok bool) {
	moved, ok := moveSP(i)
	if !ok || i.Size == 0 {
		return nil, 0, false
	}
	sp = regs.Value(core.SP) + uint32(moved)
	switch i.Flow {
	case insn.FlowNext:
		return []core.Addr{i.Next()}, sp, true
	case insn.FlowBranch:
		return []core.Addr{i.Next(), i.Target}, sp, true
	case insn.FlowCall:
		return []core.Addr{i.Target}, sp, true
	case insn.FlowReg, insn.FlowCallReg:
		return []core.Addr{i.Next(), core.Addr(regs.Value(i.Rm) &^ 1)}, sp, true
	case insn.FlowLoad:
		if i.Op != insn.OpLoadMulti || i.Rn != core.SP || moved == 0 {
			return nil, 0, false
		}
		v, err := core.ReadU32(r.machine.Memory(), core.Addr(sp-4)) // PC is the last that is loaded
		return []core.Addr{i.Next(), core.Addr(v &^ 1)}, sp, err == nil
	}
	return nil, 0, false
}

// interrupted returns the registers that the code below the exception, whose
// handler has just begun, goes on with.
func (r *runner) interrupted(ctx context.Context) (*core.Regs, error) {
	_, frames, err := r.frames(ctx, 3)
	if err != nil {
		return nil, err
	}
	for i := range frames {
		if f := frames[i].Core; i > 0 && frames[i-1].Core.Kind == core.FrameException && f.Regs.Has(core.SP) {
			return &f.Regs, nil
		}
	}
	return nil, fmt.Errorf("find the code that was interrupted: %w", ErrNoCaller)
}

// sameStack accepts a stop with the stack pointer of to: with another one it is
// in another activation, of a recursion or of another task. Where to has none, as
// the non-secure caller of secure code has on a stub that shows the stack pointers
// of one security state, it accepts any.
func sameStack(to *core.Regs) func(*core.Regs) bool {
	sp, known := to.Get(core.SP)
	return func(regs *core.Regs) bool { return !known || regs.Value(core.SP) == sp }
}
