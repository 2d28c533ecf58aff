// Package runcontrol runs a live target by its source code: breakpoints with
// conditions, steps by statement, line and instruction, and stops that say what
// happened. At each stop it has a [session.Session], as a dump has one.
package runcontrol

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"pushmask/core"
	"pushmask/core/gdbremote"
	"pushmask/core/live"
	"pushmask/core/session"
)

// ErrRunning is found in the error of what needs a halted target.
var ErrRunning = errors.New("the target is running")

// Live is a program on a live target.
//
// Goroutines: the one that calls Resume owns the machine until Resume returns.
// Others may call Pause, Do and Session at any time; Do has the owner run the
// function, with the target halted. mu guards what they share.
type Live struct {
	program *session.Program
	machine *live.Machine
	points  breakpoints

	mu        sync.Mutex
	running   bool
	paused    bool // Pause was called and no stop has answered it
	interrupt context.CancelFunc
	errands   []errand
	session   *session.Session // at this stop, nil while the target runs
}

// errand is a function that somebody has Resume run.
type errand struct {
	run  func(context.Context, *live.Machine) error
	done chan error
}

// Open joins a program with a halted machine.
func Open(ctx context.Context, program *session.Program, machine *live.Machine) (*Live, error) {
	l := &Live{program: program, machine: machine}
	return l, l.halt(ctx)
}

// Close ends the connection; the machine stays as it is.
func (l *Live) Close() error { return l.machine.Close(context.Background(), false) }

// Machine returns the machine. It is for those who own it: see [Live.Do].
func (l *Live) Machine() *live.Machine { return l.machine }

// Session returns the session of this stop, or [ErrRunning].
func (l *Live) Session() (*session.Session, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running {
		return nil, ErrRunning
	}
	return l.session, nil
}

// halt opens the session of a stop.
func (l *Live) halt(ctx context.Context) error {
	s, err := l.program.OpenTarget(ctx, l.machine)
	if err != nil {
		return fmt.Errorf("read the halted target: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.session, l.running = s, false
	return nil
}

// Motion is how a target goes on.
type Motion uint8

// The motions.
const (
	Continue        Motion = iota
	StepInstruction        // one instruction, into calls
)

// EventKind tells what stopped the target.
type EventKind uint8

// The kinds of event.
const (
	EventStep EventKind = iota
	EventPause
	EventBreakpoint
	EventExited
)

// Event is a stop that the user sees.
type Event struct {
	Kind   EventKind
	Thread core.ThreadID
	Hit    []int // IDs of the breakpoints at the place
}

// Resume lets the target go on and returns at the next stop that concerns the
// user. When ctx ends or Pause is called, the target is halted. After an error
// the connection is lost.
func (l *Live) Resume(ctx context.Context, how Motion) (Event, error) {
	l.mu.Lock()
	l.running, l.session = true, nil
	l.mu.Unlock()
	ev, err := l.move(ctx, how)
	if err == nil {
		err = l.halt(context.WithoutCancel(ctx))
	}
	return ev, err
}

func (l *Live) move(ctx context.Context, how Motion) (Event, error) {
	if how == StepInstruction {
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

// attend runs the errands that wait and reports whether the user wants the
// target halted.
func (l *Live) attend(ctx context.Context) (paused bool) {
	l.mu.Lock()
	errands := l.errands
	l.errands = nil
	paused, l.paused = l.paused, false
	l.mu.Unlock()
	for _, e := range errands {
		e.done <- e.run(ctx, l.machine)
	}
	return paused
}

// Pause asks for the end of the Resume under way.
func (l *Live) Pause() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.running {
		return
	}
	l.paused = true
	if l.interrupt != nil {
		l.interrupt()
	}
}

// Do runs a function that needs the machine: at once when it is halted, else by
// whoever runs it, which halts the machine for as long as that takes.
func (l *Live) Do(ctx context.Context, run func(context.Context, *live.Machine) error) error {
	l.mu.Lock()
	if !l.running {
		defer l.mu.Unlock()
		return run(ctx, l.machine)
	}
	e := errand{run: run, done: make(chan error, 1)}
	l.errands = append(l.errands, e)
	if l.interrupt != nil {
		l.interrupt()
	}
	l.mu.Unlock()
	select {
	case err := <-e.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
