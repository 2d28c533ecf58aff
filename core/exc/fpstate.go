package exc

import "pushmask/core"

// FPState says where the FP registers of interrupted code are. A frame with an FP
// part has room for them; with lazy stacking the core fills it when the handler
// executes its first FP instruction, and not at all if there is none (Armv7-M ARM
// B1.5.7, "Lazy context save of FP state"; Armv8-M ARM B3.20).
type FPState uint8

// The places of the FP registers.
const (
	FPUnknown FPState = iota // it cannot be told
	FPStacked                // in the frame
	FPLive                   // in the registers still: no FP instruction was executed since
)

// FPCCR and FPCAR with the bits of lazy stacking (Armv7-M ARM B3.2, FPCCR and
// FPCAR; Armv8-M ARM D1.2). With two security states each has its own, and secure
// code sees the non-secure ones at an address of their own.
const (
	fpccr          = 0xe000ef34
	fpcar          = fpccr + 4
	nonSecureAlias = 0x20000

	fpccrLSPACT = 1 << 0  // the frame that FPCAR points into is not filled yet
	fpccrTS     = 1 << 26 // "treat FP registers as secure", zero before Armv8-M
	fpccrASPEN  = 1 << 31 // frames have FP parts
)

// FPView says through which registers lazy stacking of a frame shows.
type FPView uint8

// The views of FPCCR and FPCAR.
const (
	FPOwn       FPView = iota // the frame is of the state that the core is in
	FPNonSecure               // the frame is non-secure, and the core is in secure state
	FPHidden                  // the frame is secure, and the core is in non-secure state
)

// fpControl is FPCCR as a view has it. It is not known where m does not have it, or
// has it as it cannot be below a frame with an FP part.
func fpControl(m core.Memory, view FPView) (v uint32, at core.Addr, known bool) {
	switch at = fpccr; view {
	case FPHidden:
		return 0, 0, false
	case FPNonSecure:
		at += nonSecureAlias
	}
	v, err := core.ReadU32(m, at)
	return v, at, err == nil && v&fpccrASPEN != 0
}

// FPState tells by FPCCR and FPCAR in m how far the FP part of f was filled.
func (f *Frame) FPState(m core.Memory, view FPView) FPState {
	control, at, ok := fpControl(m, view)
	switch {
	case f.Return.Basic() || !ok:
		return FPUnknown
	case control&fpccrLSPACT == 0:
		return FPStacked
	}
	room, err := core.ReadU32(m, at+fpcar-fpccr)
	switch {
	case err != nil:
		return FPUnknown
	case core.Addr(room)&^7 == f.Base+basicSize:
		return FPLive
	}
	return FPStacked // FPCAR points into another frame
}

// SizeKnown reports whether m tells if f goes on with S16-S31, which [ReadFrame]
// went by: of secure frames FPCCR.TS does, which non-secure code does not see.
func (f *Frame) SizeKnown(m core.Memory, view FPView) bool {
	if !f.MayHaveSecureFP() {
		return true
	}
	_, _, ok := fpControl(m, view)
	return ok && view == FPOwn
}

// FPSlots lists where the FP part of f has the registers: S0 to S15 and FPSCR,
// and of a secure frame that has them S16 to S31. It lists none for a basic frame.
// Whether they were filled FPState tells.
func (f *Frame) FPSlots() []core.SavedReg {
	if f.Return.Basic() {
		return nil
	}
	const scratch = 16 // S registers before FPSCR
	var slots []core.SavedReg
	at := f.Base + basicSize
	for n := range core.Reg(scratch) {
		slots = append(slots, core.SavedReg{Reg: core.S0 + n, Addr: at + 4*core.Addr(n)})
	}
	slots = append(slots, core.SavedReg{Reg: core.FPSCR, Addr: at + 4*scratch})
	if f.HasSecureFP() {
		for n := range core.Reg(SecureFPBytes / 4) {
			slots = append(slots, core.SavedReg{Reg: core.S0 + scratch + n, Addr: f.Base + fpSize + 4*core.Addr(n)})
		}
	}
	return slots
}
