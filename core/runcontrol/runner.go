package runcontrol

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"pushmask/core"
	"pushmask/core/gdbremote"
	"pushmask/core/live"
)

// runner carries out one motion. Its methods take a context for exchanges with
// the halted target, which the user's pause must not cut off; user is the
// context whose end halts the running target.
type runner struct {
	*Live
	user   context.Context
	thread core.ThreadID // that moves
	steps  bool          // the motion is a step, which a fault ends
	hidden int           // inlined frames, at the start and with reveals at the end
	// reveals says that the motion has decided on hidden; else the place does.
	reveals bool
	others  []core.Addr // where images begin to run other than that of a step
}

// move carries out a motion.
func (r *runner) move(ctx context.Context, m Motion) (Event, error) {
	if m.Thread != 0 {
		r.thread = m.Thread
	}
	r.steps = m.Kind != MotionContinue && m.Kind != MotionRunTo
	if err := r.noteOthers(ctx); err != nil {
		return Event{}, err
	}
	var ev *Event
	var err error
	switch {
	case m.Kind == MotionContinue:
		if err = r.catch.arm(ctx, false); err == nil {
			ev, err = r.proceed(ctx, nil)
		}
	case m.Kind == MotionRunTo:
		if err = r.catch.arm(ctx, false); err == nil {
			ev, err = r.runTo(ctx, m.Addr, anywhere)
		}
		if ev == nil {
			ev = &Event{Kind: EventEntry}
		}
	case m.Kind == MotionStepOut:
		ev, err = r.stepOut(ctx)
	case m.Granularity == Instruction:
		ev, err = r.stepInstruction(ctx, m.Kind == MotionNext)
	default:
		ev, err = r.stepStatement(ctx, m)
	}
	if err != nil {
		return Event{}, err
	}
	if ev == nil {
		ev = &Event{Kind: EventStep}
	}
	if ev.Thread == 0 {
		ev.Thread = r.machine.Thread()
	}
	return *ev, r.hide(ctx, ev)
}

// hide decides how many inlined frames the user does not see at the end of a
// motion.
func (r *runner) hide(ctx context.Context, ev *Event) error {
	if ev.Kind == EventExited {
		return nil
	}
	regs, err := r.regs(ctx)
	if err != nil {
		return err
	}
	pc := pcOf(&regs)
	switch {
	case len(ev.Hit) > 0 && ev.Kind == EventBreakpoint:
		r.setHidden(r.lines.hiddenFor(pc, r.points.lineOf(ev.Hit[0])))
	case r.reveals && ev.Kind == EventStep:
		r.setHidden(r.hidden)
	default:
		r.setHidden(r.lines.beginning(pc))
	}
	return nil
}

func (l *Live) setHidden(n int) { l.hiddenFrames = n }

// regs returns the registers of the thread that moves.
func (r *runner) regs(ctx context.Context) (core.Regs, error) {
	return r.machine.Registers(ctx, r.thread)
}

// run has the machine run by how, until it stops by itself or, with paused set,
// for the user. Errands that come meanwhile are run with the machine halted;
// then it runs on, when again is set.
func (r *runner) run(ctx context.Context, again bool, how func(context.Context) (gdbremote.Stop, error)) (stop gdbremote.Stop, paused bool, err error) {
	defer r.setInterrupt(nil)
	for {
		runCtx, cancel := context.WithCancel(r.user)
		r.setInterrupt(cancel)
		if r.attend() || r.user.Err() != nil {
			cancel()
			return stop, true, nil
		}
		stop, err = how(runCtx)
		cause := runCtx.Err()
		cancel()
		began := err == nil || cause == nil || !errors.Is(err, cause)
		switch {
		case began && err != nil:
			return stop, false, err
		case began && stop.Kind != gdbremote.StopSignal:
			return stop, false, nil
		case r.attend() || r.user.Err() != nil:
			return stop, true, nil
		case !began:
			continue
		case cause == nil || !again:
			return stop, false, nil
		}
		if own, err := r.ownStop(ctx, stop); own || err != nil {
			return stop, false, err
		}
	}
}

// ownStop reports whether a target that was interrupted stopped by itself
// before the interrupt reached it. Stubs tell interrupts by SIGINT, but some
// have SIGTRAP for every stop.
func (r *runner) ownStop(ctx context.Context, stop gdbremote.Stop) (bool, error) {
	const sigint, sigtrap = 2, 5
	if stop.Reason != gdbremote.ReasonNone || stop.Code != sigtrap && stop.Code != sigint && stop.Code != 0 {
		return true, nil
	}
	if stop.Code != sigtrap {
		return false, nil
	}
	regs, err := r.machine.Registers(ctx, r.machine.Thread())
	return err == nil && r.inserted(pcOf(&regs)), err
}

// inserted reports whether a breakpoint at an address may have stopped the
// target.
func (l *Live) inserted(a core.Addr) bool { return l.machine.InsertedAt(a) }

// proceed lets the machine run until something stops it for the user, or until
// arrived, which may be nil, accepts a stop at a place that no breakpoint of the
// user's stops at; the event is nil then.
func (r *runner) proceed(ctx context.Context, arrived func(*core.Regs) bool) (*Event, error) {
	for {
		moved, ev, err := r.leave(ctx, arrived)
		if moved || ev != nil || err != nil {
			return ev, err
		}
		if ev, err := r.leaveOthers(ctx); ev != nil || err != nil {
			return ev, err
		}
		stop, paused, err := r.run(ctx, true, r.machine.Continue)
		if err != nil {
			return nil, fmt.Errorf("let the target run: %w", err)
		}
		ev, err = r.explain(ctx, stop, paused, false)
		if ev != nil || err != nil {
			return ev, err
		}
		regs, err := r.regs(ctx)
		if err != nil || arrived != nil && arrived(&regs) {
			return nil, err
		}
	}
}

// leave steps off a breakpoint under the PC, which would stop the target at
// once; moved says that the step arrived already.
func (r *runner) leave(ctx context.Context, arrived func(*core.Regs) bool) (moved bool, ev *Event, err error) {
	regs, err := r.regs(ctx)
	if err != nil {
		return false, nil, err
	}
	for r.inserted(pcOf(&regs)) {
		from := pcOf(&regs)
		if ev, err := r.single(ctx); ev != nil || err != nil {
			return false, ev, err
		}
		if regs, err = r.regs(ctx); err != nil {
			return false, nil, err
		}
		if arrived != nil && arrived(&regs) {
			return true, nil, nil
		}
		if pcOf(&regs) == from {
			return false, nil, nil // it branches to itself: the breakpoint hits again
		}
	}
	return false, nil, r.skipBreakpointInstruction(ctx, &regs)
}

// step runs one instruction, with the breakpoint under it lifted. The event is
// nil unless something of the user's stops the target where it is then.
func (r *runner) step(ctx context.Context) (*Event, error) {
	regs, err := r.regs(ctx)
	if err != nil {
		return nil, err
	}
	lower, err := r.machine.Lift(ctx, pcOf(&regs))
	if err != nil {
		return nil, errors.Join(err, lower(ctx))
	}
	stop, paused, err := r.run(ctx, false, func(ctx context.Context) (gdbremote.Stop, error) {
		return r.machine.Step(ctx, r.thread)
	})
	if stop.Kind != gdbremote.StopExited && stop.Kind != gdbremote.StopTerminated {
		err = errors.Join(err, lower(ctx))
	}
	if err != nil {
		return nil, fmt.Errorf("step one instruction: %w", err)
	}
	return r.explain(ctx, stop, paused, true)
}

// anywhere accepts every stop at the place.
func anywhere(*core.Regs) bool { return true }

// runTo runs to an address until accept takes a stop there. The event is nil
// when it arrived and no breakpoint of the user's stops there.
func (r *runner) runTo(ctx context.Context, a core.Addr, accept func(*core.Regs) bool) (*Event, error) {
	return r.runToAny(ctx, []core.Addr{a}, accept)
}

// runToAny is runTo with several addresses. A step ends where another image
// begins to run, see [runner.handedOn].
func (r *runner) runToAny(ctx context.Context, list []core.Addr, accept func(*core.Regs) bool) (*Event, error) {
	ev, err := r.runToPlaces(ctx, list, func(regs *core.Regs) bool {
		return slices.Contains(list, pcOf(regs)) && accept(regs) || r.handedOn(pcOf(regs))
	})
	if ev != nil || err != nil || len(r.others) == 0 {
		return ev, err
	}
	regs, err := r.regs(ctx)
	if err == nil && r.handedOn(pcOf(&regs)) {
		ev = &Event{Kind: EventStep}
	}
	return ev, err
}

// runToPlaces runs until arrived accepts a stop at one of the addresses, or where
// another image begins to run.
func (r *runner) runToPlaces(ctx context.Context, list []core.Addr, arrived func(*core.Regs) bool) (ev *Event, err error) {
	for _, a := range slices.Concat(list, r.others) {
		p := r.point(a)
		if err := r.machine.Insert(ctx, p); err != nil {
			if slices.Contains(list, a) {
				return r.walkTo(ctx, arrived, err)
			}
			if !live.Refused(err) {
				return nil, err
			}
			continue
		}
		defer func() {
			if ev == nil || ev.Kind != EventExited {
				err = errors.Join(err, r.machine.Remove(ctx, p))
			}
		}()
	}
	return r.proceed(ctx, arrived)
}

// walkTo is runTo where no breakpoint is left: instruction by instruction, which
// is slow and can be paused.
func (r *runner) walkTo(ctx context.Context, arrived func(*core.Regs) bool, why error) (*Event, error) {
	if _, full := errors.AsType[*live.LimitError](why); !full {
		return nil, why
	}
	for {
		ev, err := r.step(ctx)
		if ev != nil || err != nil {
			return ev, err
		}
		regs, err := r.regs(ctx)
		if err != nil || arrived(&regs) {
			return nil, err
		}
	}
}

// pcOf is the address of the next instruction.
func pcOf(regs *core.Regs) core.Addr { return core.Addr(regs.Value(core.PC) &^ 1) }
