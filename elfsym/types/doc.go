// Package types reads the types of DWARF 2 to 5: C, C++ and Rust, as 32-bit ARM
// lays them out. Unlike debug/dwarf's Data.Type it knows every encoding, variant
// parts, both forms of bit fields and type units, and one damaged member does not
// hide the structure around it.
//
// A [Type] is read when it is asked for, once, and types refer to each other, so
// that cycles are no special case. Limits on nesting and on members bound what a
// hostile file can make of it.
package types
