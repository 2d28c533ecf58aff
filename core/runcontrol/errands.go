package runcontrol

import (
	"context"

	"pushmask/core/live"
)

// errand is a function that somebody has Resume run.
type errand struct {
	run  func(context.Context, *live.Machine) error
	done chan error
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
