package thumb

import (
	"pushmask/core"
	"pushmask/core/insn"
)

// transfer completes a load or store of one register: Defs, writeback, and
// the branch of a load to PC.
func transfer(i insn.Inst, o insn.Op) insn.Inst {
	i.Op = o
	if i.Writeback {
		i.Defs |= 1 << i.Rn
	}
	switch o {
	case insn.OpLoad, insn.OpLoadSub:
		i.Defs |= 1 << i.Rd
		if i.Rd == core.PC {
			i.Flow = insn.FlowLoad
		}
	case insn.OpLoadDual:
		i.Defs |= 1<<i.Rd | 1<<i.Rd2
	}
	return i
}

// immOffset is [Rn, #i*scale].
func immOffset(o insn.Op, scale int32) semantics {
	return func(i insn.Inst, f *form) insn.Inst {
		i.Imm = scale * int32(f.get(i.Raw, 'i'))
		return transfer(i, o)
	}
}

// spOffset is [SP, #i*4].
func spOffset(o insn.Op) semantics {
	return func(i insn.Inst, f *form) insn.Inst {
		i.Rn, i.Imm = core.SP, 4*int32(f.get(i.Raw, 'i'))
		return transfer(i, o)
	}
}

// regOffset is [Rn, Rm, lsl #s].
func regOffset(o insn.Op) semantics {
	return func(i insn.Inst, f *form) insn.Inst {
		i.Index, i.Shift = insn.RegOffset, uint8(f.get(i.Raw, 's'))
		return transfer(i, o)
	}
}

// loadLiteral is the T16 LDR (literal): [PC, #i*4].
func loadLiteral(i insn.Inst, f *form) insn.Inst {
	i.Rn, i.Imm = core.PC, 4*int32(f.get(i.Raw, 'i'))
	return transfer(i, insn.OpLoad)
}

// literal is the T32 form, [PC, #±i].
func literal(o insn.Op) semantics {
	return func(i insn.Inst, f *form) insn.Inst {
		i.Rn, i.Imm = core.PC, signed(f, i.Raw, 1)
		return transfer(i, o)
	}
}

// indexed is [Rn, #±i*scale], with pre- or post-index and writeback by the
// fields P, U and W.
func indexed(o insn.Op, scale int32) semantics {
	return func(i insn.Inst, f *form) insn.Inst {
		i.Imm = signed(f, i.Raw, scale)
		i.Index, i.Writeback = indexing(f, i.Raw)
		return transfer(i, o)
	}
}

// indexing reads the fields P and W.
func indexing(f *form, raw uint32) (insn.Index, bool) {
	p, w := f.get(raw, 'P') != 0, f.get(raw, 'W') != 0
	switch {
	case !p:
		return insn.PostIndex, true
	case w:
		return insn.PreIndex, true
	}
	return insn.Offset, false
}

// signed returns ±i*scale by the field U.
func signed(f *form, raw uint32, scale int32) int32 {
	v := scale * int32(f.get(raw, 'i'))
	if f.get(raw, 'U') == 0 {
		return -v
	}
	return v
}

// negOffset is [Rn, #-i].
func negOffset(o insn.Op) semantics {
	return func(i insn.Inst, f *form) insn.Inst {
		i.Imm = -int32(f.get(i.Raw, 'i'))
		return transfer(i, o)
	}
}

// coprocessorMem is the address of LDC and STC: offset, indexed, or, with
// neither P nor W, unindexed with an option that the text shows.
func coprocessorMem(i insn.Inst, f *form) insn.Inst {
	i.Imm = signed(f, i.Raw, 4)
	i.Index, i.Writeback = indexing(f, i.Raw)
	if f.get(i.Raw, 'P') == 0 && f.get(i.Raw, 'W') == 0 {
		i.Writeback = false
	}
	return transfer(i, insn.OpOther)
}

// vectorSystem is the load or store of an FP system register, post-indexed
// or by the field W pre-indexed.
func vectorSystem(post bool) semantics {
	return func(i insn.Inst, f *form) insn.Inst {
		i.Imm = signed(f, i.Raw, 4)
		switch {
		case post:
			i.Index, i.Writeback = insn.PostIndex, true
		case f.get(i.Raw, 'W') != 0:
			i.Index, i.Writeback = insn.PreIndex, true
		}
		return transfer(i, insn.OpOther)
	}
}

// moveVector is VMOV between a core register and an S register.
func moveVector(i insn.Inst, f *form) insn.Inst {
	i.Op, i.VFirst = insn.OpVMove, uint8(f.get(i.Raw, 'w')<<1|f.get(i.Raw, 'N'))
	return i
}
