package inspect

import (
	"strings"

	"pushmask/elfsym/types"
)

// Definition returns the definition of t as its language writes it, after "type
// = ", as gdb's ptype prints it; see [types.Type.Source]. offsets adds the offset
// and the size of each member, and the holes between them, below a heading.
func (t *Type) Definition(offsets bool) string {
	if !offsets {
		return "type = " + t.expanded((*types.Type).Source)
	}
	text := "type = " + t.expanded((*types.Type).SourceOffsets)
	if strings.Contains(text, "/* total size") {
		text = types.OffsetHeading + "  " + text
	}
	return text
}

// expanded writes a type with the innermost of what it is made of as source does.
func (t *Type) expanded(source func(*types.Type) string) string {
	inner := t
	for i := 0; i < maxHops && inner.dwarf == nil && inner.elem != nil; i++ {
		inner = inner.elem
	}
	switch {
	case inner.dwarf == nil:
		return t.Name()
	case inner == t && (t.kind != types.Array || t.fixed() && len(t.dims) == len(t.dwarf.Dims())):
		return source(t.dwarf)
	case inner == t: // an array whose length the frame knows, or a row of one
		inner = wrap(t.dwarf.Elem())
	}
	return strings.Replace(t.Name(), inner.Name(), source(inner.dwarf), 1)
}

// Alias returns the name of what t is another name of, false where it is none.
func (t *Type) Alias() (string, bool) {
	if t.kind != types.Typedef {
		return "", false
	}
	return t.Elem().Name(), true
}
