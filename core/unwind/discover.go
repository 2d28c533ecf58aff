package unwind

import (
	"slices"

	"pushmask/core"
	"pushmask/core/insn"
)

// discovery holds the functions found by looking at the code, for images
// without symbols and for gaps between symbols.
type discovery struct {
	calls   map[core.Addr][]core.Addr // direct call sites by target
	entries []core.Addr               // ascending
	ends    []core.Addr               // end of the extent that holds the entry
	thumb   []bool
}

// discoverFunctions collects the targets of direct calls and the vector table.
func discoverFunctions(p *Program) discovery {
	d := discovery{calls: make(map[core.Addr][]core.Addr)}
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
	for _, e := range p.text {
		sweep(p, e, func(i *insn.Inst) {
			add(i.Target, i.TargetThumb)
			d.calls[i.Target] = append(d.calls[i.Target], i.Addr)
		})
	}
	d.sort(p)
	return d
}

// sweep decodes an extent linearly and reports its direct calls.
func sweep(p *Program, e extent, call func(*insn.Inst)) {
	end := e.lo + core.Addr(len(e.data))
	for pc := e.lo; pc < end; {
		th := p.thumb(pc)
		i, err := fetch(p.text, pc, th)
		if err != nil {
			return
		}
		if i.Flow == insn.FlowCall && !p.isData(pc) {
			call(&i)
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
