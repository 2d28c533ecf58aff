package runcontrol

import (
	"context"

	"pushmask/core"
	"pushmask/core/insn"
)

// isCall reports whether an instruction is one that comes back to the next one:
// a call, or a system call.
func isCall(i *insn.Inst) bool {
	return i.Flow == insn.FlowCall || i.Flow == insn.FlowCallReg || i.Op == insn.OpSVC
}

// overCall runs the call at the PC until it comes back: to the next instruction,
// with the stack pointer that it has now. A recursion that returns there first
// has a lower one, another task another one. A call that never comes back ends
// where a breakpoint or the user stops it.
func (r *runner) overCall(ctx context.Context, i *insn.Inst, regs *core.Regs) (*Event, error) {
	return r.runTo(ctx, i.Next(), sameStack(regs))
}

// leap is a run of instructions that go straight on.
type leap struct {
	to    core.Addr // the first instruction behind them
	count int
	sp    uint32 // behind them
}

// least is how many instructions are worth a breakpoint: setting, running and
// removing it are three round trips, a step is one and reading the registers
// another.
const least = 3

// straight follows the code from the PC as long as it goes straight on and in
// hi, and the stack pointer moves by known amounts.
func (r *runner) straight(regs *core.Regs, hi core.Addr) leap {
	l := leap{to: pcOf(regs), sp: regs.Value(core.SP)}
	t32 := r.inT32(regs)
	for l.to < hi && !r.inserted(l.to) || l.count == 0 {
		i, err := r.code.at(l.to, t32)
		if err != nil || !plain(&i) {
			break
		}
		moved, ok := moveSP(&i)
		if !ok {
			break
		}
		l.sp += uint32(moved)
		l.to = i.Next()
		l.count++
	}
	return l
}

// plain reports whether an instruction goes on to the next one and leaves the
// state of the core alone.
func plain(i *insn.Inst) bool {
	switch i.Op {
	case insn.OpSVC, insn.OpBKPT, insn.OpMode, insn.OpMSR:
		return false
	case insn.OpIT:
		return false // what follows may not execute
	}
	return i.Flow == insn.FlowNext && i.Cond == insn.AL && !isHint(i)
}

// isHint tells WFI, WFE and YIELD, at which a core may wait as long as it likes
// (T16 0xbf20, 0xbf30, 0xbf10; T32 0xf3af80xx; A32 0xe320f0xx).
func isHint(i *insn.Inst) bool {
	switch {
	case i.Thumb && i.Size == 2:
		return i.Raw&0xff0f == 0xbf00 && i.Raw != 0xbf00
	case i.Thumb:
		return i.Raw&0xffffff00 == 0xf3af8000 && i.Raw&0xff != 0
	}
	return i.Raw&0x0fffff00 == 0x0320f000 && i.Raw&0xff != 0
}

// moveSP tells by how many bytes an instruction moves SP; ok is false where it
// is not known.
func moveSP(i *insn.Inst) (by int32, ok bool) {
	if i.Defs>>core.SP&1 == 0 {
		return 0, true
	}
	switch {
	case i.Op == insn.OpAdd && i.Rd == core.SP && i.Rn == core.SP:
		return i.Imm, true
	case i.Rn != core.SP || !i.Writeback:
		return 0, false
	case i.Op == insn.OpStoreMulti && i.Multi == insn.DB:
		return -4 * ones(i.List), true
	case i.Op == insn.OpLoadMulti && i.Multi == insn.IA && i.List>>core.SP&1 == 0:
		return 4 * ones(i.List), true
	case i.Op == insn.OpVStore && i.Multi == insn.DB:
		return -4 * int32(i.Words), true
	case i.Op == insn.OpVLoad && i.Multi == insn.IA:
		return 4 * int32(i.Words), true
	}
	return 0, false
}

func ones(mask uint16) int32 {
	n := int32(0)
	for ; mask != 0; mask &= mask - 1 {
		n++
	}
	return n
}

// ahead runs towards hi: over what goes straight on in one go where that is
// worth it, else by one instruction.
func (r *runner) ahead(ctx context.Context, hi core.Addr) (*Event, error) {
	regs, err := r.regs(ctx)
	if err != nil {
		return nil, err
	}
	l := r.straight(&regs, hi)
	if l.count < least {
		return r.single(ctx)
	}
	return r.runTo(ctx, l.to, func(now *core.Regs) bool {
		return now.Value(core.SP) == l.sp && r.sameContext(&regs, now)
	})
}

// sameContext reports whether two stops are in the same handler, or in none.
func (r *runner) sameContext(a, b *core.Regs) bool {
	if r.machine.Profile() == core.ProfileM {
		return a.Value(core.PSR)&ipsr == b.Value(core.PSR)&ipsr
	}
	return core.ModeOf(a.Value(core.PSR)) == core.ModeOf(b.Value(core.PSR))
}
