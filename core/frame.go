package core

import "fmt"

// FrameKind tells activations of functions from hardware exception entries.
type FrameKind uint8

// The kinds of frame.
const (
	// FrameFunction is an activation of a function.
	FrameFunction FrameKind = iota
	// FrameException marks a hardware exception entry between the handler
	// (younger) and the interrupted code (older). It has no PC.
	FrameException
)

// Trust tells how a frame was found, from the best knowledge to a guess.
type Trust uint8

// The levels of trust, best first.
const (
	TrustContext      Trust = iota // registers of the stopped thread
	TrustException                 // hardware exception frame
	TrustCFI                       // DWARF call frame information
	TrustEXIDX                     // EHABI tables (.ARM.exidx)
	TrustAnalysis                  // instruction analysis, proven by the call site
	TrustLinkRegister              // return address still in LR
	TrustFramePointer              // chain of frame pointers
	TrustScan                      // a guess: stack scan for a proven call site
	TrustReported                  // printed by the firmware that crashed, proven by nothing
)

var trustNames = [...]string{
	"context", "exception", "cfi", "exidx", "analysis", "link-register", "frame-pointer", "scan", "reported",
}

// String returns the name used in the CLI, in JSON and in the editor.
func (t Trust) String() string {
	if int(t) < len(trustNames) {
		return trustNames[t]
	}
	return fmt.Sprintf("trust%d", uint8(t))
}

// Guess reports whether a frame of this trust must be shown as a guess.
func (t Trust) Guess() bool { return t >= TrustFramePointer }

// Frame is one activation found by the unwinder, before symbolisation.
type Frame struct {
	Kind FrameKind
	// PC is the address of the stopped instruction in frame 0 and below an
	// exception, the return address in callers. Bit 0 is clear. It is
	// meaningless in a FrameException.
	PC Addr
	// Lookup is the address to symbolise: PC itself where the instruction at
	// PC has not run yet, an address inside the call instruction in callers.
	Lookup Addr
	// Thumb is the instruction set state.
	Thumb bool
	// CFA is the value SP had in the caller at the call (DWARF 5, 6.4.1).
	// Valid only when HasCFA.
	CFA    Addr
	HasCFA bool
	// Regs are the registers as this frame's code would see them; those that
	// no younger frame saved and that a call may destroy are unknown.
	Regs Regs
	// Saved tells where the registers of the caller were found: the addresses
	// of the slots that this frame saved them in.
	Saved []SavedReg
	Trust Trust
	// Why describes the rule that found this frame, for people:
	// "CFA=sp+8 ra=[CFA-4] r4=[CFA-8]".
	Why string
	// Exception is set for a FrameException.
	Exception *ExceptionEntry
}

// SavedReg says that a caller's register lies in memory at Addr.
type SavedReg struct {
	Reg  Reg
	Addr Addr
}

// ExceptionEntry describes a hardware exception frame (Armv7-M ARM B1.5.6,
// Armv8-M ARM B3.18). On A- and R-profile cores, where hardware stacks nothing,
// it has a Name alone.
type ExceptionEntry struct {
	Number    int    // exception number from IPSR, 0 when not known
	Name      string // "HardFault", "IRQ 5", "" when not known
	ExcReturn uint32 // EXC_RETURN value that was used
	Frame     Addr   // address of the stacked r0
	Size      uint32 // bytes from Frame to the interrupted SP
	FP        bool   // the frame has space for S0-S15 and FPSCR
	PSP       bool   // the frame lies on the process stack
}

// StopKind is a typed reason for the end of a stack.
type StopKind uint8

// The reasons a stack ends.
const (
	StopNone         StopKind = iota // it has not ended
	StopEntry                        // the reset handler, a thread's entry, main of a hosted program
	StopLRZero                       // LR is 0 or 0xffffffff: nobody called this function
	StopNoMemory                     // the stack is not in the artefact
	StopNoRule                       // no rule is known for the PC
	StopNotProven                    // the candidate return address failed proof
	StopCFANotGrow                   // the CFA does not move towards the stack's base
	StopBadPC                        // the PC is no code and LR does not help
	StopBadException                 // the hardware frame is missing or not true
	StopLimit                        // the frame cap was reached
	StopBank                         // the stack pointer or LR of another mode is needed and not in the artefact
	StopReported                     // the firmware that crashed printed no more
)

var stopNames = [...]string{
	"", "entry", "lr-end", "no-memory", "no-rule", "not-proven", "cfa-not-growing",
	"bad-pc", "bad-exception-frame", "limit", "banked-register", "reported",
}

// String returns the stable name of the reason, used in JSON.
func (k StopKind) String() string {
	if int(k) < len(stopNames) {
		return stopNames[k]
	}
	return fmt.Sprintf("stop%d", uint8(k))
}

// Stop says why a stack ends where it does.
type Stop struct {
	Kind StopKind
	// Detail is one sentence fragment for people, lower case, with the
	// address concerned: "stack word at 0x2000fff8 is not in the dump".
	Detail string
}

// Complete reports whether the stack reached its true end.
func (s Stop) Complete() bool { return s.Kind == StopEntry || s.Kind == StopLRZero }
