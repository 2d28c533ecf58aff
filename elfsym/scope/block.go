package scope

import (
	"debug/dwarf"
	"slices"

	"pushmask/elfsym/die"
	"pushmask/elfsym/loclist"
	"pushmask/elfsym/types"
)

// Kind tells what a [Scope] is.
type Kind uint8

// The kinds.
const (
	Function Kind = iota // the function that the code is of
	Inlined              // a call that was inlined
	Block                // a block in one of the two
)

// Scope is a function, an inlined call or a block of the source.
type Scope struct {
	Kind  Kind
	Entry die.Entry
	// Name is the qualified name of the function; "" for blocks.
	Name     string
	Ranges   []loclist.Range
	Declared Position // of the function; zero for blocks
	Call     Position // of the inlined call
	// Variables are the parameters and variables declared here, in the order of
	// the source, without those of inner blocks.
	Variables []*Variable
	Variadic  bool // takes more arguments than it has parameters
	Result    *types.Type
}

// Limits of the scopes of one PC.
const (
	maxScopes    = 256
	maxVariables = 1 << 14
)

// At returns the scopes around pc, the innermost first; the last is the
// function. It is empty where DWARF knows no function. For a caller's frame pass
// an address within the call instruction, not the return address. The variables
// are as they are at pc.
func (p *Program) At(pc uint32) []Scope {
	pc &^= 1
	off, ok := p.image.FunctionEntry(pc)
	if !ok {
		return nil
	}
	function, err := p.data.Entry(off)
	if err != nil {
		return nil
	}
	var chain []Scope
	ctx := &context{program: p, unit: function.Unit, pc: pc, function: function}
	for e := function; len(chain) < maxScopes; {
		s, inner := p.scope(e, ctx)
		chain = append(chain, s)
		if inner.Zero() {
			break
		}
		e = inner
	}
	slices.Reverse(chain)
	return chain
}

// scope reads the declarations of one scope, and finds the scope in it that has
// the PC.
func (p *Program) scope(e die.Entry, ctx *context) (s Scope, inner die.Entry) {
	s = Scope{Entry: e, Ranges: p.ranges(e)}
	switch e.Tag {
	case dwarf.TagInlinedSubroutine:
		s.Kind = Inlined
		s.Call = p.position(e.Attr(dwarf.AttrCallFile), e.Attr(dwarf.AttrCallLine))
	case dwarf.TagSubprogram:
		s.Kind = Function
	default:
		s.Kind = Block
	}
	if s.Kind != Block {
		s.Name, s.Declared = e.QualifiedName(), p.declared(e)
		s.Result = p.Types.Of(e)
	}
	var own []die.Entry
	for c, err := range e.Children() {
		if err != nil || len(own) == maxVariables {
			break
		}
		switch c.Tag {
		case dwarf.TagFormalParameter, dwarf.TagVariable, dwarf.TagConstant:
			if !c.Flag(dwarf.AttrDeclaration) { // "extern int x;" in a block
				own = append(own, c)
			}
		case dwarf.TagUnspecifiedParameters:
			s.Variadic = true
		case dwarf.TagLexDwarfBlock, dwarf.TagInlinedSubroutine, dwarf.TagTryDwarfBlock, dwarf.TagCatchDwarfBlock:
			if inner.Zero() && covers(p.ranges(c), ctx.pc) {
				inner = c
			}
		}
	}
	for _, c := range withAbstract(e, own) {
		s.Variables = append(s.Variables, p.variable(c, ctx))
	}
	return s, inner
}

// withAbstract puts the declarations of an instance in the order of what it is
// an instance of, and adds those that it does not have: they were optimized out.
func withAbstract(e die.Entry, own []die.Entry) []die.Entry {
	abstract, ok := e.Follow(dwarf.AttrAbstractOrigin)
	if !ok {
		return own
	}
	instance := make(map[die.Offset]int, len(own))
	for i, c := range own {
		if off, ok := c.Ref(dwarf.AttrAbstractOrigin); ok {
			instance[off] = i
		}
	}
	used := make([]bool, len(own))
	var out []die.Entry
	for c, err := range abstract.Children() {
		if err != nil || len(out) >= maxVariables {
			break
		}
		if c.Tag != dwarf.TagFormalParameter && c.Tag != dwarf.TagVariable && c.Tag != dwarf.TagConstant || c.Flag(dwarf.AttrDeclaration) {
			continue
		}
		if i, ok := instance[c.Offset]; ok {
			c, used[i] = own[i], true
		}
		out = append(out, c)
	}
	for i, c := range own {
		if !used[i] {
			out = append(out, c)
		}
	}
	return out
}
