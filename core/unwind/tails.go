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
func (d *discovery) addTails(p *Program) {
	known := make(map[core.Addr]bool, len(d.entries))
	for _, a := range d.entries {
		known[a] = true
	}
	looked := make(map[core.Addr]bool)
	for range maxTailRounds {
		var found []codePtr
		for _, l := range d.leaps {
			f, ok := d.at(l.from)
			if !ok || looked[f.Entry] || f.contains(l.to.addr) || len(p.text.at(l.to.addr)) < 2 {
				continue
			}
			looked[f.Entry] = true
			for _, a := range p.leaves(&f) {
				if !known[a] {
					known[a] = true
					found = append(found, codePtr{a, f.Thumb})
				}
			}
		}
		if len(found) == 0 {
			return
		}
		for _, c := range found {
			d.entries, d.thumb = append(d.entries, c.addr), append(d.thumb, c.thumb)
		}
		d.sort(p)
	}
}

// leaves lists where f branches to, outside of it, with the stack and LR as it
// was entered with.
func (p *Program) leaves(f *Func) []core.Addr {
	e := escape{
		text: p.text, thumb: f.Thumb, end: f.End, within: f,
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
