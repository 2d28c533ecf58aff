package scope

import (
	"pushmask/elfsym/die"
)

// Prefixed calls f with the entries of a kind whose qualified names begin with
// prefix, and their own names, until f returns false, as [die.Data.Prefixed], but
// for the functions and variables that the linker left out.
func (p *Program) Prefixed(kind die.Kind, prefix string, skip func(name string) bool, f func(e die.Entry, name string) bool) {
	p.data.Prefixed(kind, prefix, skip, func(e die.Entry, name string) bool {
		switch kind {
		case die.Functions:
			if !p.kept(e, p.ranges(e)) {
				return true
			}
		case die.Variables:
			if _, ok := p.global(e); !ok {
				return true
			}
		}
		return f(e, name)
	})
}
