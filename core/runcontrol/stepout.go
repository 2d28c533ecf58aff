package runcontrol

import (
	"context"

	"pushmask/core"
	"pushmask/core/session"
)

// stepOut runs to the caller of the frame that is stopped: out of an inlined
// call to the code behind it, out of a handler to the code that it interrupted.
func (r *runner) stepOut(ctx context.Context) (*Event, error) {
	regs, err := r.regs(ctx)
	if err != nil {
		return nil, err
	}
	chain := r.lines.inlined(pcOf(&regs))
	if shown := len(chain) - r.hidden; shown > 0 {
		return r.outOfInlined(ctx, chain[shown-1].Contains)
	}
	to, err := r.caller(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.catch.arm(ctx, true); err != nil {
		return nil, err
	}
	return r.runTo(ctx, pcOf(to), sameStack(to))
}

// caller returns the registers that the caller of the innermost frame goes on
// with.
func (r *runner) caller(ctx context.Context) (*core.Regs, error) {
	const depth = 24 // lines of a stack: one activation may have many inlined calls
	_, frames, err := r.frames(ctx, depth)
	if err != nil {
		return nil, err
	}
	return callerIn(frames)
}

func callerIn(frames []session.Frame) (*core.Regs, error) {
	for i := range frames {
		f := frames[i].Core
		if f == frames[0].Core || f.Kind == core.FrameException {
			continue
		}
		if f.Trust.Guess() {
			break
		}
		to := f.Regs
		to.Set(core.PC, uint32(f.PC))
		return &to, nil
	}
	return nil, ErrNoCaller
}

// outOfInlined steps over calls until the function is no more in the code of an
// inlined call.
func (r *runner) outOfInlined(ctx context.Context, inside func(pc uint32) bool) (*Event, error) {
	s := &stepper{runner: r, over: true}
	for {
		if ev, err := s.advance(ctx); ev != nil || err != nil {
			return ev, err
		}
		regs, err := r.regs(ctx)
		if err != nil || s.left || !inside(uint32(pcOf(&regs))) {
			return nil, err
		}
	}
}
