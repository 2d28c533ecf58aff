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
	calls map[core.Addr][]core.Addr // direct call sites by target
	jumps map[core.Addr]int         // branches by target, those of veneers left out
	// veneered are the call sites of veneers, by the function behind them.
	veneered map[core.Addr][]core.Addr
	leaps    []leap      // unconditional branches
	setsPSP  bool        // some code writes PSP
	entries  []core.Addr // ascending
	ends     []core.Addr // end of the extent that holds the entry
	thumb    []bool
}

// discoverFunctions collects the targets of direct calls, the vector table and
// the secure gateways.
func discoverFunctions(p *Program) discovery {
	d := discovery{calls: make(map[core.Addr][]core.Addr), jumps: make(map[core.Addr]int), veneered: make(map[core.Addr][]core.Addr)}
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
	for _, c := range p.roots(p.thumb) {
		add(c.addr, c.thumb)
	}
	var gate core.Addr // behind a secure gateway, whose branch leads to the function
	call := func(i insn.Inst) {
		switch {
		case isGateway(&i):
			add(i.Addr, true)
			gate = i.Next()
			return
		case i.Op == insn.OpMSR:
			d.setsPSP = d.setsPSP || i.Imm == sysPSP
			return
		case i.Flow == insn.FlowBranch:
			d.jumps[i.Target]++
			if i.Addr == gate {
				add(i.Target, true)
			}
			if !i.Conditional() {
				d.leaps = append(d.leaps, leap{i.Addr, codePtr{i.Target, i.Thumb}})
			}
			return
		case callsNext(&i):
			if j, err := fetch(p.text, i.Target, i.Thumb); err != nil || !pushesLR(&j) {
				return
			}
		}
		add(i.Target, i.TargetThumb)
		d.calls[i.Target] = append(d.calls[i.Target], i.Addr)
	}
	if p.stateless() {
		p.traverse(call)
	} else {
		for _, e := range p.text {
			sweep(p, e, call)
		}
	}
	d.sort(p)
	if d.isNarrow(p) {
		d.dropFarBranches(p)
	}
	d.addTails(p)
	d.addVeneers(p)
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
	sure := make(map[core.Addr]bool) // not one, whatever the others are
	for range maxFarRounds {
		kept := *d
		kept.entries, kept.thumb = nil, nil
		for i, a := range d.entries {
			if !sure[a] {
				far[a], sure[a] = d.isFarTarget(p, codePtr{a, d.thumb[i]}, far)
			}
			if far[a] {
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

// isFarTarget tells the target of a far branch, knowing others. What is sure is
// so whatever the other entries turn out to be.
func (d *discovery) isFarTarget(p *Program, at codePtr, far map[core.Addr]bool) (is, sure bool) {
	if first, err := fetch(p.text, at.addr, at.thumb); err != nil || pushesLR(&first) || p.handlers[at.addr] || p.resets[at.addr] {
		return false, true
	}
	e := escape{
		text: p.text, thumb: at.thumb, brief: true,
		isEntry: func(b core.Addr) bool { _, ok := slices.BinarySearch(d.entries, b); return ok },
		calls:   p,
		isFar:   func(b core.Addr) bool { return far[b] },
	}
	e.enter(at.addr)
	return e.above && !e.back, e.back && !e.tailed
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

// goesTo tells direct calls and branches.
func goesTo(i *insn.Inst) bool { return i.Flow == insn.FlowCall || i.Flow == insn.FlowBranch }

// pointed returns a call of a pointer as a direct one, if the pointer is a
// constant that can be of a function, and a branch behind "mov lr, pc".
func (p *Program) pointed(ptrs *pointers, i *insn.Inst) (insn.Inst, bool) {
	if i.Flow == insn.FlowBranch && !i.Thumb && ptrs.linked(i) {
		return directCall(*i, uint32(i.Target)), true
	}
	ptr, calls, ok := ptrs.target(i)
	if !ok || !calls || p.profile == core.ProfileM && ptr&1 == 0 || len(p.text.at(core.Addr(ptr&^1))) < 2 {
		return insn.Inst{}, false
	}
	return directCall(*i, ptr), true
}

// sweep decodes an extent linearly and reports its calls, branches and writes
// of special registers.
func sweep(p *Program, e extent, call func(insn.Inst)) {
	end := e.lo + core.Addr(len(e.data))
	ptrs := pointers{text: p.text}
	for pc := e.lo; pc < end; {
		i, err := fetch(p.text, pc, p.thumb(pc))
		if err != nil {
			return
		}
		if j, ok := p.pointed(&ptrs, &i); ok {
			i = j
		}
		ptrs.step(&i)
		if (goesTo(&i) || i.Op == insn.OpMSR || isGateway(&i)) && !p.isData(pc) {
			call(i)
		}
		pc = i.Next()
	}
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
