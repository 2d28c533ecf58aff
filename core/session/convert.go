package session

import (
	"context"
	"fmt"
	"io"

	"pushmask/core"
	"pushmask/core/elfcore"
	"pushmask/core/memmap"
)

// WriteCore writes the stopped target as an ELF core: all threads with their
// registers and the memory that the artefact holds. With flash it adds what of
// the image's constant memory the artefact does not hold, for debuggers that are
// given no ELF.
func (s *Session) WriteCore(ctx context.Context, w io.Writer, flash bool) error {
	c := &elfcore.Core{Profile: s.profile, Program: s.executable()}
	for _, t := range s.threads {
		if s.isPrinted(t) {
			continue
		}
		regs, err := s.Registers(ctx, t.ID)
		if err != nil {
			return fmt.Errorf("read registers of thread %d: %w", t.ID, err)
		}
		c.Threads = append(c.Threads, elfcore.Thread{Thread: t, Regs: regs})
	}
	if err := s.addInterrupted(ctx, c); err != nil {
		return err
	}
	for _, r := range s.regions {
		c.Segments = append(c.Segments, elfcore.Segment{
			Addr: r.Addr, Size: r.Size, Source: s.target.Memory(), Write: true, Exec: true,
		})
	}
	if flash && s.program.rom != nil {
		for _, r := range s.missing(s.program.rom.Regions()) {
			c.Segments = append(c.Segments, elfcore.Segment{Addr: r.Addr, Size: uint32(r.Size), Source: s.program.rom, Exec: true})
		}
	}
	return elfcore.Write(w, c)
}

// addInterrupted adds what the hardware exception frames of the first frames of
// each thread restore. gdb takes a frame on the process stack from the main one,
// as a core has no PSP for it, and lldb unwinds no exception.
func (s *Session) addInterrupted(ctx context.Context, c *elfcore.Core) error {
	const searched = 64 // frames
	next := core.ThreadID(0)
	for _, t := range s.threads {
		next = max(next, t.ID)
	}
	for _, t := range s.threads {
		k, err := s.Stack(t.ID)
		if err != nil {
			return err
		}
		frames, err := k.Frames(ctx, 0, searched)
		if err != nil {
			return err
		}
		for i := 1; i < len(frames); i++ {
			if frames[i-1].Kind != KindException || frames[i].Core == nil || frames[i].Core.Trust.Guess() {
				continue
			}
			next++
			c.Threads = append(c.Threads, elfcore.Thread{
				Thread: core.Thread{ID: next}, Regs: frames[i].Core.Regs, Interrupted: t.ID,
			})
		}
	}
	return nil
}

// executable names the program for the core.
func (s *Session) executable() string {
	if s.program.path != "" {
		return s.program.path
	}
	for _, f := range s.facts {
		if f.Name == "program" {
			return f.Text
		}
	}
	return ""
}

// missing returns the parts of regions that the artefact does not hold.
func (s *Session) missing(regions []memmap.Region) []memmap.Region {
	var list []memmap.Region
	for _, r := range regions {
		from := uint64(r.Addr)
		for _, held := range s.regions {
			lo, hi := uint64(held.Addr), uint64(held.Addr)+uint64(held.Size)
			if hi <= from || lo >= r.End() {
				continue
			}
			if lo > from {
				list = append(list, memmap.Region{Addr: core.Addr(from), Size: lo - from})
			}
			from = hi
		}
		if from < r.End() {
			list = append(list, memmap.Region{Addr: core.Addr(from), Size: r.End() - from})
		}
	}
	return list
}
