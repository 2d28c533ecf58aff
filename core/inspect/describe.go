package inspect

import (
	"strings"

	"pushmask/elfsym/types"
)

// Source returns the definition of t as its language writes it; see
// [types.Type.Source].
func (t *Type) Source() string { return t.expanded((*types.Type).Source) }

// SourceOffsets is Source with the offsets and sizes of members, and the holes
// between them; see [types.Type.SourceOffsets].
func (t *Type) SourceOffsets() string { return t.expanded((*types.Type).SourceOffsets) }

// OffsetHeading stands over the columns of [Type.SourceOffsets].
const OffsetHeading = types.OffsetHeading

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

// IsRecord reports whether t is a structure, class or union, or another name of
// one.
func (t *Type) IsRecord() bool { return t.underlying().isRecord() }

// Alias returns the name of what t is another name of, false where it is none.
func (t *Type) Alias() (string, bool) {
	if t.kind != types.Typedef {
		return "", false
	}
	return t.Elem().Name(), true
}
