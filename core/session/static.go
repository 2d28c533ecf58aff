package session

import (
	"context"
	"errors"

	"pushmask/core"
	"pushmask/core/memmap"
)

// ErrNoImage is returned where a program without an ELF is not enough.
var ErrNoImage = errors.New("no ELF image was given")

// Static returns a session on the images alone, without a stopped target: it
// has memory, instructions and symbols, and no threads.
func (p *Program) Static(ctx context.Context) (*Session, error) {
	if p.images.Empty() {
		return nil, ErrNoImage
	}
	s, err := p.newSession(ctx, imageTarget{})
	if err == nil {
		s.format = "ELF image"
	}
	return s, err
}

// imageTarget is a machine that never ran.
type imageTarget struct{}

func (imageTarget) Memory() core.Memory { return new(memmap.Map) }

// Profile is not asked: the main image knows it.
func (imageTarget) Profile() core.Profile { return core.ProfileM }

func (imageTarget) Threads(context.Context) ([]core.Thread, error) { return nil, nil }

func (imageTarget) Registers(context.Context, core.ThreadID) (core.Regs, error) {
	return core.Regs{}, ErrNoThread
}
