package session

import (
	"context"
	"io"

	"pushmask/core/elfcore"
)

// WriteCore writes the stopped target as an ELF core: all threads with their
// registers and the memory that the artefact holds. With flash it adds what of
// the images' constant memory the artefact does not hold, for debuggers that are
// given no ELF.
func (s *Session) WriteCore(ctx context.Context, w io.Writer, flash bool) error {
	c := &elfcore.Core{Profile: s.profile, Program: s.executable()}
	threads, err := s.DebuggerThreads(ctx)
	if err != nil {
		return err
	}
	for _, t := range threads {
		c.Threads = append(c.Threads, elfcore.Thread{Thread: t.Thread, Regs: t.Regs, Interrupted: t.Interrupted})
	}
	for _, r := range s.regions {
		c.Segments = append(c.Segments, elfcore.Segment{
			Addr: r.Addr, Size: r.Size, Source: s.target.Memory(), Write: true, Exec: true,
		})
	}
	if flash {
		for _, r := range s.ImageRegions() {
			c.Segments = append(c.Segments, elfcore.Segment{Addr: r.Addr, Size: r.Size, Source: s.program.rom, Exec: true})
		}
	}
	return elfcore.Write(w, c)
}

// executable names the program for the core.
func (s *Session) executable() string {
	if s.program.Path() != "" {
		return s.program.Path()
	}
	for _, f := range s.facts {
		if f.Name == "program" {
			return f.Text
		}
	}
	return ""
}
