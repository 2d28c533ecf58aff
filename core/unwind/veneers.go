package unwind

import (
	"pushmask/core"
	"pushmask/core/insn"
)

// maxVeneer bounds the instructions of a veneer.
const maxVeneer = 6

// addVeneers counts the calls of veneers among those of the functions that they
// lead to: what linkers put between a call and a function that is too far away
// or of the other instruction set state.
func (d *discovery) addVeneers(p *Program) {
	for k, v := range d.entries {
		goal, branch, ok := p.veneerGoal(codePtr{v, d.thumb[k]})
		if !ok || goal == v || len(d.calls[v]) == 0 {
			continue
		}
		d.veneered[goal] = append(d.veneered[goal], d.calls[v]...)
		if branch {
			d.jumps[goal]--
		}
	}
}

// sites lists the direct calls of the function at entry, through veneers too.
func (d *discovery) sites(entry core.Addr) []core.Addr {
	if len(d.veneered[entry]) == 0 {
		return d.calls[entry]
	}
	return append(d.calls[entry][:len(d.calls[entry]):len(d.calls[entry])], d.veneered[entry]...)
}

// veneerGoal returns where the code at v goes on to without writing more than
// the scratch register of veneers (r12, AAPCS32 6.1.1), and whether by a branch.
func (p *Program) veneerGoal(v codePtr) (goal core.Addr, branch, ok bool) {
	ptrs := pointers{text: p.text}
	for range maxVeneer {
		i, err := fetch(p.text, v.addr, v.thumb)
		if err != nil || i.Conditional() || i.Defs&^(1<<core.R12|1<<core.PC) != 0 {
			return 0, false, false
		}
		ptr, _, known := ptrs.target(&i)
		switch {
		case i.Flow == insn.FlowBranch:
			return i.Target, true, true
		case i.Flow == insn.FlowReg && known:
			return core.Addr(ptr &^ 1), false, true
		case i.Flow == insn.FlowReg && i.Rm == core.PC && v.thumb:
			v = codePtr{(v.addr + 4) &^ 3, false}
			continue
		case i.Flow == insn.FlowLoad && i.Op == insn.OpLoad && i.Rn == core.PC && i.Index == insn.Offset:
			w, ok := word(p.text, readPC(&i)+core.Addr(i.Imm))
			return core.Addr(w &^ 1), false, ok
		case i.Flow != insn.FlowNext || i.Op == insn.OpStore:
			return 0, false, false
		}
		ptrs.step(&i)
		v.addr = i.Next()
	}
	return 0, false, false
}
