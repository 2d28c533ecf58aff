// Package thumb decodes T16 and T32 instructions of ARMv6-M to ARMv8.1-M
// Mainline, with the floating-point, DSP, MVE, security, pointer
// authentication and low-overhead-loop extensions, and the T32 instructions
// that only the A and R profiles have. Where the profiles give one encoding
// two meanings (MVE and Advanced SIMD), the M-profile meaning is used.
//
// Length, control flow and Defs are right for every encoding, with one
// coarseness: all of the Advanced SIMD space counts as allocated. What moves SP,
// saves or restores registers, branches, or computes a value an unwinder
// follows has its full semantics in [insn.Inst]; everything else is OpOther.
//
// core/unwind and core/session import it. It does not follow control flow and
// knows nothing of literal pools: the caller decides what is code.
package thumb

import "errors"

// ErrTruncated is returned when fewer bytes are given than the instruction has.
var ErrTruncated = errors.New("instruction is truncated")
