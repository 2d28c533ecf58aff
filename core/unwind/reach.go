package unwind

import (
	"slices"

	"pushmask/core"
	"pushmask/core/insn"
	"pushmask/core/thumb"
)

// maxTraversed bounds the instructions that a traversal visits.
const maxTraversed = 4 << 20

// reachedCode marks the instructions that control flow reaches.
type reachedCode struct {
	text   imageText
	states [][]uint8 // of each halfword of each extent
	n      int       // instructions
	inT32  int       // of them in T32 state
}

// The marks of an instruction.
const (
	reachedA32 = 1 << iota
	reachedT32
)

func (p *Program) reachedNothing() *reachedCode {
	r := &reachedCode{text: p.text, states: make([][]uint8, len(p.text))}
	for i, e := range p.text {
		r.states[i] = make([]uint8, len(e.data)/2+1)
	}
	return r
}

// at returns the marks of a, nil outside of the code.
func (r *reachedCode) at(a core.Addr) *uint8 {
	for i := range r.text {
		if e := &r.text[i]; e.contains(a) {
			return &r.states[i][(a-e.lo)/2]
		}
	}
	return nil
}

// add marks the instruction at at and reports whether that is new. What was
// reached in the other state is not code in this one.
func (r *reachedCode) add(at codePtr) bool {
	m := r.at(at.addr)
	state := uint8(reachedA32)
	if at.thumb {
		state = reachedT32
	}
	if m == nil || *m != 0 {
		return false
	}
	*m |= state
	r.n++
	if at.thumb {
		r.inT32++
	}
	return true
}

// follow visits the instructions that branches and direct calls lead to from
// queue, each in its state, up to limit of them beside those that were reached
// before. lr is what code has put into LR by itself before a jump, 0 elsewhere.
func (p *Program) follow(reached *reachedCode, queue []codePtr, limit int, visit func(i *insn.Inst, lr uint32)) {
	ptrs := pointers{text: p.text}
	for limit += reached.n; len(queue) > 0 && reached.n < limit; {
		at := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		ptrs.forget()
		for reached.add(at) {
			i, err := fetch(p.text, at.addr, at.thumb)
			if err != nil || i.Flow == insn.FlowUndef {
				break
			}
			if j, ok := p.pointed(&ptrs, &i); ok {
				i = j
			}
			ptr, _, known := ptrs.target(&i)
			lr, _ := ptrs.link(&i)
			ptrs.step(&i)
			visit(&i, lr)
			switch i.Flow {
			case insn.FlowReg:
				if a, odd := core.CodeAddr(ptr); known && (odd || a&3 == 0) {
					queue = append(queue, codePtr{a, odd})
				}
			case insn.FlowCall:
				queue = append(queue, codePtr{i.Target, i.TargetThumb})
			case insn.FlowBranch:
				queue = append(queue, codePtr{i.Target, at.thumb})
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

// maxGapRounds bounds how often code is followed that only code which nothing
// reaches calls: landing pads, virtual functions.
const maxGapRounds = 3

// traverse reports the branches and direct calls that the code leads to from
// the entry and from what pointers lead to, and what the code between calls;
// and the jumps with LR set by hand.
func (p *Program) traverse(call func(*insn.Inst), link func(i *insn.Inst, lr uint32)) {
	report := func(i *insn.Inst, lr uint32) {
		if lr != 0 {
			link(i, lr)
		}
		if goesTo(i) {
			call(i)
		}
	}
	reached := p.reachedNothing()
	p.follow(reached, p.roots(func(a core.Addr) bool { return p.entryThumb[a] }), maxTraversed, report)
	queue := p.pointedRoots()
	p.follow(reached, queue, maxTraversed, report)
	for range maxGapRounds {
		queue = queue[:0]
		p.sweepGaps(reached, func(i *insn.Inst) {
			to := codePtr{i.Target, i.Thumb}
			if i.Flow == insn.FlowCall {
				to = called(i)
			} else if !p.changesState(to) {
				return
			}
			if *reached.at(to.addr) == 0 {
				queue = append(queue, to)
			}
		})
		if len(queue) == 0 {
			break
		}
		p.follow(reached, queue, maxTraversed, report)
	}
	p.sweepGaps(reached, call)
}

// sweepGaps reports the calls and branches in code that was not reached: a gap
// is taken to be in the state of the code before it.
func (p *Program) sweepGaps(reached *reachedCode, call func(*insn.Inst)) {
	for n, e := range p.text {
		thumbState := reached.inT32*2 > reached.n
		end := e.lo + core.Addr(len(e.data))
		for pc := e.lo; pc < end; {
			m := reached.states[n][(pc-e.lo)/2]
			if m != 0 {
				thumbState = m&reachedT32 != 0
			}
			if !thumbState && pc&3 != 0 {
				pc = (pc + 3) &^ 3
				continue
			}
			if n := passes(e.data[pc-e.lo:], thumbState); n > 0 {
				pc += core.Addr(n)
				continue
			}
			i, err := fetch(p.text, pc, thumbState)
			if err != nil {
				break
			}
			if m == 0 && goesTo(&i) && len(p.text.at(i.Target)) >= 2 {
				call(&i)
			}
			pc = i.Next()
		}
	}
}

// passes returns the size of the instruction at the start of b if it can be told
// at a glance that it is no direct branch or call, 0 otherwise.
func passes(b []byte, thumbState bool) int {
	switch {
	case thumbState:
		return thumb.Straight(b)
	case len(b) >= 4 && b[3]>>1&7 != 5: // B, BL, BLX: Armv7-A ARM A5.5
		return 4
	}
	return 0
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
	queue := slices.Clone(d.entries)
	for a := range p.resets {
		queue = append(queue, codePtr{a, p.profile == core.ProfileM || p.entryThumb[a]}) // first
	}
	all, wide := 0, 0
	p.follow(p.reachedNothing(), queue, maxSampled, func(i *insn.Inst, _ uint32) {
		if !i.Thumb {
			return
		}
		all++
		if i.Size == 4 && i.Flow != insn.FlowCall && i.Op != insn.OpMSR && i.Op != insn.OpMRS && !isBaseline(i) {
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
