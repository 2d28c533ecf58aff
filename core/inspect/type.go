package inspect

import (
	"slices"
	"strconv"
	"strings"

	"pushmask/elfsym/die"
	"pushmask/elfsym/types"
)

// Type is a type of the program, or one that an expression makes of others. It
// is never changed.
type Type struct {
	kind     types.Kind
	encoding types.Encoding // of Base
	dwarf    *types.Type    // of the program; nil for a type that was made
	elem     *Type          // of made pointers, references, arrays and functions
	dims     []types.Dim    // of arrays, the outermost first, at least one
	name     string         // of made base types
	size     uint32         // of made base types, bytes
	// word marks the type of machine words that nothing gives a type: registers
	// and what lies at symbols without DWARF. They are shown in hexadecimal.
	word bool
}

// pointerSize is the size of pointers of 32-bit ARM in bytes.
const pointerSize = 4

func base(name string, e types.Encoding, size uint32) *Type {
	return &Type{kind: types.Base, encoding: e, name: name, size: size}
}

// C's own types as gcc names them, sized by the AAPCS (4.1).
var (
	typeVoid     = &Type{kind: types.Void, name: "void"}
	typeBool     = base("bool", types.Boolean, 1)
	typeChar     = base("char", types.UnsignedChar, 1)
	typeInt      = base("int", types.Signed, 4)
	typeUshort   = base("unsigned short", types.Unsigned, 2)
	typeUint     = base("unsigned int", types.Unsigned, 4)
	typeLong     = base("long", types.Signed, 4)
	typeUlong    = base("unsigned long", types.Unsigned, 4)
	typeLlong    = base("long long", types.Signed, 8)
	typeUllong   = base("unsigned long long", types.Unsigned, 8)
	typeFloat    = base("float", types.Float, 4)
	typeDouble   = base("double", types.Float, 8)
	typeAddress  = pointerTo(typeVoid)
	typeWord     = &Type{kind: types.Base, encoding: types.Signed, name: "int", size: 4, word: true}
	typeRegister = &Type{kind: types.Base, encoding: types.Unsigned, name: "uint32_t", size: 4, word: true}
	typeCode     = pointerTo(&Type{kind: types.Function, elem: typeVoid})
)

// builtin are the types that expressions may name without DWARF, by gcc's names.
var builtin = map[string]*Type{
	"void": typeVoid, "_Bool": typeBool, "bool": typeBool, "char": typeChar,
	"signed char": base("signed char", types.SignedChar, 1), "unsigned char": base("unsigned char", types.UnsignedChar, 1),
	"short int": base("short", types.Signed, 2), "short unsigned int": base("unsigned short", types.Unsigned, 2),
	"int": typeInt, "unsigned int": typeUint, "long int": typeLong, "long unsigned int": typeUlong,
	"long long int": typeLlong, "long long unsigned int": typeUllong,
	"float": typeFloat, "double": typeDouble, "long double": base("long double", types.Float, 8),
	"int8_t": base("int8_t", types.SignedChar, 1), "uint8_t": base("uint8_t", types.UnsignedChar, 1),
	"int16_t": base("int16_t", types.Signed, 2), "uint16_t": base("uint16_t", types.Unsigned, 2),
	"int32_t": base("int32_t", types.Signed, 4), "uint32_t": base("uint32_t", types.Unsigned, 4),
	"int64_t": base("int64_t", types.Signed, 8), "uint64_t": base("uint64_t", types.Unsigned, 8),
	"complex float": complexOf(typeFloat), "complex double": complexOf(typeDouble), "complex int": complexOf(typeInt),
	"size_t": base("size_t", types.Unsigned, 4), "uintptr_t": base("uintptr_t", types.Unsigned, 4),
}

// wrap makes a Type of one of the program.
func wrap(t *types.Type) *Type {
	out := &Type{kind: t.Kind, encoding: t.Encoding, dwarf: t}
	if t.Kind == types.Array {
		out.dims = t.Dims()
	}
	return out
}

func pointerTo(t *Type) *Type { return &Type{kind: types.Pointer, elem: t} }

// arrayOf makes the type of n elements.
func arrayOf(t *Type, n uint32) *Type {
	return &Type{kind: types.Array, elem: t, dims: []types.Dim{{Count: n, Known: true}}}
}

// Elem returns the type that t is made of: what a pointer points to, the
// elements of an array, what an alias stands for.
func (t *Type) Elem() *Type {
	if t.kind == types.Array && len(t.dims) > 1 {
		return &Type{kind: types.Array, dwarf: t.dwarf, elem: t.elem, dims: t.dims[1:]}
	}
	switch {
	case t.elem != nil:
		return t.elem
	case t.dwarf != nil:
		return wrap(t.dwarf.Elem())
	}
	return typeVoid
}

// maxHops bounds chains of aliases.
const maxHops = 64

// underlying returns what t is an alias or a qualified form of, the definition
// where t is a declaration.
func (t *Type) underlying() *Type {
	if t.dwarf == nil {
		return t
	}
	u := t.dwarf.Underlying()
	if u.Kind == types.Subrange && u.HasElem() {
		u = u.Elem().Underlying()
	}
	if u.IsRecord() || u.Kind == types.Enum {
		u = u.Definition()
	}
	if u == t.dwarf {
		return t
	}
	return wrap(u)
}

// Size returns the size in bytes; false where it is not known.
func (t *Type) Size() (uint32, bool) {
	switch {
	case t.kind == types.Array:
		return t.arraySize()
	case t.dwarf != nil:
		return t.dwarf.Size()
	case t.kind == types.Base:
		return t.size, true
	case t.kind == types.Pointer || t.kind == types.Reference:
		return pointerSize, true
	}
	return 0, false
}

func (t *Type) arraySize() (uint32, bool) {
	inner := t
	for range maxHops {
		if inner.kind != types.Array {
			break
		}
		if !inner.dims[0].Known {
			return 0, false
		}
		inner = inner.Elem()
	}
	stride, ok := t.stride()
	count := int64(t.dims[0].Count)
	if !ok || stride < 0 || stride > 0 && count > maxDistance/stride {
		return 0, false
	}
	n := uint64(stride*count+7) / 8
	return uint32(n), n < 1<<32
}

// count returns the number of elements of an array; false where the program
// does not state it.
func (t *Type) count() (uint32, bool) {
	if t.kind != types.Array {
		return 0, false
	}
	return t.dims[0].Count, t.dims[0].Known
}

// isVariable reports whether the length of an array is computed in the frame.
func (t *Type) isVariable() bool {
	if t.dwarf == nil {
		return false
	}
	dims := t.dwarf.Dims()
	n := len(dims) - len(t.dims)
	return n >= 0 && n < len(dims) && dims[n].Bound != nil
}

// Name returns the type as its language writes it.
func (t *Type) Name() string {
	switch {
	case t.dwarf != nil && (t.kind != types.Array || len(t.dims) == len(t.dwarf.Dims()) && t.fixed()):
		return t.dwarf.Name()
	case t.kind == types.Pointer:
		return t.Elem().declare("*")
	case t.kind == types.Reference:
		return t.Elem().declare("&")
	case t.kind == types.Array:
		return t.arrayName()
	case t.kind == types.Function:
		return t.Elem().declare("()")
	}
	return t.name
}

// fixed reports whether the length of no dimension comes from a frame.
func (t *Type) fixed() bool {
	for i, d := range t.dwarf.Dims() {
		if d.Bound != nil && t.dims[i].Known {
			return false
		}
	}
	return true
}

func (t *Type) arrayName() string {
	inner := t
	lengths := ""
	for range maxHops {
		if inner.kind != types.Array {
			break
		}
		n := ""
		if d := inner.dims[0]; d.Known {
			n = strconv.FormatUint(uint64(d.Count), 10)
		}
		lengths += "[" + n + "]"
		inner = inner.Elem()
	}
	if inner.isRust() {
		return "[" + inner.Name() + "; " + strings.Trim(lengths, "[]") + "]"
	}
	return inner.declare(lengths)
}

// declare writes a declaration of what has the declarator d and is made of t.
func (t *Type) declare(d string) string {
	name := t.Name()
	isPointer := strings.HasPrefix(d, "*") || strings.HasPrefix(d, "&")
	switch {
	case isPointer && t.isRust():
		return "*mut " + name
	case isPointer && (t.kind == types.Array || t.kind == types.Function):
		d = "(" + d + ")"
		if i := strings.IndexAny(name, "[("); i >= 0 {
			return strings.TrimSuffix(name[:i], " ") + " " + d + name[i:]
		}
	case strings.HasPrefix(d, "[") && strings.Contains(name, "(*"):
		return strings.Replace(name, "(*", "(*"+d, 1)
	case strings.HasSuffix(name, "*") && isPointer:
		return name + d
	}
	return name + " " + d
}

func (t *Type) isRust() bool {
	return t.dwarf != nil && t.dwarf.Entry.Unit != nil && t.dwarf.Entry.Unit.Language() == die.Rust
}

// Kinds of types as expressions ask for them; t is one that underlying returned.

func (t *Type) isInteger() bool {
	return t.kind == types.Enum || t.kind == types.Base && !t.isFloat() && !t.isComplex() && !t.isFixed()
}

func (t *Type) isFloat() bool {
	return t.kind == types.Base && (t.encoding == types.Float || t.encoding == types.ImaginaryFloat)
}

func (t *Type) isComplex() bool {
	return t.kind == types.Base && (t.encoding == types.ComplexFloat || t.encoding == types.ComplexInteger)
}

// isUnit reports whether t is (), the type of Rust that has one value.
func (t *Type) isUnit() bool {
	size, ok := t.Size()
	return t.kind == types.Base && ok && size == 0
}

func (t *Type) isPointer() bool { return t.kind == types.Pointer }

func (t *Type) isReference() bool {
	return t.kind == types.Reference || t.kind == types.RvalueReference
}

func (t *Type) isRecord() bool {
	return t.kind == types.Struct || t.kind == types.Class || t.kind == types.Union
}

// isTag reports whether the name of t takes "struct" and the like before it: in C
// a variable may have the same.
func (t *Type) isTag() bool {
	if !t.isRecord() && t.kind != types.Enum || t.dwarf == nil || t.dwarf.Entry.Unit == nil {
		return false
	}
	return t.dwarf.Entry.Unit.Language().IsC()
}

// isScalar reports whether values of t are one number.
func (t *Type) isScalar() bool {
	return t.isInteger() || t.isFloat() || t.isFixed() || t.isPointer() || t.isReference() || t.kind == types.Unspecified
}

// isSigned reports whether integers of t are signed.
func (t *Type) isSigned() bool {
	if t.dwarf != nil {
		return t.dwarf.IsSigned()
	}
	return t.encoding == types.Signed || t.encoding == types.SignedChar
}

// ordered puts bytes from the order of the machine into that of a type, or back.
func (t *Type) ordered(b []byte) []byte {
	if t.isBigEndian() {
		b = slices.Clone(b)
		slices.Reverse(b)
	}
	return b
}

// isBigEndian reports whether values of t have their most significant byte first.
func (t *Type) isBigEndian() bool { return t.dwarf != nil && t.dwarf.BigEndian() }

// isChar reports whether t holds a character of text.
func (t *Type) isChar() bool {
	if t.kind != types.Base {
		return false
	}
	switch t.encoding {
	case types.SignedChar, types.UnsignedChar, types.UTF, types.UCS, types.ASCII:
		return !t.isRust() || t.encoding == types.UTF
	}
	return false
}
