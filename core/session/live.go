package session

import (
	"context"
	"slices"

	"pushmask/core"
	"pushmask/elfsym"
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
		threads: slices.Clone(threads), // the target keeps its own
		stacks:  make(map[core.ThreadID]*Stack),
		format:  "live target",
	}
	s.profile = p.profile(t)
	s.thumb = s.defaultThumb(ctx)
	return s, nil
}

// HideInlined leaves out the n innermost inlined frames of a thread: it stopped
// where their code begins, and is shown at the call. It is called before the
// stack is asked for.
func (s *Session) HideInlined(id core.ThreadID, n int) {
	s.hidden = map[core.ThreadID]int{id: n}
}

// Tasks numbers the threads of an operating system by their control blocks, so
// that a thread has the same ID at every stop of a live target, whether it runs
// or not. The zero value is ready for use.
type Tasks struct{ ids map[core.Addr]core.ThreadID }

// firstTask is the ID of the first task, behind those of the target's own
// threads.
const firstTask core.ThreadID = 10001

func (t *Tasks) id(control core.Addr) core.ThreadID {
	id, ok := t.ids[control]
	if !ok {
		if t.ids == nil {
			t.ids = make(map[core.Addr]core.ThreadID)
		}
		id = firstTask + core.ThreadID(len(t.ids))
		t.ids[control] = id
	}
	return id
}

// JoinSystem adds the threads of an operating system in the target's memory to
// those of the target, where a core is known as the thread that it runs. It is
// called before stacks are asked for. How much of the threads' stacks was used is
// not told: that takes reading all of them.
func (s *Session) JoinSystem(ctx context.Context, tasks *Tasks) {
	s.settleImage(ctx)
	s.joinSystem(ctx, tasks)
}

// OwnThread returns the target's own thread that a thread runs on; ok is false
// for one that waits, which the target does not know.
func (s *Session) OwnThread(id core.ThreadID) (own core.ThreadID, ok bool) {
	if own, ok := s.system.own[id]; ok {
		return own, true
	}
	_, waits := s.system.saved[id]
	return id, !waits
}

// ThreadOn returns the thread that runs on a thread of the target's own.
func (s *Session) ThreadOn(own core.ThreadID) core.ThreadID {
	for id, o := range s.system.own {
		if o == own {
			return id
		}
	}
	return own
}

// Range is a range of addresses.
type Range struct {
	Addr core.Addr
	Size uint32 // bytes
}

// ReadOnly is the memory of an image that a running program does not change: code
// and constants.
type ReadOnly struct {
	Image  *elfsym.Image
	Memory core.Memory
	Ranges []Range // what belongs to the image, see [elfsym.Set]
}

// ReadOnly returns what the images have in memory that a running program does not
// change, image by image. Segments that may be written are not in the ranges
// although they may hold code.
func (p *Program) ReadOnly() []ReadOnly {
	var list []ReadOnly
	for _, m := range p.images.Images() {
		r := ReadOnly{Image: m, Memory: p.rom}
		for _, s := range p.images.Segments() {
			if !s.Write && s.FileSize > 0 && p.images.At(s.Addr) == m {
				r.Ranges = append(r.Ranges, Range{core.Addr(s.Addr), s.FileSize})
			}
		}
		list = append(list, r)
	}
	return list
}

// Over returns the memory of a target, with the code and constants of the images
// where the target has none.
func (p *Program) Over(target core.Memory) core.Memory { return p.splice(target) }
