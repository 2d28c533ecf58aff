package inspect

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pushmask/core"
	"pushmask/elfsym/die"
	"pushmask/elfsym/expr"
	"pushmask/elfsym/scope"
	"pushmask/elfsym/types"
)

// isType implements names: a variable hides a type of its name.
func (c *context) isType(name string) bool {
	if name == "" || c.local(name) != nil {
		return false
	}
	if builtin[name] != nil {
		return true
	}
	searched := c.everywhere()
	isValue := func(x *context) bool { return x.means(name) }
	for i, x := range searched {
		if t := x.findType(name, ""); t != nil && x.global(name) == nil {
			return !t.isTag() || !slices.ContainsFunc(searched[i+1:], isValue)
		}
		if i < len(searched)-1 && isValue(x) {
			return false
		}
	}
	return false
}

// means reports whether a name is one of a value where c looks names up first.
func (c *context) means(name string) bool {
	if _, isRegister := core.LookupReg(name); isRegister && !c.alone {
		return true
	}
	return c.implicitMember(name) != nil || c.outsideNamed(name) != nil
}

// isName implements names.
func (c *context) isName(name string) bool {
	for _, x := range c.everywhere() {
		if _, n := x.symbolAddress(name); n > 0 || x.global(name) != nil || x.decls != nil && len(x.decls.Functions(name)) > 0 {
			return true
		}
	}
	return false
}

// local returns the innermost variable of a name in the scopes, nil for none.
func (c *context) local(name string) *scope.Variable {
	for _, s := range c.scopes {
		// What is declared later in a block hides what is declared before.
		for _, v := range s.Variables {
			if v.Name == name {
				return v
			}
		}
	}
	return nil
}

// global returns a variable outside of functions, nil for none.
func (c *context) global(name string) *scope.Variable {
	if c.decls == nil {
		return nil
	}
	v, ok := c.decls.Lookup(strings.TrimPrefix(name, "::"), onlyFunctions(c.scopes), c.unit())
	if !ok {
		return nil
	}
	return v
}

// onlyFunctions returns the scopes without their variables.
func onlyFunctions(scopes []scope.Scope) []scope.Scope {
	out := make([]scope.Scope, len(scopes))
	for i, s := range scopes {
		s.Variables = nil
		out[i] = s
	}
	return out
}

// findType returns a type by name, nil for none. word may be "struct" and the
// like.
func (c *context) findType(name, word string) *Type {
	if c.decls != nil {
		for _, prefix := range c.prefixes() {
			if t := c.bestType(prefix+strings.TrimPrefix(name, "::"), word); t != nil {
				return t
			}
		}
	}
	if word == "" {
		return builtin[name]
	}
	return nil
}

var tagKinds = map[string][]types.Kind{
	"struct": {types.Struct, types.Class}, "class": {types.Struct, types.Class}, "union": {types.Union}, "enum": {types.Enum},
}

// bestType returns the type of a qualified name: one of the frame's own unit
// before others, a definition before a declaration.
func (c *context) bestType(name, word string) *Type {
	var best *types.Type
	rank := -1
	for _, spelling := range spellings(name) {
		for _, t := range c.decls.Types.Find(spelling) {
			if word != "" && !hasKind(tagKinds[word], t.Kind) {
				continue
			}
			r := 0
			if !t.IsDeclaration() {
				r += 2
			}
			if t.Entry.Unit == c.unit() {
				r++
			}
			if r > rank {
				best, rank = t, r
			}
		}
		if best != nil {
			return wrap(best)
		}
	}
	return nil
}

func hasKind(kinds []types.Kind, k types.Kind) bool {
	for _, x := range kinds {
		if x == k {
			return true
		}
	}
	return false
}

// spellings are the ways that compilers write a name: those of arithmetic types
// differ between gcc and clang, and so do spaces in arguments of templates.
func spellings(name string) []string {
	list := []string{name}
	if s, ok := clangNames[name]; ok {
		list = append(list, s)
	}
	if strings.Contains(name, "<") {
		compact := strings.ReplaceAll(strings.ReplaceAll(name, ", ", ","), " >", ">")
		gnu := strings.ReplaceAll(strings.ReplaceAll(compact, ",", ", "), ">>", "> >")
		list = append(list, gnu, strings.ReplaceAll(compact, ",", ", "))
		for _, written := range slices.Clone(list) {
			list = append(list, argumentNames(written, nil), argumentNames(written, clangNames))
		}
	}
	return list
}

// arithmeticWords are the words of an arithmetic type among arguments of templates.
var arithmeticWords = regexp.MustCompile(`\b(signed|unsigned|short|long|int|char|double)( (signed|unsigned|short|long|int|char|double))*\b`)

// argumentNames writes the arithmetic types in the arguments of a template as gcc
// does, or by another's names of them.
func argumentNames(name string, names map[string]string) string {
	return arithmeticWords.ReplaceAllStringFunc(name, func(words string) string {
		known := cmp.Or(baseName(strings.Fields(words)), words)
		return cmp.Or(names[known], known)
	})
}

// clangNames are clang's names of the types that gcc names otherwise.
var clangNames = map[string]string{
	"short int": "short", "short unsigned int": "unsigned short", "long int": "long", "long unsigned int": "unsigned long",
	"long long int": "long long", "long long unsigned int": "unsigned long long", "_Bool": "bool",
}

// typeOf returns the type that a name of a type stands for.
func (e *evaluation) typeOf(n *typeNode) (*Type, error) {
	t, err := e.typeNamed(n)
	if err != nil {
		return nil, err
	}
	for _, d := range n.derived {
		switch d.kind {
		case derivePointer:
			t = pointerTo(t)
		case deriveReference:
			t = &Type{kind: types.Reference, elem: t}
		case deriveFunction:
			t = &Type{kind: types.Function, elem: t}
		case deriveArray:
			t = &Type{kind: types.Array, elem: t, dims: []types.Dim{{Count: d.count, Known: d.sized}}}
		}
	}
	return t, nil
}

// typeNamed is typeOf without a declarator.
func (e *evaluation) typeNamed(n *typeNode) (*Type, error) {
	searched := e.everywhere()
	if n.image != "" {
		m, err := e.program.imageNamed(n.image)
		if err != nil {
			return nil, e.fail(n, err.Error(), nil)
		}
		searched = []*context{e.within(m)}
	}
	for _, x := range searched {
		if t := x.findType(n.name, n.word); t != nil {
			return t, nil
		}
	}
	text := n.name
	if n.word != "" {
		text = n.word + " " + text
	}
	if text = "no type " + strconv.Quote(text); n.image != "" {
		text += " in " + n.image
	}
	return nil, e.fail(n, text, nil)
}

// name evaluates the name of a variable, a member of this, a constant, a
// function, a register or a symbol, in this order, and then what other images
// call so.
func (e *evaluation) name(n *nameNode) (*Value, error) {
	if len(n.scopes) > 0 {
		return e.scoped(n)
	}
	if v := e.local(n.name); v != nil {
		return e.variable(v), nil
	}
	if v := e.implicitMember(n.name); v != nil {
		return v, nil
	}
	if v := e.declared(n.name); v != nil {
		return v, nil
	}
	if r, ok := core.LookupReg(n.name); ok {
		return e.register(n, r)
	}
	for _, x := range e.everywhere() {
		if v := x.outsideNamed(n.name); v != nil {
			return v, nil
		}
	}
	if e.decls == nil {
		return nil, e.fail(n, "no symbol "+strconv.Quote(n.name)+" in the image", nil)
	}
	if d, ok := e.macroScope().Lookup(n.name); ok {
		return nil, e.fail(n, strconv.Quote(n.name)+" is a macro: #define "+d.String(), nil)
	}
	return nil, e.fail(n, "no symbol "+strconv.Quote(n.name)+" in the current context", nil)
}

// outsideNamed looks a name up outside of functions, in the image of c: what is
// declared, symbols, and statics of functions and types.
func (c *context) outsideNamed(name string) *Value {
	if v := c.declared(name); v != nil {
		return v
	}
	if v := c.symbol(name); v != nil {
		return v
	}
	if owner, last, ok := cutLast(name); ok {
		return c.staticOf(owner, last)
	}
	return nil
}

// declared looks a name up outside of functions: variables, constants of
// enumerations, functions.
func (c *context) declared(name string) *Value {
	if c.decls == nil {
		return nil
	}
	if v := c.global(name); v != nil {
		return c.variable(v)
	}
	for _, prefix := range c.prefixes() {
		full := prefix + strings.TrimPrefix(name, "::")
		if k := c.constant(full); k != nil {
			return k
		}
		if fns := c.decls.Functions(full); len(fns) > 0 {
			return c.function(c.nearest(fns))
		}
	}
	return nil
}

// nearest prefers a function of the frame's own unit.
func (c *context) nearest(fns []scope.FunctionInfo) scope.FunctionInfo {
	for _, f := range fns {
		if f.Entry.Unit == c.unit() {
			return f
		}
	}
	return fns[0]
}

func (c *context) function(f scope.FunctionInfo) *Value {
	v := c.memory(wrap(f.Type), f.Addr)
	v.symbol = c.program.images.Label(c.image, f.Name)
	return v
}

func (c *context) constant(name string) *Value {
	var best *scope.Constant
	list := c.decls.Constants(name)
	for i := range list {
		if best == nil || list[i].Type.Entry.Unit == c.unit() {
			best = &list[i]
		}
	}
	if best == nil {
		return nil
	}
	t := wrap(best.Type)
	size, ok := t.Size()
	if !ok {
		t, size = typeInt, 4
	}
	return c.computed(t, littleBytes(uint64(best.Value), size))
}

// implicitMember returns the member of *this of a name, nil for none.
func (c *context) implicitMember(name string) *Value {
	this := c.local("this")
	if this == nil || strings.Contains(name, "::") {
		return nil
	}
	object, err := c.dereference(c.variable(this))
	if err != nil {
		return nil
	}
	v, _ := object.Member(name)
	return v
}

// symbol returns the address of an ELF symbol: nothing else is known of it,
// unless it stands for what another image declares: functions of a ROM are
// linked by their addresses.
func (c *context) symbol(name string) *Value {
	addr, n := c.symbolAddress(name)
	if n == 0 {
		return nil
	}
	if owner := c.program.images.At(uint32(addr)); owner != nil && owner != c.image {
		if v := c.within(owner).declared(name); v != nil && v.inMemory && v.addr == uint32(addr)&^1 {
			return v
		}
	}
	v := c.computed(typeWord, littleBytes(uint64(addr), 4))
	v.symbol = c.program.images.Label(c.image, name)
	if n > 1 {
		v.symbol += fmt.Sprintf("> (the first of %d symbols of this name)<", n)
	}
	return v
}

// cutLast splits off the last component of a qualified name.
func cutLast(name string) (outer, last string, ok bool) {
	parts := die.SplitName(name)
	if len(parts) < 2 {
		return "", name, false
	}
	return strings.Join(parts[:len(parts)-1], "::"), parts[len(parts)-1], true
}

// staticOf returns the static variable of a function (func::x), or the static
// member of a class.
func (c *context) staticOf(owner, name string) *Value {
	if c.decls == nil {
		return nil
	}
	for _, prefix := range c.prefixes() {
		for _, f := range c.decls.Functions(prefix + strings.TrimPrefix(owner, "::")) {
			if v := c.variableIn(f.Entry, name); v != nil {
				return v
			}
		}
	}
	if t := c.findType(owner, ""); t != nil {
		return c.staticMember(t.underlying(), name)
	}
	return nil
}

// variableIn returns a variable of a function: that of its activation where the
// frame is one, else a static one.
func (c *context) variableIn(function die.Entry, name string) *Value {
	for i, s := range c.scopes {
		if s.Kind != scope.Block && s.Entry.Offset == function.Offset {
			inner := *c
			inner.scopes = c.scopes[:i+1]
			if v := inner.local(name); v != nil {
				return c.variable(v)
			}
		}
	}
	for _, v := range c.decls.Statics(function) {
		if v.Name == name {
			return c.variable(v)
		}
	}
	return nil
}

// registerNode evaluates $name: a core register, a D register, or what gdb's
// users write for both.
func (e *evaluation) registerNamed(n *registerNode) (*Value, error) {
	if r, ok := core.LookupReg(n.name); ok {
		return e.register(n, r)
	}
	var d uint32
	if _, err := fmt.Sscanf(strings.ToLower(n.name), "d%d", &d); err == nil && d < 32 && strings.ToLower(n.name) == fmt.Sprintf("d%d", d) {
		where := expr.Location{{Kind: expr.Register, Register: dwarfD0 + d}}
		return e.at(typeDouble, where), nil
	}
	return nil, e.fail(n, "no register "+strconv.Quote("$"+n.name), nil)
}

// register is the value of a register in the frame.
func (e *evaluation) register(n node, r core.Reg) (*Value, error) {
	word, ok := e.frame.Register(r)
	switch {
	case e.real != nil:
		word = assumedWord
	case !ok:
		return nil, e.fail(n, fmt.Sprintf("register %v is not known in this frame", r), nil)
	}
	t := typeRegister
	switch {
	case r == core.PC:
		t = typeCode
	case r == core.SP || r == core.MSP || r == core.PSP:
		t = typeAddress
	case r >= core.S0:
		t = typeFloat
	}
	v := e.computed(t, littleBytes(uint64(word), 4))
	v.register, v.hasRegister = r, true
	return v, nil
}
