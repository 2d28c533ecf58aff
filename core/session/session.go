// Package session is the one API that the debug adapter, the language server
// and the command line use: it opens images and a dump, checks that they
// belong together, and answers threads, stacks, memory, instructions and
// expressions in terms that need no further symbolisation.
package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"pushmask/core"
	"pushmask/core/dump"
	"pushmask/core/dump/crash"
	"pushmask/core/exc"
)

// Session is a stopped target with its program. It is not safe for concurrent
// use: its user owns it.
type Session struct {
	program  *Program
	target   core.Target
	close    func() error
	format   string
	warnings []string
	held     *dump.Dump // the artefact, nil where the target is none
	mismatch mismatch
	regions  []dump.Region
	facts    []Fact
	arm      exc.ArmFaults
	told     crash.Told
	reported core.ThreadID // whose stack is the printed one, 0 for none
	profile  core.Profile
	memory   core.Memory
	threads  []core.Thread
	system   system
	stacks   map[core.ThreadID]*Stack
	hidden   map[core.ThreadID]int // inlined frames that are not shown
	thumb    bool                  // state of code that nothing else is known of
}

// DumpOptions say how to open a crash artefact.
type DumpOptions = dump.Options

// OpenDump opens a crash artefact of the program. The error is an
// [*OpenError].
func (p *Program) OpenDump(ctx context.Context, path string, opt DumpOptions) (*Session, error) {
	full := p.cfg.abs(path)
	p.cfg.progress("reading " + filepath.Base(path))
	d, err := dump.Open(full, p.cfg.absolute(opt))
	if err != nil {
		if part, ok := errors.AsType[*dump.PartError](err); ok {
			path, full, err = part.Path, part.Path, part.Err
		}
		e := dumpError(path, full, err)
		e.Hint = cmp.Or(p.rawHint(path, full, err), e.Hint)
		return nil, e
	}
	s, err := p.attach(ctx, d)
	if err != nil {
		d.Close()
		return nil, dumpError(path, full, err)
	}
	return s, nil
}

// OpenReader opens a crash artefact of size bytes that r holds, which is called
// name. The session reads from r for as long as it is used. The error is an
// [*OpenError].
func (p *Program) OpenReader(ctx context.Context, name string, r io.ReaderAt, size int64, opt DumpOptions) (*Session, error) {
	d, err := dump.OpenReader(r, size, opt)
	if err != nil {
		return nil, dumpError(name, name, err)
	}
	s, err := p.attach(ctx, d)
	if err != nil {
		return nil, dumpError(name, name, err)
	}
	return s, nil
}

// attach joins a dump with the program; closing the session closes the dump.
func (p *Program) attach(ctx context.Context, d *dump.Dump) (*Session, error) {
	program, err := p.placed(ctx, d)
	if err != nil {
		return nil, err
	}
	s, err := program.newSession(ctx, d)
	if err != nil {
		if program != p {
			program.Close()
		}
		return nil, err
	}
	s.held, s.close, s.format, s.regions = d, d.Close, d.Format, d.Regions
	if program != p {
		s.close = func() error { return errors.Join(d.Close(), program.Close()) }
	}
	s.facts = facts(d)
	s.arm, s.told = d.Arm, d.Told
	s.warnings = append(s.warnings, d.Warnings...)
	s.addReported(ctx)
	if s.mismatch = s.compare(ctx, d); s.mismatch.text != "" {
		s.warnings = append(s.warnings, s.mismatch.text)
	}
	return s, nil
}

// newSession joins a stopped target with the program.
func (p *Program) newSession(ctx context.Context, t core.Target) (*Session, error) {
	s, err := p.OpenTarget(ctx, t)
	if err != nil {
		return nil, err
	}
	s.settleImage(ctx)
	s.joinSystem(ctx, nil)
	return s, nil
}

// defaultThumb tells in which instruction set code of unknown state is shown:
// T32 on M-profile, elsewhere what the crashed thread was executing (CPSR.T,
// bit 5).
func (s *Session) defaultThumb(ctx context.Context) bool {
	const cpsrT = 1 << 5
	if s.profile == core.ProfileM || len(s.threads) == 0 {
		return true
	}
	regs, err := s.target.Registers(ctx, s.threads[0].ID)
	return err == nil && regs.Value(core.PSR)&cpsrT != 0
}

// Close closes the artefact. The program stays open.
func (s *Session) Close() error { return s.close() }

// Program returns the program that the session was opened with, at the
// addresses where it ran: one of its own, closed with the session, where those
// are not the addresses of the ELF.
func (s *Session) Program() *Program { return s.program }

// Target returns the stopped machine itself, which knows nothing of the threads
// of an operating system that were found in its memory.
func (s *Session) Target() core.Target { return s.target }

// Profile returns the architecture profile: that of the main image, or where there
// is none what the artefact looks like.
func (s *Session) Profile() core.Profile { return s.profile }

// Memory returns the target's memory over the read-only and executable
// segments of the images. Writable data that the artefact does not hold is a
// hole: the initial values of an image are not the values at the stop.
func (s *Session) Memory() core.Memory { return s.memory }

// Format names the format of the artefact for people.
func (s *Session) Format() string { return s.format }

// Warnings lists what makes the artefact less than whole or doubtful: what the
// reader found, and signs that artefact and image do not belong together.
func (s *Session) Warnings() []string { return s.warnings }

// Threads lists the threads, the crashed or running one first, with those of
// the operating system that were found in memory.
func (s *Session) Threads() []core.Thread { return s.threads }

// Thread returns the thread with the given ID.
func (s *Session) Thread(id core.ThreadID) (core.Thread, bool) {
	for _, t := range s.threads {
		if t.ID == id {
			return t, true
		}
	}
	return core.Thread{}, false
}

// Regions lists the memory that the artefact holds, ascending; nil without an
// artefact.
func (s *Session) Regions() []dump.Region { return s.regions }

// Fact is a thing that an artefact says of itself.
type Fact struct{ Name, Text string }

// Facts lists what the artefact says of the system and the program that it is
// of, as far as it does.
func (s *Session) Facts() []Fact { return s.facts }

func facts(d *dump.Dump) []Fact {
	var list []Fact
	id := ""
	if len(d.BuildID) > 0 {
		id = fmt.Sprintf("%x", d.BuildID)
	}
	for _, f := range []Fact{
		{"system", d.System},
		{"program", d.Executable},
		{"arguments", d.Arguments},
		{"build id", id},
		{"time", d.Time},
	} {
		if f.Text != "" {
			list = append(list, f)
		}
	}
	return list
}
