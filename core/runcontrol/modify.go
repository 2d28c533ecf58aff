package runcontrol

import (
	"context"
	"fmt"

	"pushmask/core"
	"pushmask/core/gdbremote"
	"pushmask/core/live"
)

// ResetKind is how a target is reset.
type ResetKind uint8

// The ways to reset a target.
const (
	ResetHalt ResetKind = iota // and stop before its first instruction
	ResetRun                   // and let the program run to its next stop
)

// WriteRegister changes a register of a thread and with it the session.
func (l *Live) WriteRegister(ctx context.Context, id core.ThreadID, r core.Reg, v uint32) error {
	return l.modify(ctx, func(ctx context.Context, m *live.Machine) error {
		l.mu.Lock()
		own, err := l.ownThreadLocked(id)
		l.mu.Unlock()
		if err != nil {
			return err
		}
		return m.WriteRegister(ctx, own, r, v)
	})
}

// WriteMemory changes memory and with it the session. The target may run: it is
// halted for as long as that takes.
func (l *Live) WriteMemory(ctx context.Context, a core.Addr, p []byte) error {
	return l.modify(ctx, func(ctx context.Context, m *live.Machine) error {
		return m.WriteMemory(ctx, a, p)
	})
}

// SetPC moves a thread to an instruction without running anything. Of an A- or
// R-profile core the instruction set stays what it is.
func (l *Live) SetPC(ctx context.Context, id core.ThreadID, a core.Addr) (Event, error) {
	return Event{Kind: EventGoto, Thread: id}, l.WriteRegister(ctx, id, core.PC, uint32(a&^1))
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
// The session of a halted target is opened anew.
func (l *Live) modify(ctx context.Context, change func(context.Context, *live.Machine) error) error {
	return l.Do(ctx, func(ctx context.Context, m *live.Machine) error {
		err := change(ctx, m)
		l.mu.Lock()
		running := l.running
		l.mu.Unlock()
		if err != nil || running {
			return err
		}
		return l.halt(ctx)
	})
}

// resetCommands are what servers call a reset that leaves the target halted:
// OpenOCD, J-Link and pyOCD know "reset halt", QEMU "system_reset", others
// "reset" alone.
var resetCommands = []string{"reset halt", "system_reset", "reset"}

// Reset resets the target by the server's own command. Breakpoints and the vector
// catch are kept. After a ResetRun it is [Live.Resume] until the next stop.
func (l *Live) Reset(ctx context.Context, kind ResetKind) (Event, error) {
	ev, err := l.ResetBy(ctx, func(ctx context.Context, m *live.Machine) error {
		name, err := m.Client().ServerName(ctx)
		if err != nil {
			return err
		}
		if name == "QEMU" {
			return l.resetQEMU(ctx, m)
		}
		for _, command := range resetCommands {
			err = m.Client().Monitor(ctx, command, nil)
			if err == nil || !live.Refused(err) {
				break
			}
		}
		return err
	})
	if err != nil || kind == ResetHalt {
		return ev, err
	}
	return l.Resume(ctx, Motion{})
}

// ResetBy is a ResetHalt by what the caller does, as commands of the user's are.
func (l *Live) ResetBy(ctx context.Context, reset func(context.Context, *live.Machine) error) (Event, error) {
	err := l.modify(ctx, func(ctx context.Context, m *live.Machine) error {
		if err := reset(ctx, m); err != nil {
			return fmt.Errorf("reset the target: %w", err)
		}
		m.Forget()
		return l.afterReset(ctx)
	})
	ev := Event{Kind: EventReset}
	if s, _ := l.Session(); s != nil {
		ev.Thread = s.ThreadOn(l.machine.Thread())
	}
	return ev, err
}

// resetQEMU resets the machine, which goes on when the monitor's command has
// been taken: QEMU resets between two instructions of a machine that runs, and
// leaves one that is halted as it was until then.
func (l *Live) resetQEMU(ctx context.Context, m *live.Machine) error {
	if err := m.Client().Monitor(ctx, "system_reset", nil); err != nil {
		return err
	}
	m.Forget()
	return nil
}

// afterReset puts back what a reset may have taken away.
func (l *Live) afterReset(ctx context.Context) error {
	lost, err := l.machine.Reinsert(ctx)
	if err != nil {
		return fmt.Errorf("set the breakpoints again: %w", err)
	}
	for _, p := range l.points.list(func(p *placed) bool { return p.lose(lost) }) {
		if l.opt.Changed != nil {
			l.opt.Changed(p.Placed)
		}
	}
	return l.catch.afterReset(ctx)
}

// Load writes a program into the target, flash included. The PC of the thread
// that stopped is set to entry, which has the Thumb bit, unless that is nil: gdb
// does so, and configurations for it rely on that. What the target was found to
// hold before counts for nothing afterwards: see [Live.Warnings].
func (l *Live) Load(ctx context.Context, list []gdbremote.Segment, entry *uint32) error {
	return l.modify(ctx, func(ctx context.Context, m *live.Machine) error {
		defer m.Forget()
		if err := m.Client().Load(ctx, list, nil); err != nil {
			return err
		}
		m.Forget()
		l.compareCode(ctx)
		if entry == nil {
			return nil
		}
		return l.startAt(ctx, m, *entry)
	})
}

// startAt sets the PC, and outside of M-profile the instruction set too.
func (l *Live) startAt(ctx context.Context, m *live.Machine, entry uint32) error {
	id := m.Thread()
	if m.Profile() != core.ProfileM {
		regs, err := m.Registers(ctx, id)
		if err != nil {
			return err
		}
		psr := regs.Value(core.PSR) &^ cpsrT
		if entry&1 != 0 {
			psr |= cpsrT
		}
		if err := m.WriteRegister(ctx, id, core.PSR, psr); err != nil {
			return err
		}
	}
	return m.WriteRegister(ctx, id, core.PC, entry&^1)
}
