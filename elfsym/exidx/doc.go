// Package exidx reads the exception tables of the Arm EHABI ("Exception
// Handling ABI for the Arm Architecture", IHI 0038): the index .ARM.exidx and
// the entries of .ARM.extab that it leads to.
//
// An entry says how a frame is unwound at the call sites in the body of a
// function. It does not hold in the prologue and the epilogue, and since
// linkers merge neighbours with equal entries, its range may cover several
// functions.
//
// A [Table] is immutable and safe for concurrent use. The package knows
// nothing of ELF or of targets; [Entry.Unwind] reads .ARM.extab through a
// function of the caller.
package exidx
