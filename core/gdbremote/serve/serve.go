// Package serve answers the GDB remote serial protocol for an opened crash, so
// that gdb, lldb and what is built on them (Cortex-Debug) can look at any
// artefact that core/session opens. cmd/pushmask imports it. It unwinds nothing
// itself and runs nothing: the machine is at rest.
//
// The protocol is that of "Debugging with GDB", appendix E; the sections named
// in comments are of that appendix. Packets of lldb are those of its
// docs/resources/lldbgdbremote.md.
//
// What clients are told where they ask for more than a crash has, and why, as
// tried with gdb 13.1, lldb 16.0.6 and lldb 19.1.7:
//
//   - Running and stepping (c, s, vCont) print a line on the client's console
//     and stop at once, where the thread stands, with the signal of the crash.
//     An error would do for gdb; lldb takes it as a lost connection and ends the
//     session ("lost connection"). The signal is never SIGTRAP: gdb's "next" takes
//     that as a step that is not at the next line yet, and steps for ever (11,000
//     packets in 5 s). TestResume, TestGDBSurvives, TestLLDBSurvives.
//   - Writes (M, X, G, P) and breakpoints (Z) are refused with an error. gdb
//     learns from a memory map of ROM alone that memory cannot be written, and
//     does not try.
//   - Registers without a value are "x" digits for gdb, which shows
//     <unavailable>. lldb reads those digits as bytes 0xcc (d0 becomes -9.2e+61):
//     for a client of its packets "g" is refused where a value is missing, so that
//     it asks for each register, and "p" for one without a value.
//   - Errors of m and x are a number: "E." and a text would be data for lldb.
//   - qHostInfo and qProcessInfo have no answer: any triple in them that is not to
//     the letter that of the ELF makes lldb drop the ELF that the user gave.
package serve

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"slices"

	"pushmask/core"
	"pushmask/core/session"
)

// Options configure a [Stub]. The zero value is good.
type Options struct {
	Log *slog.Logger // packets at the level debug; nil discards
	// Monitor lists what "monitor" knows beside help.
	Monitor []Command
	// AllowRemote lets [Stub.Listen] accept an address that is not loopback.
	AllowRemote bool
	// Once ends [Stub.Listen] when the first client has left.
	Once bool
	// Listening, when set, is told the address that [Stub.Listen] has bound.
	Listening func(net.Addr)
}

// Command is a command of "monitor". Run writes lines for the user; it must
// not keep w.
type Command struct {
	Name, Help string
	Run        func(ctx context.Context, w io.Writer, args []string) error
}

// Stub is a crash as a GDB stub. It serves one client after the other, and uses
// the session, which is for one goroutine at a time, while it does.
type Stub struct {
	session *session.Session
	opt     Options
	log     *slog.Logger
	threads []session.DebuggerThread // never empty
	regs    []register               // in the order of "g"
	regions []region                 // ascending
	path    string                   // of the ELF, absolute; "" without one
	causes  map[core.ThreadID]session.Cause
}

// New prepares a crash to be served. It fails with [ErrNoPC] for one of which no
// thread has a PC.
func New(ctx context.Context, s *session.Session, opt Options) (*Stub, error) {
	threads, err := s.DebuggerThreads(ctx)
	if err != nil {
		return nil, err
	}
	if err := standingFirst(threads); err != nil {
		return nil, err
	}
	stub := &Stub{
		session: s, opt: opt, log: opt.Log, threads: threads,
		causes: make(map[core.ThreadID]session.Cause),
	}
	if stub.log == nil {
		stub.log = slog.New(slog.DiscardHandler)
	}
	for i := range threads {
		completeStackPointers(s.Profile(), &threads[i].Regs)
	}
	stub.regs = registersOf(s.Profile(), threads)
	stub.regions = regionsOf(s)
	if path := s.Program().Path(); path != "" {
		if stub.path, err = filepath.Abs(path); err != nil {
			return nil, fmt.Errorf("find the ELF: %w", err)
		}
	}
	return stub, nil
}

// standingFirst puts a thread with a PC first, the one that crashed if it has one:
// gdb ends a session where the thread that stopped has none.
func standingFirst(threads []session.DebuggerThread) error {
	first := slices.IndexFunc(threads, func(t session.DebuggerThread) bool { return t.Regs.Has(core.PC) })
	if first < 0 {
		return ErrNoPC
	}
	threads[0], threads[first] = threads[first], threads[0]
	return nil
}

// thread returns the thread with an ID.
func (s *Stub) thread(id core.ThreadID) (*session.DebuggerThread, bool) {
	for i := range s.threads {
		if s.threads[i].ID == id {
			return &s.threads[i], true
		}
	}
	return nil, false
}

// cause explains the stop of a thread of the machine.
func (s *Stub) cause(ctx context.Context, id core.ThreadID) session.Cause {
	c, ok := s.causes[id]
	if !ok {
		c = s.session.Cause(ctx, id)
		s.causes[id] = c
	}
	return c
}
