package stackdepth

import (
	"fmt"
	"slices"

	"pushmask/core"
	"pushmask/core/exc"
)

// Entry is a function that hardware enters.
type Entry struct {
	Func *Function
	// Exceptions are the numbers of the exceptions it handles, 1 for reset.
	Exceptions []int
}

// Names returns what the architecture calls the exceptions: "Reset",
// "HardFault", "IRQ 5"; interrupts that follow each other as "IRQ 5 to 12".
func (e *Entry) Names() []string {
	const firstIRQ = 16 // Armv7-M ARM B1.5.2
	var names []string
	for i := 0; i < len(e.Exceptions); {
		n := e.Exceptions[i]
		last := i
		for last+1 < len(e.Exceptions) && n >= firstIRQ && e.Exceptions[last+1] == e.Exceptions[last]+1 {
			last++
		}
		name := exc.ExceptionName(n)
		if last > i {
			name = fmt.Sprintf("%s to %d", name, e.Exceptions[last]-firstIRQ)
		}
		names = append(names, name)
		i = last + 1
	}
	return names
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
