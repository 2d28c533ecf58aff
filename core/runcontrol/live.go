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
	"pushmask/core/live"
	"pushmask/core/session"
	"pushmask/elfsym"
)

// ErrRunning is found in the error of what needs a halted target.
var ErrRunning = errors.New("the target is running")

// ErrLost is found in the error of a [Live.Resume] that lost the connection;
// what is wrapped beside it says how.
var ErrLost = errors.New("the connection to the target is lost")

// Why there is no target any more.
var (
	// ErrExited: the program in the target ended.
	ErrExited = errors.New("the program has ended")
	// ErrClosed: the Live was closed.
	ErrClosed = errors.New("the session is closed")
	// ErrNoCaller is found in the error of a step out of a function whose caller
	// is not known.
	ErrNoCaller = errors.New("there is no caller to step out to")
	// ErrWaiting is found in the error of what needs a thread that a core runs.
	ErrWaiting = errors.New("the thread does not run: it waits for the operating system to let it go on")
)

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
// Goroutines: the machine has one owner at a time: the goroutine in Resume, or
// the one in Do while the target is halted. Others may call Pause, Do and what
// is made of it, and Session at any time; their functions are run by the owner,
// with the target halted. mu guards what they share, and is not held while
// anybody waits for the target.
type Live struct {
	program *session.Program
	machine *live.Machine
	opt     Options
	points  breakpoints
	catch   vectorCatch
	lines   lineTable
	code    codeReader
	starts  map[core.Addr]*elfsym.Image // where images begin to run, of several
	tasks   session.Tasks               // the owner's
	// hiddenFrames are the innermost inlined frames that the user does not see at
	// this stop; the owner's.
	hiddenFrames int
	// stands are the threads that stopped at a breakpoint which has been dealt
	// with, and where: one that has not moved since must not stop there again. The
	// owner's.
	stands map[core.ThreadID]core.Addr

	mu        sync.Mutex
	free      sync.Cond // owned has become false; its lock is mu
	owned     bool
	running   bool
	paused    bool // Pause was called and no stop has answered it
	interrupt context.CancelFunc
	errands   []errand
	session   *session.Session // at this stop, nil while the target runs
	ended     error            // why there is no target any more
	doubts    []doubt          // changed by the owner alone
}

// Open joins a program with a halted machine. It compares samples of the
// program's code with the target's: see [Live.Warnings].
func Open(ctx context.Context, program *session.Program, machine *live.Machine, opt Options) (*Live, error) {
	if opt.Evaluate == nil {
		opt.Evaluate = evaluate
	}
	l := &Live{machine: machine, opt: opt, stands: make(map[core.ThreadID]core.Addr)}
	l.free.L = &l.mu
	l.catch.machine = machine
	l.use(program)
	machine.SetLimits(live.Limits{Breakpoints: opt.Breakpoints.Limit, Watchpoints: opt.Watchpoints.Limit})
	l.compareCode(ctx)
	return l, l.halt(ctx)
}

// use takes what is known of the program.
func (l *Live) use(program *session.Program) {
	l.program = program
	l.lines = lineTable{images: program.Images()}
	l.starts = starts(program)
	l.catch.vectors = program.Unwind().ModeVectors()
	l.catch.handlers = faultHandlers(program)
	if len(program.Images().Images()) > 1 {
		l.machine.SetSecurity()
	}
}

// evaluate is the default of [Options.Evaluate].
func evaluate(ctx context.Context, s *session.Session, f *session.Frame, expr string) (Result, error) {
	v, err := s.Evaluate(ctx, expr, f)
	if err != nil {
		return Result{}, err
	}
	truth, err := v.Truth()
	return Result{Truth: truth, Text: v.Text}, err
}

// Close ends the connection, after it has taken back what it changed in the
// debug registers of the target. The machine runs on when run is set, and stays
// halted otherwise. Close must not be called while a Resume is under way.
func (l *Live) Close(ctx context.Context, run bool) error {
	l.mu.Lock()
	ended := l.ended
	l.mu.Unlock()
	if ended != nil {
		return l.machine.Close(ctx, false)
	}
	err := l.Do(ctx, func(ctx context.Context, m *live.Machine) error {
		return errors.Join(l.catch.restore(ctx), l.removeAll(ctx), m.Close(ctx, run))
	})
	_ = l.close(ErrClosed) // to those who come later
	return err
}

// Machine returns the machine. It is for those who own it: see [Live.Do].
func (l *Live) Machine() *live.Machine { return l.machine }

// Session returns the session of this stop, or [ErrRunning]. After the end of
// the target it returns why it ended.
func (l *Live) Session() (*session.Session, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running {
		return nil, ErrRunning
	}
	return l.session, l.ended
}

// halt opens the session of a stop; the caller owns the machine.
func (l *Live) halt(ctx context.Context) error {
	s, err := l.open(ctx)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.session = s
	return nil
}

// open opens a session for the user, with the threads of an operating system.
func (l *Live) open(ctx context.Context) (*session.Session, error) {
	s, err := l.program.OpenTarget(ctx, l.machine)
	if err != nil {
		return nil, fmt.Errorf("read the halted target: %w", err)
	}
	if regs, err := l.machine.Registers(ctx, l.machine.Thread()); err == nil {
		l.compareAgain(pcOf(&regs))
	}
	s.JoinSystem(ctx, &l.tasks)
	s.HideInlined(s.ThreadOn(l.machine.Thread()), l.hiddenFrames)
	return s, nil
}

// ownThreadLocked is the machine's own ID of a thread of the session, 0 of 0; mu
// is held.
func (l *Live) ownThreadLocked(id core.ThreadID) (core.ThreadID, error) {
	if id == 0 || l.session == nil {
		return id, nil
	}
	own, ok := l.session.OwnThread(id)
	if !ok {
		return 0, ErrWaiting
	}
	return own, nil
}
