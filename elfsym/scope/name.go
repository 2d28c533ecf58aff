package scope

import (
	"debug/dwarf"
	"strings"

	"pushmask/elfsym/die"
	"pushmask/elfsym/expr"
	"pushmask/elfsym/loclist"
	"pushmask/elfsym/types"
)

// FunctionInfo is a function that has code.
type FunctionInfo struct {
	Name     string // qualified
	Entry    die.Entry
	Addr     uint32 // of its first instruction, bit 0 clear
	Declared Position
	Type     *types.Type // of the kind types.Function
}

// Functions returns the functions with a qualified name, as [die.Data.Find]. In
// C++ several may be overloads of one.
func (p *Program) Functions(name string) []FunctionInfo {
	var out []FunctionInfo
	for _, e := range p.data.Find(die.Functions, name) {
		r := p.ranges(e)
		if !p.kept(e, r) {
			continue
		}
		out = append(out, FunctionInfo{e.QualifiedName(), e, r[0].Lo, p.declared(e), p.Types.At(signature(e).Offset)})
	}
	return out
}

// kept reports whether the linker kept a function with the given ranges.
func (p *Program) kept(e die.Entry, ranges []loclist.Range) bool {
	if len(ranges) == 0 {
		return false
	}
	at, ok := p.image.FunctionEntry(ranges[0].Lo)
	return ok && at == e.Offset
}

// signature returns the entry of a function that has its parameters: its own or,
// for instances, that of what it is an instance of.
func signature(e die.Entry) die.Entry {
	for range maxOriginHops {
		to, ok := e.Follow(dwarf.AttrAbstractOrigin)
		if !ok {
			break
		}
		e = to
	}
	return e
}

const maxOriginHops = 8

// Constant is a constant of an enumeration.
type Constant struct {
	Name  string
	Value int64
	Type  *types.Type // the enumeration; Unknown where it is not known
}

// Constants returns the constants of enumerations with a qualified name.
func (p *Program) Constants(name string) []Constant {
	var out []Constant
	for _, e := range p.data.Find(die.Constants, name) {
		n, ok := e.Int(dwarf.AttrConstValue)
		if !ok {
			continue
		}
		c := Constant{Name: e.Name(), Value: n}
		if of, ok := e.Scope(); ok {
			c.Type = p.Types.At(of.Offset)
		}
		out = append(out, c)
	}
	return out
}

// Prefixes returns the namespaces and types that an unqualified name is looked
// up in at scopes, each ending in "::", the innermost first and the global one,
// "", last. Those that a "using namespace" names follow the scope that has it.
// scopes is what [Program.At] returned; u stands in for them where there is none.
func (p *Program) Prefixes(scopes []Scope, u *die.Unit) []string {
	x := prefixes{program: p, seen: make(map[string]bool)}
	for _, s := range scopes {
		x.imports(s.Entry)
		u = s.Entry.Unit
	}
	for _, s := range scopes {
		parts := die.SplitName(s.Name)
		for n := len(parts) - 1; n > 0; n-- {
			x.add(strings.Join(parts[:n], "::"))
		}
	}
	if u != nil {
		if root, err := u.Root(); err == nil {
			x.imports(root)
		}
	}
	return append(x.list, "")
}

// prefixes collects the places where names are looked up.
type prefixes struct {
	program *Program
	list    []string
	seen    map[string]bool
}

// add adds a namespace or type, and the namespaces that its parts name.
func (x *prefixes) add(name string) {
	if name == "" || x.seen[name] || len(x.list) == maxNesting {
		return
	}
	x.seen[name] = true
	x.list = append(x.list, name+"::")
	for _, e := range x.program.data.Find(die.Namespaces, name) {
		x.imports(e)
	}
}

// imports adds the namespaces that "using namespace" names directly in e.
func (x *prefixes) imports(e die.Entry) {
	n := 0
	for c, err := range e.Children() {
		if err != nil || n == maxVariables {
			return
		}
		if c.Tag != dwarf.TagImportedModule {
			continue
		}
		n++
		if to, ok := c.Follow(dwarf.AttrImport); ok {
			x.add(to.QualifiedName())
		}
	}
}

// Lookup returns what a name means at scopes: the variable of the innermost scope
// that has it, else of the namespaces and types around, else a global one, those
// of the same unit first. It is false where no variable has the name.
func (p *Program) Lookup(name string, scopes []Scope, u *die.Unit) (*Variable, bool) {
	for _, s := range scopes {
		for _, v := range s.Variables {
			if v.Name == name {
				return v, true
			}
		}
	}
	if len(scopes) > 0 {
		u = scopes[0].Entry.Unit
	}
	for _, prefix := range p.Prefixes(scopes, u) {
		var found *Variable
		for _, v := range p.Globals(prefix + name) {
			if found == nil || v.Entry.Unit == u && found.Entry.Unit != u {
				found = v
			}
		}
		if found != nil {
			return found, true
		}
	}
	return nil, false
}

// Describe returns the variable whose entry lies at an offset of .debug_info, as
// it is in the function of scopes: what an implicit pointer points to.
func (p *Program) Describe(off uint64, scopes []Scope, pc uint32) (*Variable, bool) {
	if off > 1<<31-1 {
		return nil, false
	}
	e, err := p.data.Entry(die.Offset(off))
	if err != nil || e.Tag != dwarf.TagVariable && e.Tag != dwarf.TagFormalParameter && e.Tag != dwarf.TagDwarfProcedure {
		return nil, false
	}
	ctx := &context{program: p, unit: e.Unit, pc: pc}
	if len(scopes) > 0 {
		ctx.function = scopes[len(scopes)-1].Entry
	}
	return p.variable(e, ctx), true
}

// Expr returns an expression of a scope, as those of members are, with what it
// refers to.
func (p *Program) Expr(code []byte, of die.Entry, pc uint32) expr.Expr {
	ctx := &context{program: p, unit: of.Unit, pc: pc}
	return ctx.expr(code)
}
