package oracle

import (
	"encoding/binary"

	"pushmask/core"
)

// Special registers of MSR (SYSm, Armv7-M ARM B5.2.3).
const (
	sysMSP     = 8
	sysPSP     = 9
	sysCONTROL = 20
)

// specialWrite is a write of a special register by MSR; the zero value is none.
type specialWrite struct {
	register uint8 // SYSm
	value    uint32
}

// specialAt decodes the instruction that regs are about to execute (MSR,
// Armv7-M ARM B5.2.3).
func (p *program) specialAt(pc uint32, regs *core.Regs) specialWrite {
	h, h2 := p.half(pc), p.half(pc+2)
	if p.arm || h&0xfff0 != 0xf380 || h2&0xff00 != 0x8800 {
		return specialWrite{}
	}
	return specialWrite{uint8(h2), regs.Value(core.Reg(h & 15))}
}

// threads follows the stacks of a kernel's threads. A thread that does not run
// is named by the address of its hardware frame on its process stack, which is
// where PSP points when it goes on.
type threads struct {
	// msp and psp are as far as they are not SP; QEMU's stub does not tell. Its
	// machines start with PSP 0.
	msp, psp uint32
	onPSP    bool // thread mode uses the process stack (CONTROL.SPSEL)
	// suspended are the frames of the threads that do not run, oldest first,
	// the last of them the exception that took the thread off.
	suspended map[uint32][]*activation
}

// unknownSP is the SP of a frame that never ran.
const unknownSP = 0

// fill adds the stack pointers that a stopped machine has beside SP.
func (t *threads) fill(regs *core.Regs, at state) {
	msp, psp := at.sp, t.psp
	if at.ipsr() == 0 && t.onPSP {
		msp, psp = t.msp, at.sp
	}
	regs.Set(core.MSP, msp)
	regs.Set(core.PSP, psp)
}

// enterHandler notes the entry of an exception that interrupted a thread.
func (t *threads) enterHandler(e *entry) { t.psp = e.frame }

// leaveHandler notes the return to the code that e interrupted.
func (t *threads) leaveHandler(e *entry, after state) {
	if after.ipsr() != 0 {
		return
	}
	t.onPSP = e.processStack
	if e.processStack {
		t.msp = e.sp
		t.psp = after.sp
	}
}

// writeSpecial follows a write of a stack pointer or of CONTROL.
func (s *shadow) writeSpecial(before, after state, read reader) error {
	w := before.special
	switch {
	case w.register == sysPSP:
		s.psp = w.value &^ 3
		return s.switchThread(read)
	case w.register == sysCONTROL && before.ipsr() == 0:
		s.onPSP = w.value&2 != 0
		s.msp = before.sp
	case w.register == sysMSP && before.ipsr() == 0 && len(s.frames) > 0 && after.sp > s.frames[len(s.frames)-1].sp:
		// The frames are given up, and the stack will be used anew.
		s.lose(0)
		s.frames = append(s.frames, &activation{sp: after.sp, certainty: lost})
	}
	return nil
}

// startsAnew reports whether a stack was given up for the one in use, which has
// no frame yet.
func (s *shadow) startsAnew() bool { return len(s.frames) == 1 && s.frames[0].certainty == lost }

// switchThread follows a new PSP in a handler: what was interrupted is from
// here on the thread that PSP names.
func (s *shadow) switchThread(read reader) error {
	i := 0
	for i < len(s.frames) && s.frames[i].exception == nil {
		i++
	}
	if i == len(s.frames) {
		return nil // thread mode prepares the stack of a thread
	}
	f := s.frames[i]
	switch {
	case !f.exception.processStack:
		// Code on the main stack was interrupted. Whether it goes on or the first
		// thread starts shows at the return.
		f.certainty = max(f.certainty, open)
		return nil
	case f.exception.frame == s.psp:
		return nil
	}
	if s.suspended == nil {
		s.suspended = make(map[uint32][]*activation)
	}
	s.suspended[f.exception.frame] = append([]*activation(nil), s.frames[:i+1]...)
	chain, err := s.resumed(read)
	if err != nil {
		return err
	}
	e := *f.exception
	e.frame = s.psp
	chain[len(chain)-1].exception = &e
	s.frames = append(chain, s.frames[i+1:]...)
	return nil
}

// resumed returns the frames of the thread that PSP names. One that is not
// known is new: it has nothing but the place where it will start, which is
// certain when it does.
func (s *shadow) resumed(read reader) ([]*activation, error) {
	pc, err := s.stackedPC(read)
	if err != nil {
		return nil, err
	}
	chain := s.suspended[s.psp]
	delete(s.suspended, s.psp)
	if n := len(chain); n > 0 && chain[n-1].ret == pc {
		return chain, nil
	}
	return []*activation{{ret: pc, sp: unknownSP, certainty: open}}, nil
}

// stackedPC reads the PC of the hardware frame at PSP (Armv7-M ARM B1.5.6).
func (s *shadow) stackedPC(read reader) (uint32, error) {
	var raw [4]byte
	if err := read(s.psp+24, raw[:]); err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint32(raw[:]) &^ 1, nil
}

// startThread follows an exception return to a thread although code on the main
// stack was interrupted, how kernels start their first thread.
func (s *shadow) startThread(f *activation, before, after state, read reader) (bool, error) {
	if f.exception.processStack || f.certainty == certain || after.ipsr() != 0 {
		return false, nil
	}
	pc, err := s.stackedPC(read)
	if err != nil || pc != after.pc {
		return false, err
	}
	s.msp, s.onPSP = before.sp, true
	s.lose(0)
	s.psp = after.sp
	return true, nil
}
