package main

import (
	"context"
	"fmt"
	"slices"

	"pushmask/core/session"
)

// mismatchError says that a dump is not of the ELF.
type mismatchError struct{ dump, text string }

func (e *mismatchError) Error() string {
	return fmt.Sprintf("%s: %s; --force prints the stack all the same", e.dump, e.text)
}

// heading names a crash for people.
func (b *backtrace) heading() string {
	if b.crash == 0 {
		return b.dump
	}
	return fmt.Sprintf("%s, crash %d", b.dump, b.crash)
}

// openCrash opens the crash of b, and notes in b which one of its file it is
// and what is wrong with it.
func (o *btOptions) openCrash(ctx context.Context, p *session.Program, b *backtrace) (*session.Session, error) {
	path, opt := o.open(b.dump)
	opt.Crash = b.crash
	s, err := p.OpenDump(ctx, path, opt)
	if err != nil {
		return nil, err
	}
	if all, selected := s.Crashes(); len(all) > 1 {
		b.crash = selected
	}
	b.warnings = s.Warnings()
	if text := s.Mismatch(); text != "" && !o.force {
		b.warnings = slices.DeleteFunc(slices.Clone(b.warnings), func(w string) bool { return w == text })
		s.Close()
		return nil, &mismatchError{b.heading(), text}
	}
	return s, nil
}

// traces unwinds a dump: the crash that was selected, or all.
func (o *btOptions) traces(ctx context.Context, p *session.Program, in input) []*backtrace {
	first := o.trace(ctx, p, in, o.crash)
	if !o.which.all || first.crash == 0 {
		return []*backtrace{first}
	}
	path, opt := o.open(in.name)
	s, err := p.OpenDump(ctx, path, opt)
	if err != nil {
		return []*backtrace{first}
	}
	crashes, _ := s.Crashes()
	s.Close()
	var all []*backtrace
	for _, c := range crashes {
		all = append(all, o.trace(ctx, p, in, c.Number))
	}
	return all
}
