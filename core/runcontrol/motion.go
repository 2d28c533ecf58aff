package runcontrol

import (
	"context"

	"pushmask/core"
)

// MotionKind is how a target goes on.
type MotionKind uint8

// The kinds of motion.
const (
	MotionContinue MotionKind = iota
	MotionNext                // to the next place in this function or its caller, over calls
	MotionStepIn              // to the next place anywhere
	MotionStepOut             // to the caller
	MotionRunTo               // to Addr, as if a breakpoint were there
)

// Granularity is the size of a step.
type Granularity uint8

// The granularities.
const (
	Statement Granularity = iota
	SourceLine
	Instruction
)

// Motion is a request to go on.
type Motion struct {
	Kind        MotionKind
	Thread      core.ThreadID // that steps; 0 is the one that stopped
	Granularity Granularity   // of MotionNext and MotionStepIn
	// Addr is where MotionRunTo ends, and for MotionStepIn the entry of the one
	// function to step into, 0 for any: see [Live.StepInTargets].
	Addr core.Addr
}

// Resume lets the target go on and returns at the next stop that concerns the
// user. When ctx ends or [Live.Pause] is called, the target is halted. The error
// wraps [ErrLost] when the connection is lost; after any other error the target
// is halted where it happens to be, and [Live.Session] shows it.
func (l *Live) Resume(ctx context.Context, m Motion) (Event, error) {
	if err := l.take(&m); err != nil {
		return Event{}, err
	}
	return l.resume(ctx, m)
}

// Start is Resume in the background: it calls done with what Resume returns.
// Once Start has returned, [Live.Pause] reaches the motion, however soon it
// comes.
func (l *Live) Start(ctx context.Context, m Motion, done func(Event, error)) error {
	if err := l.take(&m); err != nil {
		return err
	}
	go func() { done(l.resume(ctx, m)) }()
	return nil
}

func (l *Live) resume(ctx context.Context, m Motion) (Event, error) {
	r := &runner{Live: l, user: ctx, thread: l.machine.Thread(), hidden: l.hiddenFrames}
	ev, err := r.move(context.WithoutCancel(ctx), m)
	err = l.end(&ev, err)
	return ev, err
}
