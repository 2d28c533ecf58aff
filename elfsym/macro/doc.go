// Package macro reads the macros of C that compilers record with -g3
// (.debug_macro of DWARF 5, 6.3, and of GNU's extension to DWARF 4, and
// .debug_macinfo of DWARF 2 to 4), tells which of them are defined at a line of
// the source, and expands them as a preprocessor does (C17, 6.10.3).
//
// It knows neither targets nor expressions: package core/inspect evaluates what
// an expansion comes to.
package macro
