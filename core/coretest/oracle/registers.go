package oracle

import (
	"context"
	"encoding/binary"
	"fmt"

	"pushmask/core"
	"pushmask/core/coretest"
)

// highFloats are the FP registers that a callee leaves as they were or saves, S16
// to S31 (AAPCS32 6.1.2.1); allFloats are all of them.
var (
	highFloats = registers(core.S0+16, core.S31)
	allFloats  = append(registers(core.S0, core.S31), core.FPSCR)
)

func registers(from, to core.Reg) (list []core.Reg) {
	for r := from; r <= to; r++ {
		list = append(list, r)
	}
	return list
}

// calls notes the registers of code that is about to make the call: those that
// it has again when the callee returns, r4 to r11 and SP (AAPCS32 6.1.1).
func (f *activation) calls(before state) {
	if before.regs == nil {
		return
	}
	for r := core.R4; r <= core.R11; r++ {
		f.regs.Set(r, before.regs.Value(r))
	}
	f.regs.Set(core.SP, f.sp)
}

// interrupted notes the registers of code that an exception interrupted: those of
// the hardware frame from there, the others as they are at the handler's first
// instruction. Where QEMU executed one more instruction before it took the
// exception, the registers of before are not those any more; a handler that is to
// know nothing of secure code finds r4 to r11 cleared (Armv8-M ARM B3.18).
func (f *activation) interrupted(before, after state, frame []byte) {
	if before.regs == nil || after.regs == nil {
		return
	}
	for i, r := range [...]core.Reg{core.R0, core.R1, core.R2, core.R3, core.R12, core.LR} {
		f.regs.Set(r, binary.LittleEndian.Uint32(frame[4*i:]))
	}
	for r := core.R4; r <= core.R11; r++ {
		switch {
		case f.exception.additional == 0:
			f.regs.Set(r, after.regs.Value(r))
		case f.ret == before.pc:
			f.regs.Set(r, before.regs.Value(r))
		}
	}
	f.regs.Set(core.SP, f.sp)
}

// interruptedMode is interrupted for A-profile, where hardware stacks nothing.
func (f *activation) interruptedMode(before state) {
	f.calls(before)
	if before.regs == nil {
		return
	}
	for _, r := range [...]core.Reg{core.R0, core.R1, core.R2, core.R3, core.R12, core.LR} {
		f.regs.Set(r, before.regs.Value(r))
	}
}

// readFloats adds the FP registers to the activations that the last step began:
// neither a call nor the entry of an exception changes them. Of interrupted code
// that has an FP context it takes all, of others those that a callee leaves as they
// were.
func (r *recorder) readFloats(ctx context.Context) error {
	frames := r.shadow.frames
	for i := len(frames) - 1; i >= 0 && !frames[i].floatsRead; i-- {
		f := frames[i]
		f.floatsRead = true
		if !f.regs.Has(core.SP) {
			continue // a thread that never ran
		}
		wanted := highFloats
		if f.exception != nil && f.exception.extended {
			wanted = allFloats
		}
		regs, err := r.client.Registers(ctx, wanted...)
		if err != nil {
			return err
		}
		for _, q := range wanted {
			if v, ok := regs.Get(q); ok {
				f.regs.Set(q, v)
			}
		}
	}
	return nil
}

// Control registers of lazy stacking, FPCCR and FPCAR side by side, and their
// non-secure ones as secure code sees them (Armv8-M ARM D1.2).
const (
	lazyControl          = 0xe000ef34
	lazyControlNonSecure = 0xe002ef34
	lazyControlSize      = 8
)

// lazyStacking reads how far the FP registers of interrupted code were stacked;
// cores without an FPU have nothing to tell.
func (r *recorder) lazyStacking(ctx context.Context, at state) (chunks []coretest.Chunk, err error) {
	addrs := []core.Addr{lazyControl}
	if r.shadow.divided && r.shadow.secure(at) {
		addrs = append(addrs, lazyControlNonSecure)
	}
	for _, a := range addrs {
		c := coretest.Chunk{Addr: a, Data: make([]byte, lazyControlSize)}
		if _, err := r.client.ReadMemory(ctx, a, c.Data); err != nil {
			return nil, fmt.Errorf("read FPCCR: %w", err)
		}
		chunks = append(chunks, c)
	}
	return chunks, nil
}
