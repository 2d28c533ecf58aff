// Package cause says in words why a program crashed: from the fault registers
// where the artefact has them, from the faulting instruction with its operands,
// from the bounds of stacks, and, where nothing else tells, from what the
// instruction and the registers allow, which it marks as inferred.
//
// core/session fills an [Input] and shows the [Cause]. The package reads memory
// and unwinds nothing.
package cause

import "pushmask/core"

// Kind is a stable name of a cause: the public contract of bt --json.
type Kind string

// The kinds.
const (
	NullRead           Kind = "null-read"           // read through a null pointer
	NullWrite          Kind = "null-write"          // write through a null pointer
	NullAccess         Kind = "null-access"         // access through a null pointer, read or write
	BadAccess          Kind = "bad-access"          // access to an address that does not answer or is forbidden, read or write
	NullJump           Kind = "null-jump"           // call or jump through a null pointer
	WildJump           Kind = "wild-jump"           // PC is no code
	BadRead            Kind = "bad-read"            // read of an address that does not answer or is forbidden
	BadWrite           Kind = "bad-write"           // write of one
	FlashWrite         Kind = "flash-write"         // write to the image's code or constants
	ImpreciseWrite     Kind = "imprecise-write"     // bus error of an earlier access
	Unaligned          Kind = "unaligned"           // access that is not aligned
	DivisionByZero     Kind = "division-by-zero"    // integer division by zero that traps
	Undefined          Kind = "undefined"           // undefined instruction
	Trap               Kind = "trap"                // UDF: __builtin_trap, panics
	NoFPU              Kind = "no-fpu"              // FP or coprocessor instruction without access
	StackOverflow      Kind = "stack-overflow"      // the stack pointer passed a bound
	StackFault         Kind = "stack-fault"         // stacking or unstacking failed
	ExceptionReturn    Kind = "exception-return"    // bad EXC_RETURN or exception frame
	SecurityFault      Kind = "security"            // violation between security states
	VectorTable        Kind = "vector-table"        // a vector could not be read
	Lockup             Kind = "lockup"              // fault inside of HardFault or NMI
	Breakpoint         Kind = "breakpoint"          // BKPT
	Semihosting        Kind = "semihosting"         // semihosting call that no debugger takes
	Assertion          Kind = "assertion"           // an assertion, abort or panic function
	UnhandledException Kind = "unhandled-exception" // an exception whose handler is an endless loop
	Watchdog           Kind = "watchdog"            // a watchdog, as the artefact says
	Signal             Kind = "signal"              // of a hosted program, with no better cause
	UnexplainedFault   Kind = "unexplained-fault"   // a fault of which nothing tells why
	Reported           Kind = "reported"            // only the artefact says something
	Halted             Kind = "halted"              // the target just stands
)

// Cause says why a thread stopped.
type Cause struct {
	Kind Kind
	Name string // the exception or signal: "HardFault", "SIGSEGV", "Halted"
	// Description is one sentence without a full stop: "`ldr r3, [r2, #4]` with
	// r2 = 0: read of address 0x4 through a null pointer in app.c:120".
	Description string
	// Inferred says that no fault register or signal states the cause: the
	// description follows from the instruction and the registers.
	Inferred bool
	// Notes are further sentences that bear on how the cause and the stack are
	// to be read: what is not certain, what the artefact itself reports, what
	// contradicts what.
	Notes []string
	// Details are the fault registers in words.
	Details []string

	// PC is the address of the instruction that is to blame, known where HasPC,
	// and Instruction its text, "" where it could not be read.
	PC          core.Addr
	HasPC       bool
	Instruction string
	// Addr is the address of the failed access or jump, known where HasAddr.
	Addr    core.Addr
	HasAddr bool
}
