package loclist

import (
	"fmt"

	"pushmask/internal/cursor"
)

// list is a list that is being read.
type list struct {
	c           *cursor.Cursor
	unit        Unit
	base        uint32
	expressions bool // entries have a location
	out         []Entry
}

func newList(name string, section []byte, off uint64, u Unit) (*list, error) {
	if u.AddrSize != 4 {
		return nil, fmt.Errorf("read %s: %w but %d", name, errAddrSize, u.AddrSize)
	}
	l := &list{c: cursor.New(name, section), unit: u, base: u.Base}
	l.c.Seek(int(min(off, 1<<31-1)))
	return l, nil
}

// read reads entries up to the end of the list.
func (l *list) read() ([]Entry, error) {
	step := l.entry5
	if l.unit.Version < 5 {
		step = l.entry4
	}
	for range maxEntries {
		if end := step(); end || l.c.Err() != nil {
			return l.out, l.c.Err()
		}
	}
	l.c.Fail(fmt.Sprintf("more than %d entries", maxEntries))
	return l.out, l.c.Err()
}

func (l *list) add(lo, hi uint32, byDefault bool) {
	var expr []byte
	if l.expressions {
		expr = l.expression()
	}
	if l.c.Err() == nil && (lo < hi || byDefault) {
		l.out = append(l.out, Entry{Range{lo, hi}, byDefault, expr})
	}
}

func (l *list) expression() []byte {
	if l.unit.Version < 5 {
		return l.c.Bytes(int(l.c.U16()))
	}
	return l.c.Bytes(int(min(l.c.ULEB(), 1<<31-1)))
}

// baseSelection in place of the first address makes the second the base
// (DWARF 4, 2.6.2 and 2.17.3).
const baseSelection = 0xffffffff

// entry4 reads an entry of .debug_loc or .debug_ranges.
func (l *list) entry4() (end bool) {
	lo, hi := l.c.U32(), l.c.U32()
	switch {
	case lo == 0 && hi == 0:
		return true
	case lo == baseSelection:
		l.base = hi
	default:
		l.add(lo+l.base, hi+l.base, false)
	}
	return false
}

// Kinds of entries of the location lists of DWARF 5 (7.7.3) and of range lists
// (7.25). Up to offset_pair the two agree; then location lists have one more.
const (
	endOfList    = 0x00
	baseAddressx = 0x01
	startxEndx   = 0x02
	startxLength = 0x03
	offsetPair   = 0x04

	lleDefaultLocation = 0x05
	lleBaseAddress     = 0x06
	lleStartEnd        = 0x07
	lleStartLength     = 0x08
	lleGNUViewPair     = 0x09 // DW_LLE_GNU_view_pair of gcc

	rleBaseAddress = 0x05
	rleStartEnd    = 0x06
	rleStartLength = 0x07
)

// entry5 reads an entry of .debug_loclists or .debug_rnglists.
func (l *list) entry5() (end bool) {
	c := l.c
	kind := c.U8()
	switch kind {
	case endOfList:
		return true
	case baseAddressx:
		l.base = l.addressx()
	case startxEndx:
		lo := l.addressx()
		l.add(lo, l.addressx(), false)
	case startxLength:
		lo := l.addressx()
		l.add(lo, lo+uint32(c.ULEB()), false)
	case offsetPair:
		lo := l.base + uint32(c.ULEB())
		l.add(lo, l.base+uint32(c.ULEB()), false)
	default:
		if !l.expressions {
			kind = rangeAsLocation[kind]
		}
		l.direct(kind)
	}
	return false
}

// rangeAsLocation maps the kinds of range lists to those of location lists.
var rangeAsLocation = map[uint8]uint8{
	rleBaseAddress: lleBaseAddress, rleStartEnd: lleStartEnd, rleStartLength: lleStartLength,
}

// direct reads the kinds of entries that hold addresses.
func (l *list) direct(kind uint8) {
	c := l.c
	switch kind {
	case lleDefaultLocation:
		l.add(0, 0, true)
	case lleBaseAddress:
		l.base = c.U32()
	case lleStartEnd:
		lo := c.U32()
		l.add(lo, c.U32(), false)
	case lleStartLength:
		lo := c.U32()
		l.add(lo, lo+uint32(c.ULEB()), false)
	case lleGNUViewPair:
		c.SkipLEB()
		c.SkipLEB()
	default:
		c.Fail("entry of an unknown kind")
	}
}

func (l *list) addressx() uint32 {
	index := l.c.ULEB()
	if l.c.Err() != nil {
		return 0
	}
	if l.unit.Address != nil {
		if a, ok := l.unit.Address(index); ok {
			return a
		}
	}
	l.c.Fail(fmt.Sprintf("address %d is not in .debug_addr", index))
	return 0
}
