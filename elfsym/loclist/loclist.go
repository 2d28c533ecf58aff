package loclist

import (
	"errors"
	"fmt"

	"pushmask/internal/cursor"
)

// Unit is what the entries of a list refer to in the unit that has it.
type Unit struct {
	Version  uint16
	AddrSize uint8  // bytes; 4 is the only size of 32-bit ARM
	Base     uint32 // DW_AT_low_pc of the unit, 0 when it has none
	// Address returns an entry of .debug_addr. It may be nil.
	Address func(index uint64) (uint32, bool)
}

// Range is the addresses [Lo, Hi).
type Range struct{ Lo, Hi uint32 }

// Contains reports whether pc is in the range.
func (r Range) Contains(pc uint32) bool { return pc >= r.Lo && pc < r.Hi }

// Entry says where a variable lies while the PC is in a range.
type Entry struct {
	Range
	Default bool   // where no other entry has the PC (DW_LLE_default_location)
	Expr    []byte // empty: the variable has no value there
}

// maxEntries bounds a list. The longest of gcc and clang are of some hundred.
const maxEntries = 1 << 16

var errAddrSize = errors.New("addresses are not of 4 bytes")

// Parse reads the location list at off of section, which is .debug_loclists
// for units of DWARF 5 and .debug_loc for older ones. Empty ranges are left
// out, and GNU location view pairs are passed over. What came before damage
// is returned with the error.
func Parse(section []byte, off uint64, u Unit) ([]Entry, error) {
	name := ".debug_loclists"
	if u.Version < 5 {
		name = ".debug_loc"
	}
	l, err := newList(name, section, off, u)
	if err != nil {
		return nil, err
	}
	l.expressions = true
	return l.read()
}

// Ranges reads the range list at off of section, which is .debug_rnglists for
// units of DWARF 5 and .debug_ranges for older ones. Empty ranges are left out.
// What came before damage is returned with the error.
func Ranges(section []byte, off uint64, u Unit) ([]Range, error) {
	name := ".debug_rnglists"
	if u.Version < 5 {
		name = ".debug_ranges"
	}
	l, err := newList(name, section, off, u)
	if err != nil {
		return nil, err
	}
	entries, err := l.read()
	out := make([]Range, len(entries))
	for i, e := range entries {
		out[i] = e.Range
	}
	return out, err
}

// Offset returns the offset in section of the list with an index, for
// DW_FORM_loclistx and DW_FORM_rnglistx (DWARF 5, 7.28 and 7.29): base is
// DW_AT_loclists_base or DW_AT_rnglists_base, where the table of offsets
// begins; wide is true for the 64-bit format.
func Offset(section []byte, base, index uint64, wide bool) (uint64, error) {
	size := uint64(4)
	if wide {
		size = 8
	}
	c := cursor.New("table of lists", section)
	at := base + index*size
	if index > 1<<31 || base > 1<<31 || at > 1<<31-1 {
		c.Fail(fmt.Sprintf("list %d of the table at %#x is outside", index, base))
	}
	c.Seek(int(min(at, 1<<31-1)))
	if wide {
		return base + c.U64(), c.Err()
	}
	return base + uint64(c.U32()), c.Err()
}

// At returns the entry for pc: the first that covers it, else the default one.
func At(entries []Entry, pc uint32) (Entry, bool) {
	var byDefault *Entry
	for i := range entries {
		switch e := &entries[i]; {
		case e.Default && byDefault == nil:
			byDefault = e
		case !e.Default && e.Contains(pc):
			return *e, true
		}
	}
	if byDefault == nil {
		return Entry{}, false
	}
	return *byDefault, true
}
