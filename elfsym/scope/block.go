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
	// Name is the qualified name of the function, or its name in the symbol table
	// where the source has none, as for thunks of C++; "" for blocks.
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
// function. It is empty where DWARF knows no function. The variables are as they
// are at pc. For a caller's frame pass the return address minus 1: gcc ends the
// ranges of what a call may destroy there, in the middle of the call.
func (p *Program) At(pc uint32) []Scope {
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
func (p *Program) scope(e die.Entry, ctx *context) (Scope, die.Entry) {
	s := Scope{Entry: e, Ranges: p.ranges(e)}
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
		if s.Name, s.Declared = e.QualifiedName(), p.declared(e); s.Name == "" {
			s.Name = e.LinkageName()
		}
		s.Result = p.Types.Of(e)
	}
	r := blockReader{program: p, pc: ctx.pc, scope: &s}
	r.read(e, 0)
	for _, c := range withAbstract(e, r.own) {
		v := p.variable(c, ctx)
		if (v.Name != "" || v.Parameter) && s.started(c, ctx.pc) { // others hold the lengths of arrays
			s.Variables = append(s.Variables, v)
		}
	}
	return s, r.inner
}

// blockReader reads what is directly in a scope.
type blockReader struct {
	program *Program
	pc      uint32
	scope   *Scope
	own     []die.Entry // parameters and variables
	inner   die.Entry   // the scope in this one that has the PC
}

func (r *blockReader) read(e die.Entry, depth int) {
	for c, err := range e.Children() {
		if err != nil || len(r.own) == maxVariables || depth > maxNesting {
			return
		}
		switch c.Tag {
		case dwarf.TagUnspecifiedParameters:
			r.scope.Variadic = true
		case dwarf.TagLexDwarfBlock:
			if !c.Has(dwarf.AttrLowpc) && !c.Has(dwarf.AttrRanges) {
				r.read(c, depth+1) // gcc writes blocks that stand for nothing
				continue
			}
			r.choose(c)
		case dwarf.TagInlinedSubroutine, dwarf.TagTryDwarfBlock, dwarf.TagCatchDwarfBlock:
			r.choose(c)
		default:
			if isVariable(c) {
				r.own = append(r.own, c)
			}
		}
	}
}

func (r *blockReader) choose(e die.Entry) {
	if r.inner.Zero() && covers(r.program.ranges(e), r.pc) {
		r.inner = e
	}
}

// isVariable reports whether e is a parameter or a variable, and not the
// declaration of one, as "extern int x;" in a block is.
func isVariable(e die.Entry) bool {
	switch e.Tag {
	case dwarf.TagFormalParameter, dwarf.TagVariable, dwarf.TagConstant:
		return !e.Flag(dwarf.AttrDeclaration)
	}
	return false
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
		if !isVariable(c) {
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

// started reports whether a declaration of a scope holds at a PC already: some begin
// behind the start of the scope (DW_AT_start_scope, DWARF 5, 2.18).
func (s *Scope) started(e die.Entry, pc uint32) bool {
	n, ok := e.Uint(dwarf.AttrStartScope)
	return !ok || len(s.Ranges) == 0 || uint64(pc) >= uint64(s.Ranges[0].Lo)+n
}
