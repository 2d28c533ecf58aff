package oracle

import (
	"encoding/binary"

	"pushmask/core"
)

// state is what the shadow stack follows.
type state struct {
	pc, sp, lr, psr uint32 // pc without bit 0
	// special is what the instruction at pc is about to write.
	special specialWrite
	// regs are all registers, nil where they are not known.
	regs *core.Regs
}

// ipsr is the number of the active exception (Armv7-M ARM B1.4.2).
func (s state) ipsr() uint32 { return s.psr & 0x1ff }

// certainty says whether an activation is one. A BL to a place in the middle
// of its own function calls a local subroutine, or it is a far branch of gcc
// where B.W is missing (v6-M, v4T), which nothing returns to. Which of the two shows later. Elsewhere a
// local subroutine that leaves its function for good (__aeabi_dmul has one)
// has two right answers on the way, and no sample is made of it.
type certainty uint8

const (
	certain  certainty = iota
	open               // not known yet
	branched           // it was a far branch: an older frame returned first
	lost               // it never showed
)

// activation is a frame of the truth.
type activation struct {
	ret uint32 // return address, bit 0 clear; the interrupted PC
	sp  uint32 // SP at the call, before the exception
	certainty
	// far is set where the call may be one of gcc's far branches: a T32 BL.
	far       bool
	exception *entry // nil for a call
	// entered is SP behind a call into the non-secure state, 0 for others.
	entered uint32
	// regs are the registers at the call, before the exception; those that are not
	// known are left out. FP registers are added once they were read.
	regs       core.Regs
	floatsRead bool
}

// entry is what an exception entry did.
type entry struct {
	frame        uint32 // address of the hardware frame
	sp           uint32 // SP at the handler's first instruction
	lr           uint32 // of the interrupted code
	linked       bool   // see shadow.linked, of the interrupted code
	number       uint32
	outer        uint32 // IPSR of the interrupted code
	additional   uint32 // bytes of additional state context below the frame
	processStack bool
	extended     bool // the hardware frame has an FP part
	inexact      bool // SP of the interrupted code is not known for certain
}

// shadow follows calls, returns and exceptions of one machine.
type shadow struct {
	prog   *program
	frames []*activation // oldest first
	// farBranches says that a local T32 BL which nothing returned to was a branch.
	farBranches bool
	// linked says that the last to write LR was no call.
	linked bool
	// skipped counts certain frames that a return to an older frame went past:
	// a mistake of the oracle unless the firmware does so on purpose.
	skipped int
	threads
	// divided says that there are two security states.
	divided bool
	banks   banks
}

// reader reads target memory.
type reader func(addr uint32, p []byte) error

// step follows one instruction, or the entry of an exception, from before to
// after.
func (s *shadow) step(before, after state, read reader) error {
	defer func() { s.banks.note(after.sp) }()
	if !s.prog.arm && (after.ipsr() != before.ipsr() || s.secure(before) != s.secure(after)) {
		if ok, err := s.exceptionReturn(before, after, read); ok || err != nil {
			return err
		}
		if after.ipsr() != 0 && isExcReturn(after.lr) {
			return s.exceptionEntry(before, after, read)
		}
	}
	return s.execute(before, after, read)
}

// execute follows one instruction, and what it does to the stack pointers.
func (s *shadow) execute(before, after state, read reader) error {
	if s.prog.arm && s.modeStep(before, after) {
		s.linked = false
		return nil
	}
	s.transfer(before, after)
	return s.writeSpecial(before, after, read)
}

// isExcReturn tells an EXC_RETURN value (Armv8-M ARM D1.2.95).
func isExcReturn(v uint32) bool { return v>>24 == 0xff }

// inexact reports whether the registers of interrupted code are not certain.
func (s *shadow) inexact() bool {
	for _, f := range s.frames {
		if f.exception != nil && f.exception.inexact {
			return true
		}
	}
	return false
}

// active returns the index of the youngest exception, -1 for none.
func (s *shadow) active() int {
	for i := len(s.frames) - 1; i >= 0; i-- {
		if s.frames[i].exception != nil {
			return i
		}
	}
	return -1
}

// exceptionReturn drops the handler, and for a tail-chained exception what the
// handler before it had: the hardware frame stays then.
func (s *shadow) exceptionReturn(before, after state, read reader) (bool, error) {
	i := s.active()
	if i < 0 || s.frames[i].exception.number != before.ipsr() {
		return false, nil
	}
	f := s.frames[i]
	switch {
	case f.ret == after.pc && (f.sp == after.sp || f.sp == unknownSP) && f.exception.outer == after.ipsr():
		f.certainty = certain
		s.banks.note(f.exception.sp)
		s.drop(i)
		s.leaveHandler(f.exception, after)
		s.linked = f.exception.linked
	case f.exception.sp == after.sp && isExcReturn(after.lr), s.chained(before, after, read):
		s.drop(i + 1)
		s.banks.note(f.exception.sp)
		f.exception.chain(after)
	default:
		return s.startThread(f, before, after, read)
	}
	return true, nil
}

// Sizes of hardware frames and their fields, bytes (Armv7-M ARM B1.5.6).
const (
	basicFrame    = 0x20
	extendedFrame = 0x68
)

// onProcessStack are the bits SPSEL and Mode of EXC_RETURN.
const onProcessStack = 1<<2 | 1<<3

// exceptionEntry reads the interrupted state off the hardware frame. QEMU may
// have executed an instruction before it took the exception.
func (s *shadow) exceptionEntry(before, after state, read reader) error {
	size := s.frameSize(before, after)
	e := &entry{frame: after.sp, sp: after.sp, number: after.ipsr(), outer: before.ipsr(), additional: additional(after.lr)}
	e.extended = after.lr&(1<<4) == 0
	if s.secure(before) != s.secure(after) {
		e.frame = (before.sp - size) &^ 7
	}
	if after.lr&onProcessStack == onProcessStack {
		e.processStack = true
		e.frame = (before.sp - size) &^ 7
		s.enterHandler(e)
	}
	var raw [basicFrame]byte
	if err := read(e.frame, raw[:]); err != nil {
		return err
	}
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(raw[4*i:]) }
	interrupted := state{pc: word(6) &^ 1, sp: e.frame + size, lr: word(5), psr: word(7)}
	if interrupted.psr&(1<<9) != 0 {
		interrupted.sp += 4
	}
	e.lr = interrupted.lr
	if interrupted.pc != before.pc {
		if err := s.execute(before, interrupted, read); err != nil {
			return err
		}
	}
	e.linked = s.linked
	f := &activation{ret: interrupted.pc, sp: interrupted.sp, exception: e}
	f.interrupted(before, after, raw[:])
	s.frames = append(s.frames, f)
	return nil
}

// transfer follows one instruction that is no exception's business.
func (s *shadow) transfer(before, after state) {
	next := before.pc + s.prog.length(before)
	s.settle(before, after)
	if after.lr != before.lr {
		s.linked = after.pc == next
	}
	switch {
	case after.pc == next:
	case s.callsNonSecure(before, after):
		s.call(before, next, after.pc)
		s.frames[len(s.frames)-1].entered = after.sp
	case after.lr&^1 == next:
		// Whatever leaves LR behind it is a call: BL, BLX, and the branch after
		// "mov lr, pc", which is all that ARMv4 has.
		s.call(before, next, after.pc)
	case s.callsByHand(after):
		s.call(after, after.lr&^1, after.pc)
	case s.prog.unwinds(before.pc) && !s.prog.unwinds(after.pc):
		keep := len(s.frames)
		for keep > 0 && s.frames[keep-1].exception == nil && s.frames[keep-1].sp <= after.sp {
			keep--
		}
		s.lose(keep)
	case s.prog.switches(before.pc) && !s.prog.switches(after.pc):
		s.drop(len(s.frames) - 1)
	case !s.prog.onlyJumps(before):
		s.leave(after)
	}
}

// settle tells the calls of pointers that gcc makes of a bl to a bx of the same
// function (ARMv4T): another function is entered with the LR of the bl.
func (s *shadow) settle(before, after state) {
	if len(s.frames) == 0 {
		return
	}
	top := s.frames[len(s.frames)-1]
	if top.certainty != open || after.lr&^1 != top.ret || after.sp != top.sp || after.lr != before.lr {
		return
	}
	if f, ok := s.prog.functionAt(after.pc); ok && f.start == after.pc {
		top.certainty = certain
	}
}

// callsByHand tells the entry of a function with a return address that code put
// into LR by itself, and not its caller's: adr lr, 1f; bx r3.
func (s *shadow) callsByHand(after state) bool {
	f, ok := s.prog.functionAt(after.pc)
	if !ok || f.start != after.pc || !s.linked || s.prog.unwinds(after.pc) {
		return false
	}
	to := after.lr &^ 1
	if n := len(s.frames); n == 0 || s.frames[n-1].ret == to {
		return false
	}
	in, ok := s.prog.functionAt(to)
	return ok && in.start != to || to == s.prog.symbols[armReturn]&^1
}

// call pushes a frame.
func (s *shadow) call(before state, ret, target uint32) {
	f := &activation{ret: ret, sp: before.sp, far: s.farBranches && s.prog.thumb(before)}
	if here, ok := s.prog.functionAt(before.pc); ok && target > here.start && target < here.end {
		f.certainty = open
		s.forget(f)
	}
	f.calls(before)
	s.frames = append(s.frames, f)
}

// forget drops the frames from one like f on, a far branch: a call cannot come
// back to two of the same place and height.
func (s *shadow) forget(f *activation) {
	for i := len(s.frames) - 1; i >= 0 && s.frames[i].certainty == open; i-- {
		if s.frames[i].ret == f.ret && s.frames[i].sp == f.sp {
			s.drop(i)
			return
		}
	}
}

// leave drops the frame that was returned to, if it was a return.
func (s *shadow) leave(after state) {
	for i := len(s.frames) - 1; i >= 0 && s.frames[i].exception == nil; i-- {
		f := s.frames[i]
		// An outlined piece of a prologue comes back with another SP.
		outlined := i == len(s.frames)-1 && f.certainty == certain
		if f.ret != after.pc || f.sp != after.sp && !outlined {
			continue
		}
		for _, above := range s.frames[i+1:] {
			if above.certainty == certain {
				s.skipped++
			}
		}
		s.drop(i + 1)
		f.certainty = certain
		if f.entered != 0 {
			s.banks.note(f.entered)
		}
		s.frames = s.frames[:i]
		return
	}
}

// drop removes the frames from n on, which nothing returned to: those that may
// have been far branches were.
func (s *shadow) drop(n int) {
	n = max(n, 0)
	for _, f := range s.frames[n:] {
		if f.certainty == open && f.far {
			f.certainty = branched
		}
	}
	s.lose(n)
}

// lose removes the frames from n on without knowing more of them.
func (s *shadow) lose(n int) {
	n = max(n, 0)
	for _, f := range s.frames[n:] {
		if f.certainty == open {
			f.certainty = lost
		}
	}
	s.frames = s.frames[:n]
}

// unwinding reports whether the machine, or code that an exception interrupted,
// is half-way through longjmp: the caller's LR or SP is gone.
func (s *shadow) unwinding(at state) bool {
	for i := len(s.frames); i > 0; i-- {
		top := s.frames[i-1]
		if top.exception == nil && s.prog.unwinds(at.pc) && (at.sp != top.sp || at.lr&^1 != top.ret) {
			return true
		}
		if top.exception != nil {
			at = state{pc: top.ret, sp: top.sp, lr: top.exception.lr}
		} else {
			at.pc = top.ret
		}
	}
	return false
}

// onStack reports whether SP lies where the youngest frame leaves it to be.
func (s *shadow) onStack(at state) bool {
	if len(s.frames) == 0 {
		return true
	}
	top := s.frames[len(s.frames)-1]
	return s.prog.unwinds(at.pc) || at.sp <= top.sp || top.exception != nil || !s.sameStack(at.sp, top.sp)
}

// sameStack reports whether two stack pointers are near enough to be of one
// stack.
func (s *shadow) sameStack(a, b uint32) bool { return max(a, b)-min(a, b) < stackSize }
