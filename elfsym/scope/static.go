package scope

import (
	"debug/dwarf"
	"errors"
	"slices"

	"pushmask/elfsym/die"
)

// noFrame is the frame of what needs none; it implements expr.Frame.
type noFrame struct{}

var errNoFrame = errors.New("the value depends on a frame")

func (noFrame) Register(uint32) (uint64, bool)    { return 0, false }
func (noFrame) Read(uint32, []byte) error         { return errNoFrame }
func (noFrame) CFA() (uint32, bool)               { return 0, false }
func (noFrame) EntryValue([]byte) (uint64, error) { return 0, errNoFrame }
func (noFrame) Parameter(uint64) (uint64, error)  { return 0, errNoFrame }

// UnitVariables returns the variables that a unit defines outside of functions,
// in the order of the source, with those of the partial units that it imports.
// Variables that the linker left out are not there.
func (p *Program) UnitVariables(u *die.Unit) []*Variable {
	w := unitWalk{program: p, seen: make(map[*die.Unit]bool)}
	w.unit(u)
	return w.out
}

// unitWalk collects the variables of a unit.
type unitWalk struct {
	program *Program
	seen    map[*die.Unit]bool
	out     []*Variable
}

func (w *unitWalk) unit(u *die.Unit) {
	root, err := u.Root()
	if err != nil || w.seen[u] || len(w.seen) > maxImports {
		return
	}
	w.seen[u] = true
	w.below(root, 0)
}

// Limits of the walk over a unit.
const (
	maxImports  = 1 << 12
	maxNesting  = 64
	maxUnitVars = 1 << 18
)

func (w *unitWalk) below(e die.Entry, depth int) {
	if depth > maxNesting {
		return
	}
	for c, err := range e.Children() {
		if err != nil || len(w.out) == maxUnitVars {
			return
		}
		switch c.Tag {
		case dwarf.TagNamespace, dwarf.TagModule:
			w.below(c, depth+1)
		case dwarf.TagImportedUnit:
			if to, ok := c.Follow(dwarf.AttrImport); ok {
				w.unit(to.Unit)
			}
		case dwarf.TagVariable:
			if v, ok := w.program.global(c); ok {
				w.out = append(w.out, v)
			}
		}
	}
}

// global makes a Variable of an entry outside of functions; false for
// declarations and for what the linker left out. What the compiler left out is
// there, optimized out.
func (p *Program) global(e die.Entry) (*Variable, bool) {
	v := p.variable(e, &context{program: p, unit: e.Unit})
	if v.Name == "" || e.Flag(dwarf.AttrDeclaration) && !e.Has(dwarf.AttrConstValue) {
		return nil, false
	}
	if a, ok := v.StaticAddress(); ok {
		return v, p.image.HoldsData(a)
	}
	return v, true
}

// Globals returns the variables outside of functions, and the static members,
// with a qualified name, as [die.Data.Find]: several where units have statics of
// one name.
func (p *Program) Globals(name string) []*Variable {
	var out []*Variable
	for _, e := range p.data.Find(die.Variables, name) {
		if v, ok := p.global(e); ok {
			out = append(out, v)
		}
	}
	return out
}

// HasGlobals reports whether there are variables outside of functions. It reads
// units up to the first that has one.
func (p *Program) HasGlobals() bool {
	return slices.ContainsFunc(p.data.Units(), func(u *die.Unit) bool { return len(p.UnitVariables(u)) > 0 })
}

// EachGlobal calls f with every variable outside of functions in the order of
// the file until f returns false.
func (p *Program) EachGlobal(f func(*Variable) bool) {
	p.data.All(die.Variables, func(e die.Entry) bool {
		v, ok := p.global(e)
		return !ok || f(v)
	})
}

// Statics returns the variables in a function that lie at one address all the
// time, those of all of its blocks.
func (p *Program) Statics(function die.Entry) []*Variable {
	var out []*Variable
	ctx := &context{program: p, unit: function.Unit}
	var below func(die.Entry, int)
	below = func(e die.Entry, depth int) {
		for c, err := range e.Children() {
			if err != nil || depth > maxNesting || len(out) == maxVariables {
				return
			}
			switch c.Tag {
			case dwarf.TagVariable:
				v := p.variable(c, ctx)
				if a, ok := v.StaticAddress(); ok && p.image.HoldsData(a) {
					out = append(out, v)
				}
			case dwarf.TagLexDwarfBlock:
				below(c, depth+1)
			}
		}
	}
	below(function, 0)
	return out
}
