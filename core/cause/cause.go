// Package cause says in words why a program crashed: from the fault registers
// where the artefact has them, from the faulting instruction with its operands,
// from the bounds of stacks, and, where nothing else tells, from what the
// instruction and the registers allow, which it marks as inferred.
package cause
