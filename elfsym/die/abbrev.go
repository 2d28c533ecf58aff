package die

import (
	"debug/dwarf"
	"fmt"
	"slices"

	"pushmask/internal/cursor"
)

// abbreviation is the shape of entries of one kind.
type abbreviation struct {
	tag      dwarf.Tag
	children bool
	code     bool // a function with addresses
	attrs    []attribute
	size     int // of all attributes in bytes, -1 when it varies
}

// attribute is one of an abbreviation.
type attribute struct {
	attr     dwarf.Attr
	form     uint32
	size     int   // in bytes, -1 when it varies
	constant int64 // of DW_FORM_implicit_const
}

// abbrevTable is a table of .debug_abbrev. Codes count from 1 in what
// compilers write; others are in sparse.
type abbrevTable struct {
	dense  []*abbreviation // by code, nil where there is none
	sparse map[uint64]*abbreviation
}

// maxDenseCode bounds the table by code.
const maxDenseCode = 1 << 14

func (t *abbrevTable) get(code uint64) *abbreviation {
	if code < uint64(len(t.dense)) {
		return t.dense[code]
	}
	return t.sparse[code]
}

func (t *abbrevTable) put(code uint64, a *abbreviation) {
	switch {
	case code == uint64(len(t.dense)) && code < maxDenseCode:
		t.dense = append(t.dense, a)
	case code < uint64(len(t.dense)):
		t.dense[code] = a
	default:
		t.sparse[code] = a
	}
}

type abbrevKey struct {
	off      uint64
	version  uint16
	addrSize uint8
	wide     bool
}

// abbreviations returns the table of a unit; units may share one.
func (d *Data) abbreviations(u *Unit) (*abbrevTable, error) {
	key := abbrevKey{u.abbrevOff, u.Version, u.AddrSize, u.Wide}
	d.mu.Lock()
	defer d.mu.Unlock()
	if t := d.abbrevs[key]; t != nil {
		return t, nil
	}
	t, err := u.parseAbbreviations()
	if err != nil {
		return nil, fmt.Errorf("read unit at %#x: %w", u.Start, err)
	}
	d.abbrevs[key] = t
	return t, nil
}

// parseAbbreviations reads a table (DWARF 5, 7.5.3).
func (u *Unit) parseAbbreviations() (*abbrevTable, error) {
	c := cursor.New(".debug_abbrev", u.owner.sections.Abbrev)
	c.Seek(int(min(u.abbrevOff, 1<<31-1)))
	t := &abbrevTable{dense: make([]*abbreviation, 1), sparse: make(map[uint64]*abbreviation)}
	for c.Err() == nil {
		code := c.ULEB()
		if code == 0 {
			break
		}
		a := &abbreviation{tag: dwarf.Tag(min(c.ULEB(), 0xffff))}
		a.children = c.U8() != 0
		u.readAttributes(c, a)
		a.code = a.tag == dwarf.TagSubprogram && slices.ContainsFunc(a.attrs, func(x attribute) bool {
			return x.attr == dwarf.AttrLowpc || x.attr == dwarf.AttrRanges
		})
		t.put(code, a)
	}
	return t, c.Err()
}

func (u *Unit) readAttributes(c *cursor.Cursor, a *abbreviation) {
	for {
		attr, form := dwarf.Attr(min(c.ULEB(), 0xffff)), uint32(min(c.ULEB(), 1<<31-1))
		if attr == 0 && form == 0 || c.Err() != nil {
			return
		}
		x := attribute{attr: attr, form: form, size: -1}
		if form == formImplicitConst {
			x.constant = c.SLEB()
		}
		if n, ok := u.fixedSize(form); ok {
			x.size = n
		}
		if x.size < 0 || a.size < 0 {
			a.size = -1
		} else {
			a.size += x.size
		}
		a.attrs = append(a.attrs, x)
	}
}
