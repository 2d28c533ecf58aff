package runcontrol

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"pushmask/core/live"
	"pushmask/core/session"
)

// errand is a function that somebody has the owner of the machine run.
type errand struct {
	ctx  context.Context // of who waits for it
	run  func(context.Context, *live.Machine) error
	done chan error // has room for the answer
	// decided is set by whoever comes first: the owner, who runs it then, or the
	// caller who gives it up, and may use what it would write.
	decided *atomic.Bool
}

// Do runs a function that needs the machine: at once when nobody owns it, else
// by its owner, which halts a running target for as long as that takes. The
// function must not call the Live. Do fails when the connection is lost or ctx
// ends before its turn.
func (l *Live) Do(ctx context.Context, run func(context.Context, *live.Machine) error) error {
	e := errand{ctx: ctx, run: run, done: make(chan error, 1), decided: new(atomic.Bool)}
	l.mu.Lock()
	switch {
	case l.ended != nil:
		defer l.mu.Unlock()
		return l.ended
	case l.owned:
		l.errands = append(l.errands, e)
		l.interruptLocked()
		l.mu.Unlock()
		select {
		case err := <-e.done:
			return err
		case <-ctx.Done():
			if e.decided.CompareAndSwap(false, true) {
				return ctx.Err()
			}
			return <-e.done // it runs, which is bounded: see serve
		}
	}
	l.owned = true
	l.mu.Unlock()
	l.serve([]errand{e})
	if broken := l.machine.Client().Err(); broken != nil {
		_ = l.close(lost(broken)) // to those who come later
		return <-e.done
	}
	_ = l.release(func() error { return nil }, func() {}) // neither fails
	return <-e.done
}

// serve runs errands whose callers still wait. Exchanges with the stub are
// bounded by themselves, and one that is given up half-way breaks the
// connection: the end of a caller's context only keeps an errand from starting.
func (l *Live) serve(list []errand) {
	for _, e := range list {
		if err := e.ctx.Err(); err != nil || !e.decided.CompareAndSwap(false, true) {
			e.done <- err // nobody may wait any more
			continue
		}
		e.done <- e.run(context.WithoutCancel(e.ctx), l.machine)
	}
}

// attend runs the errands that wait and reports whether the user wants the
// target halted.
func (l *Live) attend() (paused bool) {
	l.mu.Lock()
	list := l.errands
	l.errands = nil
	l.mu.Unlock()
	l.serve(list)
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.paused
}

// take makes the caller the owner of the machine, and the target one that runs.
// The thread of the motion becomes the machine's own.
func (l *Live) take(m *Motion) (err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running {
		return ErrRunning
	}
	if m.Thread, err = l.ownThreadLocked(m.Thread); err != nil {
		return err
	}
	l.running, l.paused = true, false
	for l.owned {
		l.free.Wait()
	}
	if l.ended != nil {
		l.running = false
		return l.ended
	}
	l.owned, l.session = true, nil
	return nil
}

// release gives the machine up after the last errand that waits was run. What
// publish does happens in the same breath; it is called again when errands came
// after prepare.
func (l *Live) release(prepare func() error, publish func()) error {
	for {
		l.attend()
		if err := prepare(); err != nil {
			return err
		}
		l.mu.Lock()
		if len(l.errands) == 0 {
			break
		}
		l.mu.Unlock()
	}
	defer l.mu.Unlock()
	publish()
	l.owned = false
	l.free.Broadcast()
	return nil
}

// end publishes the stop that a motion ended in. An error that took the
// connection along ends the Live. The thread of the event becomes that of the
// session.
func (l *Live) end(ev *Event, err error) error {
	ctx := context.Background()
	if err != nil {
		if _, broken := l.machine.Registers(ctx, l.machine.Thread()); broken != nil {
			return l.close(lost(err))
		}
	}
	if ev.Kind == EventExited && err == nil {
		_ = l.close(ErrExited) // to those who come later
		return nil
	}
	var s *session.Session
	openErr := l.release(func() (err error) {
		s, err = l.open(ctx)
		return err
	}, func() { l.session, l.running = s, false })
	if openErr != nil {
		return l.close(lost(openErr))
	}
	ev.Thread = s.ThreadOn(ev.Thread)
	return err
}

// lost marks an error as the end of the connection.
func lost(err error) error {
	if errors.Is(err, ErrLost) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrLost, err)
}

// close ends the Live: everybody who waits or comes later gets why.
func (l *Live) close(why error) error {
	l.mu.Lock()
	list := l.errands
	l.errands, l.ended, l.running, l.owned = nil, why, false, false
	l.free.Broadcast()
	l.mu.Unlock()
	for _, e := range list {
		e.done <- why
	}
	return why
}

// Pause asks for the end of the Resume under way: it halts the target, however
// far the Resume has come.
func (l *Live) Pause() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running {
		l.paused = true
		l.interruptLocked()
	}
}

// interruptLocked ends what the machine is running, if it is; mu is held.
func (l *Live) interruptLocked() {
	if l.interrupt != nil {
		l.interrupt()
	}
}

func (l *Live) setInterrupt(f context.CancelFunc) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.interrupt = f
}
