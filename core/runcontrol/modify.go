package runcontrol

import (
	"context"

	"pushmask/core"
	"pushmask/core/live"
)

// ResetKind is how a target is reset.
type ResetKind uint8

// The ways to reset a target.
const (
	ResetHalt ResetKind = iota // and stop before its first instruction
	ResetRun                   // and let it run
)

// WriteRegister changes a register of a thread and with it the session.
func (l *Live) WriteRegister(ctx context.Context, id core.ThreadID, r core.Reg, v uint32) error {
	return l.modify(ctx, func(ctx context.Context, m *live.Machine) error {
		return m.WriteRegister(ctx, id, r, v)
	})
}

// WriteMemory changes memory and with it the session. The target may run.
func (l *Live) WriteMemory(ctx context.Context, a core.Addr, p []byte) error {
	return l.modify(ctx, func(ctx context.Context, m *live.Machine) error {
		return m.WriteMemory(ctx, a, p)
	})
}

// SetPC moves a thread to an instruction without running anything.
func (l *Live) SetPC(ctx context.Context, id core.ThreadID, a core.Addr) (Event, error) {
	return Event{Kind: EventGoto, Thread: id}, l.WriteRegister(ctx, id, core.PC, uint32(a))
}

// Change runs a function that changes the target in ways that only it knows, as
// a command to the server does, and opens the session of a halted target anew.
func (l *Live) Change(ctx context.Context, change func(context.Context, *live.Machine) error) error {
	return l.modify(ctx, func(ctx context.Context, m *live.Machine) error {
		defer m.Forget()
		return change(ctx, m)
	})
}

// modify runs an errand after which what is known of the stop is no longer true.
func (l *Live) modify(ctx context.Context, change func(context.Context, *live.Machine) error) error {
	if err := l.Do(ctx, change); err != nil {
		return err
	}
	l.mu.Lock()
	running := l.running
	l.mu.Unlock()
	if running {
		return nil
	}
	return l.halt(ctx)
}

// Reset resets the target and leaves it halted; a ResetRun is followed by a
// Resume. Breakpoints and the vector catch are kept.
func (l *Live) Reset(ctx context.Context, how ResetKind) (Event, error) {
	err := l.modify(ctx, func(ctx context.Context, m *live.Machine) error { return m.Reset(ctx) })
	return Event{Kind: EventReset}, err
}

// Load writes the loadable segments of the program into the target, flash
// included.
func (l *Live) Load(ctx context.Context) error {
	return l.modify(ctx, func(ctx context.Context, m *live.Machine) error { return nil })
}
