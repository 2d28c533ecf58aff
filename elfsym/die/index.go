package die

import (
	"debug/dwarf"

	"pushmask/internal/cursor"
)

// Kind selects what [Data.Find] looks for.
type Kind uint8

// The kinds.
const (
	Types      Kind = iota // defined types of every kind, typedefs
	Functions              // functions that have code
	Variables              // variables outside of functions, static members
	Constants              // constants of enumerations
	Namespaces             // every place where a namespace is opened
)

// index finds entries by the last component of their names. It holds hashes,
// which are checked against the entries when something is looked up: a program
// has some hundred thousand names.
type index struct {
	items []item
	heads []int32 // by hash: the first of items, counted from 1
	// scopes are the namespaces, types and functions of all units, in the order
	// of the file, without what is in functions; whole is false where the index
	// came to its limit before the end.
	scopes []scopeRange
	whole  bool
}

type item struct {
	hash uint32
	next int32 // the next of items of the same head, counted from 1
	off  Offset
	kind Kind
	in   reach
	lead [leadLen]byte // how the name begins, 0 past its end
}

// leadLen is how much of a name tells items apart that no word being typed means;
// it fills up an item.
const leadLen = 2

// reach tells whether a name alone finds an entry.
type reach uint8

const (
	reachUnknown reach = iota // the entry is an instance of one elsewhere
	reachGlobal               // nothing is around it that names do not leave out
	reachNested               // it is in a type or a named namespace
)

// maxItems bounds the index.
const maxItems = 1 << 24

// hashName is FNV-1a (RFC draft-eastlake-fnv).
func hashName[T string | []byte](name T) uint32 {
	h := uint32(2166136261)
	for i := range len(name) {
		h = (h ^ uint32(name[i])) * 16777619
	}
	return h
}

// names returns the index, which the first call makes.
func (d *Data) names() *index {
	d.indexOnce.Do(func() {
		x := &index{}
		for _, u := range d.units {
			if root, err := u.Root(); err == nil {
				x.addUnit(u, root)
			}
		}
		x.whole = len(x.items) < maxItems
		size := 1
		for size < len(x.items) {
			size *= 2
		}
		x.heads = make([]int32, size)
		for i := len(x.items) - 1; i >= 0; i-- {
			head := &x.heads[x.items[i].hash&uint32(size-1)]
			x.items[i].next, *head = *head, int32(i+1)
		}
		d.index.Store(x)
	})
	return d.index.Load()
}

// indexLevel is what the entries of one level of a unit are in.
type indexLevel struct {
	scope  int32 // index of scopes, -1 for the unit
	nested bool  // names cannot leave it out
}

// addUnit adds what is named in a unit outside of functions. Damage ends the
// unit.
func (x *index) addUnit(u *Unit, root Entry) {
	c := cursor.New(".debug_info", u.data)
	c.Seek(root.attrs)
	u.skipAttributes(c, root.abbrev)
	levels := []indexLevel{{scope: -1}}
	for len(levels) > 0 && c.Len() > 0 && len(x.items) < maxItems {
		e := u.next(c)
		top := levels[len(levels)-1]
		if e.Zero() {
			if top.scope >= 0 {
				x.scopes[top.scope].end = u.Start + Offset(c.Off())
			}
			levels = levels[:len(levels)-1]
			continue
		}
		x.addEntry(e, top.nested)
		if !scopeTags[e.Tag] || !e.HasChildren() {
			u.skip(c, e)
			continue
		}
		i := int32(len(x.scopes))
		x.scopes = append(x.scopes, scopeRange{e.Offset, u.End, top.scope})
		if e.isCode() {
			u.skip(c, e)
			x.scopes[i].end = u.Start + Offset(c.Off())
			continue
		}
		u.skipAttributes(c, e.abbrev)
		levels = append(levels, indexLevel{i, top.nested || !e.isOptionalScope()})
	}
}

func (x *index) addEntry(e Entry, nested bool) {
	kind, ok := indexKind(e)
	if !ok {
		return
	}
	name := e.Attr(dwarf.AttrName).text()
	if name == nil && kind != Namespaces {
		name = e.Inherited(dwarf.AttrName).text()
	}
	if len(name) > 0 {
		it := item{hash: hashName(name), off: e.Offset, kind: kind, in: reachGlobal}
		if _, ok := e.Origin(); ok {
			it.in = reachUnknown
		} else if nested {
			it.in = reachNested
		}
		copy(it.lead[:], name)
		x.items = append(x.items, it)
	}
}

// indexKind tells under what an entry is found; false for declarations and
// what has no name of its own.
func indexKind(e Entry) (Kind, bool) {
	switch e.Tag {
	case dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType, dwarf.TagEnumerationType, dwarf.TagTypedef,
		dwarf.TagBaseType, dwarf.TagTemplateAlias, dwarf.TagUnspecifiedType, dwarf.TagPointerType:
		return Types, !e.Flag(dwarf.AttrDeclaration)
	case dwarf.TagSubprogram:
		return Functions, e.Has(dwarf.AttrLowpc) || e.Has(dwarf.AttrRanges)
	case dwarf.TagVariable:
		return Variables, !e.Flag(dwarf.AttrDeclaration) || e.Has(dwarf.AttrConstValue)
	case dwarf.TagMember:
		return Variables, e.Has(dwarf.AttrConstValue)
	case dwarf.TagEnumerator:
		return Constants, true
	case dwarf.TagNamespace:
		return Namespaces, true
	}
	return 0, false
}
