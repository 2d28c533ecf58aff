package elfsym

import (
	"pushmask/elfsym/types"
)

// Limits of one structure that is asked for. The largest of firmware have some
// hundred members.
const (
	maxTypeDepth   = 16
	maxTypeMembers = 1 << 14
)

// structReader makes a [Type] with all that it contains.
type structReader struct {
	members int // that may still be read
}

// namedType returns the first type under a name that has members, the type of
// another kind where none has.
func namedType(r *types.Reader, name string) Type {
	var other Type
	for _, t := range r.Find(name) {
		s := structReader{members: maxTypeMembers}
		switch x := s.read(t, 0); {
		case x.Struct != nil:
			return x
		case other.Kind == KindUnknown:
			other = x
		}
	}
	return other
}

// read makes the type that t is an alias or a qualified form of. Its name is the
// outermost.
func (s *structReader) read(t *types.Type, depth int) Type {
	x := Type{Name: outermostName(t)}
	t = t.Underlying()
	x.Size, _ = t.Size()
	if depth > maxTypeDepth {
		return x
	}
	switch t.Kind {
	case types.Base:
		x.Kind = baseKinds[t.Encoding]
	case types.Enum:
		x.Kind = KindEnum
	case types.Pointer, types.Reference, types.RvalueReference:
		x.Kind, x.Target = KindPointer, outermostName(t.Elem())
	case types.Array:
		return s.array(x, t, depth)
	case types.Struct, types.Class, types.Union:
		s.structure(&x, t, depth)
	}
	return x
}

// outermostName is the name of the first typedef, or of the type itself.
func outermostName(t *types.Type) string {
	for range maxTypeDepth {
		name := t.TagName()
		switch t.Kind {
		case types.Typedef, types.Const, types.Volatile, types.Restrict, types.Atomic:
			if name == "" {
				t = t.Elem()
				continue
			}
		}
		return name
	}
	return ""
}

var baseKinds = map[types.Encoding]Kind{
	types.Boolean: KindBool, types.Float: KindFloat, types.Signed: KindInt, types.Unsigned: KindUint,
	types.SignedChar: KindChar, types.UnsignedChar: KindChar,
}

// array nests the dimensions of t.
func (s *structReader) array(x Type, t *types.Type, depth int) Type {
	elem := s.read(t.Elem(), depth+1)
	dims := t.Dims()
	for i := len(dims) - 1; i >= 0; i-- {
		inner := elem
		size := uint64(inner.Size) * uint64(dims[i].Count)
		if size > 1<<32-1 {
			return Type{Name: x.Name}
		}
		elem = Type{Kind: KindArray, Size: uint32(size), Elem: &inner, Count: dims[i].Count}
	}
	elem.Name = x.Name
	return elem
}

// structure reads the members of t. Virtual base classes have no place that is
// known without an object.
func (s *structReader) structure(x *Type, t *types.Type, depth int) {
	l, err := t.Layout()
	if len(l.Members) == 0 && err != nil {
		return // a declaration without a definition
	}
	x.Kind = KindStruct
	x.Struct = &Struct{Name: t.Definition().TagName(), Size: x.Size}
	for _, m := range l.Members {
		if s.members--; s.members < 0 {
			return
		}
		if m.Expr != nil || m.BitSize > 64 {
			continue
		}
		x.Struct.Members = append(x.Struct.Members, Member{
			Name: m.Name, Offset: m.Offset, BitOffset: m.BitOffset, BitSize: uint8(m.BitSize), Base: m.Base,
			Type: s.read(m.Type, depth+1),
		})
	}
}
