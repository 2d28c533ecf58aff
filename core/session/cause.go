package session

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"pushmask/core"
	"pushmask/core/cause"
	"pushmask/core/dump/crash"
	"pushmask/core/insn"
	"pushmask/elfsym"
)

// Cause says why a thread stopped.
type Cause = cause.Cause

// causeDepth is how many activations of a stack a cause is looked for in, and
// causeReach how many of them without an exception: enough for what handlers
// call, and for the recursion of a stack overflow to show.
const (
	causeDepth = 24
	causeReach = 12
)

// Cause explains the stop of a thread from what the artefact and the images
// hold; see [cause.Explain]. Where nothing tells, it says so. An unknown thread
// has the zero Cause.
func (s *Session) Cause(ctx context.Context, id core.ThreadID) Cause {
	t, ok := s.Thread(id)
	if !ok {
		return Cause{}
	}
	in := &cause.Input{
		Profile: s.profile,
		Thread:  t,
		Memory:  s.quiet(s.memory),
		Own:     s.quiet(s.target.Memory()),
		Arm:     s.arm,
		Program: causeProgram{s},
	}
	if t.Crashed {
		in.Reported, in.ReportedDetails = reported(&s.told)
	}
	if regs, err := s.Registers(ctx, id); err == nil {
		in.Regs, in.Frames = regs, s.causeFrames(ctx, t.ID, regs)
	}
	return cause.Explain(in)
}

// causeFrames returns the youngest activations of a thread, by a walk of its own:
// the user's stack grows as the user asks, and may have a cap.
func (s *Session) causeFrames(ctx context.Context, id core.ThreadID, regs core.Regs) []cause.Frame {
	w := s.walk(id, regs, causeDepth)
	var frames []cause.Frame
	plain := 0
	for f, ok := w.Next(ctx); ok && plain < causeReach; f, ok = w.Next(ctx) {
		if plain++; f.Kind == core.FrameException {
			plain = 0
		}
		frame := cause.Frame{Frame: &f}
		for _, line := range s.symbolise(&f) {
			frame.Functions = append(frame.Functions, line.Function)
		}
		frames = append(frames, frame)
	}
	return frames
}

// reported returns what an artefact says of the cause. Details that readers put
// there themselves, and that say nothing of it, are left out.
func reported(t *crash.Told) (cause string, details []string) {
	for _, line := range t.Details {
		if !strings.HasPrefix(line, "EXC_RETURN ") && !strings.HasPrefix(line, "printed: ") {
			details = append(details, line)
		}
	}
	return joined(t.Cause, t.Location), details
}

// joined is "text at location", or what there is of it.
func joined(text, location string) string {
	if text == "" || location == "" {
		return cmp.Or(text, location)
	}
	return text + " at " + location
}

// causeProgram answers what core/cause asks about the images.
type causeProgram struct{ s *Session }

var _ cause.Program = causeProgram{}

// Content implements cause.Program.
func (c causeProgram) Content(a core.Addr) cause.Content {
	images := c.s.program.images
	if images.Empty() {
		return cause.ContentUnknown
	}
	for _, seg := range images.Segments() {
		if uint32(a)-seg.Addr < seg.MemSize {
			return c.contentOf(a, &seg)
		}
	}
	for _, seg := range images.Segments() {
		if uint32(a)-seg.PhysAddr < seg.FileSize {
			return cause.ContentConstant // where start-up code copies the segment from
		}
	}
	return cause.ContentNone
}

// contentOf says what is at an address of a segment.
func (c causeProgram) contentOf(a core.Addr, seg *elfsym.Segment) cause.Content {
	images := c.s.program.images
	_, inFunc := c.s.program.funcAt(a)
	state := images.State(uint32(a))
	code := (seg.Exec || inFunc) && state != elfsym.StateData
	writable := seg.Write || seg.PhysAddr != seg.Addr
	// A segment for both, as linkers make it of .data with functions in it, has
	// variables where no symbol says otherwise.
	known := !seg.Write || inFunc || state != elfsym.StateUnknown || !images.HasSymbols()
	switch {
	case code && writable && known:
		return cause.ContentCopied
	case writable:
		return cause.ContentVariable
	case code:
		return cause.ContentCode
	}
	return cause.ContentConstant
}

// Symbol implements cause.Program.
func (c causeProgram) Symbol(a core.Addr) string {
	return cmp.Or(c.s.program.symbolText(a), c.s.program.deviceText(a))
}

// Place implements cause.Program.
func (c causeProgram) Place(pc core.Addr) string {
	locs := c.s.program.locate(pc)
	if len(locs) > 0 && locs[0].Line > 0 {
		at := fmt.Sprintf("%s:%d", filepath.Base(locs[0].File), locs[0].Line)
		if locs[0].Function == "" {
			return at
		}
		return c.s.program.qualified(pc, locs[0].Function) + " at " + at
	}
	return c.s.program.symbolText(pc)
}

// Lookup implements cause.Program.
func (c causeProgram) Lookup(name string) (core.Addr, bool) {
	if c.s.program.images.Empty() {
		return 0, false
	}
	for _, sym := range c.s.program.images.Lookup(name) {
		return core.Addr(sym.Addr), true
	}
	return 0, false
}

// bodyLimit bounds the functions that are decoded as a whole, in bytes.
const bodyLimit = 32 << 10

// Body implements cause.Program.
func (c causeProgram) Body(pc core.Addr) []insn.Inst {
	fn, ok := c.s.program.extent(pc)
	if !ok || fn.End-fn.Entry > bodyLimit {
		return nil
	}
	items, _ := c.s.lister().decode(uint64(fn.Entry), uint64(fn.End), bodyLimit, 0)
	items = slices.DeleteFunc(items, func(x item) bool { return x.kind != itemCode })
	body := make([]insn.Inst, len(items))
	for i := range items {
		body[i] = items[i].inst
	}
	return body
}

// Thumb implements cause.Program.
func (c causeProgram) Thumb(a core.Addr) bool {
	return c.s.lister().stateAt(uint64(a)) == elfsym.StateThumb
}
