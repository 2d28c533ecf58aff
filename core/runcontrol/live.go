// Package runcontrol runs a live target by its source code: breakpoints with
// conditions, steps by statement, line and instruction, and stops that say what
// happened. At each stop it has a [session.Session], as a dump has one.
package runcontrol

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"pushmask/core/live"
	"pushmask/core/session"
)

// ErrRunning is found in the error of what needs a halted target.
var ErrRunning = errors.New("the target is running")

// ErrLost is found in the error of a [Live.Resume] that lost the connection;
// what is wrapped beside it says how.
var ErrLost = errors.New("the connection to the target is lost")

// Options say how a live program behaves. The zero value is useful.
type Options struct {
	// Evaluate computes conditions and the expressions of log points in the
	// frame that hit them; nil is [session.Session.Evaluate].
	Evaluate func(ctx context.Context, s *session.Session, f *session.Frame, expr string) (Result, error)
	// Log receives the text of log points, a line each without its end; nil
	// drops it. It must not call the Live.
	Log func(text string)
	// Changed is told of a breakpoint that was placed anew or lost its place
	// after it was set; nil when nobody cares. It must not call the Live.
	Changed func(Placed)

	Breakpoints Resources // of code
	Watchpoints Resources // of data
}

// Result is the value of an expression.
type Result struct {
	Truth bool   // it is not zero
	Text  string // for people
}

// Resources say which of the target's comparators may be used.
type Resources struct {
	Require bool // use hardware for each, not only where software is refused
	Limit   int  // use at most so many of the hardware's; 0 leaves it to the stub
}

// Live is a program on a live target.
//
// Goroutines: the one that calls Resume owns the machine until Resume returns.
// Others may call Pause, Do and what is made of it, and Session at any time; Do
// has the owner run the function, with the target halted. mu guards what they
// share.
type Live struct {
	program *session.Program
	machine *live.Machine
	opt     Options
	points  breakpoints

	mu        sync.Mutex
	running   bool
	paused    bool // Pause was called and no stop has answered it
	interrupt context.CancelFunc
	errands   []errand
	session   *session.Session // at this stop, nil while the target runs
}

// Open joins a program with a halted machine.
func Open(ctx context.Context, program *session.Program, machine *live.Machine, opt Options) (*Live, error) {
	if opt.Evaluate == nil {
		opt.Evaluate = evaluate
	}
	l := &Live{program: program, machine: machine, opt: opt}
	return l, l.halt(ctx)
}

// evaluate is the default of [Options.Evaluate].
func evaluate(ctx context.Context, s *session.Session, f *session.Frame, expr string) (Result, error) {
	v, err := s.Evaluate(ctx, expr, f)
	return Result{Truth: v.U32 != 0, Text: v.Text}, err
}

// Close ends the connection. The machine runs on when run is set, and stays
// halted otherwise.
func (l *Live) Close(ctx context.Context, run bool) error { return l.machine.Close(ctx, run) }

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
