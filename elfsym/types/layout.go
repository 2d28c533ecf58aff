package types

import (
	"debug/dwarf"
	"errors"
	"fmt"

	"pushmask/elfsym/die"
	"pushmask/internal/cursor"
)

// Layout is what a structure, class or union is made of.
type Layout struct {
	Members  []Member // data members and base classes, in the order of the source
	Statics  []Static
	Variants []VariantPart // of Rust enumerations: at most one in what rustc makes
	Params   []TemplateParam
}

// Member is a data member or a base class.
type Member struct {
	Name   string // "" for anonymous structures and unions, whose members are those of the outer
	Type   *Type
	Offset uint32 // in bytes from the start of the object
	// Expr computes the address of the member from that of the object where
	// Offset does not say it, as for virtual bases: see expr.LocateMember.
	Expr []byte
	// BitSize is the width of a bit field, 0 for other members. It is the bits
	// from BitOffset, 0 to 7, on of the little-endian number at Offset, or the
	// big-endian one, counted from its most significant bit, where the type is.
	BitOffset uint8
	BitSize   uint16

	Base       bool // a base class
	Virtual    bool // a virtual base class
	Artificial bool // made by the compiler, as pointers to tables of virtual functions are
	Access     Access
	Entry      die.Entry
}

// Access is DW_AT_accessibility, what the kind of type implies where it is absent.
type Access uint8

// The values of DW_AT_accessibility (DWARF 5, 7.9).
const (
	Public    Access = 1
	Protected Access = 2
	Private   Access = 3
)

// Static is a static data member. The variable itself, where it has a place,
// is an entry that refers to this one.
type Static struct {
	Name  string
	Type  *Type
	Entry die.Entry // DW_AT_const_value of it may have the value
}

// TemplateParam is an argument of a template.
type TemplateParam struct {
	Name  string
	Type  *Type     // the argument, or the type of Value
	Value die.Value // of arguments that are values; its Class is ClassNone for types
	Pack  bool      // one of a parameter pack
}

// maxMembers bounds one type. The largest structures of firmware have some
// hundred.
const maxMembers = 1 << 16

// ErrIncomplete tells that the program has a declaration of a type only.
var ErrIncomplete = errors.New("incomplete type")

// Layout returns the members of a structure, class or union, those of the
// definition for a declaration. What could be read of a damaged one comes with
// the error.
func (t *Type) Layout() (*Layout, error) {
	t = t.Definition()
	t.once.layout.Do(func() {
		t.layout = &Layout{}
		switch {
		case !t.IsRecord():
			t.layoutErr = fmt.Errorf("read members of %s: it has none", t.Name())
		case t.IsDeclaration():
			t.layoutErr = fmt.Errorf("read members of %s: %w", t.Name(), ErrIncomplete)
		default:
			t.layoutErr = t.readLayout()
		}
	})
	return t.layout, t.layoutErr
}

func (t *Type) readLayout() error {
	l, n := t.layout, 0
	for e, err := range t.Entry.Children() {
		if n++; err == nil && n > maxMembers {
			err = fmt.Errorf("%w: more than %d members", die.ErrMalformed, maxMembers)
		}
		if err != nil {
			return fmt.Errorf("read members of %s: %w", t.Name(), err)
		}
		switch e.Tag {
		case dwarf.TagMember, dwarf.TagInheritance:
			t.addMember(e)
		case dwarf.TagVariable: // static members, DWARF 5
			l.Statics = append(l.Statics, Static{e.Name(), t.reader.Of(e), e})
		case dwarf.TagVariantPart:
			part, err := t.variantPart(e)
			if err != nil {
				return err
			}
			l.Variants = append(l.Variants, part)
		case dwarf.TagTemplateTypeParameter, dwarf.TagTemplateValueParameter, tagGNUTemplateParameterPack:
			l.Params = t.templateParam(l.Params, e)
		}
	}
	return nil
}

// addMember adds a data member, or a static one of before DWARF 5.
func (t *Type) addMember(e die.Entry) {
	if e.Tag == dwarf.TagMember && (e.Flag(dwarf.AttrDeclaration) || e.Flag(dwarf.AttrExternal)) {
		t.layout.Statics = append(t.layout.Statics, Static{e.Name(), t.reader.Of(e), e})
		return
	}
	t.layout.Members = append(t.layout.Members, t.member(e))
}

func (t *Type) member(e die.Entry) Member {
	m := Member{
		Name: e.Name(), Type: t.reader.Of(e), Entry: e,
		Base:       e.Tag == dwarf.TagInheritance,
		Artificial: e.Flag(dwarf.AttrArtificial),
		Access:     t.defaultAccess(),
	}
	if n, ok := e.Uint(dwarf.AttrVirtuality); ok {
		m.Virtual = n != 0 && m.Base
	}
	if n, ok := e.Uint(dwarf.AttrAccessibility); ok && n >= 1 && n <= 3 {
		m.Access = Access(n)
	}
	m.place(e)
	return m
}

func (t *Type) defaultAccess() Access {
	if t.Kind == Class {
		return Private
	}
	return Public
}

// place reads the offset (DWARF 5, 5.7.6); without an attribute it is 0, as in
// unions.
func (m *Member) place(e die.Entry) {
	var bits int64
	at := e.Attr(dwarf.AttrDataMemberLoc)
	if n, ok := at.Int(); ok {
		bits = n * 8
	} else if code, ok := at.Block(); ok {
		n, ok := plusUconst(code)
		if !ok {
			m.Expr = code
		}
		bits = n * 8
	}
	size, isField := e.Uint(dwarf.AttrBitSize)
	if n, ok := e.Int(dwarf.AttrDataBitOffset); ok {
		bits += n
	} else if n, ok := e.Int(dwarf.AttrBitOffset); ok && isField {
		bits += m.storage(e)*8 - n - int64(size) // gcc counts so for big-endian members too
	}
	if bits < 0 || bits >= 8<<32 {
		bits = 0
		m.Type = &Type{reader: m.Type.reader} // its place is not known
	}
	m.Offset = uint32(bits / 8)
	if isField && size <= 0xffff {
		m.BitOffset, m.BitSize = uint8(bits%8), uint16(size)
	}
}

// storage is the size in bytes of the unit that DW_AT_bit_offset counts in,
// from its most significant bit down (DWARF 3, 5.6.6).
func (m *Member) storage(e die.Entry) int64 {
	if n, ok := e.Uint(dwarf.AttrByteSize); ok && n <= 16 {
		return int64(n)
	}
	n, _ := m.Type.Size()
	return int64(n)
}

// plusUconst reads the expression that the offset of a member is in DWARF 2 and
// 3, DW_OP_plus_uconst.
func plusUconst(code []byte) (int64, bool) {
	const opPlusUconst = 0x23
	c := cursor.New("member location", code)
	if c.U8() != opPlusUconst {
		return 0, false
	}
	n := c.ULEB()
	return int64(n), c.Err() == nil && c.Len() == 0 && n < 1<<32
}

// tagGNUTemplateParameterPack is gcc's for what variadic templates expand to
// (DW_TAG_GNU_template_parameter_pack).
const tagGNUTemplateParameterPack dwarf.Tag = 0x4107

func (t *Type) templateParam(list []TemplateParam, e die.Entry) []TemplateParam {
	if e.Tag == tagGNUTemplateParameterPack {
		for c, err := range e.Children() {
			if err != nil || len(list) >= maxMembers {
				break
			}
			list = append(list, TemplateParam{e.Name(), t.reader.Of(c), c.Attr(dwarf.AttrConstValue), true})
		}
		return list
	}
	return append(list, TemplateParam{e.Name(), t.reader.Of(e), e.Attr(dwarf.AttrConstValue), false})
}
