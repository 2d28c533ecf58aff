// Package cfi reads DWARF call frame information of 32-bit ARM images: the
// sections .debug_frame (DWARF 5, section 6.4; versions 1, 3 and 4) and
// .eh_frame (Linux Standard Base Core 5.0, section 10.6.1).
//
// [Parse] finds the entries of all functions; the rows of a function, which
// say where its frame lies and where its caller's registers are, are computed
// when asked for. A table is immutable and safe for concurrent use.
//
// The package knows nothing of ELF or of targets. Expressions, which compilers
// for ARM hardly ever emit here, are kept as bytes; [Eval] runs the operations
// that occur in frame rules.
package cfi
