package die

import (
	"debug/dwarf"

	"pushmask/elfsym/loclist"
	"pushmask/internal/cursor"
)

// Class tells what a value is (DWARF 5, 7.5.5).
type Class uint8

// The classes. Those of offsets into sections are one, since the attribute
// tells which.
const (
	ClassNone Class = iota // absent, or in a file that is not this one
	ClassAddress
	ClassConstant
	ClassBlock
	ClassExpr
	ClassFlag
	ClassReference
	ClassSignature
	ClassString
	ClassSecOffset
	ClassListIndex // of a location or range list
)

// Value is the value of an attribute; the zero Value that of an absent one.
type Value struct {
	Class Class
	unit  *Unit
	form  uint32
	num   uint64
	data  []byte
}

// Attr returns the value of an attribute.
func (e Entry) Attr(attr dwarf.Attr) Value {
	if e.abbrev == nil {
		return Value{}
	}
	attrs := e.abbrev.attrs
	found := -1
	for i := range attrs {
		if attrs[i].attr == attr {
			found = i
			break
		}
	}
	if found < 0 {
		return Value{}
	}
	c := cursor.New(".debug_info", e.Unit.data)
	c.Seek(e.attrs)
	for i := range attrs[:found] {
		if n := attrs[i].size; n >= 0 {
			c.Skip(n)
		} else {
			e.Unit.skipForm(c, attrs[i].form)
		}
	}
	return e.Unit.value(c, attrs[found])
}

// Has reports whether e has an attribute.
func (e Entry) Has(attr dwarf.Attr) bool { return e.Attr(attr).Exists() }

// value reads an attribute.
func (u *Unit) value(c *cursor.Cursor, a attribute) Value {
	form := a.form
	if form == formIndirect {
		form = uint32(min(c.ULEB(), 1<<31-1))
	}
	v := Value{Class: formClass[form], unit: u, form: form}
	switch form {
	case formImplicitConst:
		v.num = uint64(a.constant)
	case formFlagPresent:
		v.num = 1
	case formSdata:
		v.num = uint64(c.SLEB())
	case formUdata, formRefUdata, formStrx, formAddrx, formLoclistx, formRnglistx, formGNUAddrIndex, formGNUStrIndex:
		v.num = c.ULEB()
	case formString:
		v.data = cString(c)
	case formBlock, formExprloc, formBlock1, formBlock2, formBlock4:
		v.data = readBlock(c, form)
	case formData16:
		v.data = c.Bytes(16)
	default:
		n, ok := u.fixedSize(form)
		if !ok {
			return Value{}
		}
		for i, b := range c.Bytes(min(n, 8)) {
			v.num |= uint64(b) << (8 * i)
		}
	}
	if c.Err() != nil {
		return Value{}
	}
	return v
}

// cString reads a NUL-terminated string without copying it.
func cString(c *cursor.Cursor) []byte {
	start := *c
	at := c.Off()
	c.SkipCString()
	return start.Bytes(max(c.Off()-at-1, 0))
}

var formClass = map[uint32]Class{
	formAddr: ClassAddress, formAddrx: ClassAddress, formAddrx1: ClassAddress, formAddrx2: ClassAddress,
	formAddrx3: ClassAddress, formAddrx4: ClassAddress, formGNUAddrIndex: ClassAddress,
	formData1: ClassConstant, formData2: ClassConstant, formData4: ClassConstant, formData8: ClassConstant,
	formData16: ClassConstant, formSdata: ClassConstant, formUdata: ClassConstant, formImplicitConst: ClassConstant,
	formBlock: ClassBlock, formBlock1: ClassBlock, formBlock2: ClassBlock, formBlock4: ClassBlock, formExprloc: ClassExpr,
	formFlag: ClassFlag, formFlagPresent: ClassFlag,
	formRefAddr: ClassReference, formRef1: ClassReference, formRef2: ClassReference, formRef4: ClassReference,
	formRef8: ClassReference, formRefUdata: ClassReference, formRefSig8: ClassSignature,
	formString: ClassString, formStrp: ClassString, formLineStrp: ClassString, formStrx: ClassString, formStrx1: ClassString,
	formStrx2: ClassString, formStrx3: ClassString, formStrx4: ClassString, formGNUStrIndex: ClassString,
	formSecOffset: ClassSecOffset, formLoclistx: ClassListIndex, formRnglistx: ClassListIndex,
}

// Int returns a constant. Forms of fixed size are taken as unsigned: what they
// mean depends on the type of what has the attribute.
func (v Value) Int() (int64, bool) {
	return int64(v.num), v.Class == ClassConstant && v.form != formData16
}

// Uint returns a constant that is not negative.
func (v Value) Uint() (uint64, bool) {
	negative := int64(v.num) < 0 && (v.form == formSdata || v.form == formImplicitConst)
	return v.num, v.Class == ClassConstant && v.form != formData16 && !negative
}

// Address returns an address, as linked.
func (v Value) Address() (uint32, bool) {
	switch {
	case v.Class != ClassAddress:
		return 0, false
	case v.form == formAddr:
		return uint32(v.num), v.num < 1<<32
	}
	return v.unit.address(v.num)
}

// Flag reports whether v is a flag that is set.
func (v Value) Flag() bool { return v.Class == ClassFlag && v.num != 0 }

// Block returns the bytes of a block, an expression, or a constant of 16 bytes.
func (v Value) Block() ([]byte, bool) {
	return v.data, v.Class == ClassBlock || v.Class == ClassExpr || v.form == formData16
}

// Text returns a string, "" where v is none.
func (v Value) Text() string { return string(v.text()) }

// text is Text without a copy.
func (v Value) text() []byte {
	switch {
	case v.Class != ClassString:
		return nil
	case v.form == formString:
		return v.data
	case v.form == formStrp:
		return stringAt(v.unit.owner.sections.Str, v.num)
	case v.form == formLineStrp:
		return stringAt(v.unit.owner.sections.LineStr, v.num)
	}
	return v.unit.text(v.num)
}

// Ref returns the place of the entry that v refers to. A type signature is
// followed to its type unit.
func (v Value) Ref() (Offset, bool) {
	switch {
	case v.Class == ClassSignature:
		return v.unit.owner.Signature(v.num)
	case v.Class != ClassReference || v.num > 1<<31-1:
		return 0, false
	case v.form == formRefAddr:
		return Offset(v.num), true
	}
	return v.unit.Start + Offset(v.num), true
}

// SecOffset returns an offset into another section. DWARF 2 and 3 write those
// as constants.
func (v Value) SecOffset() (uint64, bool) {
	constant := v.unit != nil && v.unit.Version < 4 && (v.form == formData4 || v.form == formData8)
	return v.num, v.Class == ClassSecOffset || constant
}

// List returns the location list that v refers to; it is false where v is
// something else.
func (v Value) List() ([]loclist.Entry, bool, error) {
	section := v.section()
	if section.Lists == nil {
		return nil, false, nil
	}
	if _, isOffset := v.SecOffset(); !isOffset && v.Class != ClassListIndex {
		return nil, false, nil
	}
	loc, loclists := section.Lists()
	off, _, err := v.listOffset(loclists, func(b bases) uint64 { return b.loclists })
	if err != nil {
		return nil, true, err
	}
	if v.unit.Version < 5 {
		loclists = loc
	}
	list, err := loclist.Parse(loclists, off, v.unit.lists())
	return list, true, err
}

func (v Value) section() *Sections {
	if v.unit == nil {
		return &Sections{}
	}
	return &v.unit.owner.sections
}

// listOffset returns where a list begins; indexed is the section with the
// table for forms that are indices.
func (v Value) listOffset(indexed []byte, base func(bases) uint64) (uint64, bool, error) {
	if v.Class == ClassListIndex {
		v.unit.load()
		off, err := loclist.Offset(indexed, base(v.unit.bases), v.num, v.unit.Wide)
		return off, true, err
	}
	off, ok := v.SecOffset()
	return off, ok, nil
}

// Exists reports whether the entry has the attribute.
func (v Value) Exists() bool { return v.Class != ClassNone }

// Unit returns the unit of the entry that has the attribute, nil for an absent
// one.
func (v Value) Unit() *Unit { return v.unit }
