package runcontrol

import (
	"context"
	"fmt"

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
	before, err := r.regs(ctx)
	if err != nil {
		return nil, err
	}
	i, decodeErr := r.code.at(pcOf(&before), r.inT32(&before))
	if err := r.skipBreakpointInstruction(ctx, &before); err != nil {
		return nil, err
	}
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
	case fault != "":
		return r.exception(ctx, fault), nil
	case !entered || decodeErr == nil && causes(&i):
		return nil, nil
	}
	return r.serve(ctx, &before, &after)
}

// causes reports whether an instruction itself enters or leaves exceptions.
func causes(i *insn.Inst) bool {
	return i.Op == insn.OpSVC || i.Op == insn.OpMode || i.ExceptionReturn || i.Flow == insn.FlowReg || i.Flow == insn.FlowLoad
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

// serve lets the handler of an interrupt run and returns when the interrupted
// code goes on.
func (r *runner) serve(ctx context.Context, before, after *core.Regs) (*Event, error) {
	if r.machine.Profile() == core.ProfileA {
		const irqOffset = 4 // LR_irq and LR_fiq are the address to go on at plus 4 (Armv7-A ARM B1.8.3)
		mode := core.ModeOf(before.Value(core.PSR))
		return r.runTo(ctx, core.Addr(after.Value(core.LR)-irqOffset), func(regs *core.Regs) bool {
			return core.ModeOf(regs.Value(core.PSR)) == mode
		})
	}
	to, err := r.interrupted(ctx)
	if err != nil {
		return nil, err
	}
	return r.runTo(ctx, pcOf(to), sameStack(to))
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

// sameStack accepts a stop with the stack pointer of to, in the same exception:
// that of a recursion or of another task is another activation.
func sameStack(to *core.Regs) func(*core.Regs) bool {
	sp := to.Value(core.SP)
	return func(regs *core.Regs) bool { return regs.Value(core.SP) == sp }
}
