package elfsym

import (
	"debug/dwarf"
	"fmt"
)

// structure reads the members of a structure, class or union. A declaration
// stands for the definition under the same name, where the image has one.
func (r *typeReader) structure(e *dwarf.Entry, u *unit, depth int) (Type, error) {
	name, _ := e.Val(dwarf.AttrName).(string)
	if e.Val(dwarf.AttrDeclaration) != nil {
		return r.definition(name, depth)
	}
	s := &Struct{Name: name, Size: byteSize(e)}
	t := Type{Kind: KindStruct, Size: s.Size, Struct: s}
	w := r.d.walker(u, e.Offset)
	for {
		c, err := w.next()
		if c == nil || err != nil {
			return t, err
		}
		if c.Tag == dwarf.TagMember || c.Tag == dwarf.TagInheritance {
			if r.members--; r.members < 0 {
				return t, fmt.Errorf("read structure %q: %w DWARF: more than %d members", name, ErrMalformed, maxTypeMembers)
			}
			if err := r.member(c, s, depth); err != nil {
				return t, err
			}
		}
		if err := w.skip(c); err != nil {
			return t, err
		}
	}
}

// definition finds what a declaration stands for. A name that has several
// definitions in a file means the first.
func (r *typeReader) definition(name string, depth int) (Type, error) {
	if name == "" {
		return Type{}, nil
	}
	for _, off := range r.d.types.byName[name] {
		e, u, err := r.entry(off)
		if err != nil {
			return Type{}, err
		}
		if e.Val(dwarf.AttrDeclaration) == nil && (e.Tag == dwarf.TagStructType || e.Tag == dwarf.TagClassType || e.Tag == dwarf.TagUnionType) {
			return r.structure(e, u, depth+1)
		}
	}
	return Type{}, nil
}

// member adds a data member or a base class. Static members have no place in
// the structure, virtual bases none that is known without an object.
func (r *typeReader) member(e *dwarf.Entry, s *Struct, depth int) error {
	if e.Val(dwarf.AttrDeclaration) != nil || e.Val(dwarf.AttrExternal) != nil {
		return nil
	}
	off, ok := typeRef(e)
	if !ok {
		return nil
	}
	at, known := memberOffset(e)
	if !known {
		return nil
	}
	m := Member{Offset: at, Base: e.Tag == dwarf.TagInheritance}
	m.Name, _ = e.Val(dwarf.AttrName).(string)
	var err error
	if m.Type, err = r.read(off, depth+1); err != nil {
		return err
	}
	m.bits(e)
	s.Members = append(s.Members, m)
	return nil
}

// memberOffset is the offset of a member in bytes. It is 0 without an
// attribute, as for members of unions (DWARF 5, 5.7.6); bit fields of DWARF 4
// and 5 may have a bit offset only.
func memberOffset(e *dwarf.Entry) (off uint32, known bool) {
	var v int64
	switch loc := e.Val(dwarf.AttrDataMemberLoc).(type) {
	case nil:
	case int64:
		v = loc
	case []byte:
		var ok bool
		if v, ok = plusUconst(loc); !ok {
			return 0, false
		}
	default:
		return 0, false
	}
	return uint32(v), v >= 0 && v < 1<<32
}

// bits sets the place of a bit field. DW_AT_data_bit_offset counts from the
// start of the structure, in the order of memory on a little-endian machine
// (DWARF 5, 5.7.6). DW_AT_bit_offset of DWARF 2 and 3 counts from the most
// significant bit of a storage unit of DW_AT_byte_size bytes down.
func (m *Member) bits(e *dwarf.Entry) {
	size, ok := e.Val(dwarf.AttrBitSize).(int64)
	if !ok || size <= 0 || size > 64 {
		return
	}
	if off, ok := e.Val(dwarf.AttrDataBitOffset).(int64); ok && off >= 0 {
		unit := int64(max(m.Type.Size, 1)) * 8
		start := int64(m.Offset)*8 + off
		first := start / unit * unit
		m.Offset, m.BitOffset, m.BitSize = uint32(first/8), uint8(start-first), uint8(size)
		return
	}
	if off, ok := e.Val(dwarf.AttrBitOffset).(int64); ok {
		unit := int64(byteSize(e))
		if unit == 0 {
			unit = int64(m.Type.Size)
		}
		low := unit*8 - off - size
		if low < 0 || low > 255 {
			return
		}
		m.BitOffset, m.BitSize = uint8(low), uint8(size)
	}
}
