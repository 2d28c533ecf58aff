package unwind

import (
	"pushmask/core"
	"pushmask/core/insn"
)

// pointers follows the constants in registers through straight-line code, for
// calls of functions by their address (-mlong-calls, code that calls RAM).
type pointers struct {
	text  text
	val   [16]uint32
	known uint16
	// lr may be in LR, where a conditional instruction put it.
	lr    uint32
	mayLR bool
}

// callDestroys are the registers that a call leaves undefined (AAPCS32 6.1.1).
const callDestroys = 1<<core.R0 | 1<<core.R1 | 1<<core.R2 | 1<<core.R3 | 1<<core.R12 | 1<<core.LR

// target returns the address that i calls or goes to through a register, with
// bit 0 for the state, if it is known. A jump is a call where LR was set to the
// next instruction (ARMv4).
func (p *pointers) target(i *insn.Inst) (ptr uint32, call, ok bool) {
	if i.Flow != insn.FlowCallReg && i.Flow != insn.FlowReg || i.Rm == core.LR {
		return 0, false, false
	}
	ptr, ok = p.operand(i.Rm, i)
	return ptr, i.Flow == insn.FlowCallReg || p.linked(i), ok
}

// link returns what LR may hold, as code put it there itself, at a jump that is
// neither a return nor the call that linked tells.
func (p *pointers) link(i *insn.Inst) (lr uint32, ok bool) {
	switch i.Flow {
	case insn.FlowBranch, insn.FlowReg, insn.FlowLoad:
	default:
		return 0, false
	}
	if lr, ok = p.lr, p.mayLR; p.known>>core.LR&1 != 0 {
		lr, ok = p.val[core.LR], true
	}
	if !ok || p.linked(i) || i.Flow == insn.FlowReg && i.Rm == core.LR || len(p.text.at(core.Addr(lr&^1))) < 2 {
		return 0, false
	}
	return lr, true
}

// forget drops what is known at the end of straight-line code.
func (p *pointers) forget() { p.known, p.mayLR = 0, false }

// linked reports whether LR holds the address of the next instruction.
func (p *pointers) linked(i *insn.Inst) bool {
	return p.known>>core.LR&1 != 0 && p.val[core.LR] == uint32(i.Next())
}

// step follows an executed instruction.
func (p *pointers) step(i *insn.Inst) {
	v, ok := p.value(i)
	p.known &^= i.Defs
	if i.Defs>>core.LR&1 != 0 {
		p.lr, p.mayLR = v, ok && i.Rd == core.LR && i.Conditional()
	}
	switch {
	case isCall(i):
		p.known &^= callDestroys
	case endsFlow(i):
		p.forget()
	case ok && i.Rd < core.PC && !i.Conditional():
		p.val[i.Rd], p.known = v, p.known|1<<i.Rd
	}
}

// value is the constant that i assigns to Rd.
func (p *pointers) value(i *insn.Inst) (uint32, bool) {
	switch i.Op {
	case insn.OpConst:
		return uint32(i.Imm), true
	case insn.OpMovTop:
		return uint32(i.Imm)<<16 | p.val[i.Rd&15]&0xffff, i.Rd < core.PC && p.known>>i.Rd&1 != 0
	case insn.OpAdd:
		v, ok := p.operand(i.Rn, i)
		return v + uint32(i.Imm), ok
	case insn.OpOrr:
		v, ok := p.operand(i.Rn, i)
		return v | uint32(i.Imm), ok
	case insn.OpLoad:
		if i.Rn == core.PC && i.Index == insn.Offset {
			return word(p.text, readPC(i)+core.Addr(i.Imm))
		}
	case insn.OpMove:
		return p.operand(i.Rm, i)
	}
	return 0, false
}

// operand is a source register.
func (p *pointers) operand(r core.Reg, i *insn.Inst) (uint32, bool) {
	if r == core.PC {
		return uint32(readPC(i)), true
	}
	return p.val[r&15], r < core.PC && p.known>>r&1 != 0
}

// directCall makes a call of a known pointer from i, one by its target.
func directCall(i insn.Inst, ptr uint32) insn.Inst {
	i.Flow = insn.FlowCall
	i.Target, i.TargetThumb = core.CodeAddr(ptr)
	return i
}

// resolve names the target of a call through a register where the caller's code
// has put a constant there.
func (w *Walker) resolve(site callSite) callSite {
	i := site.inst
	f, ok := w.p.FuncAt(i.Addr)
	if !ok || i.Rm >= core.PC {
		return site
	}
	var ptr value
	for n, s := range w.plan(&f).states(i.Addr) {
		v := s.regs[i.Rm]
		if n > 0 && v != ptr {
			return site
		}
		ptr = v
	}
	if !ptr.isConst() || len(w.text.at(core.Addr(ptr.off)&^1)) < 2 || w.opt.Profile == core.ProfileM && ptr.off&1 == 0 {
		return site
	}
	site.inst = directCall(i, uint32(ptr.off))
	return site
}
