package die

import (
	"debug/dwarf"
	"fmt"

	"pushmask/elfsym/loclist"
)

// Name returns DW_AT_name, "" when absent.
func (e Entry) Name() string { return e.Attr(dwarf.AttrName).Text() }

// Flag reports whether a flag is set.
func (e Entry) Flag(attr dwarf.Attr) bool { return e.Attr(attr).Flag() }

// Uint returns a constant that is not negative.
func (e Entry) Uint(attr dwarf.Attr) (uint64, bool) { return e.Attr(attr).Uint() }

// Int returns a constant.
func (e Entry) Int(attr dwarf.Attr) (int64, bool) { return e.Attr(attr).Int() }

// Ref returns the place of the entry that an attribute refers to.
func (e Entry) Ref(attr dwarf.Attr) (Offset, bool) { return e.Attr(attr).Ref() }

// Follow returns the entry that an attribute refers to.
func (e Entry) Follow(attr dwarf.Attr) (Entry, bool) {
	off, ok := e.Ref(attr)
	if !ok {
		return Entry{}, false
	}
	to, err := e.Unit.owner.Entry(off)
	return to, err == nil
}

// maxOrigins bounds chains of DW_AT_abstract_origin and DW_AT_specification;
// compilers make at most three.
const maxOrigins = 8

// Origin returns the entry that e is an instance or the definition of.
func (e Entry) Origin() (Entry, bool) {
	if to, ok := e.Follow(dwarf.AttrAbstractOrigin); ok {
		return to, true
	}
	return e.Follow(dwarf.AttrSpecification)
}

// Inherited returns an attribute of e or, where e has none, of what e is an
// instance or the definition of.
func (e Entry) Inherited(attr dwarf.Attr) Value {
	for range maxOrigins {
		if v := e.Attr(attr); v.Exists() {
			return v
		}
		var ok bool
		if e, ok = e.Origin(); !ok {
			break
		}
	}
	return Value{}
}

// attrMIPSLinkageName is DW_AT_MIPS_linkage_name, which compilers used before
// DWARF 4 had DW_AT_linkage_name.
const attrMIPSLinkageName dwarf.Attr = 0x2007

// LinkageName returns the name in the symbol table, "" where it is not stated:
// C has none that differs.
func (e Entry) LinkageName() string {
	if s := e.Inherited(dwarf.AttrLinkageName).Text(); s != "" {
		return s
	}
	return e.Inherited(attrMIPSLinkageName).Text()
}

// Ranges returns the addresses that e covers, as linked, empty ones left out.
// The GNU assembler writes DW_AT_low_pc of Thumb functions with bit 0 set
// (libgcc's __adddf3), which shifts the end as well; it is cleared.
func (e Entry) Ranges() ([]loclist.Range, error) {
	var list []loclist.Range
	if lo, ok := e.Attr(dwarf.AttrLowpc).Address(); ok {
		high := e.Attr(dwarf.AttrHighpc)
		hi, isAddress := high.Address()
		if n, ok := high.Uint(); ok && n < 1<<32 && !isAddress {
			hi = lo + uint32(n)
		}
		list = []loclist.Range{{Lo: lo, Hi: hi}}
	} else if v := e.Attr(dwarf.AttrRanges); v.Exists() {
		var err error
		if list, err = v.ranges(); err != nil {
			return nil, fmt.Errorf("read ranges of entry %#x: %w", e.Offset, err)
		}
	}
	out := list[:0]
	for _, r := range list {
		if r.Lo, r.Hi = r.Lo&^1, r.Hi&^1; r.Lo < r.Hi {
			out = append(out, r)
		}
	}
	return out, nil
}

func (v Value) ranges() ([]loclist.Range, error) {
	section := v.section()
	off, ok, err := v.listOffset(section.Rnglists, func(b bases) uint64 { return b.rnglists })
	if !ok || err != nil {
		return nil, err
	}
	data := section.Rnglists
	if v.unit.Version < 5 {
		data = section.Ranges
	}
	return loclist.Ranges(data, off, v.unit.lists())
}

// Entry returns the entry that v refers to.
func (v Value) Entry() (Entry, bool) {
	off, ok := v.Ref()
	if !ok {
		return Entry{}, false
	}
	e, err := v.unit.owner.Entry(off)
	return e, err == nil
}
