package types

import (
	"debug/dwarf"
	"sync"

	"pushmask/elfsym/die"
)

// Kind tells what a [Type] is.
type Kind uint8

// The kinds.
const (
	Unknown         Kind = iota // damaged, or of a kind that is not listed here
	Void                        // nothing: what void * points to, what functions return that return nothing
	Base                        // Encoding tells more
	Pointer                     // to Elem
	Reference                   // to Elem
	RvalueReference             // to Elem
	MemberPointer               // to a member of type Elem of Containing
	Array                       // of Elem, with Dims; also vectors
	Struct                      // Layout has its members, as those of Class and Union
	Class
	Union
	Enum        // Enumerators; Elem is the underlying type where it is stated
	Typedef     // of Elem
	Const       // Elem, as all qualifiers
	Volatile    //
	Restrict    //
	Atomic      //
	Function    // with Params; Elem is what it returns
	Unspecified // std::nullptr_t
	Subrange    // of Elem
)

// Encoding is DW_AT_encoding of a base type (DWARF 5, 7.8).
type Encoding uint8

// The encodings.
const (
	Address        Encoding = 0x01
	Boolean        Encoding = 0x02
	ComplexFloat   Encoding = 0x03
	Float          Encoding = 0x04
	Signed         Encoding = 0x05
	SignedChar     Encoding = 0x06
	Unsigned       Encoding = 0x07
	UnsignedChar   Encoding = 0x08
	ImaginaryFloat Encoding = 0x09
	PackedDecimal  Encoding = 0x0a
	NumericString  Encoding = 0x0b
	Edited         Encoding = 0x0c
	SignedFixed    Encoding = 0x0d
	UnsignedFixed  Encoding = 0x0e
	DecimalFloat   Encoding = 0x0f
	UTF            Encoding = 0x10 // char8_t, char16_t, char32_t, Rust char
	UCS            Encoding = 0x11
	ASCII          Encoding = 0x12
	ComplexInteger Encoding = 0x80 // DW_ATE_lo_user, what gcc writes for _Complex int
)

// Type is a type of the program. Types with one entry are one Type. It is safe
// for concurrent use.
type Type struct {
	Kind     Kind
	Encoding Encoding // of Base
	// Entry is where the type was read; the zero Entry for Void.
	Entry die.Entry

	reader *Reader

	once struct {
		elem, layout, dims, enumerators, params, definition, name sync.Once
	}
	elem        *Type
	layout      *Layout
	layoutErr   error
	dims        []Dim
	enumerators []Enumerator
	params      []Param
	variadic    bool
	definition  *Type
	name        string
}

// Reader reads the types of a program. It is safe for concurrent use.
type Reader struct {
	// AlternativeHalf says that __fp16 has no infinities: see [AlternativeHalf]. It
	// is set before the first use.
	AlternativeHalf bool

	data *die.Data
	mu   sync.Mutex
	seen map[die.Offset]*Type
	void *Type
}

// New returns a reader of the types of d.
func New(d *die.Data) *Reader {
	r := &Reader{data: d, seen: make(map[die.Offset]*Type)}
	r.void = &Type{Kind: Void, reader: r}
	return r
}

// kinds are the kinds of entries.
var kinds = map[dwarf.Tag]Kind{
	dwarf.TagBaseType: Base, dwarf.TagPointerType: Pointer, dwarf.TagReferenceType: Reference,
	dwarf.TagRvalueReferenceType: RvalueReference, dwarf.TagPtrToMemberType: MemberPointer, dwarf.TagArrayType: Array,
	dwarf.TagStructType: Struct, dwarf.TagClassType: Class, dwarf.TagInterfaceType: Class, dwarf.TagUnionType: Union,
	dwarf.TagEnumerationType: Enum, dwarf.TagTypedef: Typedef, dwarf.TagTemplateAlias: Typedef, dwarf.TagConstType: Const,
	tagImmutable: Const, dwarf.TagVolatileType: Volatile, dwarf.TagRestrictType: Restrict, tagAtomic: Atomic,
	dwarf.TagSubroutineType: Function, dwarf.TagSubprogram: Function, dwarf.TagUnspecifiedType: Unspecified, dwarf.TagSubrangeType: Subrange,
}

// Tags of DWARF 5 that debug/dwarf does not name (7.3).
const (
	tagAtomic    dwarf.Tag = 0x47
	tagImmutable dwarf.Tag = 0x4b
)

// At returns the type whose entry is at off. It has the kind Unknown where
// nothing that is a type can be read there.
func (r *Reader) At(off die.Offset) *Type {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t := r.seen[off]; t != nil {
		return t
	}
	t := &Type{reader: r}
	if e, err := r.data.Entry(off); err == nil {
		t.Entry, t.Kind = e, kinds[e.Tag]
		if n, ok := e.Uint(dwarf.AttrEncoding); ok && n <= 0xff {
			t.Encoding = Encoding(n)
		}
	}
	r.seen[off] = t
	return t
}

// Of returns the type of what an entry describes, DW_AT_type of it or of what
// it is an instance of; Void where it has none.
func (r *Reader) Of(e die.Entry) *Type { return r.attr(e.Inherited(dwarf.AttrType)) }

func (r *Reader) attr(v die.Value) *Type {
	if !v.Exists() {
		return r.void
	}
	if off, ok := v.Ref(); ok {
		return r.At(off)
	}
	return &Type{reader: r}
}

// Find returns the types with a qualified name, as [die.Data.Find]. The integers
// of C are found by all of their names.
func (r *Reader) Find(name string) []*Type {
	var out []*Type
	for _, spelling := range spellings(name) {
		for _, e := range r.data.Find(die.Types, spelling) {
			out = append(out, r.At(e.Offset))
		}
	}
	return out
}

// Elem returns the type that t is made of; see the kinds. It is never nil.
func (t *Type) Elem() *Type {
	t.once.elem.Do(func() { t.elem = t.reader.attr(t.Entry.Attr(dwarf.AttrType)) })
	return t.elem
}

// HasElem reports whether t states the type that it is made of.
func (t *Type) HasElem() bool { return t.Entry.Has(dwarf.AttrType) }

// Containing returns the class of a member pointer.
func (t *Type) Containing() *Type { return t.reader.attr(t.Entry.Attr(dwarf.AttrContainingType)) }

// maxHops bounds chains of typedefs, qualifiers and elements.
const maxHops = 64

// Unqualified returns t without qualifiers.
func (t *Type) Unqualified() *Type { return t.through(Const, Volatile, Restrict, Atomic) }

// Underlying returns what t is an alias or a qualified form of.
func (t *Type) Underlying() *Type { return t.through(Typedef, Const, Volatile, Restrict, Atomic) }

func (t *Type) through(kinds ...Kind) *Type {
	var set uint32
	for _, k := range kinds {
		set |= 1 << k
	}
	for range maxHops {
		if set>>t.Kind&1 == 0 {
			return t
		}
		t = t.Elem()
	}
	return &Type{reader: t.reader}
}

// TagName returns the name as DWARF has it, without scopes and decorations;
// "" where the type has none.
func (t *Type) TagName() string { return t.Entry.Inherited(dwarf.AttrName).Text() }

// IsRecord reports whether t is a structure, class or union.
func (t *Type) IsRecord() bool { return t.Kind == Struct || t.Kind == Class || t.Kind == Union }

// IsDeclaration reports whether t says only that a type exists.
func (t *Type) IsDeclaration() bool { return t.Entry.Flag(dwarf.AttrDeclaration) }

// Definition returns the type that a declaration is of: that of its signature,
// or the first of its qualified name, of its own unit where that has one. It is
// t where t is a definition or none is found; finding one may index the program.
func (t *Type) Definition() *Type {
	t.once.definition.Do(func() { t.definition = t.findDefinition() })
	return t.definition
}

func (t *Type) findDefinition() *Type {
	if to, ok := t.Entry.Ref(dwarf.AttrSignature); ok {
		return t.reader.At(to)
	}
	if !t.IsDeclaration() {
		return t
	}
	name := t.Entry.QualifiedName()
	if name == "" {
		return t
	}
	found := t
	for _, e := range t.reader.data.Find(die.Types, name) {
		d := t.reader.At(e.Offset)
		if !(d.IsRecord() && t.IsRecord() || d.Kind == t.Kind) || d.IsDeclaration() {
			continue
		}
		if e.Unit == t.Entry.Unit {
			return d
		}
		if found == t {
			found = d
		}
	}
	return found
}
