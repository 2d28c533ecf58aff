package unwind

import (
	"slices"

	"pushmask/core"
	"pushmask/core/insn"
)

// maxTraversed bounds the instructions that a traversal visits.
const maxTraversed = 4 << 20

// follow visits the instructions that branches and direct calls lead to from
// queue, each in its state, up to limit of them.
func (p *Program) follow(queue []codePtr, limit int, visit func(insn.Inst)) map[codePtr]bool {
	seen := make(map[codePtr]bool)
	ptrs := pointers{text: p.text}
	for len(queue) > 0 && len(seen) < limit {
		at := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		ptrs.known = 0
		for !seen[at] {
			seen[at] = true
			i, err := fetch(p.text, at.addr, at.thumb)
			if err != nil || i.Flow == insn.FlowUndef {
				break
			}
			if j, ok := p.pointed(&ptrs, &i); ok {
				i = j
			}
			ptrs.step(&i)
			visit(i)
			switch i.Flow {
			case insn.FlowCall:
				queue = append(queue, codePtr{i.Target, i.TargetThumb})
			case insn.FlowBranch:
				queue = append(queue, codePtr{i.Target, at.thumb})
			}
			if i.Flow == insn.FlowReg && i.Rm == core.PC && at.thumb {
				queue = append(queue, codePtr{(at.addr + 4) &^ 3, false}) // bx pc
			}
			if endsFlow(&i) || i.Flow == insn.FlowCall && (p.switchHelper(i.Target) != switchNone || p.noReturn(called(&i))) {
				break
			}
			at.addr = i.Next()
		}
	}
	return seen
}

// roots are the handlers of resets, each in the state that thumbState tells, and
// of A-profile's exceptions.
func (p *Program) roots(thumbState func(core.Addr) bool) []codePtr {
	list := slices.Clone(p.modeHandlers)
	for a := range p.resets {
		list = append(list, codePtr{a, thumbState(a)})
	}
	return list
}

// traverse reports the branches and direct calls that the code leads to from
// the entry and from what pointers lead to. What it does not reach is looked through linearly, in the state
// that most of the reached code has.
func (p *Program) traverse(call func(insn.Inst)) {
	queue := append(p.roots(func(core.Addr) bool { return p.entryThumb }), p.pointedRoots()...)
	inThumb := 0
	seen := p.follow(queue, maxTraversed, func(i insn.Inst) {
		if i.Thumb {
			inThumb++
		}
		if goesTo(&i) {
			call(i)
		}
	})
	p.sweepGaps(inThumb*2 > len(seen), seen, call)
}

// sweepGaps reports the calls and branches in code that was not reached, decoded in
// one state.
func (p *Program) sweepGaps(thumbState bool, seen map[codePtr]bool, call func(insn.Inst)) {
	for _, e := range p.text {
		end := e.lo + core.Addr(len(e.data))
		for pc := e.lo; pc < end; {
			i, err := fetch(p.text, pc, thumbState)
			if err != nil {
				break
			}
			reached := seen[codePtr{pc, thumbState}] || seen[codePtr{pc, !thumbState}]
			if goesTo(&i) && !reached && len(p.text.at(i.Target)) >= 2 {
				call(i)
			}
			pc = i.Next()
		}
	}
}

// endsFlow tells instructions that control does not pass.
func endsFlow(i *insn.Inst) bool {
	switch i.Flow {
	case insn.FlowBranch, insn.FlowReg, insn.FlowLoad, insn.FlowOther:
		return !i.Conditional()
	case insn.FlowTable, insn.FlowTrap:
		return true
	}
	return false
}

// Limits of the look at an instruction set.
const (
	maxSampled = 5_000 // instructions
	// maxWide is one in how many may look like a wide one: data behind calls
	// that do not come back.
	maxWide = 50
)

// isNarrow reports whether the code is in the T32 of v4T to v6-M, which has no
// wide branch: of 32-bit instructions only calls and accesses to the system; or
// in that of Armv8-M baseline, where gcc branches far by BL all the same.
func (d *discovery) isNarrow(p *Program) bool {
	queue := make([]codePtr, len(d.entries))
	for i, a := range d.entries {
		queue[i] = codePtr{a, d.thumb[i]}
	}
	for a := range p.resets {
		queue = append(queue, codePtr{a, p.profile == core.ProfileM || p.entryThumb}) // first
	}
	all, wide := 0, 0
	p.follow(queue, maxSampled, func(i insn.Inst) {
		if !i.Thumb {
			return
		}
		all++
		if i.Size == 4 && i.Flow != insn.FlowCall && i.Op != insn.OpMSR && i.Op != insn.OpMRS && !isBaseline(&i) {
			wide++
		}
	})
	return wide*maxWide < all
}

// isBaseline tells the 32-bit instructions that Armv8-M baseline has beyond v6-M
// and compilers make use of: B, MOVW, MOVT, SDIV, UDIV, SG (Armv8-M ARM A2.1).
func isBaseline(i *insn.Inst) bool {
	const wideMove, division = 0xf2400000, 0xfb90f0f0
	return i.Flow == insn.FlowBranch && !i.Conditional() || isGateway(i) ||
		i.Raw&0xfb708000 == wideMove || i.Raw&0xffd0f0f0 == division
}
