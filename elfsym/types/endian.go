package types

import "debug/dwarf"

// endianityBig is DW_END_big (DWARF 5, 7.8).
const endianityBig = 1

// BigEndian reports whether values of a base type are stored with their most
// significant byte first, in the memory of a little-endian machine: members of
// structures that gcc's attribute scalar_storage_order is on.
func (t *Type) BigEndian() bool {
	if t.Kind != Base && t.Kind != Enum {
		return false
	}
	n, ok := t.Entry.Uint(dwarf.AttrEndianity)
	return ok && n == endianityBig
}
