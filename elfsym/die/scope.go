package die

import (
	"cmp"
	"debug/dwarf"
	"slices"

	"pushmask/internal/cursor"
)

// scopeRange is an entry that gives what is below it a scope.
type scopeRange struct {
	off, end Offset // what is below lies between the two
	outer    int32  // index of the scope around it, -1 for none
}

// scopeTags are the entries that names are looked up in, or that what is
// declared within belongs to.
var scopeTags = map[dwarf.Tag]bool{
	dwarf.TagNamespace: true, dwarf.TagModule: true, dwarf.TagStructType: true, dwarf.TagClassType: true,
	dwarf.TagUnionType: true, dwarf.TagInterfaceType: true, dwarf.TagEnumerationType: true, dwarf.TagSubprogram: true,
	dwarf.TagLexDwarfBlock: true, dwarf.TagInlinedSubroutine: true,
}

// loadScopes lists the scopes of a unit in one pass: entries do not say what
// they are below of.
func (u *Unit) loadScopes() {
	if u.load(); u.err != nil {
		return
	}
	c := cursor.New(".debug_info", u.data)
	c.Seek(u.root.attrs)
	u.skipAttributes(c, u.root.abbrev)
	type level struct{ index, scope int32 } // of u.scopes: what opened the level, and the innermost there
	levels := []level{{-1, -1}}
	for c.Len() > 0 && len(levels) > 0 {
		e := u.next(c)
		top := levels[len(levels)-1]
		if e.Zero() {
			if top.index >= 0 {
				u.scopes[top.index].end = u.Start + Offset(c.Off())
			}
			levels = levels[:len(levels)-1]
			continue
		}
		u.skipAttributes(c, e.abbrev)
		if !e.abbrev.children {
			continue
		}
		opened := level{-1, top.scope}
		if scopeTags[e.Tag] {
			i := int32(len(u.scopes))
			u.scopes = append(u.scopes, scopeRange{e.Offset, u.End, top.scope})
			opened = level{i, i}
		}
		levels = append(levels, opened)
	}
}

// Scope returns the innermost namespace, type, function or block that e is
// directly or indirectly in; false where that is the unit.
func (e Entry) Scope() (Entry, bool) {
	u := e.Unit
	if u == nil {
		return Entry{}, false
	}
	if x := u.owner.index.Load(); x != nil && x.whole {
		if outer, ok := u.innermost(x.scopes, e.Offset); !ok || !outer.isCode() {
			return outer, ok
		}
	}
	u.scopesOnce.Do(u.loadScopes)
	return u.innermost(u.scopes, e.Offset)
}

// innermost returns the innermost of scopes, sorted, around an entry of u.
func (u *Unit) innermost(scopes []scopeRange, off Offset) (Entry, bool) {
	i, _ := slices.BinarySearchFunc(scopes, off, func(s scopeRange, off Offset) int { return cmp.Compare(s.off, off) })
	at := int32(i - 1)
	for at >= 0 && scopes[at].end <= off {
		at = scopes[at].outer
	}
	if at < 0 {
		return Entry{}, false
	}
	outer, err := u.entry(scopes[at].off)
	return outer, err == nil
}

// isCode reports whether e is a function or a part of one.
func (e Entry) isCode() bool {
	return e.Tag == dwarf.TagSubprogram || e.Tag == dwarf.TagLexDwarfBlock || e.Tag == dwarf.TagInlinedSubroutine
}

// maxScopes bounds the nesting of scopes that names are made of.
const maxScopes = 64

// AnonymousNamespace is how gdb and the demanglers write a namespace without a
// name.
const AnonymousNamespace = "(anonymous namespace)"

// part is a component of a qualified name.
type part struct {
	name     string
	optional bool // an inline or anonymous namespace, which names may leave out
}

// isOptionalScope reports whether names may leave e out, which gives what is in
// it a scope, as path tells for each.
func (e Entry) isOptionalScope() bool {
	switch e.Tag {
	case dwarf.TagNamespace:
		return e.Flag(dwarf.AttrExportSymbols) || e.Name() == ""
	case dwarf.TagEnumerationType:
		return !e.Flag(dwarf.AttrEnumClass)
	}
	return e.ownName() == ""
}

// ownName returns the name of an entry, of what it is an instance of, or of the
// type unit that it stands for.
func (e Entry) ownName() string {
	if name := e.Inherited(dwarf.AttrName).Text(); name != "" {
		return name
	}
	if to, ok := e.Follow(dwarf.AttrSignature); ok {
		return to.Name()
	}
	return ""
}

// path returns the components of the qualified name of e, outermost first. It
// ends at a function: what is declared in one is known by its own name.
func (e Entry) path() []part {
	out := []part{{name: e.ownName()}}
	for range maxScopes {
		// The scope of a name is where it was declared.
		if to, ok := e.Origin(); ok {
			e = to
			continue
		}
		outer, ok := e.Scope()
		if !ok {
			break
		}
		switch e = outer; e.Tag {
		case dwarf.TagNamespace:
			p := part{name: e.Name(), optional: e.Flag(dwarf.AttrExportSymbols)}
			if p.name == "" {
				p = part{AnonymousNamespace, true}
			}
			out = append(out, p)
		case dwarf.TagModule, dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType, dwarf.TagInterfaceType:
			if name := e.ownName(); name != "" {
				out = append(out, part{name: name})
			}
		case dwarf.TagEnumerationType:
			// Constants of "enum class" are members of it.
			out = append(out, part{e.Name(), !e.Flag(dwarf.AttrEnumClass)})
		default:
			slices.Reverse(out)
			return out
		}
	}
	slices.Reverse(out)
	return out
}

// QualifiedName returns the name of e with the namespaces and types around it,
// separated by "::"; "" where e has no name. Functions around it are left out.
func (e Entry) QualifiedName() string {
	parts := e.path()
	last := len(parts) - 1
	if parts[last].name == "" {
		return ""
	}
	name := ""
	for _, p := range parts[:last] {
		if p.name != "" && !(p.optional && e.Tag == dwarf.TagEnumerator) {
			name += p.name + "::"
		}
	}
	return name + parts[last].name
}
