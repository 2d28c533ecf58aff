package runcontrol

import (
	"context"
	"slices"

	"pushmask/core/live"
	"pushmask/core/session"
)

// SetProgram takes another program in place of the one that the Live has, which
// nothing uses any more then: one with an ELF more, or with one less. Breakpoints
// on lines and functions are placed anew, see [Options.Changed]; data breakpoints
// stay. An error is that of a lost connection.
func (l *Live) SetProgram(ctx context.Context, program *session.Program) error {
	return l.modify(ctx, func(ctx context.Context, _ *live.Machine) error {
		if err := l.catch.forget(ctx); err != nil {
			return err
		}
		l.use(program)
		l.compareCode(ctx)
		return l.placeAgain(ctx)
	})
}

// placeAgain looks for the places of all breakpoints on code anew.
func (l *Live) placeAgain(ctx context.Context) error {
	for name, group := range l.points.groups {
		group = slices.Clone(group)
		l.points.groups[name] = group
		for i, p := range group {
			if p.spec.Kind == DataBreakpoint {
				continue
			}
			before := p.Placed
			if err := l.remove(ctx, p); err != nil {
				return err
			}
			again, err := l.place(ctx, p.spec, p.ID)
			if err != nil {
				return err
			}
			again.hits = p.hits
			group[i] = again
			if l.opt.Changed != nil && !again.same(&before) {
				l.opt.Changed(again.Placed)
			}
		}
	}
	return nil
}

// same reports whether nothing has changed for the user.
func (p *Placed) same(q *Placed) bool {
	return p.Verified == q.Verified && p.Message == q.Message && p.Path == q.Path && p.Line == q.Line &&
		p.Column == q.Column && slices.Equal(p.Addrs, q.Addrs)
}
