package unwind

import "pushmask/core"

// leap is an unconditional branch.
type leap struct {
	from core.Addr
	to   codePtr
}

// maxTailRounds bounds how often functions are looked for behind the tail calls
// of those that were found by one.
const maxTailRounds = 4

// addTails finds the functions that nothing calls, but that another leaves to
// with the stack and LR as it was entered with.
func (d *discovery) addTails(p *Program, leaps []leap) {
	known := make(map[core.Addr]bool, len(d.entries))
	for _, at := range d.entries {
		known[at.addr] = true
	}
	looked := make(map[core.Addr]bool)
	for range maxTailRounds {
		var found []codePtr
		for _, l := range leaps {
			f, ok := d.at(l.from)
			if !ok || looked[f.Entry] || f.contains(l.to.addr) || len(p.text.at(l.to.addr)) < 2 {
				continue
			}
			looked[f.Entry] = true
			for _, a := range p.leaves(&f, &d.way) {
				if !known[a] {
					known[a] = true
					found = append(found, codePtr{a, f.Thumb})
				}
			}
		}
		if len(found) == 0 {
			return
		}
		d.entries = append(d.entries, found...)
		d.sort(p)
	}
}

// leaves lists where f branches to, outside of it, with the stack and LR as it
// was entered with.
func (p *Program) leaves(f *Func, way *scout) []core.Addr {
	e := escape{
		text: p.text, thumb: f.Thumb, end: f.End, scout: way, within: f,
		isEntry: func(core.Addr) bool { return false },
		calls:   p,
	}
	e.enter(f.Entry)
	var out []core.Addr
	for _, a := range e.leaves {
		if !f.contains(a) && len(p.text.at(a)) >= 2 {
			out = append(out, a)
		}
	}
	return out
}

// contains reports whether a lies in the function.
func (f *Func) contains(a core.Addr) bool { return a >= f.Entry && a < f.End }
