package unwind

import (
	"slices"

	"pushmask/core"
	"pushmask/core/insn"
)

// maxVeneer bounds the instructions of a veneer.
const maxVeneer = 6

// addVeneers counts the calls of veneers among those of the functions that they
// lead to: what linkers put between a call and a function that is too far away
// or of the other instruction set state.
func (c *callSites) addVeneers(p *Program) {
	for _, v := range slices.Clone(c.starts) {
		goal, branch, ok := p.veneerGoal(v)
		if !ok || goal.addr == v.addr || len(c.calls[v.addr]) == 0 {
			continue
		}
		c.start(p, goal)
		c.veneered[goal.addr] = append(c.veneered[goal.addr], c.calls[v.addr]...)
		if branch {
			c.jumps[goal.addr]--
		}
	}
}

// veneerGoal returns where the code at v goes on to without writing more than
// the scratch register of veneers (r12, AAPCS32 6.1.1), and whether by a branch.
func (p *Program) veneerGoal(v codePtr) (goal codePtr, branch, ok bool) {
	ptrs := pointers{text: p.text}
	for range maxVeneer {
		i, err := fetch(p.text, v.addr, v.thumb)
		if err != nil || i.Conditional() || i.Defs&^(1<<core.R12|1<<core.PC) != 0 {
			return codePtr{}, false, false
		}
		ptr, _, known := ptrs.target(&i)
		switch {
		case i.Flow == insn.FlowBranch:
			return codePtr{i.Target, v.thumb}, true, true
		case i.Flow == insn.FlowReg && i.Rm == core.PC && v.thumb:
			v = codePtr{(v.addr + 4) &^ 3, false}
			continue
		case i.Flow == insn.FlowReg && known:
			a, odd := core.CodeAddr(ptr)
			return codePtr{a, odd}, false, true
		case i.Flow == insn.FlowLoad && i.Op == insn.OpLoad && i.Rn == core.PC && i.Index == insn.Offset:
			w, ok := word(p.text, readPC(&i)+core.Addr(i.Imm))
			a, odd := core.CodeAddr(w)
			return codePtr{a, odd}, false, ok
		case i.Flow != insn.FlowNext || i.Op == insn.OpStore:
			return codePtr{}, false, false
		}
		ptrs.step(&i)
		v.addr = i.Next()
	}
	return codePtr{}, false, false
}
