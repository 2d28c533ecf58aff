package session

import (
	"context"
	"fmt"

	"pushmask/core"
	"pushmask/core/dump"
)

// DebuggerThread is a thread as a debugger with an unwinder of its own is given
// it.
type DebuggerThread struct {
	core.Thread
	Regs core.Regs
	// Interrupted is the thread whose interrupted code this one shows, 0 for a
	// thread of the machine, and Exception what interrupted it: "HardFault", ""
	// when not known.
	Interrupted core.ThreadID
	Exception   string
}

// DebuggerThreads lists the threads of the machine, and behind them, as threads
// of their own, what the hardware exception frames of the first frames of each
// restore: gdb takes a frame on the process stack from the main one where it is
// not told PSP, and lldb unwinds no exception. The stack that the firmware
// printed is no thread.
func (s *Session) DebuggerThreads(ctx context.Context) ([]DebuggerThread, error) {
	var list, interrupted []DebuggerThread
	next := core.ThreadID(0)
	for _, t := range s.threads {
		next = max(next, t.ID)
	}
	for _, t := range s.threads {
		if s.isPrinted(t) {
			continue
		}
		regs, err := s.Registers(ctx, t.ID)
		if err != nil {
			return nil, fmt.Errorf("read registers of thread %d: %w", t.ID, err)
		}
		list = append(list, DebuggerThread{Thread: t, Regs: regs})
		below, err := s.interrupted(ctx, t.ID)
		if err != nil {
			return nil, err
		}
		for _, b := range below {
			next++
			b.ID = next
			interrupted = append(interrupted, b)
		}
	}
	return append(list, interrupted...), nil
}

// interrupted returns the code below the exception entries of a stack, youngest
// first, without IDs.
func (s *Session) interrupted(ctx context.Context, id core.ThreadID) (list []DebuggerThread, err error) {
	const searched = 64 // frames
	k, err := s.Stack(id)
	if err != nil {
		return nil, err
	}
	frames, err := k.Frames(ctx, 0, searched)
	if err != nil {
		return nil, err
	}
	for i := 1; i < len(frames); i++ {
		above := frames[i-1]
		if above.Kind != KindException || frames[i].Core == nil || frames[i].Core.Trust.Guess() {
			continue
		}
		t := DebuggerThread{Regs: frames[i].Core.Regs, Interrupted: id}
		if above.Core != nil && above.Core.Exception != nil {
			t.Exception = exceptionText(above.Core.Exception)
		}
		list = append(list, t)
	}
	return list, nil
}

// ImageRegions lists the memory that [Session.Memory] has from the image alone,
// ascending.
func (s *Session) ImageRegions() []dump.Region {
	if s.program.rom == nil {
		return nil
	}
	var list []dump.Region
	add := func(from, to uint64) {
		if from < to {
			list = append(list, dump.Region{Addr: core.Addr(from), Size: uint32(to - from)})
		}
	}
	for _, r := range s.program.rom.Regions() {
		from := uint64(r.Addr)
		for _, held := range s.regions {
			lo, hi := uint64(held.Addr), uint64(held.Addr)+uint64(held.Size)
			if hi <= from || lo >= r.End() {
				continue
			}
			add(from, lo)
			from = hi
		}
		add(from, r.End())
	}
	return list
}
