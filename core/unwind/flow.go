package unwind

import (
	"slices"

	"pushmask/core"
	"pushmask/core/insn"
)

// flow applies an instruction that executes and follows where it leads. It
// reports whether control can reach the next instruction.
func (r *runner) flow(i *insn.Inst, s *state, cond insn.Cond) bool {
	switch i.Flow {
	case insn.FlowBranch:
		if s.linked(i) {
			j := directCall(*i, uint32(i.Target))
			return r.call(&j, s)
		}
		if back, ok := r.linkedTo(i, s); ok && !r.plan.Func.contains(i.Target) {
			r.comesBack(back, i, s)
			return cond != insn.AL
		}
		s.step(i, r.symbol(i.Addr), r.word)
		if !r.query {
			r.branch(r.at(i.Target), s)
		}
		return cond != insn.AL
	case insn.FlowCall:
		return r.call(i, s)
	case insn.FlowReg, insn.FlowLoad:
		if s.linked(i) {
			s.step(i, r.symbol(i.Addr), r.word)
			s.call()
			return true
		}
		if back, ok := r.linkedTo(i, s); ok {
			r.comesBack(back, i, s)
			return false
		}
		if !r.query {
			r.jump(i, s)
		}
		return false
	case insn.FlowTable:
		if !r.query {
			r.jumpTable(i, s)
		}
		return false
	case insn.FlowTrap:
		return false
	case insn.FlowOther:
		switch {
		case r.query:
		case i.ExceptionReturn:
			r.plan.exceptionReturn, r.plan.home = true, s.modes.home
		default:
			r.jumpOther(i, s)
		}
		return false
	}
	s.step(i, r.symbol(i.Addr), r.word)
	r.special(i, s)
	return true
}

// linkedTo returns where in the function a jump comes back to, if LR was set to
// an address there by hand.
func (r *runner) linkedTo(i *insn.Inst, s *state) (codePtr, bool) {
	v := s.regs[core.LR]
	if !v.isConst() || i.Flow == insn.FlowReg && i.Rm == core.LR {
		return codePtr{}, false
	}
	a, odd := core.CodeAddr(uint32(v.off))
	return codePtr{a, odd}, odd == i.Thumb && r.plan.Func.contains(a)
}

// comesBack follows a call by such a jump.
func (r *runner) comesBack(back codePtr, i *insn.Inst, s *state) {
	if r.query {
		return
	}
	after := *s
	after.step(i, r.symbol(i.Addr), r.word)
	after.call()
	r.an.reach(back, &after, 0, false)
}

// branch follows a direct branch: inside the function, to another function
// with the stack as it was at entry (a tail call), or to a part of this
// function that the compiler placed elsewhere (.cold). A boot loader that gives a
// program its own stack starts it: that was not called.
func (r *runner) branch(target codePtr, s *state) {
	f := &r.plan.Func
	if f.contains(target.addr) {
		r.an.reach(target, s, 0, false)
		return
	}
	if s.atEntryLevel() {
		r.plan.addTail(target)
		return
	}
	if !r.an.info.isData(target.addr) && !r.an.info.starts(target.addr) {
		r.an.reach(target, s, 0, false)
	}
}

// atEntryLevel reports whether the stack and LR are as the caller left them,
// which is what a tail call needs.
func (s *state) atEntryLevel() bool {
	return s.sp() == cfa(0) && s.regs[core.LR] == entry(core.LR)
}

func (p *Plan) addTail(target codePtr) {
	if !slices.Contains(p.tails, target) {
		p.tails = append(p.tails, target)
	}
}

// call handles a direct call.
func (r *runner) call(i *insn.Inst, s *state) bool {
	if r.query {
		s.step(i, r.symbol(i.Addr), r.word)
		s.afterUnruly(r.plan, i.Target)
		return true
	}
	info := r.an.info
	if k := info.switchHelper(i.Target); k != switchNone {
		r.helperTable(i, s, k)
		return false
	}
	if f := &r.plan.Func; i.Target > f.Entry && i.Target < f.End {
		if callsNext(i) {
			s.step(i, r.symbol(i.Addr), r.word)
			return true
		}
		if !info.subroutine(i.Target, f) {
			s.step(i, r.symbol(i.Addr), r.word)
			r.an.reach(r.at(i.Target), s, 0, false) // a branch too far for B in T16
			return false
		}
		if !slices.Contains(r.plan.inner, i.Target) {
			r.plan.inner = append(r.plan.inner, i.Target)
		}
		r.plan.addUnruly(called(i))
	} else if !f.Known {
		r.plan.addUnruly(called(i))
	}
	gone := info.noReturn(called(i))
	s.step(i, r.symbol(i.Addr), r.word)
	s.afterUnruly(r.plan, i.Target)
	if gone {
		if next := i.Next(); next < r.plan.Func.End && r.plan.Func.Known {
			r.an.deferred = append(r.an.deferred, deferred{next, r.block.thumb, s.snapshot()})
		}
		return false
	}
	return true
}

// callsNext tells calls of the next instruction, which go nowhere: what lld
// makes of a call of a weak function that is not there.
func callsNext(i *insn.Inst) bool {
	return i.Target == i.Next() && i.TargetThumb == i.Thumb
}

// linked tells the ARMv4 call: LR was set to the next instruction before PC is
// written (mov lr, pc; bx rN; or b, of clang).
func (s *state) linked(i *insn.Inst) bool {
	switch i.Flow {
	case insn.FlowBranch, insn.FlowReg, insn.FlowLoad:
		return !i.Thumb && s.regs[core.LR] == constant(int32(i.Next()))
	}
	return false
}

// jump handles writes of PC that are not calls.
func (r *runner) jump(i *insn.Inst, s *state) {
	if i.Flow == insn.FlowReg {
		r.jumpReg(i, s)
		return
	}
	r.jumpLoad(i, s)
}

// jumpReg handles bx and mov pc: a return where the register holds the
// caller's address, a jump through a table, or an indirect tail call.
func (r *runner) jumpReg(i *insn.Inst, s *state) {
	v := s.reg(i.Rm, i)
	switch {
	case v == entry(core.LR):
		r.plan.returns = true
		r.plan.nonSecure = r.plan.nonSecure || isBXNS(i)
	case v.base == baseTable:
		r.wordTable(core.Addr(v.off), s)
	case v.isConst():
		t, odd := core.CodeAddr(uint32(v.off))
		if i.Thumb && i.Op == insn.OpMove {
			odd = true // MOV of T32 stays in its state (Armv7-A ARM A8.8.104)
		}
		r.branch(codePtr{t, odd}, s)
	case s.atEntryLevel():
		r.plan.indirectTail = true
	case s.switched() && i.Rm == core.LR: // EXC_RETURN of another thread
	default:
		r.plan.indirectJump = true
	}
}

// jumpLoad handles loads of PC: a return from the stack, a jump to an address
// that the code put there (lld's long branch of v6-M), or a table of addresses.
func (r *runner) jumpLoad(i *insn.Inst, s *state) {
	ea, _ := s.address(i)
	if i.Op == insn.OpLoadMulti {
		n := int32(popcount(i.List))
		low, _ := span(s.reg(i.Rn, i), i.Multi, n)
		ea = low.add(4 * (n - 1)) // PC is the highest register
	}
	switch v := s.load(ea); {
	case ea.isAddr() && v.isConst():
		t, odd := core.CodeAddr(uint32(v.off))
		s.step(i, r.symbol(i.Addr), r.word)
		r.branch(codePtr{t, odd}, s)
	case ea.isAddr():
		r.plan.returns = r.plan.returns || v == entry(core.LR)
	case ea.base == baseIndex:
		r.wordTable(core.Addr(ea.off), s)
	case ea.isConst() && r.plan.text.at(core.Addr(ea.off)) != nil:
		if w, ok := r.word(core.Addr(ea.off)); ok {
			t, odd := core.CodeAddr(w)
			r.branch(codePtr{t, odd}, s)
		}
	case s.atEntryLevel():
		r.plan.indirectTail = true
	default:
		r.plan.indirectJump = true
	}
}

// jumpOther handles arithmetic on PC: a computed jump (add pc, rX), whose
// targets are not known, or an exception return.
func (r *runner) jumpOther(i *insn.Inst, s *state) {
	if i.Op == insn.OpAddReg && !i.Thumb {
		r.addPC(i, s)
		return
	}
	if i.Op == insn.OpAddReg && i.Thumb && r.offsetTable(i, s) {
		return
	}
	r.plan.indirectJump = true
}
