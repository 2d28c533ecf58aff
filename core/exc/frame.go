package exc

import (
	"encoding/binary"
	"fmt"

	"pushmask/core"
)

// Sizes of the stacked frame in bytes (Armv7-M ARM B1.5.7): r0-r3, r12, lr,
// the return address and xPSR; with an FP context S0-S15, FPSCR and a
// reserved word more; on ARMv8-M with secure FP registers (FPCCR.TS) S16-S31
// too. A secure context with additional state has an integrity signature, a
// reserved word and r4-r11 below (Armv8-M ARM B3.18).
const (
	basicSize      = 0x20
	fpSize         = 0x68
	secureFPSize   = fpSize + SecureFPBytes
	additionalSize = 0x28
)

// SecureFPBytes is the room that S16-S31 take at the end of a secure frame.
const SecureFPBytes = 0x40

// Integrity signatures of the additional state context; bit 0 is FType.
const (
	signatureBasic = 0xfefa125b
	signatureFP    = 0xfefa125a
)

// xPSR bits (Armv7-M ARM B1.4.2): T, and bit 9 of the stacked value, set when
// a word of padding was inserted to align the frame to 8 bytes.
const (
	xpsrT    = 1 << 24
	xpsrPad  = 1 << 9
	xpsrIPSR = 0x1ff
)

// Frame is a stacked exception frame that was read from memory.
type Frame struct {
	Return Return
	Base   core.Addr // address of the stacked r0
	SP     core.Addr // SP of the interrupted code
	// R holds r0-r3, r12, lr, the interrupted PC and xPSR, in stacked order.
	R [8]uint32
	// Callee holds r4-r11 when the additional state context was stacked.
	Callee    [8]uint32
	HasCallee bool
}

// ReadFrame reads the frame that ret describes at sp, the value of the stack
// pointer ret selects as it was on entry to the handler. The additional state
// context must be there below a non-secure handler; where only DCRS says so, the
// signature decides, without which the hardware faults on return. Where FPCCR.TS is not
// in m, a secure frame with FP registers is taken not to have S16-S31.
func ReadFrame(m core.Memory, sp core.Addr, ret Return) (Frame, error) {
	f := Frame{Return: ret, Base: sp}
	if ret.Additional() {
		if err := f.readAdditional(m); err != nil && !ret.HandlerSecure() {
			return f, err
		}
	}
	var b [basicSize]byte
	if _, err := m.ReadAt(f.Base, b[:]); err != nil {
		return f, fmt.Errorf("read exception frame at %v: %w", f.Base, err)
	}
	for i := range f.R {
		f.R[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	f.SP = f.Base + basicSize
	if !ret.Basic() {
		f.SP = f.Base + fpSize
	}
	if f.R[7]&xpsrPad != 0 {
		f.SP += 4
	}
	if f.MayHaveSecureFP() { // a read costs a live target a round trip
		if v, err := core.ReadU32(m, fpccr); err == nil && v&fpccrTS != 0 {
			f.AddSecureFP()
		}
	}
	return f, nil
}

// readAdditional reads the additional state context at Base and moves Base
// behind it. The signature tells whether the frame has FP registers, as FType
// does.
func (f *Frame) readAdditional(m core.Memory) error {
	var b [additionalSize]byte
	if _, err := m.ReadAt(f.Base, b[:]); err != nil {
		return fmt.Errorf("read additional state context at %v: %w", f.Base, err)
	}
	want := uint32(signatureBasic)
	if !f.Return.Basic() {
		want = signatureFP
	}
	if s := binary.LittleEndian.Uint32(b[:]); s != want {
		return fmt.Errorf("no integrity signature at %v: %#08x, want %#08x", f.Base, s, want)
	}
	f.HasCallee = true
	for i := range f.Callee {
		f.Callee[i] = binary.LittleEndian.Uint32(b[8+4*i:])
	}
	f.Base += additionalSize
	return nil
}

// MayHaveSecureFP reports whether the frame may go on with S16-S31: it does
// where FPCCR.TS was set when it was stacked.
func (f *Frame) MayHaveSecureFP() bool { return f.Return.Secure() && !f.Return.Basic() }

// HasSecureFP reports whether the frame goes on with S16-S31.
func (f *Frame) HasSecureFP() bool { return f.MayHaveSecureFP() && f.SP-f.Base >= secureFPSize }

// AddSecureFP takes S16-S31 as part of the frame, if it may have them and has
// not.
func (f *Frame) AddSecureFP() {
	if f.MayHaveSecureFP() && !f.HasSecureFP() {
		f.SP += SecureFPBytes
	}
}

// PC is the interrupted address, bit 0 clear.
func (f *Frame) PC() core.Addr { return core.Addr(f.R[6] &^ 1) }

// XPSR is the stacked program status.
func (f *Frame) XPSR() uint32 { return f.R[7] }

// Plausible checks what must hold of a true frame: the base is word aligned,
// xPSR has no reserved bits set, and its exception number agrees with the mode
// that was interrupted (thread mode has none). The T bit may be clear only
// where that is itself the fault (INVSTATE); the caller judges the PC.
func (f *Frame) Plausible() error {
	const reserved = 0x00c00000 // bits 23 and 22; 21 is B (PACBTI), 19..16 GE
	x := f.XPSR()
	switch {
	case f.Base&3 != 0:
		return fmt.Errorf("exception frame at %v is not word aligned", f.Base)
	case x&reserved != 0:
		return fmt.Errorf("stacked xPSR %#08x at %v has reserved bits set", x, f.Base+28)
	case f.Return.Thread() && x&xpsrIPSR != 0:
		return fmt.Errorf("stacked xPSR %#08x names exception %d, but %v came from thread mode", x, x&xpsrIPSR, f.Return)
	case !f.Return.Thread() && x&xpsrIPSR == 0:
		return fmt.Errorf("stacked xPSR %#08x names no exception, but %v came from a handler", x, f.Return)
	}
	return nil
}

// Thumb reports whether the stacked state is T32, as it must be.
func (f *Frame) Thumb() bool { return f.XPSR()&xpsrT != 0 }

// Restore returns the registers of the interrupted code, given those that the
// handler's caller would have: r4-r11 pass through a handler unchanged.
func (f *Frame) Restore(regs core.Regs) core.Regs {
	for i, r := range [...]core.Reg{core.R0, core.R1, core.R2, core.R3, core.R12, core.LR, core.PC, core.PSR} {
		regs.Set(r, f.R[i])
	}
	regs.Set(core.PC, f.R[6]&^1)
	if f.HasCallee {
		for i, v := range f.Callee {
			regs.Set(core.R4+core.Reg(i), v)
		}
	}
	regs.Set(core.SP, uint32(f.SP))
	return regs
}
