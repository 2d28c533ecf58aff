package runcontrol

import (
	"context"
	"math/bits"
	"slices"

	"pushmask/core"
	"pushmask/core/insn"
	"pushmask/elfsym"
)

// Bounds on inlined code that is run as a whole: its instructions, and the
// breakpoints that it takes, which hardware has few of.
const (
	mostInlined = 4096
	mostExits   = 3
)

// overInlined runs inlined code at the PC, which a step goes over, until it is
// left: a loop in it would take a step for each of its instructions. It is
// false where the code can be left in a way that is not known, and where single
// steps are no slower.
func (s *stepper) overInlined(ctx context.Context, regs *core.Regs) (ev *Event, done bool, err error) {
	pc := pcOf(regs)
	if !s.deeper(pc) {
		return nil, false, nil
	}
	code := s.lines.inlined(pc)[len(s.inlined)]
	exits, count, ok := s.code.exits(code.Ranges, s.inT32(regs))
	if !ok || len(exits) == 0 || len(exits) > mostExits || count < least {
		return nil, false, nil
	}
	sameSP := sameStack(regs)
	ev, err = s.runToAny(ctx, exits, func(now *core.Regs) bool { return sameSP(now) && s.sameContext(regs, now) })
	return ev, true, err
}

// exits lists the instructions outside of ranges that code in them goes on to,
// calls apart, and counts the instructions inside. ok is false where that is not
// known: by returns and computed branches, and where SP moves, by which a
// recursion that comes to an exit first is told.
func (c *codeReader) exits(ranges []elfsym.Range, t32 bool) (list []core.Addr, count int, ok bool) {
	inside := func(a core.Addr) bool {
		return slices.ContainsFunc(ranges, func(r elfsym.Range) bool { return uint32(a) >= r.Lo && uint32(a) < r.Hi })
	}
	leads := func(a core.Addr) {
		if !inside(a) && !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	for _, r := range ranges {
		guarded := 0 // instructions that the last IT still makes conditional
		for a := core.Addr(r.Lo); uint32(a) < r.Hi; count++ {
			i, err := c.at(a, t32)
			if err != nil || count == mostInlined || i.Defs>>core.SP&1 != 0 {
				return nil, count, false
			}
			switch i.Flow {
			case insn.FlowNext, insn.FlowCall, insn.FlowCallReg:
				leads(i.Next())
			case insn.FlowBranch:
				leads(i.Target)
				if i.Conditional() || guarded > 0 {
					leads(i.Next())
				}
			case insn.FlowTrap:
			default:
				return nil, count, false
			}
			guarded--
			if i.Op == insn.OpIT {
				guarded = 4 - bits.TrailingZeros8(uint8(i.Imm)) // Armv7-M ARM A7.7.38, mask
			}
			a = i.Next()
		}
	}
	return list, count, true
}
