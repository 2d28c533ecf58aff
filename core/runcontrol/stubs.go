package runcontrol

import (
	"pushmask/core"
	"pushmask/core/insn"
)

// behindStub follows a veneer to the function that it jumps to: a load of PC
// from a literal, or of a register that a branch takes. Other code is what it
// is.
func (l *Live) behindStub(a core.Addr, t32 bool) core.Addr {
	if _, ok := l.lines.at(a); ok {
		return a
	}
	known := make(map[core.Reg]uint32)
	at := a
	for range maxStub {
		i, err := l.code.at(at, t32)
		if err != nil {
			return a
		}
		switch {
		case i.Op == insn.OpLoad && i.Rn == core.PC:
			base := uint32(at) + 4 // PC as T32 reads it (Arm ARM, Align(PC, 4)), A32 adds 8
			if !t32 {
				base += 4
			}
			v, err := core.ReadU32(l.code.memory, core.Addr(base&^3)+core.Addr(i.Imm))
			if err != nil {
				return a
			}
			if i.Rd == core.PC {
				return core.Addr(v &^ 1)
			}
			known[i.Rd] = v
		case i.Op == insn.OpConst:
			known[i.Rd] = uint32(i.Imm)
		case i.Op == insn.OpMovTop:
			known[i.Rd] = known[i.Rd]&0xffff | uint32(i.Imm)<<16
		case i.Flow == insn.FlowReg && i.Rm == core.PC: // bx pc: to A32 behind the next halfword
			t32 = false
			at = (at + 4) &^ 3
			continue
		case i.Flow == insn.FlowReg:
			if v, ok := known[i.Rm]; ok {
				return core.Addr(v &^ 1)
			}
			return a
		case i.Flow == insn.FlowBranch:
			return i.Target
		case i.Flow != insn.FlowNext:
			return a
		}
		at = i.Next()
	}
	return a
}
