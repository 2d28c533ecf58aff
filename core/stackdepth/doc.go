// Package stackdepth answers how much stack a program needs: the frame of each
// function, and the deepest chain of calls below each entry point. It reads
// nothing but the machine code, through the analysis of core/unwind, so it
// covers assembly, libraries and firmware that was built without the
// compiler's help (gcc: -fstack-usage, -fcallgraph-info).
//
// A figure is exact or a lower bound, and a lower bound comes with everything
// that makes it one ([Limit]): recursion, calls through pointers, functions
// without code in the image, frames of a size that is known at run time only.
// The stack that hardware uses on exception entry is not part of a chain; see
// [ExceptionFrame].
package stackdepth

// The bytes that an exception entry pushes on the interrupted stack: r0-r3,
// r12, LR, PC, xPSR, and with the FP extension in use S0-S15, FPSCR and a
// reserved word (Armv7-M ARM B1.5.6, B1.5.7). Alignment of SP to 8 bytes adds
// up to 4 (CCR.STKALIGN). The state that Armv8-M adds when Secure code is
// interrupted by Non-secure is not in it (Armv8-M ARM B3.19: 40 bytes).
const (
	ExceptionFrame   = 0x20
	ExceptionFrameFP = 0x68
	ExceptionAlign   = 4
)
