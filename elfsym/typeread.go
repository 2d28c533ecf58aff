package elfsym

import (
	"debug/dwarf"
	"fmt"

	"pushmask/internal/cursor"
)

// Limits of one type that is asked for. The largest structures of firmware
// have some hundred members; a type that contains itself ends at the depth.
const (
	maxTypeDepth   = 16
	maxTypeMembers = 1 << 14
	maxTypeHops    = 32 // typedefs and qualifiers in front of a type
)

// typeReader reads one type with what it contains.
type typeReader struct {
	d       *debugInfo
	members int // that may still be read
}

// resolve returns the type at off. What is damaged is left out and reported.
// The walk over DIEs is our own: debug/dwarf's Data.Type fails for a whole
// structure when one member has an encoding that it does not know (DW_ATE_UTF).
func (d *debugInfo) resolve(off dwarf.Offset) Type {
	if t, ok := d.types.resolved[off]; ok {
		return t
	}
	r := &typeReader{d: d, members: maxTypeMembers}
	var t Type
	d.image.report(guard(func() (err error) {
		t, err = r.read(off, 0)
		return err
	}))
	d.types.resolved[off] = t
	return t
}

// entry reads the entry at off.
func (r *typeReader) entry(off dwarf.Offset) (*dwarf.Entry, *unit, error) {
	u := r.d.unitOf(off)
	if u == nil {
		return nil, nil, fmt.Errorf("read type at %#x: %w DWARF: no unit has it", off, ErrMalformed)
	}
	rd := r.d.unitReader(u)
	rd.Seek(off)
	e, err := rd.Next()
	if err == nil && e == nil {
		err = ErrMalformed
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read type at %#x: %w", off, err)
	}
	return e, u, nil
}

// read returns the type at off, seeing through typedefs and qualifiers.
func (r *typeReader) read(off dwarf.Offset, depth int) (Type, error) {
	if depth > maxTypeDepth {
		return Type{}, fmt.Errorf("read type at %#x: %w DWARF: nested too deeply", off, ErrMalformed)
	}
	name := ""
	for range maxTypeHops {
		e, u, err := r.entry(off)
		if err != nil {
			return Type{Name: name}, err
		}
		own, _ := e.Val(dwarf.AttrName).(string)
		if name == "" {
			name = own
		}
		if !transparent[e.Tag] {
			t, err := r.readEntry(e, u, depth)
			t.Name = name
			return t, err
		}
		var ok bool
		if off, ok = typeRef(e); !ok {
			return Type{Name: name}, nil // void
		}
	}
	return Type{Name: name}, fmt.Errorf("read type %q: %w DWARF: a chain of typedefs without an end", name, ErrMalformed)
}

// tagAtomicType is DW_TAG_atomic_type (DWARF 5, 7.3), which debug/dwarf does
// not name.
const tagAtomicType dwarf.Tag = 0x47

// transparent are the entries that stand for the type they refer to.
var transparent = map[dwarf.Tag]bool{
	dwarf.TagTypedef: true, dwarf.TagConstType: true, dwarf.TagVolatileType: true,
	dwarf.TagRestrictType: true, tagAtomicType: true, dwarf.TagTemplateAlias: true,
}

func typeRef(e *dwarf.Entry) (dwarf.Offset, bool) {
	off, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
	return off, ok
}

// byteSize is DW_AT_byte_size, 0 where it is absent or no size.
func byteSize(e *dwarf.Entry) uint32 {
	n, _ := e.Val(dwarf.AttrByteSize).(int64)
	if n < 0 || n > 1<<32-1 {
		return 0
	}
	return uint32(n)
}

// pointerSize is that of 32-bit ARM; some producers leave DW_AT_byte_size of
// pointers out.
const pointerSize = 4

func (r *typeReader) readEntry(e *dwarf.Entry, u *unit, depth int) (Type, error) {
	t := Type{Size: byteSize(e)}
	switch e.Tag {
	case dwarf.TagBaseType:
		t.Kind = baseKind(e)
	case dwarf.TagEnumerationType:
		t.Kind = KindEnum
	case dwarf.TagPointerType, dwarf.TagReferenceType, dwarf.TagRvalueReferenceType:
		t.Kind, t.Size = KindPointer, pointerSize
		t.Target = r.targetName(e)
	case dwarf.TagArrayType:
		return r.array(e, u, depth)
	case dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType:
		return r.structure(e, u, depth)
	}
	return t, nil
}

// Encodings of base types (DWARF 5, 7.8).
const (
	ateBoolean      = 0x02
	ateFloat        = 0x04
	ateSigned       = 0x05
	ateSignedChar   = 0x06
	ateUnsigned     = 0x07
	ateUnsignedChar = 0x08
)

func baseKind(e *dwarf.Entry) Kind {
	encoding, _ := e.Val(dwarf.AttrEncoding).(int64)
	switch encoding {
	case ateBoolean:
		return KindBool
	case ateFloat:
		return KindFloat
	case ateSigned:
		return KindInt
	case ateUnsigned:
		return KindUint
	case ateSignedChar, ateUnsignedChar:
		return KindChar
	}
	return KindUnknown
}

// targetName names what a pointer points to, through qualifiers.
func (r *typeReader) targetName(e *dwarf.Entry) string {
	off, ok := typeRef(e)
	for range maxTypeHops {
		if !ok {
			return ""
		}
		target, _, err := r.entry(off)
		if err != nil {
			return ""
		}
		if name, _ := target.Val(dwarf.AttrName).(string); name != "" || !transparent[target.Tag] {
			return name
		}
		off, ok = typeRef(target)
	}
	return ""
}

// array reads an array; each DW_TAG_subrange_type below it is a dimension.
func (r *typeReader) array(e *dwarf.Entry, u *unit, depth int) (Type, error) {
	off, ok := typeRef(e)
	if !ok {
		return Type{}, fmt.Errorf("read array at %#x: %w DWARF: no element type", e.Offset, ErrMalformed)
	}
	elem, err := r.read(off, depth+1)
	if err != nil {
		return Type{}, err
	}
	var counts []uint32
	w := r.d.walker(u, e.Offset)
	for {
		c, err := w.next()
		if err != nil {
			return Type{}, err
		}
		if c == nil || len(counts) == maxTypeDepth {
			break
		}
		if c.Tag == dwarf.TagSubrangeType {
			counts = append(counts, dimension(c))
		}
	}
	if len(counts) == 0 {
		counts = []uint32{0}
	}
	for i := len(counts) - 1; i >= 0; i-- {
		inner := elem
		size := uint64(inner.Size) * uint64(counts[i])
		if size > 1<<32-1 {
			return Type{}, fmt.Errorf("read array at %#x: %w DWARF: %d elements of %d bytes", e.Offset, ErrMalformed, counts[i], inner.Size)
		}
		elem = Type{Kind: KindArray, Size: uint32(size), Elem: &inner, Count: counts[i]}
	}
	return elem, nil
}

// dimension is the number of elements of a DW_TAG_subrange_type: a count, or
// an upper bound counted from 0 in C; 0 where neither is a constant.
func dimension(e *dwarf.Entry) uint32 {
	if n, ok := e.Val(dwarf.AttrCount).(int64); ok && n >= 0 && n <= 1<<32-1 {
		return uint32(n)
	}
	if n, ok := e.Val(dwarf.AttrUpperBound).(int64); ok && n >= 0 && n < 1<<32-1 {
		return uint32(n) + 1
	}
	return 0
}

// enumerators lists the constants of a named enumeration.
func (d *debugInfo) enumerators(name string) []Enumerator {
	var list []Enumerator
	for _, off := range d.typeNames().byName[name] {
		r := &typeReader{d: d}
		d.image.report(guard(func() (err error) {
			list, err = r.enumeration(off)
			return err
		}))
		if len(list) > 0 {
			return list
		}
	}
	return nil
}

func (r *typeReader) enumeration(off dwarf.Offset) ([]Enumerator, error) {
	for range maxTypeHops {
		e, u, err := r.entry(off)
		if err != nil {
			return nil, err
		}
		if e.Tag == dwarf.TagEnumerationType {
			return r.constants(e, u)
		}
		var ok bool
		if off, ok = typeRef(e); !ok || !transparent[e.Tag] {
			return nil, nil
		}
	}
	return nil, nil
}

func (r *typeReader) constants(e *dwarf.Entry, u *unit) ([]Enumerator, error) {
	var list []Enumerator
	w := r.d.walker(u, e.Offset)
	for len(list) < maxTypeMembers {
		c, err := w.next()
		if c == nil || err != nil {
			return list, err
		}
		name, _ := c.Val(dwarf.AttrName).(string)
		if v, ok := c.Val(dwarf.AttrConstValue).(int64); ok && c.Tag == dwarf.TagEnumerator {
			list = append(list, Enumerator{name, v})
		}
	}
	return list, nil
}

// plusUconst reads the only expression that a member's offset is in practice,
// DW_OP_plus_uconst (DWARF 2 to 4).
func plusUconst(expr []byte) (int64, bool) {
	const opPlusUconst = 0x23
	c := cursor.New("member location", expr)
	if c.U8() != opPlusUconst {
		return 0, false
	}
	v := c.ULEB()
	return int64(v), c.Err() == nil && c.Len() == 0 && v < 1<<32
}
