package runcontrol

import (
	"context"

	"pushmask/core"
	"pushmask/core/insn"
)

// into runs the call at the PC into the function, or over it where the function
// is not one to enter.
func (s *stepper) into(ctx context.Context, i *insn.Inst, regs *core.Regs) (*Event, error) {
	back := *regs
	back.Set(core.PC, uint32(i.Next()))
	if ev, err := s.single(ctx); ev != nil || err != nil {
		return ev, err
	}
	return s.enter(ctx, &back)
}

// maxStub is how many instructions a stub between a call and its function has:
// the longest of GNU ld has 8 (v6-M pure code), a PLT entry 4.
const maxStub = 12

// enter goes on from the first instruction behind a call, which returns to back:
// through stubs to a function with lines and to the end of its prologue, else to
// back.
func (s *stepper) enter(ctx context.Context, back *core.Regs) (*Event, error) {
	for range maxStub {
		regs, err := s.regs(ctx)
		if err != nil {
			return nil, err
		}
		pc := pcOf(&regs)
		switch {
		case pc == pcOf(back) && sameStack(back)(&regs):
			return nil, nil // it has come back already
		case s.handedOn(pc):
			return s.begun(ctx, &regs)
		}
		i, err := s.code.at(pc, s.inT32(&regs))
		if _, ok := s.lines.at(pc); ok && (err != nil || !s.isVector(&i)) {
			return s.stopIn(ctx, pc, back)
		}
		if err != nil || isCall(&i) || i.Defs>>core.SP&1 != 0 || i.Defs>>core.LR&1 != 0 {
			break
		}
		if ev, err := s.single(ctx); ev != nil || err != nil {
			return ev, err
		}
	}
	return s.runTo(ctx, pcOf(back), sameStack(back))
}

// isVector reports whether an instruction is an entry of a table of jumps, as the
// vectors of A- and R-profile are, which may have lines: a jump in the middle of
// a function to another one.
func (s *stepper) isVector(i *insn.Inst) bool {
	f, ok := s.lines.function(i.Addr)
	return ok && uint32(i.Addr) != f.Entry && i.Flow == insn.FlowBranch && !i.Conditional() && !s.lines.sameFunction(i.Addr, i.Target)
}

// stopIn ends the step in the function at pc, behind its prologue, unless it is
// not the one to enter.
func (s *stepper) stopIn(ctx context.Context, pc core.Addr, back *core.Regs) (*Event, error) {
	f, ok := s.lines.function(pc)
	if s.target != 0 && (!ok || core.Addr(f.Entry) != s.target&^1) {
		return s.runTo(ctx, pcOf(back), sameStack(back))
	}
	s.entered = true
	if !ok || uint32(pc) != f.Entry {
		return nil, nil
	}
	body := core.Addr(s.body(f).Addr)
	for pc < body {
		if ev, err := s.ahead(ctx, body); ev != nil || err != nil {
			return ev, err
		}
		regs, err := s.regs(ctx)
		if err != nil {
			return nil, err
		}
		now := pcOf(&regs)
		if now <= pc {
			break // the prologue has a loop, or calls: it is no prologue to run over
		}
		pc = now
	}
	return nil, nil
}

// StepInTarget is a function that a step from a stopped place may enter.
type StepInTarget struct {
	Addr core.Addr // of its entry: the Addr of the Motion
	Name string
	Line int // of the call, from 1
}

// StepInTargets lists the functions that the rest of the line, at which a thread
// stopped, calls directly, in the order of the code. Stubs are followed to the
// function behind them.
func (l *Live) StepInTargets(ctx context.Context, id core.ThreadID) ([]StepInTarget, error) {
	s, err := l.Session()
	if err != nil {
		return nil, err
	}
	regs, err := s.Registers(ctx, id)
	if err != nil {
		return nil, err
	}
	pc := pcOf(&regs)
	line, ok := l.lines.at(pc)
	if !ok {
		return nil, nil
	}
	f, _ := l.lines.function(pc)
	var list []StepInTarget
	for at := pc; uint32(at) < f.End; {
		here, ok := l.lines.at(at)
		i, err := l.code.at(at, l.t32At(at))
		if !ok || err != nil || i.Size == 0 || here.row.Line != line.row.Line || here.row.File != line.row.File {
			break
		}
		if i.Flow == insn.FlowCall {
			entry := l.behindStub(i.Target, i.TargetThumb)
			list = append(list, StepInTarget{Addr: entry, Name: l.program.FunctionName(entry), Line: line.row.Line})
		}
		at = i.Next()
	}
	return list, nil
}
