package runcontrol

import (
	"context"
	"slices"

	"pushmask/core"
)

// A boot loader hands on to the application by a jump, with another stack, and
// never comes back; a secure image does by a call. A step over that would run until
// the user loses patience, and so would a step into an application without source
// lines: a step ends where another image begins to run. The way back, a reset, is
// such a place too.

// noteOthers takes the places that end the motion, a step.
func (r *runner) noteOthers(ctx context.Context) error {
	r.others = nil
	if !r.steps || len(r.starts) == 0 {
		return nil
	}
	regs, err := r.regs(ctx)
	if err != nil {
		return err
	}
	mine := r.lines.images.At(uint32(pcOf(&regs)))
	for a, m := range r.starts {
		if m != mine {
			r.others = append(r.others, a)
		}
	}
	return nil
}

// handedOn reports whether another image than that of the step begins to run at
// an address.
func (r *runner) handedOn(pc core.Addr) bool {
	return slices.Contains(r.others, pc)
}

// begun ends a step that has come to where another image begins to run: behind
// the prologue where the step is into functions and there are lines.
func (s *stepper) begun(ctx context.Context, regs *core.Regs) (*Event, error) {
	pc := pcOf(regs)
	if _, ok := s.lines.at(pc); ok && !s.over && s.target == 0 {
		return s.stopIn(ctx, pc, regs)
	}
	return &Event{Kind: EventStep}, nil
}
