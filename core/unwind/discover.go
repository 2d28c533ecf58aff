package unwind

import (
	"cmp"
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
// that it did not push and never by its LR.
func (d *discovery) dropFarBranches(p *Program) {
	far := make(map[core.Addr]bool)
	sure := make(map[core.Addr]bool) // not one, whatever the others are
	for range maxFarRounds {
		var kept []codePtr
		for _, at := range d.entries {
			if !sure[at.addr] {
				far[at.addr], sure[at.addr] = d.isFarTarget(p, at, far)
			}
			if !far[at.addr] {
				kept = append(kept, at)
			}
		}
		done := len(kept) == len(d.entries)
		d.entries = kept
		d.sort(p)
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
		text: p.text, thumb: at.thumb, scout: &d.way, brief: true,
		isEntry: func(b core.Addr) bool { _, ok := d.find(b); return ok },
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
