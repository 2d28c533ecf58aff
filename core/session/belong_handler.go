package session

import (
	"context"
	"fmt"

	"pushmask/core"
	"pushmask/core/exc"
	"pushmask/core/insn"
	"pushmask/core/unwind"
)

// checkProfile checks that image and dump are of one architecture profile.
// Nothing but M-profile cores has a system control space.
func (s *Session) checkProfile() string {
	imageM := s.program.images.MProfile()
	_, err := core.ReadU32(s.target.Memory(), vtor)
	switch {
	case imageM && s.target.Profile() == core.ProfileA:
		return "the dump does not match the ELF: the ELF is for Cortex-M, the dump is of another core" + wrongImage
	case !imageM && s.target.Profile() == core.ProfileM && err == nil:
		return "the dump does not match the ELF: the dump is of a Cortex-M core, the ELF is for another" + wrongImage
	}
	return ""
}

// checkHandler checks that the active exception runs in its handler: the
// function that the image has in the vector table must be on the stack above
// the exception entry, unless it may have handed over to another.
func (s *Session) checkHandler(ctx context.Context) string {
	const deepest = 32 // lines of the stack above the exception that are looked at
	if s.profile != core.ProfileM || len(s.threads) == 0 {
		return ""
	}
	regs, err := s.Registers(ctx, s.threads[0].ID)
	if err != nil {
		return ""
	}
	number := activeException(&regs)
	handler, ok := s.handlerOf(number)
	if !ok || s.leaves(handler) {
		return ""
	}
	k, err := s.Stack(s.threads[0].ID)
	if err != nil {
		return ""
	}
	for i := range deepest {
		frames, err := k.Frames(ctx, i, 1)
		switch {
		case err != nil || len(frames) == 0 && !k.Stop().Complete():
			return ""
		case len(frames) == 0 || frames[0].Kind == KindException:
			return fmt.Sprintf("the dump does not match the ELF: %s is active, but its handler %s is not on the stack%s",
				exc.ExceptionName(number), s.program.extentName(handler), wrongImage)
		case frames[0].Core.Lookup >= handler.Entry && frames[0].Core.Lookup < handler.End:
			return ""
		}
	}
	return ""
}

// handlerOf returns the function of an exception by the vector table in use.
func (s *Session) handlerOf(number int) (unwind.Func, bool) {
	if number == 0 {
		return unwind.Func{}, false
	}
	table, err := core.ReadU32(s.target.Memory(), vtor)
	if err != nil {
		return unwind.Func{}, false
	}
	vector, err := core.ReadU32(s.memory, core.Addr(table)+core.Addr(4*number))
	if err != nil {
		return unwind.Func{}, false
	}
	entry, thumb := core.CodeAddr(vector)
	fn, ok := s.program.extent(entry)
	return fn, ok && thumb && fn.Entry == entry
}

// leaves reports whether a function may go on in another one without calling
// it, so that the stack does not show it.
func (s *Session) leaves(fn unwind.Func) bool {
	items, _ := s.lister().decode(uint64(fn.Entry), uint64(fn.End), MaxLines, 0)
	for i := range items {
		in := &items[i].inst
		switch {
		case items[i].kind != itemCode:
		case in.Flow == insn.FlowBranch && (in.Target < fn.Entry || in.Target >= fn.End):
			return true
		case in.Flow == insn.FlowReg && in.Rm != core.LR, in.Flow == insn.FlowLoad && in.Rn != core.SP, in.Flow == insn.FlowOther:
			return true
		}
	}
	return false
}

// activeException is the exception number in xPSR, 0 in thread mode or when
// it is not known (IPSR, Armv7-M ARM B1.4.2).
func activeException(regs *core.Regs) int {
	const ipsr = 0x1ff
	return int(regs.Value(core.PSR) & ipsr)
}
