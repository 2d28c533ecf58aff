// Package die reads the entries of DWARF 2 to 5 (debugging information
// entries, .debug_info and .debug_types) with their attributes. Nothing is
// decoded before it is asked for, and passing over entries costs next to
// nothing, so that an index over a large program is made in one pass. Unlike
// debug/dwarf it gives every form of every attribute, follows type signatures,
// and is safe for concurrent use. What entries mean is for its importers.
package die
