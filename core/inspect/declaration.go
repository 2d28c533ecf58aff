package inspect

import (
	"cmp"
	"debug/dwarf"
	"slices"

	"pushmask/elfsym/die"
	"pushmask/elfsym/scope"
	"pushmask/elfsym/types"
)

// DeclarationKind selects what [Program.Declarations] lists.
type DeclarationKind uint8

// The kinds.
const (
	DeclaredVariables DeclarationKind = iota // outside of functions
	DeclaredFunctions                        // that have code
	DeclaredTypes
)

// Declaration is a name of the program outside of functions.
type Declaration struct {
	Name string // qualified
	Text string // as its language declares it: "int add(int, int)", "struct point"
	At   scope.Position
}

// Declarations lists what the images of the program declare under a name that
// matches, by files and lines, at most limit; more is how many others there are.
func (p *Program) Declarations(kind DeclarationKind, match func(name string) bool, limit int) (list []Declaration, more int) {
	found := &found{match: match, seen: make(map[Declaration]bool)}
	for _, m := range p.images.Images() {
		if decls := declarations(m); decls != nil {
			found.in(decls, kind)
		}
	}
	slices.SortStableFunc(found.list, func(a, b Declaration) int {
		return cmp.Or(cmp.Compare(a.At.File, b.At.File), cmp.Compare(a.At.Line, b.At.Line), cmp.Compare(a.Name, b.Name))
	})
	n := min(max(limit, 0), len(found.list))
	return found.list[:n], len(found.list) - n
}

// found collects declarations.
type found struct {
	match func(string) bool
	list  []Declaration
	seen  map[Declaration]bool
}

func (f *found) in(p *scope.Program, kind DeclarationKind) {
	p.Each([]die.Kind{die.Variables, die.Functions, die.Types}[kind], func(e die.Entry) bool {
		name := e.QualifiedName()
		if !f.match(name) {
			return true
		}
		d := Declaration{Name: name, Text: declared(p, e, kind, name), At: p.Declared(e)}
		if !f.seen[d] {
			f.seen[d] = true
			f.list = append(f.list, d)
		}
		return true
	})
}

// declared writes a declaration.
func declared(p *scope.Program, e die.Entry, kind DeclarationKind, name string) string {
	static := ""
	if _, inScope := e.Scope(); !inScope && !e.Inherited(dwarf.AttrExternal).Flag() && e.Unit.Language() != die.Rust {
		static = "static "
	}
	switch kind {
	case DeclaredFunctions:
		return static + p.Signature(e).Declare(name)
	case DeclaredVariables:
		return static + p.Types.Of(e).Declare(name)
	}
	t := p.Types.At(e.Offset)
	if t.Kind == types.Typedef {
		return "typedef " + t.Elem().Declare(name)
	}
	return t.Name()
}
