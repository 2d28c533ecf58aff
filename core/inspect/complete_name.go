package inspect

import (
	"path"
	"slices"
	"strings"

	"pushmask/core"
	"pushmask/elfsym"
	"pushmask/elfsym/die"
	"pushmask/elfsym/macro"
	"pushmask/elfsym/scope"
	"pushmask/elfsym/types"
)

// operand offers names of values in the order in which they are looked up, and
// types where they may stand. Without a letter of the word it offers no more
// than what is near.
func (c *completer) operand(w word) {
	if w.values {
		c.locals()
		c.thisMembers()
		c.statics()
		if c.word != "" {
			for _, prefix := range c.searchedScopes() {
				c.declaredIn(prefix)
			}
			c.macroNames()
			c.elsewhere(func() { c.declaredIn("") })
			c.symbols()
		}
	}
	if w.types {
		c.typeNames()
	}
}

func (c *completer) locals() {
	for _, s := range c.scopes {
		for _, v := range s.Variables {
			c.add(Completion{Name: v.Name, Kind: CompleteVariable, Type: v.Type.Name()})
		}
	}
}

// thisMembers offers the members that a method names without "this".
func (c *completer) thisMembers() {
	this := c.local("this")
	if this == nil {
		return
	}
	budget := maxSearch
	c.membersOf(wrap(this.Type).underlying().Elem().underlying(), 0, &budget)
}

// statics offers the variables of the frame's own unit.
func (c *completer) statics() {
	u := c.unit()
	if u == nil {
		return
	}
	prefixes := c.prefixes()
	for _, v := range c.decls.UnitVariables(u) {
		c.add(c.variableCompletion(v, shortest(v.QualifiedName(), prefixes)))
	}
}

func (c *completer) variableCompletion(v *scope.Variable, name string) Completion {
	return Completion{Name: name, Text: nameText(name), Kind: CompleteVariable, Type: v.Type.Name()}
}

// shortest is a qualified name without the scope that is searched anyway.
func shortest(name string, prefixes []string) string {
	for _, p := range prefixes {
		if rest, ok := strings.CutPrefix(name, p); ok {
			return rest
		}
	}
	return name
}

// nameText is a name as expressions take it, in quotes where it is not one of C.
func nameText(name string) string {
	for _, part := range strings.Split(name, "::") {
		if nameLen(part) != len(part) && !strings.ContainsAny(part, "<({") {
			return "'" + name + "'"
		}
	}
	return name
}

// searchedScopes are the scopes that names are looked up in.
func (c *completer) searchedScopes() []string {
	if c.decls == nil {
		return nil
	}
	return c.prefixes()
}

// named calls add with the entries of a kind in a scope, "" or "ns::", whose
// names begin with the word, once for each name.
func (c *completer) named(kind die.Kind, scopeName string, add func(e die.Entry, name string) bool) {
	if c.decls == nil || c.full() {
		return
	}
	seen := func(name string) bool { return c.seen[name] }
	c.decls.Prefixed(kind, scopeName+c.word, seen, add)
}

// declaredIn offers what a scope declares: variables, constants, functions,
// namespaces.
func (c *completer) declaredIn(scopeName string) {
	c.named(die.Variables, scopeName, func(e die.Entry, name string) bool {
		return c.add(Completion{Name: name, Text: nameText(name), Kind: CompleteVariable, Type: c.decls.Types.Of(e).Name()})
	})
	c.named(die.Constants, scopeName, func(e die.Entry, name string) bool {
		x := Completion{Name: name, Kind: CompleteConstant}
		if of, ok := e.Scope(); ok {
			x.Type = c.decls.Types.At(of.Offset).Name()
		}
		return c.add(x)
	})
	c.named(die.Functions, scopeName, func(_ die.Entry, name string) bool {
		return c.add(Completion{Name: name, Text: nameText(name), Kind: CompleteFunction})
	})
	c.named(die.Namespaces, scopeName, func(_ die.Entry, name string) bool {
		return c.add(Completion{Name: name, Kind: CompleteNamespace})
	})
}

// elsewhere has f offer what the other images declare, behind what comes before.
func (c *completer) elsewhere(f func()) {
	own := c.evaluation
	defer func() { c.evaluation = own }()
	for _, x := range own.everywhere()[1:] {
		c.evaluation = &evaluation{context: x, expr: own.expr}
		f()
	}
}

// scoped offers what is in a scope that is named: a namespace, a type, a
// function, a file in quotes, an image in quotes or such a scope of it.
func (c *completer) scoped(before string) {
	if x, rest, ok := c.cutImage(before); ok {
		own := c.evaluation
		c.evaluation = &evaluation{context: x, expr: own.expr}
		if c.scopeOf(rest); rest == "" {
			c.symbols()
		}
		c.evaluation = own
	}
	c.scopeOf(before)
	c.elsewhere(func() { c.scopeOf(before) })
}

// cutImage splits off the image that begins a scope: "'boot.elf'::ns".
func (c *completer) cutImage(before string) (x *context, rest string, ok bool) {
	tokens, err := lex(before)
	if err != nil || !tokens[0].isQuoted() {
		return nil, "", false
	}
	m, err := c.program.imageNamed(tokens[0].text)
	if err != nil {
		return nil, "", false
	}
	return c.within(m), strings.TrimPrefix(before[tokens[0].end:], "::"), true
}

// scopeOf is scoped in the image that names are looked up in first.
func (c *completer) scopeOf(before string) {
	if c.decls == nil {
		return
	}
	if before == "" {
		c.declaredIn("")
		c.typesIn("")
		return
	}
	unquoted := strings.Trim(before, "'")
	for _, prefix := range c.prefixes() {
		qualified := prefix + strings.TrimPrefix(unquoted, "::") + "::"
		c.declaredIn(qualified)
		c.typesIn(qualified)
		for _, f := range c.decls.Functions(strings.TrimSuffix(qualified, "::")) {
			for _, v := range c.decls.Statics(f.Entry) {
				c.add(c.variableCompletion(v, v.Name))
			}
		}
	}
	if t := c.findType(unquoted, ""); t != nil {
		c.typeScope(t.underlying())
	}
	if before != unquoted {
		c.fileScope(unquoted)
	}
}

// typeScope offers the static members of a record and the constants of an
// enumeration.
func (c *completer) typeScope(t *Type) {
	l, _ := t.layout()
	for i := range l.Statics {
		c.add(Completion{Name: l.Statics[i].Name, Kind: CompleteMember, Type: l.Statics[i].Type.Name()})
	}
	if t.kind == types.Enum && t.dwarf != nil {
		for _, k := range t.dwarf.Enumerators() {
			c.add(Completion{Name: k.Name, Kind: CompleteConstant, Type: t.Name()})
		}
	}
}

// fileScope offers the variables of a source file.
func (c *completer) fileScope(name string) {
	for _, u := range c.decls.Data().Units() {
		if root, err := u.Root(); err != nil || !sameFile(root.Name(), name) {
			continue
		}
		for _, v := range c.decls.UnitVariables(u) {
			c.add(c.variableCompletion(v, v.Name))
		}
	}
}

// files offers the source files of the program by their last elements, and the
// images where there are several.
func (c *completer) files() {
	c.filesOf()
	c.elsewhere(c.filesOf)
	if c.program.hasSeveral() {
		for _, m := range c.program.images.Images() {
			n := c.program.images.Name(m)
			c.add(Completion{Name: n, Text: n + "'", Kind: CompleteFile})
		}
	}
}

// filesOf offers those of the image that names are looked up in first.
func (c *completer) filesOf() {
	if c.decls == nil {
		return
	}
	var names []string
	for _, u := range c.decls.Data().Units() {
		if root, err := u.Root(); err == nil && root.Name() != "" {
			names = append(names, path.Base(strings.ReplaceAll(root.Name(), `\`, "/")))
		}
	}
	slices.Sort(names)
	for _, n := range slices.Compact(names) {
		c.add(Completion{Name: n, Text: n + "'", Kind: CompleteFile})
	}
}

// macroNames offers the macros that are defined in the frame, with what they are
// defined as.
func (c *completer) macroNames() {
	c.macroScope().Names(c.word, func(d *macro.Definition) bool {
		return c.add(Completion{Name: d.Name, Kind: CompleteMacro, Type: d.Body})
	})
}

// symbols offers those of the ELFs, which programs without DWARF have alone.
func (c *completer) symbols() {
	for _, x := range c.everywhere() {
		if x.image == nil || c.full() {
			return
		}
		for _, f := range x.image.Functions() {
			if strings.HasPrefix(f.Name, c.word) && !c.add(Completion{Name: f.Name, Text: nameText(f.Name), Kind: CompleteFunction}) {
				return
			}
		}
		x.image.EachVariable(func(s elfsym.Symbol) bool {
			return c.add(Completion{Name: s.Name, Text: nameText(s.Name), Kind: CompleteVariable})
		})
	}
}

// registers offers the registers that the frame knows, behind "$".
func (c *completer) registers() {
	for r := range core.Reg(core.NumRegs) {
		if c.frame.Regs != nil && c.frame.Regs.Has(r) {
			c.add(Completion{Name: "$" + r.String(), Kind: CompleteRegister})
		}
	}
}

// typeNames offers the words that types begin with, and types where a letter of
// the word is known.
func (c *completer) typeNames() {
	if c.word != "" {
		c.typesOf()
		c.elsewhere(c.typesOf)
		for _, name := range builtinNames() {
			c.add(Completion{Name: name, Kind: CompleteType})
		}
	}
	for _, words := range [][]string{tagWords, {"const", "volatile"}, {"unsigned", "signed", "long", "short"}} {
		for _, name := range words {
			c.add(Completion{Name: name, Kind: CompleteKeyword})
		}
	}
}

// typesOf offers the types of the image that names are looked up in first, and the
// namespaces that they may be in.
func (c *completer) typesOf() {
	for _, prefix := range c.searchedScopes() {
		c.typesIn(prefix)
		c.named(die.Namespaces, prefix, func(_ die.Entry, name string) bool {
			return c.add(Completion{Name: name, Kind: CompleteNamespace})
		})
	}
}

// builtinNames are the types that expressions know without the program's.
func builtinNames() []string {
	var names []string
	for name := range builtin {
		if !strings.Contains(name, " ") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// typesIn offers the types that a scope declares.
func (c *completer) typesIn(scopeName string) {
	c.named(die.Types, scopeName, func(e die.Entry, name string) bool {
		return c.add(c.typeCompletion(e, name))
	})
}

func (c *completer) typeCompletion(e die.Entry, name string) Completion {
	t := c.decls.Types.At(e.Offset)
	x := Completion{Name: name, Kind: CompleteType}
	if full := t.Name(); full != name {
		x.Type = full
	}
	if t.Kind == types.Typedef {
		x.Type = t.Elem().Name()
	}
	return x
}

// tagged offers the types that "struct" and the like may name.
func (c *completer) tagged(tag string) {
	c.taggedOf(tag)
	c.elsewhere(func() { c.taggedOf(tag) })
}

// taggedOf offers those of the image that names are looked up in first.
func (c *completer) taggedOf(tag string) {
	for _, prefix := range c.searchedScopes() {
		c.named(die.Types, prefix, func(e die.Entry, name string) bool {
			t := c.decls.Types.At(e.Offset)
			return !hasKind(tagKinds[tag], t.Kind) || c.add(c.typeCompletion(e, name))
		})
	}
}
