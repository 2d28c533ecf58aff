package oracle

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"pushmask/core"
)

// secureAlias is the bit of an address that makes it secure on mps2-an505 (IDAU of
// the SSE-200, TRM 3.4).
const secureAlias = 1 << 28

// Symbols of firmware of two security states, and of one that has FPCCR.TS set.
const (
	nonSecureTop   = "__ns_stack_top"
	secureFPSymbol = "secure_fp"
)

// divide takes the firmware as one of two security states.
func (s *shadow) divide(p *program) {
	for i, name := range [...]string{"__stack_top", "__process_stack_top", nonSecureTop, "__ns_process_stack_top"} {
		s.banks.tops[i] = p.symbols[name]
	}
	s.divided = true
}

// secure tells the security state of at by its stack: in the first instruction
// of a gateway the core is not in secure state yet.
func (s *shadow) secure(at state) bool { return !s.divided || s.banks.of(at.sp) < firstNonSecure }

// callsNonSecure tells BLXNS that went to the non-secure state: LR is
// FNC_RETURN (Armv8-M ARM B3.16).
func (s *shadow) callsNonSecure(before, after state) bool {
	return s.secure(before) && !s.secure(after) && s.prog.half(before.pc)&0xff87 == 0x4784
}

// bankRegs are the stack pointers of both states, the secure ones first.
var bankRegs = [...]core.Reg{core.MSPS, core.PSPS, core.MSPNS, core.PSPNS}

const firstNonSecure = 2

// banks holds the stack pointers of both security states as they were last
// seen, by the stack they point into.
type banks struct {
	tops [len(bankRegs)]uint32
	sp   [len(bankRegs)]uint32
}

// of returns the index of the stack that sp points into, -1 for none.
func (b *banks) of(sp uint32) int {
	for i, top := range b.tops {
		if sp <= top && top-sp < stackSize {
			return i
		}
	}
	return -1
}

func (b *banks) note(sp uint32) {
	if i := b.of(sp); i >= 0 {
		b.sp[i] = sp
	}
}

// Bytes that the hardware pushes beside the frame (Armv8-M ARM B3.18, B3.16).
const (
	additionalState = 0x28
	fncReturnFrame  = 8
	secureFPState   = 0x40 // S16 to S31
)

// additional is the size of the additional state context below a frame with
// the given EXC_RETURN (Armv8-M ARM, PopStack).
func additional(lr uint32) uint32 {
	const es, dcrs, s = 1 << 0, 1 << 5, 1 << 6
	if lr&s != 0 && (lr&es == 0 || lr&dcrs == 0) {
		return additionalState
	}
	return 0
}

// frameSize is the size of the frame pushed between two states, bytes.
func (s *shadow) frameSize(before, after state) uint32 {
	switch {
	case after.lr&(1<<4) != 0:
		return basicFrame
	case s.divided && s.prog.symbols[secureFPSymbol] != 0 && s.secure(before):
		return extendedFrame + secureFPState
	}
	return extendedFrame
}

// chain makes e the entry of the handler that followed the one before.
func (e *entry) chain(after state) {
	e.number = after.ipsr()
	e.sp = after.sp
	e.additional = additional(after.lr)
}

// chained tells a tail-chained exception of the other security state from one
// that preempts: that one leaves a frame with the interrupted PC.
func (s *shadow) chained(before, after state, read reader) bool {
	if s.secure(before) == s.secure(after) || !isExcReturn(after.lr) {
		return false
	}
	frame := (before.sp - s.frameSize(before, after)) &^ 7
	var raw [basicFrame]byte
	if read(frame, raw[:]) != nil {
		return true
	}
	return binary.LittleEndian.Uint32(raw[24:])&^1 != before.pc
}

// stackPointers sets the stack pointers of both security states as they are at
// this stop: the current one is SP, the others lie where the youngest frame
// that used them left them.
func (s *shadow) stackPointers(at state, regs *core.Regs) {
	now := s.banks.sp
	var known [len(bankRegs)]bool
	set := func(sp uint32) {
		if i := s.banks.of(sp); i >= 0 && !known[i] {
			now[i], known[i] = sp, true
		}
	}
	set(at.sp)
	for i := len(s.frames) - 1; i >= 0; i-- {
		switch f := s.frames[i]; {
		case f.exception != nil:
			set(f.exception.frame - f.exception.additional)
		case f.entered != 0:
			set(f.sp - fncReturnFrame)
		default:
			set(f.sp)
		}
	}
	for i, r := range bankRegs {
		if now[i] != 0 {
			regs.Set(r, now[i])
		}
	}
	if i := s.banks.of(at.sp); i >= 0 {
		first := i &^ 1
		regs.Set(core.MSP, now[first])
		regs.Set(core.PSP, now[first+1])
	}
}

// readMemory reads target memory at a stop. In non-secure state the debugger's
// view has no secure memory: it is read past the security hardware then, which
// knows SRAM by its non-secure addresses.
func (r *recorder) readMemory(ctx context.Context, at state, addr uint32, p []byte) error {
	hidden := r.shadow.divided && !r.shadow.secure(at) && addr&secureAlias != 0
	if hidden {
		if err := r.physical(ctx, true); err != nil {
			return err
		}
		addr &^= secureAlias
	}
	_, err := r.client.ReadMemory(ctx, core.Addr(addr), p)
	if hidden {
		return errors.Join(err, r.physical(ctx, false))
	}
	return err
}

// physical switches QEMU's view of memory.
func (r *recorder) physical(ctx context.Context, on bool) error {
	packet := "Qqemu.PhyMemMode:0"
	if on {
		packet = "Qqemu.PhyMemMode:1"
	}
	reply, err := r.client.Exchange(ctx, packet)
	if err == nil && reply != "OK" {
		err = fmt.Errorf("QEMU answers %q to %s", reply, packet)
	}
	return err
}
