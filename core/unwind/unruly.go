package unwind

import (
	"slices"

	"pushmask/core"
	"pushmask/core/insn"
)

// unruly is a callee that may not keep to the procedure call standard: a
// subroutine inside of a function that calls it itself, or, without symbols, what
// may be one.
type unruly struct {
	entry  core.Addr
	regs   uint16 // bit n: it may leave another rn
	floats uint32 // bit n: it may leave another Sn
}

// maxUnruly bounds the instructions that are looked at for one callee.
const maxUnruly = 1000

// addUnruly looks at the callee at at. Of code inside of the function it takes all
// registers that it writes, of other code those of which it makes no copy before.
func (p *Plan) addUnruly(at codePtr) {
	if slices.ContainsFunc(p.unruly, func(c unruly) bool { return c.entry == at.addr }) {
		return
	}
	l := unrulyLook{plan: p, inside: p.Func.contains(at.addr), seen: make(map[core.Addr]bool)}
	p.unruly = append(p.unruly, l.callee(at))
}

// unrulyLook goes through a callee, and through what that calls while it keeps its
// return address in a register, as no ordinary function does.
type unrulyLook struct {
	plan   *Plan
	inside bool // the callee is inside of the function
	seen   map[core.Addr]bool
}

func (l *unrulyLook) callee(at codePtr) unruly {
	c, stored, savesLR := unruly{entry: at.addr}, unruly{}, false
	for queue := []core.Addr{at.addr}; len(queue) > 0; queue = queue[1:] {
		pc := queue[0]
		for len(l.seen) < maxUnruly && !l.seen[pc] && l.plan.Func.contains(pc) == l.inside {
			l.seen[pc] = true
			i, err := fetch(l.plan.text, pc, at.thumb)
			if err != nil || i.Flow == insn.FlowUndef {
				break
			}
			regs, floats := copied(&i)
			stored.regs |= regs &^ c.regs
			stored.floats |= floats &^ c.floats
			c.regs |= i.Defs
			c.floats |= writtenFloats(&i)
			savesLR = savesLR || i.Op != insn.OpMove && regs>>core.LR&1 != 0
			switch {
			case i.Flow == insn.FlowBranch:
				queue = append(queue, i.Target)
			case i.Flow == insn.FlowCall && !savesLR:
				inner := l.callee(called(&i))
				c.regs |= inner.regs
				c.floats |= inner.floats
			}
			if endsFlow(&i) {
				break
			}
			pc = i.Next()
		}
	}
	if !l.inside {
		c.regs &^= stored.regs
		c.floats &^= stored.floats
	}
	return c
}

// copied are the registers of which i makes copies.
func copied(i *insn.Inst) (regs uint16, floats uint32) {
	switch i.Op {
	case insn.OpStoreMulti:
		return i.List, 0
	case insn.OpStore, insn.OpStoreDual:
		return regMask(i.Rd, i.Rd2), 0
	case insn.OpMove:
		return regMask(i.Rm), 0
	case insn.OpVStore:
		return 0, transferred(i)
	}
	if m, ok := floatMove(i); ok && m.kind == fromFloat {
		floats = floatBit(m.first) | floatBit(m.first+1)
	}
	return 0, floats
}

// transferred is the mask of S registers of a multiple transfer.
func transferred(i *insn.Inst) (mask uint32) {
	for k := range uint32(i.Words) {
		mask |= floatBit(uint32(i.VFirst) + k)
	}
	return mask
}

// writtenFloats is floatWrites with the loads of several registers.
func writtenFloats(i *insn.Inst) uint32 {
	if i.Op == insn.OpVLoad {
		return transferred(i)
	}
	return floatWrites(i)
}

// afterUnruly forgets, behind a call to target, the registers of the caller that
// the callee may have changed.
func (s *state) afterUnruly(p *Plan, target core.Addr) {
	n := slices.IndexFunc(p.unruly, func(c unruly) bool { return c.entry == target })
	if n < 0 {
		return
	}
	c := &p.unruly[n]
	for r := core.R4; r <= core.R11; r++ {
		if c.regs>>r&1 != 0 && s.regs[r] == entry(r) {
			s.regs[r] = unknown
		}
	}
	for q := firstHigh; q <= core.S31; q++ {
		if c.floats>>(q-core.S0)&1 != 0 && s.fp[q-core.S0] == q {
			s.fp[q-core.S0] = core.NoReg
		}
	}
}
