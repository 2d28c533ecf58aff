package unwind

import (
	"pushmask/core"
	"pushmask/core/insn"
)

// maxForward bounds the instructions followed from a PC to a return.
const maxForward = 4000

// forward simulates the current frame's code from its PC to the return and
// derives the row from what the return pops, with no knowledge of the
// prologue. It succeeds only if every return that is found agrees.
func (w *Walker) forward() (Row, bool) {
	c := &w.cur
	pc := c.frame.PC
	s := entryState()
	if !c.exact {
		s.call()
	}
	e := escape{w: w, seen: make(map[core.Addr]bool)}
	e.run(pc, s)
	if !e.found || e.conflict {
		return Row{}, false
	}
	return e.row, true
}

// escape follows code from a PC to its returns, breadth first.
type escape struct {
	w        *Walker
	seen     map[core.Addr]bool
	row      Row
	found    bool
	conflict bool
	steps    int
}

type escapePoint struct {
	pc core.Addr
	s  state
}

func (e *escape) run(pc core.Addr, s state) {
	queue := []escapePoint{{pc, s}}
	for len(queue) > 0 && e.steps < maxForward && !e.conflict {
		p := queue[0]
		queue = queue[1:]
		queue = append(queue, e.follow(p.pc, p.s)...)
	}
}

// follow runs to the end of straight-line code and returns where to go on.
func (e *escape) follow(pc core.Addr, s state) []escapePoint {
	var next []escapePoint
	for ; e.steps < maxForward; e.steps++ {
		if e.seen[pc] {
			return next
		}
		e.seen[pc] = true
		i, err := fetch(e.w.text, pc, e.w.cur.frame.Thumb)
		if err != nil {
			return next
		}
		sym := baseSym + base(e.steps)
		switch i.Flow {
		case insn.FlowBranch:
			s.step(&i, sym, e.word)
			if e.tail(&i, &s) {
				return next
			}
			next = append(next, escapePoint{i.Target, s})
			if !i.Conditional() {
				return next
			}
		case insn.FlowReg, insn.FlowLoad:
			if s.linked(&i) {
				s.step(&i, sym, e.word)
				s.call()
				break
			}
			e.leave(&i, s, sym)
			if !i.Conditional() {
				return next
			}
		case insn.FlowTable, insn.FlowOther, insn.FlowTrap, insn.FlowUndef:
			return next
		default:
			s.step(&i, sym, e.word)
		}
		pc = i.Next()
	}
	return next
}

// tail takes a branch to the start of a function as a return: the frame is
// gone by then, LR is the caller's.
func (e *escape) tail(i *insn.Inst, s *state) bool {
	if i.Conditional() || !s.sp().isCFA() {
		return false
	}
	f, ok := e.w.p.FuncAt(i.Target)
	if !ok || f.Entry != i.Target {
		return false
	}
	here, ok := e.w.p.FuncAt(i.Addr)
	if ok && here.Entry == f.Entry {
		return false
	}
	e.note(s.sp().off, s.regs[core.LR])
	return true
}

// leave handles the instruction that loads PC: the row follows from where the
// value comes from and what SP is afterwards.
func (e *escape) leave(i *insn.Inst, s state, sym base) {
	var ra value
	switch {
	case i.Flow == insn.FlowReg:
		ra = s.reg(i.Rm, i)
		s.step(i, sym, e.word)
	case i.Op == insn.OpLoadMulti:
		low, _ := span(s.reg(i.Rn, i), i.Multi, int32(popcount(i.List)))
		ra = e.slotValue(&s, low.add(4*int32(popcount(i.List)-1)))
		s.step(i, sym, e.word)
	case i.Op == insn.OpLoad:
		ea, _ := s.address(i)
		ra = e.slotValue(&s, ea)
		s.step(i, sym, e.word)
	default:
		return
	}
	if s.sp().isCFA() {
		e.note(s.sp().off, ra)
	}
}

// slotValue is what a stack word holds: what the simulated code put there, or
// else the word itself, named by its address through the base "table", as its
// only use is the return address.
func (e *escape) slotValue(s *state, at value) value {
	if v := s.load(at); v.known() {
		return v
	}
	if at.isCFA() && at.off >= 0 {
		return value{baseTable, at.off}
	}
	return unknown
}

// note records a return: SP at the PC plus off is the CFA.
func (e *escape) note(off int32, ra value) {
	r := Row{CFA: []CFARule{{Reg: core.SP, Off: off}}, HasRA: true}
	if q, ok := ra.entryReg(); ok {
		r.RA = Loc{Kind: LocReg, Reg: q}
	} else if ra.base == baseTable {
		r.RA = Loc{Kind: LocAtCFA, Off: ra.off - off}
	} else {
		return
	}
	if e.found && (e.row.CFA[0] != r.CFA[0] || e.row.RA != r.RA) {
		e.conflict = true
		return
	}
	e.row, e.found = r, true
}

func (e *escape) word(a core.Addr) (uint32, bool) { return word(e.w.text, a) }
