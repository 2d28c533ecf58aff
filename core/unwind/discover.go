package unwind

import (
	"slices"

	"pushmask/core"
	"pushmask/core/insn"
	"pushmask/elfsym"
)

// discovery holds the functions found by looking at the code, for images
// without symbols and for gaps between symbols.
type discovery struct {
	calls   map[core.Addr][]core.Addr // direct call sites by target
	jumps   map[core.Addr]bool        // targets of branches
	setsPSP bool                      // some code writes PSP
	entries []core.Addr               // ascending
	ends    []core.Addr               // end of the extent that holds the entry
	thumb   []bool
}

// discoverFunctions collects the targets of direct calls and the vector table.
func discoverFunctions(p *Program) discovery {
	d := discovery{calls: make(map[core.Addr][]core.Addr), jumps: make(map[core.Addr]bool)}
	seen := make(map[core.Addr]bool)
	add := func(a core.Addr, th bool) {
		if !seen[a] && len(p.text.at(a)) >= 2 {
			seen[a] = true
			d.entries = append(d.entries, a)
			d.thumb = append(d.thumb, th)
		}
	}
	table, _ := p.vectors()
	for _, v := range table {
		add(v.handler, true)
	}
	for a := range p.resets {
		add(a, p.thumb(a))
	}
	call := func(i *insn.Inst) {
		switch {
		case i.Op == insn.OpMSR:
			d.setsPSP = d.setsPSP || i.Imm == sysPSP
			return
		case i.Flow == insn.FlowBranch:
			d.jumps[i.Target] = true
			return
		}
		add(i.Target, i.TargetThumb)
		d.calls[i.Target] = append(d.calls[i.Target], i.Addr)
	}
	wide := 0
	if p.stateless() {
		wide = p.traverse(call)
	} else {
		for _, e := range p.text {
			wide += sweep(p, e, call)
		}
	}
	d.sort(p)
	if wide == 0 {
		d.dropFarBranches(p)
	}
	return d
}

// maxFarRounds bounds how often entries are looked at again, knowing which
// others are targets of far branches.
const maxFarRounds = 4

// dropFarBranches drops the entries that are targets of far branches, which
// gcc makes of BL where there is no wide B (v6-M): code that returns by a frame
// that it did not push and never by its LR.
func (d *discovery) dropFarBranches(p *Program) {
	far := make(map[core.Addr]bool)
	for range maxFarRounds {
		kept := discovery{calls: d.calls, jumps: d.jumps, setsPSP: d.setsPSP}
		for i, a := range d.entries {
			e := escape{
				text: p.text, thumb: d.thumb[i], seen: make(map[core.Addr]bool),
				isEntry: func(b core.Addr) bool { _, ok := slices.BinarySearch(d.entries, b); return ok },
				isFar:   func(b core.Addr) bool { return far[b] },
			}
			e.enter(a)
			if e.above && !e.back && !p.handlers[a] && !p.resets[a] {
				far[a] = true
				continue
			}
			kept.entries = append(kept.entries, a)
			kept.thumb = append(kept.thumb, d.thumb[i])
		}
		done := len(kept.entries) == len(d.entries)
		kept.sort(p)
		*d = kept
		if done {
			return
		}
	}
}

// stateless reports whether nothing but the code itself tells A32 from T32.
func (p *Program) stateless() bool {
	if p.profile == core.ProfileM {
		return false
	}
	for _, e := range p.text {
		for off := 0; off < len(e.data); off += 64 {
			if p.syms.State(uint32(e.lo)+uint32(off)) != elfsym.StateUnknown {
				return false
			}
		}
	}
	return true
}

// maxTraversed bounds the instructions that a traversal visits.
const maxTraversed = 4 << 20

// traverse follows the code from the entry through its branches and direct
// calls, each in its state, and reports them. What it does not reach is
// looked through linearly, in the state that most of the reached code has. It
// returns how many wide T32 branches it reached.
func (p *Program) traverse(call func(*insn.Inst)) (wide int) {
	var queue []codePtr
	for a := range p.resets {
		queue = append(queue, codePtr{a, p.entryThumb})
	}
	seen := make(map[codePtr]bool)
	inThumb := 0
	ptrs := pointers{text: p.text}
	for len(queue) > 0 && len(seen) < maxTraversed {
		at := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		ptrs.known = 0
		for !seen[at] {
			seen[at] = true
			i, err := fetch(p.text, at.addr, at.thumb)
			if err != nil || i.Flow == insn.FlowUndef {
				break
			}
			if at.thumb {
				inThumb++
			}
			if j, ok := p.pointed(&ptrs, &i); ok {
				i = j
			}
			ptrs.step(&i)
			switch i.Flow {
			case insn.FlowCall:
				call(&i)
				queue = append(queue, codePtr{i.Target, i.TargetThumb})
			case insn.FlowBranch:
				if isWide(&i) {
					wide++
				}
				call(&i)
				queue = append(queue, codePtr{i.Target, at.thumb})
			}
			if i.Flow == insn.FlowReg && i.Rm == core.PC && at.thumb {
				queue = append(queue, codePtr{(at.addr + 4) &^ 3, false}) // bx pc
			}
			if endsFlow(&i) {
				break
			}
			at.addr = i.Next()
		}
	}
	p.sweepGaps(inThumb*2 > len(seen), seen, call)
	return wide
}

// isWide tells the 32-bit branches of T32, which v4T to v6-M do not have.
func isWide(i *insn.Inst) bool { return i.Flow == insn.FlowBranch && i.Thumb && i.Size == 4 }

// sweepGaps reports the calls and branches in code that was not reached, decoded in
// one state.
func (p *Program) sweepGaps(thumbState bool, seen map[codePtr]bool, call func(*insn.Inst)) {
	for _, e := range p.text {
		end := e.lo + core.Addr(len(e.data))
		for pc := e.lo; pc < end; {
			i, err := fetch(p.text, pc, thumbState)
			if err != nil {
				break
			}
			reached := seen[codePtr{pc, thumbState}] || seen[codePtr{pc, !thumbState}]
			if goesTo(&i) && !reached && len(p.text.at(i.Target)) >= 2 {
				call(&i)
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

// goesTo tells direct calls and branches.
func goesTo(i *insn.Inst) bool { return i.Flow == insn.FlowCall || i.Flow == insn.FlowBranch }

// pointed returns a call of a pointer as a direct one, if the pointer is a
// constant that can be of a function.
func (p *Program) pointed(ptrs *pointers, i *insn.Inst) (insn.Inst, bool) {
	ptr, calls, ok := ptrs.target(i)
	if !ok || !calls || p.profile == core.ProfileM && ptr&1 == 0 || len(p.text.at(core.Addr(ptr&^1))) < 2 {
		return insn.Inst{}, false
	}
	return directCall(*i, ptr), true
}

// sweep decodes an extent linearly and reports its calls, branches and writes
// of special registers. It returns
// how many wide branches it saw: v6-M has none.
func sweep(p *Program, e extent, call func(*insn.Inst)) (wide int) {
	end := e.lo + core.Addr(len(e.data))
	ptrs := pointers{text: p.text}
	for pc := e.lo; pc < end; {
		th := p.thumb(pc)
		i, err := fetch(p.text, pc, th)
		if err != nil {
			return wide
		}
		if j, ok := p.pointed(&ptrs, &i); ok && !p.isData(pc) {
			call(&j)
		}
		ptrs.step(&i)
		if isWide(&i) {
			wide++
		}
		if (goesTo(&i) || i.Op == insn.OpMSR) && !p.isData(pc) {
			call(&i)
		}
		pc = i.Next()
	}
	return wide
}

func (d *discovery) sort(p *Program) {
	type found struct {
		a  core.Addr
		th bool
	}
	all := make([]found, len(d.entries))
	for i := range all {
		all[i] = found{d.entries[i], d.thumb[i]}
	}
	slices.SortFunc(all, func(x, y found) int { return int(int64(x.a) - int64(y.a)) })
	d.ends = make([]core.Addr, len(all))
	for i, f := range all {
		d.entries[i], d.thumb[i] = f.a, f.th
		d.ends[i] = f.a + core.Addr(len(p.text.at(f.a)))
		if i+1 < len(all) {
			d.ends[i] = min(d.ends[i], all[i+1].a)
		}
	}
}

// at returns the found function whose range contains pc.
func (d *discovery) at(pc core.Addr) (Func, bool) {
	i, ok := slices.BinarySearch(d.entries, pc)
	if !ok {
		i--
	}
	if i < 0 || pc >= d.ends[i] {
		return Func{}, false
	}
	return Func{Entry: d.entries[i], End: d.ends[i], Thumb: d.thumb[i]}, true
}
