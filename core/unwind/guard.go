package unwind

import (
	"pushmask/core"
	"pushmask/core/insn"
	"pushmask/core/thumb"
)

// guard decides the conditions of code whose instructions are executed
// together or not at all: an IT block, or in A32 a run of instructions with one
// condition and its opposite (pophi; bxhi lr).
type guard struct {
	set   bool
	cond  insn.Cond // condition that taken speaks of
	taken bool
}

// decides reports whether the guard says if an instruction under c executes.
func (g guard) decides(c insn.Cond) bool { return g.set && c < insn.AL && c|1 == g.cond|1 }

// holds reports whether an instruction under c executes.
func (g guard) holds(c insn.Cond) bool { return (c == g.cond) == g.taken }

// fork follows guarded code both ways where it moves SP or changes the flow in
// more than one instruction, and reports whether it did. i is the IT
// instruction, it the state behind it; or, in A32, the first guarded
// instruction.
func (r *runner) fork(i *insn.Inst, s *state, it thumb.ITState) bool {
	g := guard{set: true}
	from := i.Next()
	switch {
	case i.Op == insn.OpIT && i.Thumb:
		g.cond = it.Cond()
		if !r.blockMovesStack(from, it) {
			return false
		}
	case !i.Thumb && i.Cond < insn.AL:
		g.cond, from = i.Cond, i.Addr
		if !r.runMovesStack(i, g) {
			return false
		}
	default:
		return false
	}
	for _, taken := range [...]bool{true, false} {
		q := *r
		q.found, q.guard = nil, g
		q.guard.taken = taken
		way := *s
		q.run(from, &way, it)
		r.found = append(r.found, q.found...)
	}
	return true
}

// movesStack tells instructions that write SP or PC.
func movesStack(i *insn.Inst) bool {
	return i.Defs&(1<<core.SP) != 0 || i.Flow != insn.FlowNext
}

// blockMovesStack looks through an IT block.
func (r *runner) blockMovesStack(pc core.Addr, it thumb.ITState) bool {
	for it.InBlock() {
		i, err := fetch(r.plan.text, pc, true)
		if err != nil {
			return false
		}
		if movesStack(&i) {
			return true
		}
		pc, it = i.Next(), it.Next(i)
	}
	return false
}

// maxGuarded bounds a run of conditional A32 instructions.
const maxGuarded = 32

// runMovesStack looks through a run of at least two guarded A32 instructions.
func (r *runner) runMovesStack(first *insn.Inst, g guard) bool {
	moves := movesStack(first)
	pc := first.Next()
	n := 1
	for ; n < maxGuarded; n++ {
		i, err := fetch(r.plan.text, pc, false)
		if err != nil || !g.decides(i.Cond) {
			break
		}
		moves = moves || movesStack(&i)
		pc = i.Next()
	}
	return moves && n > 1
}

// holds evaluates a condition on the flags of a program status register
// (Armv7-A ARM A8.3, Armv7-M ARM A7.3).
func holds(c insn.Cond, psr uint32) bool {
	n, z, carry, v := psr>>31&1 != 0, psr>>30&1 != 0, psr>>29&1 != 0, psr>>28&1 != 0
	var h bool
	switch c &^ 1 {
	case insn.EQ:
		h = z
	case insn.CS:
		h = carry
	case 4: // MI, PL
		h = n
	case 6: // VS, VC
		h = v
	case insn.HI:
		h = carry && !z
	case 10: // GE, LT
		h = n == v
	case 12: // GT, LE
		h = n == v && !z
	default:
		return true
	}
	return h == (c&1 == 0)
}
