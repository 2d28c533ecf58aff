package scope

import (
	"pushmask/elfsym/die"
	"pushmask/elfsym/types"
)

// Prefixed calls f with the entries of a kind whose qualified names begin with
// prefix, and their own names, until f returns false, as [die.Data.Prefixed], but
// for the functions and variables that the linker left out.
func (p *Program) Prefixed(kind die.Kind, prefix string, skip func(name string) bool, f func(e die.Entry, name string) bool) {
	p.data.Prefixed(kind, prefix, skip, func(e die.Entry, name string) bool {
		return !p.isThere(kind, e) || f(e, name)
	})
}

// Each calls f with the entries of a kind in the order of the file until f
// returns false, but for the functions and variables that the linker left out.
func (p *Program) Each(kind die.Kind, f func(die.Entry) bool) {
	p.data.All(kind, func(e die.Entry) bool { return !p.isThere(kind, e) || f(e) })
}

// isThere reports whether the linker kept what an entry of a kind describes.
func (p *Program) isThere(kind die.Kind, e die.Entry) bool {
	switch kind {
	case die.Functions:
		return p.kept(e, p.ranges(e))
	case die.Variables:
		_, ok := p.global(e)
		return ok
	}
	return true
}

// Declared returns where an entry was declared.
func (p *Program) Declared(e die.Entry) Position { return p.declared(e) }

// Signature returns the type of a function.
func (p *Program) Signature(e die.Entry) *types.Type { return p.Types.At(signature(e).Offset) }
