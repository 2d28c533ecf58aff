package runcontrol

import (
	"context"

	"pushmask/core/live"
)

// Several cores, each a thread of the stub. What runs to a breakpoint lets all of
// them run, as gdb does: code that waits for another core would never end
// otherwise. A step of one instruction moves one core alone, and so do the steps
// of one instruction that steps by line are made of where the code branches: a
// core that does not move cannot stop at a breakpoint meanwhile. A stop of
// another core ends the motion and is told as that core's.

// leaveOthers steps the threads that do not move by themselves off breakpoints
// which they have stopped at before.
func (r *runner) leaveOthers(ctx context.Context) (*Event, error) {
	mine := r.thread
	delete(r.stands, mine)
	for id, at := range r.stands {
		delete(r.stands, id)
		r.thread = id
		regs, err := r.regs(ctx)
		if err != nil {
			if live.Refused(err) {
				continue // it has ended
			}
			return nil, err
		}
		if pcOf(&regs) != at || !r.inserted(at) {
			continue
		}
		if ev, err := r.step(ctx); ev != nil || err != nil {
			return ev, err
		}
	}
	r.thread = mine
	return nil, nil
}
