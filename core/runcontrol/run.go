package runcontrol

import (
	"context"
	"errors"

	"pushmask/core"
	"pushmask/core/gdbremote"
)

func (l *Live) move(ctx context.Context, m Motion) (Event, error) {
	if m.Kind != MotionContinue {
		_, err := l.machine.Step(ctx)
		return Event{Kind: EventStep, Thread: 1}, err
	}
	if err := l.leave(ctx); err != nil {
		return Event{}, err
	}
	stop, paused, err := l.run(ctx)
	if err != nil {
		return Event{}, err
	}
	return l.event(ctx, stop, paused)
}

// leave steps off a breakpoint under the PC, which would stop the target at
// once.
func (l *Live) leave(ctx context.Context) error {
	regs, err := l.machine.Registers(ctx, 1)
	if err != nil {
		return err
	}
	p, ok := l.points.at(core.Addr(regs.Value(core.PC)))
	if !ok {
		return nil
	}
	if err := l.machine.Remove(ctx, p); err != nil {
		return err
	}
	_, err = l.machine.Step(ctx)
	return errors.Join(err, l.machine.Insert(ctx, p))
}

func (l *Live) event(ctx context.Context, stop gdbremote.Stop, paused bool) (Event, error) {
	ev := Event{Kind: EventPause, Thread: 1}
	if stop.Kind == gdbremote.StopExited || stop.Kind == gdbremote.StopTerminated {
		ev.Kind = EventExited
		return ev, nil
	}
	regs, err := l.machine.Registers(ctx, 1)
	if err != nil {
		return ev, err
	}
	if ev.Hit = l.points.ids(core.Addr(regs.Value(core.PC))); len(ev.Hit) > 0 && !paused {
		ev.Kind = EventBreakpoint
	}
	return ev, nil
}

// run lets the machine run until it stops by itself, or for the user when
// paused is set. Errands that come meanwhile are run with the machine halted.
func (l *Live) run(ctx context.Context) (stop gdbremote.Stop, paused bool, err error) {
	for {
		runCtx, cancel := context.WithCancel(ctx)
		l.mu.Lock()
		l.interrupt = cancel
		l.mu.Unlock()
		if l.attend(ctx) {
			cancel()
			return stop, true, nil
		}
		stop, err = l.machine.Continue(runCtx)
		interrupted := runCtx.Err() != nil
		cancel()
		if err != nil && !(interrupted && errors.Is(err, context.Canceled)) {
			return stop, false, err
		}
		if l.attend(ctx) || ctx.Err() != nil {
			return stop, true, nil
		}
		if !interrupted {
			return stop, false, nil
		}
	}
}
