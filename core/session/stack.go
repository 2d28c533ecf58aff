package session

import (
	"context"
	"fmt"

	"pushmask/core"
	"pushmask/core/unwind"
)

// Stack is the symbolised stack of one thread. It grows as it is asked for.
type Stack struct {
	session *Session
	id      core.ThreadID
	walker  *unwind.Walker
	frames  []Frame
	ended   bool
	stop    core.Stop
	hidden  int // inlined frames at the top that are left out
}

// Stack returns the (lazily growing, cached) stack of a thread, or for the
// thread that [Session.Reported] returns the one that was printed.
func (s *Session) Stack(id core.ThreadID) (*Stack, error) {
	if k, ok := s.stacks[id]; ok {
		return k, nil
	}
	if _, ok := s.Thread(id); !ok {
		return nil, fmt.Errorf("thread %d: %w", id, ErrNoThread)
	}
	if id == s.reported {
		s.stacks[id] = s.reportedStack()
		return s.stacks[id], nil
	}
	regs, err := s.Registers(context.Background(), id)
	if err != nil {
		return nil, fmt.Errorf("read registers of thread %d: %w", id, err)
	}
	k := &Stack{session: s, id: id, walker: s.walk(id, regs, s.program.cfg.MaxFrames), hidden: s.hidden[id]}
	s.stacks[id] = k
	return k, nil
}

// walk begins to unwind a thread from regs; maxFrames is a cap, 0 the unwinder's own.
func (s *Session) walk(id core.ThreadID, regs core.Regs, maxFrames int) *unwind.Walker {
	return s.program.code.Walk(s.quiet(s.memory), regs, unwind.Options{
		MaxFrames: maxFrames,
		Profile:   s.profile,
		RAM:       s.ram(),
		Foreign:   s.otherStacks(id),
		Running:   s.confinedStack(id),
	})
}

// Frames returns n frames from start on (n <= 0: all), unwinding no further
// than needed. It returns fewer at the end. An error is that of ctx.
func (k *Stack) Frames(ctx context.Context, start, n int) ([]Frame, error) {
	start = max(start, 0)
	for !k.ended && (n <= 0 || len(k.frames)-start < n) {
		if err := k.grow(ctx); err != nil {
			return nil, err
		}
	}
	if start >= len(k.frames) {
		return nil, nil
	}
	frames := k.frames[start:]
	if n > 0 && len(frames) > n {
		frames = frames[:n]
	}
	return frames, nil
}

// grow takes one more activation from the walker.
func (k *Stack) grow(ctx context.Context) error {
	f, ok := k.walker.Next(ctx)
	if ok {
		lines := k.session.symbolise(&f)
		for ; k.hidden > 0 && len(lines) > 1; k.hidden-- {
			lines = lines[1:]
		}
		k.hidden = 0
		k.add(lines)
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	k.ended, k.stop = true, k.walker.Stop()
	return nil
}

// add appends lines to the stack.
func (k *Stack) add(lines []Frame) {
	for i := range lines {
		lines[i].stack, lines[i].index = k, len(k.frames)+i
	}
	k.frames = append(k.frames, lines...)
}

// Len returns the number of frames and true once the walk has ended.
func (k *Stack) Len() (int, bool) { return len(k.frames), k.ended }

// Stop says why the stack ended; StopNone before that.
func (k *Stack) Stop() core.Stop { return k.stop }

// otherStacks lists the stacks of the threads other than the given one.
func (s *Session) otherStacks(id core.ThreadID) []unwind.Range {
	var ranges []unwind.Range
	for _, t := range s.threads {
		if t.ID != id && t.Stack.Known() {
			ranges = append(ranges, stackRange(t.Stack))
		}
	}
	return ranges
}

// confinedStack is the stack of a thread that surely was what the youngest
// exceptions interrupted, empty for others.
func (s *Session) confinedStack(id core.ThreadID) unwind.Range {
	if t, ok := s.Thread(id); ok && s.system.confined[id] {
		return stackRange(t.Stack)
	}
	return unwind.Range{}
}

func stackRange(k core.Stack) unwind.Range {
	return unwind.Range{Addr: k.Low, Size: uint32(k.High - k.Low)}
}

// ram lists what the artefact holds, for the search of a lost process stack.
func (s *Session) ram() []unwind.Range {
	var ranges []unwind.Range
	for _, r := range s.regions {
		ranges = append(ranges, unwind.Range{Addr: r.Addr, Size: r.Size})
	}
	return ranges
}
