package exc

import "fmt"

// Return is an EXC_RETURN value: what LR holds on entry to a handler, and
// what a return to it does (Armv7-M ARM B1.5.8, Armv8-M ARM B3.19).
type Return uint32

// Values of LR that are no EXC_RETURN and no address.
const (
	// LREnd is the value of LR at reset on ARMv7-M and later (Armv7-M ARM
	// B1.5.5): nobody called.
	LREnd = 0xffffffff
	// fncReturn is in LR in a non-secure function called from secure state
	// (Armv8-M ARM B3.16, FNC_RETURN); bit 0 tells the caller's state and is not
	// looked at by the return.
	fncReturn = 0xfeffffff
)

// IsFncReturn reports whether v, found as a return address, is FNC_RETURN: the
// return address proper lies on the secure stack.
func IsFncReturn(v uint32) bool { return v|1 == fncReturn }

// IsReturn reports whether v, found as a return address, is an EXC_RETURN.
// Bits 31 to 7 are ones in every architecture version; bits 1 and 0 tell the
// secure state on ARMv8-M and are 01 before it. 0xffffffff is not one: that
// is LR at reset.
func IsReturn(v uint32) bool {
	return v&0xffffff80 == 0xffffff80 && v != LREnd && v&2 == 0
}

// PSP reports whether the frame lies on the process stack (SPSEL, bit 2). On
// Armv8-M SPSEL may be set over a handler, when secure code that uses the process
// stack in its threads runs there: handlers have the main stack all the same.
func (r Return) PSP() bool { return r&(1<<2) != 0 && r.Thread() }

// OtherStack is r with the other stack selected.
func (r Return) OtherStack() Return { return r ^ 1<<2 }

// Thread reports whether thread mode was interrupted (Mode, bit 3).
func (r Return) Thread() bool { return r&(1<<3) != 0 }

// Basic reports whether the frame has no FP part (FType, bit 4).
func (r Return) Basic() bool { return r&(1<<4) != 0 }

// DefaultStacking reports whether the callee registers follow the default
// rules; when false they were already on the stack (DCRS, bit 5, Armv8-M).
func (r Return) DefaultStacking() bool { return r&(1<<5) != 0 }

// Secure reports whether the frame lies on a secure stack (S, bit 6, Armv8-M;
// always one before it).
func (r Return) Secure() bool { return r&(1<<6) != 0 }

// OtherState reports whether the frame lies on a stack of the other security
// state than the one the handler runs in (ES, bit 0, differs from S, bit 6;
// Armv8-M; both are one before it).
func (r Return) OtherState() bool { return r&1 != r>>6&1 }

// HandlerSecure reports whether the handler runs in secure state (ES, bit 0,
// Armv8-M; always one before it).
func (r Return) HandlerSecure() bool { return r&1 != 0 }

// Additional reports whether the additional state context lies below the
// frame: r4 to r11 of secure code that a non-secure exception interrupted, or
// whose non-secure exception a secure one follows (Armv8-M ARM B3.22 and the
// pseudocode of PushStack and PopStack). Always false before Armv8-M.
func (r Return) Additional() bool {
	return r.Secure() && (!r.HandlerSecure() || !r.DefaultStacking())
}

// Control returns what CONTROL was in the interrupted code, given what it is in
// the handler: entry clears SPSEL, of a thread on the process stack, and FPCA,
// set where the frame has an FP part (Armv7-M ARM B1.5.6 ExceptionTaken, B1.5.8
// ExceptionReturn).
func (r Return) Control(handler uint32) uint32 {
	const (
		spsel = 1 << 1
		fpca  = 1 << 2
	)
	v := handler &^ (spsel | fpca)
	if r.PSP() {
		v |= spsel
	}
	if !r.Basic() {
		v |= fpca
	}
	return v
}

// String formats the value with what it means.
func (r Return) String() string {
	mode, stack, frame := "handler", "MSP", "FP frame"
	if r.Thread() {
		mode = "thread"
	}
	if r.PSP() {
		stack = "PSP"
	}
	if r.Basic() {
		frame = "basic frame"
	}
	return fmt.Sprintf("%#08x (%s mode, %s, %s)", uint32(r), mode, stack, frame)
}
