package elfsym

import (
	"debug/dwarf"
	"fmt"

	"pushmask/internal/cursor"
)

// abbreviation says how to pass over the entries of one kind.
type abbreviation struct {
	function bool // a subprogram with code: its offset is wanted
	fields   []field
}

// field is a run of attributes of known size, or one of variable size.
type field struct {
	fixed uint32 // bytes, when form is 0
	form  uint32
}

// entrySizes is what the size of attributes depends on.
type entrySizes struct {
	version  uint16
	addrSize uint8
	wide     bool // 64-bit DWARF
}

// Forms of variable size and the fixed ones that depend on the unit (DWARF 5,
// 7.5.6, and the GNU forms of split and alternate DWARF).
const (
	formAddr          = 0x01
	formBlock2        = 0x03
	formBlock4        = 0x04
	formString        = 0x08
	formBlock         = 0x09
	formBlock1        = 0x0a
	formSdata         = 0x0d
	formStrp          = 0x0e
	formUdata         = 0x0f
	formRefAddr       = 0x10
	formRefUdata      = 0x15
	formIndirect      = 0x16
	formSecOffset     = 0x17
	formExprloc       = 0x18
	formStrx          = 0x1a
	formAddrx         = 0x1b
	formStrpSup       = 0x1d
	formLineStrp      = 0x1f
	formImplicitConst = 0x21
	formLoclistx      = 0x22
	formRnglistx      = 0x23
	formGNUAddrIndex  = 0x1f01
	formGNUStrIndex   = 0x1f02
	formGNURefAlt     = 0x1f20
	formGNUStrpAlt    = 0x1f21
)

// constantSizes are the sizes in bytes of the other forms: data, flag,
// references within a unit, the indexed forms with a size in their name.
var constantSizes = map[uint32]uint32{
	0x05: 2, 0x06: 4, 0x07: 8, 0x0b: 1, 0x0c: 1, 0x11: 1, 0x12: 2, 0x13: 4, 0x14: 8,
	0x19: 0, 0x1c: 4, 0x1e: 16, 0x20: 8, 0x24: 8, 0x25: 1, 0x26: 2, 0x27: 3, 0x28: 4,
	0x29: 1, 0x2a: 2, 0x2b: 3, 0x2c: 4, formImplicitConst: 0,
}

// fixedSize returns the size of a form that has one.
func (z entrySizes) fixedSize(form uint32) (n uint32, ok bool) {
	offset := uint32(4)
	if z.wide {
		offset = 8
	}
	switch form {
	case formAddr:
		return uint32(z.addrSize), true
	case formRefAddr:
		if z.version <= 2 {
			return uint32(z.addrSize), true
		}
		return offset, true
	case formStrp, formSecOffset, formStrpSup, formLineStrp, formGNURefAlt, formGNUStrpAlt:
		return offset, true
	}
	n, ok = constantSizes[form]
	return n, ok
}

// skipVariable passes over an attribute of variable size.
func (z entrySizes) skipVariable(c *cursor.Cursor, form uint32) {
	switch form {
	case formString:
		c.SkipCString()
	case formSdata, formUdata, formRefUdata, formStrx, formAddrx, formLoclistx, formRnglistx,
		formGNUAddrIndex, formGNUStrIndex:
		c.SkipLEB()
	case formBlock, formExprloc:
		c.Skip(int(min(c.ULEB(), 1<<31-1)))
	case formBlock1:
		c.Skip(int(c.U8()))
	case formBlock2:
		c.Skip(int(c.U16()))
	case formBlock4:
		c.Skip(int(min(c.U32(), 1<<31-1)))
	case formIndirect:
		form = uint32(min(c.ULEB(), 1<<31-1))
		if n, ok := z.fixedSize(form); ok {
			c.Skip(int(n))
		} else if form == formIndirect {
			c.Fail("indirect form of an indirect form")
		} else {
			z.skipVariable(c, form)
		}
	default:
		c.Fail(fmt.Sprintf("form %#x is not known", form))
	}
}

// parseAbbreviations reads the abbreviation table at off (DWARF 5, 7.5.3).
func parseAbbreviations(section []byte, off uint64, z entrySizes) (map[uint64]*abbreviation, error) {
	c := cursor.New(".debug_abbrev", section)
	c.Seek(int(min(off, 1<<31-1)))
	table := make(map[uint64]*abbreviation)
	for c.Err() == nil {
		code := c.ULEB()
		if code == 0 {
			break
		}
		tag := dwarf.Tag(c.ULEB())
		c.U8() // has children
		a := &abbreviation{}
		hasCode := a.readFields(c, z)
		a.function = tag == dwarf.TagSubprogram && hasCode
		table[code] = a
	}
	return table, c.Err()
}

// readFields reads the attribute list and reports whether it holds addresses.
func (a *abbreviation) readFields(c *cursor.Cursor, z entrySizes) (hasCode bool) {
	for {
		attr, form := dwarf.Attr(c.ULEB()), uint32(min(c.ULEB(), 1<<31-1))
		if attr == 0 && form == 0 || c.Err() != nil {
			return hasCode
		}
		if form == formImplicitConst {
			c.SkipLEB() // the value is here, not in the entry
		}
		hasCode = hasCode || attr == dwarf.AttrLowpc || attr == dwarf.AttrRanges
		n, fixed := z.fixedSize(form)
		last := len(a.fields) - 1
		switch {
		case !fixed:
			a.fields = append(a.fields, field{form: form})
		case last >= 0 && a.fields[last].form == 0:
			a.fields[last].fixed += n
		default:
			a.fields = append(a.fields, field{fixed: n})
		}
	}
}

// skim returns the offsets of all subprograms with code in a unit. It passes
// over everything else without decoding it: a unit of C++ has a hundred
// entries of types for each function.
func (d *debugInfo) skim(u *unit) ([]dwarf.Offset, error) {
	table, err := d.abbreviations(u)
	if err != nil {
		return nil, err
	}
	var out []dwarf.Offset
	c := cursor.New(".debug_info", d.info[:u.end])
	c.Seek(int(u.offset))
	for c.Len() > 0 {
		at := c.Off()
		code := c.ULEB()
		if code == 0 {
			continue
		}
		a := table[code]
		if a == nil {
			c.Fail(fmt.Sprintf("abbreviation %d is not in the table", code))
			break
		}
		if a.function {
			out = append(out, dwarf.Offset(at))
		}
		for _, f := range a.fields {
			if f.form == 0 {
				c.Skip(int(f.fixed))
			} else {
				u.sizes.skipVariable(c, f.form)
			}
		}
	}
	return out, c.Err()
}

// abbreviations returns the unit's table; units may share one.
func (d *debugInfo) abbreviations(u *unit) (map[uint64]*abbreviation, error) {
	key := abbreviationKey{u.abbrevs, u.sizes}
	table, ok := d.abbrevTables[key]
	if !ok {
		var err error
		if table, err = parseAbbreviations(d.abbrev, u.abbrevs, u.sizes); err != nil {
			return nil, err
		}
		d.abbrevTables[key] = table
	}
	return table, nil
}

type abbreviationKey struct {
	off   uint64
	sizes entrySizes
}
