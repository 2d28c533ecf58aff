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
}

type item struct {
	hash uint32
	next int32 // the next of items of the same head, counted from 1
	off  Offset
	kind Kind
}

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
		size := 1
		for size < len(x.items) {
			size *= 2
		}
		x.heads = make([]int32, size)
		for i := len(x.items) - 1; i >= 0; i-- {
			head := &x.heads[x.items[i].hash&uint32(size-1)]
			x.items[i].next, *head = *head, int32(i+1)
		}
		d.index = x
	})
	return d.index
}

// addUnit adds what is named in a unit outside of functions. Damage ends the
// unit.
func (x *index) addUnit(u *Unit, root Entry) {
	c := cursor.New(".debug_info", u.data)
	c.Seek(root.attrs)
	u.skipAttributes(c, root.abbrev)
	for depth := 1; depth > 0 && c.Len() > 0 && len(x.items) < maxItems; {
		e := u.next(c)
		if e.Zero() {
			depth--
			continue
		}
		x.addEntry(e)
		switch e.Tag {
		case dwarf.TagNamespace, dwarf.TagModule, dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType, dwarf.TagEnumerationType:
			u.skipAttributes(c, e.abbrev)
			if e.abbrev.children {
				depth++
			}
		default:
			u.skip(c, e)
		}
	}
}

func (x *index) addEntry(e Entry) {
	kind, ok := indexKind(e)
	if !ok {
		return
	}
	name := e.Attr(dwarf.AttrName).text()
	if name == nil && kind != Namespaces {
		name = e.Inherited(dwarf.AttrName).text()
	}
	if len(name) > 0 {
		x.items = append(x.items, item{hash: hashName(name), off: e.Offset, kind: kind})
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
