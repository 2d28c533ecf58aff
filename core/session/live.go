package session

import (
	"context"

	"pushmask/core"
)

// OpenTarget opens a halted machine that runs the program. Nothing is read
// before it is asked for but the registers of the first thread. The session is
// good until the machine goes on.
func (p *Program) OpenTarget(ctx context.Context, t core.Target) (*Session, error) {
	threads, err := t.Threads(ctx)
	if err != nil {
		return nil, err
	}
	s := &Session{
		program: p,
		target:  t,
		close:   func() error { return nil },
		memory:  p.splice(t.Memory()),
		threads: threads,
		stacks:  make(map[core.ThreadID]*Stack),
		format:  "live target",
	}
	s.profile = p.profile(t)
	s.thumb = s.defaultThumb(ctx)
	return s, nil
}

// JoinSystem adds the threads of an operating system in the target's memory to
// those of the target.
func (s *Session) JoinSystem(ctx context.Context) { s.joinSystem(ctx) }

// LineAddresses returns the addresses at which statements of a source line
// begin. path is that of the file on this machine.
func (p *Program) LineAddresses(path string, line int) []core.Addr {
	if p.image == nil {
		return nil
	}
	var list []core.Addr
	for _, src := range p.Sources() {
		if src.Path != path {
			continue
		}
		for _, a := range p.image.Addresses(src.Recorded, line) {
			list = append(list, core.Addr(a))
		}
	}
	return list
}
