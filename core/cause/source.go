package cause

import (
	"pushmask/core"
	"pushmask/core/insn"
	"pushmask/core/thumb"
)

// bodyBefore returns the instructions of the function around pc and how many of
// them lie before pc; none where pc is not the address of one.
func (e *explainer) bodyBefore(pc core.Addr) ([]insn.Inst, int) {
	body := e.in.Program.Body(pc)
	for n := range body {
		if body[n].Addr == pc {
			return body, n
		}
	}
	return nil, 0
}

// targeted reports whether code comes to an instruction of part, but the
// first, other than from the one before: by a branch of body, or, as far as can
// be told, by a table or a computed jump.
func targeted(body, part []insn.Inst) bool {
	if len(part) < 2 {
		return false
	}
	first, last := part[1].Addr, part[len(part)-1].Addr
	for i := range body {
		in := &body[i]
		switch in.Flow {
		case insn.FlowTable, insn.FlowOther:
			return true
		case insn.FlowBranch:
			if in.Target >= first && in.Target <= last {
				return true
			}
		}
	}
	return false
}

// sourceReach bounds the search for where a register was loaded.
const sourceReach = 24

// source names the variable that register r was loaded from before the
// instruction at pc, "" where that is not certain. What is certain: the load
// and what it takes its address from ran straight through to pc, the address is
// that of an object of the image, and memory there still has the value.
func (e *explainer) source(r core.Reg, pc core.Addr) string {
	body, n := e.bodyBefore(pc)
	t := tracer{e: e, body: body, end: n, maybe: conditional(body)}
	a, ok := t.loadAddress(r, n, sourceReach)
	if !ok || e.in.Program.Content(a) == ContentNone {
		return ""
	}
	v, err := core.ReadU32(e.in.Own, a)
	if err != nil || v != e.regs.Value(r) {
		return ""
	}
	return e.in.Program.Symbol(a)
}

// tracer follows values backwards through straight code.
type tracer struct {
	e    *explainer
	body []insn.Inst
	end  int // index of the instruction that uses the value
	// maybe marks the instructions that run under a condition.
	maybe []bool
}

// conditional marks the instructions of a function that may not run although
// control passes them.
func conditional(body []insn.Inst) []bool {
	maybe := make([]bool, len(body))
	var it thumb.ITState
	for i := range body {
		maybe[i] = it.InBlock() || body[i].Conditional()
		it = it.Next(body[i])
	}
	return maybe
}

// definition returns the index of the instruction before index n that set r, in
// code that ran straight through to the end.
func (t *tracer) definition(r core.Reg, n, reach int) (int, bool) {
	for k := n - 1; k >= 0 && n-k <= reach; k-- {
		i := &t.body[k]
		if targeted(t.body, t.body[k:min(t.end+1, len(t.body))]) {
			return 0, false
		}
		switch i.Flow {
		case insn.FlowNext:
		case insn.FlowCall, insn.FlowCallReg:
			if r < core.R4 || r > core.R11 { // AAPCS: what a call may destroy
				return 0, false
			}
		case insn.FlowBranch:
			if !i.Conditional() {
				return 0, false
			}
		default:
			return 0, false
		}
		if i.Defs>>r&1 != 0 {
			return k, !t.maybe[k]
		}
	}
	return 0, false
}

// loadAddress returns the address that register r was loaded from before index n.
func (t *tracer) loadAddress(r core.Reg, n, reach int) (core.Addr, bool) {
	k, ok := t.definition(r, n, reach)
	if !ok {
		return 0, false
	}
	i := &t.body[k]
	if i.Op != insn.OpLoad || i.Index != insn.Offset || i.Rd != r || i.Rn == core.PC {
		return 0, false
	}
	base, ok := t.constant(i.Rn, k, reach)
	return core.Addr(base + uint32(i.Imm)), ok
}

// constant returns the value that register r had before index n, if it is one
// that the code itself makes.
func (t *tracer) constant(r core.Reg, n, reach int) (uint32, bool) {
	k, ok := t.definition(r, n, reach)
	if !ok {
		return 0, false
	}
	i := &t.body[k]
	switch {
	case i.Op == insn.OpConst:
		return uint32(i.Imm), true
	case i.Op == insn.OpMovTop:
		low, ok := t.constant(r, k, reach-(n-k))
		return low&0xffff | uint32(i.Imm)<<16, ok
	case i.Op == insn.OpMove:
		return t.constant(i.Rm, k, reach-(n-k))
	case i.Op == insn.OpLoad && i.Rn == core.PC && i.Index == insn.Offset:
		v, err := core.ReadU32(t.e.in.Memory, pcBase(i)+core.Addr(i.Imm))
		return v, err == nil
	case i.Op == insn.OpAdd && i.Rn == core.PC:
		return uint32(pcBase(i)) + uint32(i.Imm), true
	case i.Op == insn.OpAdd:
		v, ok := t.constant(i.Rn, k, reach-(n-k))
		return v + uint32(i.Imm), ok
	}
	return 0, false
}
