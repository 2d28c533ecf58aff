// Package loclist reads the lists of DWARF that depend on the address: where a
// variable lies (.debug_loc, .debug_loclists) and which addresses something
// covers (.debug_ranges, .debug_rnglists). The caller finds the list's offset
// and says what the unit of the list states; addresses are as linked.
package loclist
