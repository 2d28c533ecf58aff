package die

import (
	"debug/dwarf"
	"fmt"
	"sync"

	"pushmask/elfsym/loclist"
	"pushmask/internal/cursor"
)

// Unit is a unit of .debug_info or .debug_types.
type Unit struct {
	Start    Offset // of its header
	First    Offset // of its first entry
	End      Offset // first offset past it
	Version  uint16
	AddrSize uint8 // bytes
	Wide     bool  // 64-bit DWARF
	IsType   bool  // a type unit

	owner      *Data
	data       []byte // from Start to End
	abbrevOff  uint64
	signature  uint64
	typeOffset uint64 // from Start

	once     sync.Once // guards what follows
	abbrev   *abbrevTable
	root     Entry
	err      error
	bases    bases
	lowPC    uint32
	language Language

	scopesOnce sync.Once // guards scopes
	scopes     []scopeRange
}

// Data returns the entries that the unit is a part of.
func (u *Unit) Data() *Data { return u.owner }

// bases are where the unit's parts of the indexed sections begin.
type bases struct{ str, addr, rnglists, loclists uint64 }

// Types of units (DWARF 5, 7.5.1).
const (
	utType      = 0x02
	utSkeleton  = 0x04
	utSplitComp = 0x05
	utSplitType = 0x06
)

// readHeader reads a unit header (DWARF 5, 7.5.1; DWARF 4, 7.5.1.2 for type
// units) and moves to the next. The unit is nil where it has no entries.
func (d *Data) readHeader(c *cursor.Cursor, section []byte, at Offset, isType bool) (*Unit, error) {
	begin := c.Off()
	u := &Unit{Start: at + Offset(begin), owner: d, IsType: isType}
	length := uint64(c.U32())
	if length == 0xffffffff {
		length, u.Wide = c.U64(), true
	}
	if c.Err() == nil && length > uint64(c.Len()) {
		c.Fail(fmt.Sprintf("unit of %d bytes, %d are left", length, c.Len()))
	}
	headerLen := c.Off() - begin
	h := c.Sub(int(min(length, 1<<31-1)))
	if err := c.Err(); err != nil {
		return nil, err
	}
	u.End = at + Offset(c.Off())
	var unitType uint8
	u.Version = h.U16()
	if u.Version >= 5 {
		unitType, u.AddrSize = h.U8(), h.U8()
		u.IsType = unitType == utType || unitType == utSplitType
	}
	u.abbrevOff = u.offset(h)
	if u.Version < 5 {
		u.AddrSize = h.U8()
	}
	switch {
	case u.IsType:
		u.signature = h.U64()
		u.typeOffset = u.offset(h)
	case unitType == utSkeleton || unitType == utSplitComp:
		h.Skip(8)
	}
	if h.Err() != nil || h.Len() == 0 {
		return nil, h.Err()
	}
	if u.Version < 2 || u.Version > 5 {
		return nil, fmt.Errorf("read unit at %#x: %w: version %d", u.Start, ErrMalformed, u.Version)
	}
	u.First = u.Start + Offset(headerLen+h.Off())
	u.data = section[begin:c.Off()]
	return u, nil
}

// offset reads an offset of the unit's format.
func (u *Unit) offset(c *cursor.Cursor) uint64 {
	if u.Wide {
		return c.U64()
	}
	return uint64(c.U32())
}

// load reads the abbreviations, the first entry and what the indexed forms of
// the unit need.
func (u *Unit) load() {
	u.once.Do(func() {
		if u.abbrev, u.err = u.owner.abbreviations(u); u.abbrev == nil {
			return
		}
		root, err := u.read(u.First)
		if err != nil {
			u.err = err
			return
		}
		u.root = root
		u.loadBases()
		low, _ := root.Attr(dwarf.AttrLowpc).Address()
		u.lowPC = low
		language, _ := root.Uint(dwarf.AttrLanguage)
		u.language = Language(min(language, 0xffff))
	})
}

// loadBases reads the base attributes. Where one is absent its part is the
// first of the section, after a header (DWARF 5, 7.26 to 7.29).
func (u *Unit) loadBases() {
	u.bases = bases{str: 8, addr: 8, rnglists: 12, loclists: 12}
	if u.Wide {
		u.bases = bases{str: 16, addr: 16, rnglists: 20, loclists: 20}
	}
	if u.Version < 5 {
		u.bases = bases{} // the indexed forms are GNU's
	}
	for attr, base := range map[dwarf.Attr]*uint64{
		dwarf.AttrStrOffsetsBase: &u.bases.str, dwarf.AttrAddrBase: &u.bases.addr, attrGNUAddrBase: &u.bases.addr,
		dwarf.AttrRnglistsBase: &u.bases.rnglists, dwarf.AttrLoclistsBase: &u.bases.loclists,
	} {
		if v, ok := u.root.Attr(attr).SecOffset(); ok {
			*base = v
		}
	}
}

// attrGNUAddrBase is DW_AT_GNU_addr_base of split DWARF 4.
const attrGNUAddrBase dwarf.Attr = 0x2133

// Root returns the unit's own entry, which all others of it are below.
func (u *Unit) Root() (Entry, error) {
	u.load()
	return u.root, u.err
}

// LowPC returns the address that the unit's lists are relative to, as linked.
func (u *Unit) LowPC() uint32 {
	u.load()
	return u.lowPC
}

// Address returns an entry of the unit's part of .debug_addr, as linked.
func (u *Unit) Address(index uint64) (uint32, bool) {
	u.load()
	return u.address(index)
}

// address is Address for a unit that is loaded, as those of values are.
func (u *Unit) address(index uint64) (uint32, bool) {
	c := cursor.New(".debug_addr", u.owner.sections.Addr)
	if index > 1<<28 || u.bases.addr > 1<<30 {
		return 0, false
	}
	c.Seek(int(u.bases.addr + index*uint64(u.AddrSize)))
	a := c.U32()
	return a, c.Err() == nil
}

// text returns the string with an index in the unit's part of
// .debug_str_offsets.
func (u *Unit) text(index uint64) []byte {
	size := uint64(4)
	if u.Wide {
		size = 8
	}
	if index > 1<<28 || u.bases.str > 1<<30 {
		return nil
	}
	c := cursor.New(".debug_str_offsets", u.owner.sections.StrOffsets)
	c.Seek(int(u.bases.str + index*size))
	off := u.offset(c)
	if c.Err() != nil {
		return nil
	}
	return stringAt(u.owner.sections.Str, off)
}

// stringAt returns the string at off of a section, nil where none is.
func stringAt(section []byte, off uint64) []byte {
	c := cursor.New("section of strings", section)
	c.Seek(int(min(off, 1<<31-1)))
	return cString(c)
}

// lists describes the unit to package loclist.
func (u *Unit) lists() loclist.Unit {
	return loclist.Unit{Version: u.Version, AddrSize: u.AddrSize, Base: u.LowPC(), Address: u.Address}
}
