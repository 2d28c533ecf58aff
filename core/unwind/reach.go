package unwind

import (
	"slices"

	"pushmask/core"
	"pushmask/core/insn"
)

// maxTraversed bounds the instructions that a traversal visits.
const maxTraversed = 4 << 20

// follow visits the instructions that branches and direct calls lead to from
// queue, each in its state, up to limit of them. It adds them to seen. What was
// seen in the other state is not code in this one.
func (p *Program) follow(queue []codePtr, limit int, seen map[codePtr]bool, visit func(insn.Inst)) {
	ptrs := pointers{text: p.text}
	for len(queue) > 0 && len(seen) < limit {
		at := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		ptrs.known = 0
		for !seen[at] && !seen[codePtr{at.addr, !at.thumb}] {
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
// the entry, then from what pointers lead to, as far as that is not known to be
// of the other state. What it does not reach is looked through linearly, in the
// state that most of the reached code has.
func (p *Program) traverse(call func(insn.Inst)) {
	inThumb := 0
	seen := make(map[codePtr]bool)
	visit := func(i insn.Inst) {
		if i.Thumb {
			inThumb++
		}
		if goesTo(&i) {
			call(i)
		}
	}
	p.follow(p.roots(func(core.Addr) bool { return p.entryThumb }), maxTraversed, seen, visit)
	p.follow(p.pointedRoots(), maxTraversed, seen, visit)
	// What veneers in the gaps lead to is in the other state.
	p.follow(p.sweepGaps(inThumb*2 > len(seen), seen, call), maxTraversed, seen, visit)
}

// sweepGaps reports the calls and branches in code that was not reached, decoded
// in one state, and returns the veneers that they lead to.
func (p *Program) sweepGaps(thumbState bool, seen map[codePtr]bool, call func(insn.Inst)) (veneers []codePtr) {
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
				if to := (codePtr{i.Target, i.Thumb}); p.changesState(to) {
					veneers = append(veneers, to)
				}
			}
			pc = i.Next()
		}
	}
	return veneers
}

// changesState tells T32 code that goes on in A32 state at once: bx pc.
func (p *Program) changesState(at codePtr) bool {
	i, err := fetch(p.text, at.addr, at.thumb)
	return err == nil && at.thumb && i.Flow == insn.FlowReg && i.Rm == core.PC
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
	p.follow(queue, maxSampled, make(map[codePtr]bool), func(i insn.Inst) {
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
