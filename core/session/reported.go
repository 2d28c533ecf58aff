package session

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"pushmask/core"
	"pushmask/core/dump/crash"
)

// addReported makes the call stack that the writer of an artefact printed a
// stack of its own, which is never mixed with one that was unwound: that of the
// crashed thread where its PC is not in the artefact, so that there is nothing to
// unwind, otherwise that of a thread behind the others.
func (s *Session) addReported(ctx context.Context) {
	if len(s.told.Backtrace) == 0 {
		return
	}
	next := core.ThreadID(1)
	for i, t := range s.threads {
		next = max(next, t.ID+1)
		if regs, err := s.target.Registers(ctx, t.ID); i == 0 && t.Crashed && err == nil && !regs.Has(core.PC) {
			s.reported = t.ID
			return
		}
	}
	s.reported = next
	s.threads = append(s.threads, core.Thread{ID: next, Name: "as the firmware reports it"})
	if s.system.saved == nil {
		s.system.saved = make(map[core.ThreadID]core.Regs)
	}
	s.system.saved[next] = core.Regs{}
}

// Reported returns the thread whose stack is the one that the writer of the
// artefact printed. ok is false where it printed none. Frames of that stack have
// the trust [core.TrustReported].
func (s *Session) Reported() (id core.ThreadID, ok bool) { return s.reported, s.reported != 0 }

// isPrinted reports whether a thread is none of the machine but stands for the
// printed stack alone.
func (s *Session) isPrinted(t core.Thread) bool { return t.ID == s.reported && !t.Crashed }

// reportedStack returns the stack of the thread that Reported returns.
func (s *Session) reportedStack() *Stack {
	k := &Stack{session: s, ended: true}
	missing := 0
	for i := range s.told.Backtrace {
		frames := s.reportedCall(&s.told.Backtrace[i])
		if frames == nil {
			missing++
		}
		k.add(frames)
	}
	k.stop = core.Stop{Kind: core.StopReported, Detail: "the firmware reported no more calls; none of these is proven"}
	if missing > 0 {
		k.stop.Detail = fmt.Sprintf("none of these calls is proven; %d more have no address, and names that are not one function of the ELF", missing)
	}
	return k
}

// reportedCall returns the lines of one call that was printed, nil where its
// address is not known.
func (s *Session) reportedCall(c *crash.Call) []Frame {
	f := &core.Frame{PC: c.Addr, Lookup: c.Addr, Thumb: s.thumb, Trust: core.TrustReported, Why: "the firmware reported it"}
	exact := c.HasAddr
	if !exact {
		entry, offset, hasOffset, ok := s.namedCode(c.Name)
		if !ok {
			return nil
		}
		f.PC, f.Lookup = entry+offset, entry+offset
		f.Why, exact = "the firmware reported its name alone: the PC is the start of the function", hasOffset
	}
	if c.Return && c.HasAddr || !c.HasAddr && exact {
		f.Lookup -= 2 // inside of the call, which may be the last instruction of the function
	}
	if c.Name != "" {
		f.Why += fmt.Sprintf(", as %q", c.Name)
	}
	frames := s.symbolise(f)
	if !exact {
		frames = frames[len(frames)-1:] // what is inlined at the start of the function was not reported
		frames[0].File, frames[0].Recorded, frames[0].Found, frames[0].Line, frames[0].Column = "", "", false, 0, 0
	}
	s.reportedPlace(&frames[0], c.Location)
	return frames
}

// reportedPlace sets the source position that the writer printed, where the
// image has none: "src/main.rs:12:5".
func (s *Session) reportedPlace(f *Frame, place string) {
	parts := strings.Split(place, ":")
	if f.Line != 0 || len(parts) < 2 {
		return
	}
	line, err := strconv.Atoi(parts[1])
	if err != nil || line <= 0 {
		return
	}
	f.File, f.Found = s.program.files.Resolve(parts[0])
	f.Recorded, f.Line = parts[0], line
}

// namedCode finds the function of the image that a reported call names, which
// must be one: "main", "seq_printf+0x3c/0x5c [module]".
func (s *Session) namedCode(name string) (entry, offset core.Addr, hasOffset, ok bool) {
	if s.program.images.Empty() {
		return 0, 0, false, false
	}
	if function, rest, cut := strings.Cut(name, "+"); cut {
		digits, _, _ := strings.Cut(rest, "/")
		if n, err := strconv.ParseUint(digits, 0, 32); err == nil {
			name, offset, hasOffset = function, core.Addr(n), true
		}
	}
	for _, sym := range s.program.images.Lookup(name) {
		at := core.Addr(sym.Addr &^ 1)
		if !sym.Func || ok && at != entry {
			return 0, 0, false, false
		}
		entry, ok = at, true
	}
	return entry, offset, hasOffset, ok
}
