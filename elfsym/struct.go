package elfsym

import "strings"

// Kind tells what sort of value a [Type] describes.
type Kind uint8

// The kinds.
const (
	KindUnknown Kind = iota // not described, or of a kind that is not listed here
	KindInt
	KindUint
	KindBool
	KindChar // one byte of text
	KindFloat
	KindEnum
	KindPointer // C and C++ pointers and references
	KindStruct  // struct, class or union: its members are in Struct
	KindArray   // Count elements of type Elem
)

// Type is the type of a member, without its qualifiers.
type Type struct {
	Kind Kind
	Name string // of the outermost typedef or of the type itself, "" when it has none
	Size uint32 // bytes, 0 when not known
	// Target is the name of what a pointer points to, "" for void and types
	// without a name. Its layout is that of [Image.Struct].
	Target string
	Struct *Struct // for KindStruct
	Elem   *Type   // for KindArray
	// Count is the number of elements of an array; 0 for one that is declared
	// without a length. Arrays of arrays are nested.
	Count uint32
}

// Member is a member of a [Struct].
type Member struct {
	Name   string // "" for an anonymous structure or union, whose members are those of the outer
	Offset uint32 // in bytes from the start of the structure
	// BitSize is the width of a bit field, 0 for other members. Its lowest bit
	// is bit BitOffset, 0 to 7, of the little-endian number at Offset.
	BitOffset, BitSize uint8
	Base               bool // a base class, its members are those of the outer
	Type               Type
}

// Struct is the layout of a structure, class or union.
type Struct struct {
	Name    string // tag, or name of the typedef that it was found by
	Size    uint32 // bytes
	Members []Member
}

// Member finds a member by name. Names of nested members follow a period:
// "callee_saved.psp". Members of anonymous structures and unions and of base
// classes are found as members of the structure that they are in. The offset
// of the result counts from the start of s.
func (s *Struct) Member(path string) (Member, bool) {
	name, rest, nested := strings.Cut(path, ".")
	m, ok := s.direct(name)
	if !ok || !nested {
		return m, ok
	}
	if m.Type.Struct == nil {
		return Member{}, false
	}
	inner, ok := m.Type.Struct.Member(rest)
	inner.Offset += m.Offset
	return inner, ok
}

// direct finds a member of s itself, then of what is anonymous in it.
func (s *Struct) direct(name string) (Member, bool) {
	for _, m := range s.Members {
		if m.Name == name && name != "" && !m.Base {
			return m, true
		}
	}
	for _, m := range s.Members {
		if m.Type.Struct == nil || m.Name != "" && !m.Base {
			continue
		}
		if inner, ok := m.Type.Struct.direct(name); ok {
			inner.Offset += m.Offset
			return inner, true
		}
	}
	return Member{}, false
}

// Enumerator is a constant of an enumeration.
type Enumerator struct {
	Name  string
	Value int64
}

// Struct returns the layout of the structure, class or union with the given
// name: its tag, a typedef of it, in C++ with its namespaces ("ns::name").
// Of several definitions under one name the first in the file is returned. It
// is false without DWARF and where only declarations are. What the members of
// [Type] cannot say, package types does: see [Image.Types].
func (m *Image) Struct(name string) (Struct, bool) {
	r := m.Types()
	if r == nil {
		return Struct{}, false
	}
	t := namedType(r, name)
	if t.Struct == nil {
		return Struct{}, false
	}
	s := *t.Struct
	if s.Name == "" {
		s.Name = name
	}
	return s, true
}

// Enum returns the constants of the enumeration with the given name, a tag or
// a typedef.
func (m *Image) Enum(name string) ([]Enumerator, bool) {
	r := m.Types()
	if r == nil {
		return nil, false
	}
	for _, t := range r.Find(name) {
		var list []Enumerator
		for _, e := range t.Underlying().Enumerators() {
			list = append(list, Enumerator(e))
		}
		if len(list) > 0 {
			return list, true
		}
	}
	return nil, false
}
