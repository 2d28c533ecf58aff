package runcontrol

import (
	"context"
	"errors"

	"pushmask/core"
	"pushmask/core/insn"
	"pushmask/elfsym"
)

// stepper carries out a step by source lines. The rules are gdb's (gdb manual,
// 5.2), which users know: a step ends at the first instruction of a statement of
// another line; in the middle of a line, as behind a return, it goes on to the
// next line; a call is entered where the function has lines, and the step ends
// behind its prologue.
type stepper struct {
	*runner
	over   bool      // calls are run as a whole
	target core.Addr // the one function to enter, 0 for any

	line    lineRange            // that the step is leaving
	inlined []elfsym.InlinedCode // the inlined calls that it began in
	left    bool                 // the function that the step began in has returned
	entered bool                 // the step has come into a function and is done
}

// stepStatement steps to the next line.
func (r *runner) stepStatement(ctx context.Context, m Motion) (*Event, error) {
	s := &stepper{runner: r, over: m.Kind == MotionNext, target: m.Addr}
	if err := r.catch.arm(ctx, true); err != nil {
		return nil, err
	}
	regs, err := r.regs(ctx)
	if err != nil {
		return nil, err
	}
	if !s.over && r.hidden > 0 {
		r.hidden--
		r.reveals = true
		return nil, nil
	}
	if !s.begin(pcOf(&regs), r.hidden) {
		return s.outOfUnknown(ctx)
	}
	for {
		if ev, err := s.advance(ctx); ev != nil || err != nil {
			return ev, err
		}
		done, err := s.settled(ctx)
		if done || err != nil {
			return nil, err
		}
	}
}

// begin takes the line at pc as the one to leave, that of a call where inlined
// frames are hidden; it is false where the code has no lines.
func (s *stepper) begin(pc core.Addr, hidden int) bool {
	line, ok := s.lines.at(pc)
	if !ok {
		return false
	}
	s.line, s.inlined = line, s.lines.inlined(pc)
	if hidden > 0 && hidden <= len(s.inlined) {
		call := s.lines.shown(pc, hidden)
		s.line.row.Line, s.line.row.File = call.Line, call.File
		s.inlined = s.inlined[:len(s.inlined)-hidden]
	}
	return true
}

// outOfUnknown leaves code without lines: to the caller and on to its next line.
// Where no caller is known it is a step of one instruction.
func (s *stepper) outOfUnknown(ctx context.Context) (*Event, error) {
	for {
		to, err := s.caller(ctx)
		if errors.Is(err, ErrNoCaller) {
			return s.single(ctx)
		}
		if err != nil {
			return nil, err
		}
		if ev, err := s.runTo(ctx, pcOf(to), sameStack(to)); ev != nil || err != nil {
			return ev, err
		}
		if s.begin(pcOf(to), 0) {
			break
		}
	}
	for {
		done, err := s.settled(ctx)
		if done || err != nil {
			return nil, err
		}
		if ev, err := s.advance(ctx); ev != nil || err != nil {
			return ev, err
		}
	}
}

// settled reports whether the step ends where the thread is, and takes another
// line as the one to leave where the thread is in the middle of it.
func (s *stepper) settled(ctx context.Context) (bool, error) {
	if s.entered {
		return true, nil
	}
	regs, err := s.regs(ctx)
	if err != nil {
		return false, err
	}
	pc := pcOf(&regs)
	if s.line.contains(pc) && !s.left && !s.deeper(pc) {
		return false, nil
	}
	here, ok := s.lines.at(pc)
	if !ok {
		return false, nil // advance leaves it
	}
	if s.left {
		s.left, s.inlined, s.line = false, s.lines.inlined(pc), here
		return uint32(pc) == here.lo && here.row.Stmt, nil
	}
	if s.deeper(pc) {
		return s.atInlined(pc), nil
	}
	if here.row.Line == 0 {
		return false, nil
	}
	other := here.row.Line != s.line.row.Line || here.row.File != s.line.row.File
	switch {
	case other && uint32(pc) == here.lo && here.row.Stmt:
		return true, nil
	case other && uint32(pc) == here.lo:
		return false, nil
	}
	s.line = here
	return false, nil
}

// atInlined reports whether the step ends in code that was inlined into the code
// that it began in: at a call on another line, and inside when calls are
// entered.
func (s *stepper) atInlined(pc core.Addr) bool {
	depth := len(s.lines.inlined(pc)) - len(s.inlined)
	if s.lines.beginning(pc) < depth {
		return !s.over // inside
	}
	call := s.lines.shown(pc, depth)
	if call.Line != s.line.row.Line || call.File != s.line.row.File {
		s.hidden, s.reveals = depth, true
		return true
	}
	if !s.over {
		s.hidden, s.reveals = depth-1, true
	}
	return !s.over
}

// deeper reports whether pc is in a call that was inlined into the code that the
// step began in.
func (s *stepper) deeper(pc core.Addr) bool {
	now := s.lines.inlined(pc)
	if len(now) <= len(s.inlined) {
		return false
	}
	for i := range s.inlined {
		if now[i].ID != s.inlined[i].ID {
			return false
		}
	}
	return true
}

// advance goes on by the least that may end the step: a call, a branch, or the
// rest of the line as far as it goes straight on.
func (s *stepper) advance(ctx context.Context) (*Event, error) {
	regs, err := s.regs(ctx)
	if err != nil {
		return nil, err
	}
	pc := pcOf(&regs)
	if s.over {
		if ev, done, err := s.overInlined(ctx, &regs); done || err != nil {
			return ev, err
		}
	}
	i, err := s.code.at(pc, s.inT32(&regs))
	if err != nil {
		return s.single(ctx) // the target knows what is there
	}
	runs := executes(&i, regs.Value(core.PSR))
	switch {
	case runs && isCall(&i) && s.over:
		return s.overCall(ctx, &i, &regs)
	case runs && isCall(&i):
		return s.into(ctx, &i, &regs)
	case runs && s.mayLeave(&i):
		return s.leaving(ctx, &regs)
	}
	hi := core.Addr(s.line.hi)
	if !s.line.contains(pc) {
		hi = pc // one instruction
		if here, ok := s.lines.at(pc); ok {
			hi = core.Addr(here.hi)
		}
	}
	return s.ahead(ctx, hi)
}

// mayLeave reports whether an instruction may leave the function other than by a
// call.
func (s *stepper) mayLeave(i *insn.Inst) bool {
	switch i.Flow {
	case insn.FlowReg, insn.FlowLoad, insn.FlowOther:
		return true
	case insn.FlowBranch:
		return !s.lines.sameFunction(i.Addr, i.Target)
	}
	return false
}

// leaving runs an instruction that may leave the function: by a return, by a
// jump to another function that returns in its place, or not at all.
func (s *stepper) leaving(ctx context.Context, before *core.Regs) (*Event, error) {
	to, err := s.caller(ctx)
	if err != nil && !errors.Is(err, ErrNoCaller) {
		return nil, err
	}
	if ev, err := s.single(ctx); ev != nil || err != nil {
		return ev, err
	}
	regs, err := s.regs(ctx)
	if err != nil {
		return nil, err
	}
	pc := pcOf(&regs)
	switch {
	case s.handedOn(pc):
		return s.begun(ctx, &regs)
	case to != nil && pc == pcOf(to) && sameStack(to)(&regs):
		return s.returned(ctx, pc)
	case s.lines.inside(pcOf(before), pc):
		return nil, nil // a table, a computed address
	case to == nil:
		s.left = true
		return nil, nil
	case s.over || !s.sameContext(to, &regs):
		if ev, err := s.runTo(ctx, pcOf(to), sameStack(to)); ev != nil || err != nil {
			return ev, err
		}
		return s.returned(ctx, pcOf(to))
	}
	return s.enter(ctx, to)
}

// returned goes on in the caller at pc; one without lines is left too.
func (s *stepper) returned(ctx context.Context, pc core.Addr) (*Event, error) {
	for {
		if _, ok := s.lines.at(pc); ok {
			s.left = true
			return nil, nil
		}
		to, err := s.caller(ctx)
		if errors.Is(err, ErrNoCaller) {
			s.entered = true // nowhere to go: the step ends here
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if ev, err := s.runTo(ctx, pcOf(to), sameStack(to)); ev != nil || err != nil {
			return ev, err
		}
		pc = pcOf(to)
	}
}
