package types

import "debug/dwarf"

// Dynamic says where the elements of an array are whose object is a descriptor, as
// Fortran and Ada have them: DWARF expressions, nil for what is not said
// (DWARF 5, 5.5 and 5.18).
type Dynamic struct {
	Location   []byte // of the data (DW_AT_data_location)
	Allocated  []byte // not 0 where there is data (DW_AT_allocated)
	Associated []byte // not 0 where there is data (DW_AT_associated)
}

// Dynamic returns how to find the data of a type; false for all types of C, C++ and
// Rust, whose objects are their data.
func (t *Type) Dynamic() (Dynamic, bool) {
	var d Dynamic
	found := false
	for attr, code := range map[dwarf.Attr]*[]byte{
		dwarf.AttrDataLocation: &d.Location, dwarf.AttrAllocated: &d.Allocated, dwarf.AttrAssociated: &d.Associated,
	} {
		if v := t.Entry.Attr(attr); v.Exists() {
			*code, _ = v.Block()
			found = true
		}
	}
	return d, found
}
