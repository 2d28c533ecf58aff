package session

import (
	"context"
	"slices"
	"sync"

	"pushmask/core"
	"pushmask/elfsym"
)

// variants are a program's views for each image that may run: images that run
// one after the other use the same RAM, and it holds the variables of one.
type variants struct {
	mu   sync.Mutex
	list map[*elfsym.Image]*Program
}

// whileRuns returns the program as it is while an image runs: p itself where
// others claim none of its memory. The variants of a program are closed with it.
func (p *Program) whileRuns(m *elfsym.Image) *Program {
	if !p.yields(m) {
		return p
	}
	p.variants.mu.Lock()
	defer p.variants.mu.Unlock()
	if v := p.variants.list[m]; v != nil {
		return v
	}
	v := &Program{
		cfg: p.cfg, elfs: p.elfs, images: p.images.Prefer(m), code: p.code,
		files: p.files, description: p.description,
	}
	v.rom = imageMemory(v.images)
	if p.variants.list == nil {
		p.variants.list = make(map[*elfsym.Image]*Program)
	}
	p.variants.list[m] = v
	return v
}

// yields reports whether memory that an image claims belongs to another.
func (p *Program) yields(m *elfsym.Image) bool {
	return slices.ContainsFunc(p.images.Overlaps(), func(o elfsym.Overlap) bool { return o.Other == m })
}

// settleImage gives the memory that several images claim to the one that runs.
// It is called before threads and stacks are asked for.
func (s *Session) settleImage(ctx context.Context) {
	if len(s.program.images.Overlaps()) == 0 {
		return
	}
	if m := s.runningImage(ctx); m != nil {
		s.program = s.program.whileRuns(m)
		s.memory = s.program.splice(s.target.Memory())
	}
}

// runningImage returns the image that runs, nil where nothing tells: that of
// the vector table in use (Armv7-M ARM B3.2.5), which start-up code sets; 0 is
// what it is before. Else that of the oldest code on the stack: one that serves
// another with functions does not run. Where the stack is cut off and has code of
// several, the oldest is not known.
func (s *Session) runningImage(ctx context.Context) *elfsym.Image {
	if s.profile == core.ProfileM {
		table, err := core.ReadU32(s.quiet(s.target.Memory()), vtor)
		if m := s.soleOwner(core.Addr(table)); err == nil && table != 0 && m != nil {
			return m
		}
	}
	if len(s.threads) == 0 {
		return nil
	}
	regs, err := s.Registers(ctx, s.threads[0].ID)
	if err != nil {
		return nil
	}
	var oldest *elfsym.Image
	several := false
	w := s.walk(s.threads[0].ID, regs, s.program.cfg.MaxFrames)
	for f, ok := w.Next(ctx); ok; f, ok = w.Next(ctx) {
		if m := s.soleOwner(f.Lookup); m != nil && f.Kind != core.FrameException && !f.Trust.Guess() {
			several = several || oldest != nil && m != oldest
			oldest = m
		}
	}
	if several && !w.Stop().Complete() {
		return nil
	}
	return oldest
}

// soleOwner returns the image that an address belongs to, nil where several
// claim it.
func (s *Session) soleOwner(a core.Addr) *elfsym.Image {
	claimed := slices.ContainsFunc(s.program.images.Overlaps(), func(o elfsym.Overlap) bool {
		return uint64(a) >= o.Lo && uint64(a) < o.Hi
	})
	if claimed {
		return nil
	}
	return s.program.images.At(uint32(a))
}
