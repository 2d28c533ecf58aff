// Package unwind answers how a stopped program got where it is: it walks the
// stack of one thread using instruction analysis of the code itself, hardware
// exception frames, and the link register.
package unwind

import (
	"context"

	"pushmask/core"
	"pushmask/elfsym"
)

// Program is the code of one image with the plans computed for it so far. It
// is safe for concurrent use and shared by all dumps of the image.
type Program struct{}

// FromImage prepares the code of img; img may be nil.
func FromImage(img *elfsym.Image) *Program { return &Program{} }

// Options configure a walk.
type Options struct {
	MaxFrames int // 0 means 512
	Profile   core.Profile
}

// Walker produces the frames of one thread lazily.
type Walker struct{}

// Walk starts at regs. mem is the target's memory spliced over the image.
func (p *Program) Walk(mem core.Memory, regs core.Regs, opt Options) *Walker { return &Walker{} }

// Next returns the next frame; false at the end, when Stop says why.
func (w *Walker) Next(ctx context.Context) (core.Frame, bool) { return core.Frame{}, false }

// Stop says why the walk ended.
func (w *Walker) Stop() core.Stop { return core.Stop{} }
