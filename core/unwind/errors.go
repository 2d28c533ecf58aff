package unwind

import "errors"

// What can stop a row from being used; the walker turns them into stop reasons.
var (
	errNoCFA    = errors.New("the CFA cannot be computed from the registers that are known")
	errNoRA     = errors.New("the return address is not kept anywhere that is known")
	errSwitched = errors.New("the handler has switched to another thread, and where that one's registers are is not known")
	errNotReach = errors.New("the instruction is not reached by the function's control flow")
)
