package stackdepth

import (
	"slices"

	"pushmask/core"
)

// Entry is a function that hardware enters.
type Entry struct {
	Func *Function
	// Exceptions are the numbers of the exceptions it handles, 1 for reset.
	Exceptions []int
}

// Entries lists the reset handler and the handlers of the vector table, each
// function once, in the order of the table.
func (g *Graph) Entries() []Entry {
	var list []Entry
	for _, h := range g.code.Handlers() {
		f := g.byAddr[h.Entry]
		if f == nil {
			continue
		}
		i := slices.IndexFunc(list, func(e Entry) bool { return e.Func == f })
		if i < 0 {
			list = append(list, Entry{Func: f})
			i = len(list) - 1
		}
		list[i].Exceptions = append(list[i].Exceptions, h.Number)
	}
	return list
}

// At returns the function that starts at an address, nil where none does.
func (g *Graph) At(entry core.Addr) *Function { return g.byAddr[entry] }

// Uncalled lists the functions with code that neither a direct call nor the
// vector table leads to, by address: tasks, callbacks, and what the linker
// left in.
func (g *Graph) Uncalled() []*Function {
	called := map[*Function]bool{}
	for _, f := range g.all {
		for _, c := range f.calls {
			if c.to != f {
				called[c.to] = true
			}
		}
	}
	for _, e := range g.Entries() {
		called[e.Func] = true
	}
	var list []*Function
	for _, f := range g.all {
		if !called[f] && !f.Missing {
			list = append(list, f)
		}
	}
	return list
}
