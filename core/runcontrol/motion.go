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
// user. When ctx ends or Pause is called, the target is halted. The error wraps
// [ErrLost] when the connection is lost.
func (l *Live) Resume(ctx context.Context, m Motion) (Event, error) {
	l.mu.Lock()
	l.running, l.session = true, nil
	l.mu.Unlock()
	ev, err := l.move(ctx, m)
	if err == nil {
		err = l.halt(context.WithoutCancel(ctx))
	}
	return ev, err
}
