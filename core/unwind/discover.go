package unwind

import (
	"cmp"
	"maps"
	"slices"

	"pushmask/core"
	"pushmask/elfsym"
)

// discovery holds the functions found by looking at the code, for images
// without symbols and for gaps between symbols.
type discovery struct {
	entries []codePtr   // ascending
	ends    []core.Addr // end of the extent that holds the entry
	way     scout
}

// discoverFunctions collects the targets of direct calls, the vector table and
// the secure gateways, and what tail calls lead to.
func discoverFunctions(p *Program) discovery {
	c := p.callSites()
	d := discovery{entries: slices.Clone(c.starts)}
	d.sort(p)
	if d.isNarrow(p) {
		d.dropFarBranches(p)
	}
	d.addTails(p, c.leaps)
	d.way = scout{}
	return d
}

// maxFarRounds bounds how often entries are looked at again, knowing which
// others are targets of far branches.
const maxFarRounds = 4

// dropFarBranches drops the entries that are targets of far branches, which
// gcc makes of BL where there is no wide B (v6-M): code that returns by a frame
// that it did not push and never by its LR, or that goes on at such code.
func (d *discovery) dropFarBranches(p *Program) {
	far := make(map[core.Addr]bool)
	open := make(map[core.Addr]*farLook) // what may be one
	for _, at := range d.entries {
		if first, err := fetch(p.text, at.addr, at.thumb); err == nil && !pushesLR(&first) && !p.handlers[at.addr] && !p.resets[at.addr] {
			open[at.addr] = &farLook{at: at}
		}
	}
	for range maxFarRounds {
		for a, l := range open {
			if !l.outdated(far) {
				continue
			}
			if d.look(p, l, far); l.back {
				delete(open, a)
			}
		}
		was := len(far)
		for more := true; more; {
			more = false
			for a, l := range open {
				if !far[a] && l.isFar(far) {
					far[a], more = true, true
				}
			}
		}
		if len(far) == was {
			return
		}
		maps.DeleteFunc(open, func(a core.Addr, _ *farLook) bool { return far[a] })
		d.entries = slices.DeleteFunc(d.entries, func(at codePtr) bool { return far[at.addr] })
		d.sort(p)
	}
}

// farLook is what a look at an entry has found: whether it returns by its LR or
// by a frame that it did not push, and the entries that it goes on at.
type farLook struct {
	at          codePtr
	back, above bool
	goesOn      []core.Addr
	took        []core.Addr // what it took for functions that it calls or leaves to
}

// outdated reports whether there was no look yet, or one that took for a
// function what is none.
func (l *farLook) outdated(far map[core.Addr]bool) bool {
	return l.took == nil || slices.ContainsFunc(l.took, func(a core.Addr) bool { return far[a] })
}

// isFar tells the target of a far branch, knowing others.
func (l *farLook) isFar(far map[core.Addr]bool) bool {
	return l.above || slices.ContainsFunc(l.goesOn, func(a core.Addr) bool { return far[a] })
}

// look follows the code of an entry, knowing the targets of far branches.
func (d *discovery) look(p *Program, l *farLook, far map[core.Addr]bool) {
	e := escape{
		text: p.text, thumb: l.at.thumb, scout: &d.way, brief: true,
		calls: p,
	}
	l.took = []core.Addr{l.at.addr}
	e.isEntry = func(b core.Addr) bool {
		_, ok := d.find(b)
		if ok {
			l.took = append(l.took, b)
		}
		return ok
	}
	e.isFar = func(b core.Addr) bool {
		if !far[b] {
			l.took = append(l.took, b)
		}
		return far[b]
	}
	e.enter(l.at.addr)
	l.back, l.above, l.goesOn = e.back, e.above, e.leaves
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

func (d *discovery) sort(p *Program) {
	slices.SortFunc(d.entries, func(x, y codePtr) int { return cmp.Compare(x.addr, y.addr) })
	d.ends = make([]core.Addr, len(d.entries))
	for i, at := range d.entries {
		d.ends[i] = at.addr + core.Addr(len(p.text.at(at.addr)))
		if i+1 < len(d.entries) {
			d.ends[i] = min(d.ends[i], d.entries[i+1].addr)
		}
	}
}

// find returns where in the list of entries the one at a is, or belongs.
func (d *discovery) find(a core.Addr) (int, bool) {
	return slices.BinarySearchFunc(d.entries, a, func(at codePtr, a core.Addr) int { return cmp.Compare(at.addr, a) })
}

// at returns the found function whose range contains pc.
func (d *discovery) at(pc core.Addr) (Func, bool) {
	i, ok := d.find(pc)
	if !ok {
		i--
	}
	if i < 0 || pc >= d.ends[i] {
		return Func{}, false
	}
	return Func{Entry: d.entries[i].addr, End: d.ends[i], Thumb: d.entries[i].thumb}, true
}
