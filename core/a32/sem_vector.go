package a32

import (
	"pushmask/core"
	"pushmask/core/insn"
)

// vfpFirst is the number of the first S register: D:Vd doubled for
// double-precision transfers (coprocessor 11), Vd:D otherwise.
func vfpFirst(raw uint32, d uint, v uint) uint8 {
	vd, db := raw>>v&15, raw>>d&1
	if bit(raw, 8) {
		return uint8(db<<4|vd) << 1
	}
	return uint8(vd<<1 | db)
}

// vfpMultiple is VLDM and VSTM, VPUSH and VPOP among them, and the deprecated
// FLDMX and FSTMX, whose count of words is odd.
func vfpMultiple(o insn.Op, m insn.Multi) semantics {
	return func(i insn.Inst) insn.Inst {
		i.Op, i.Multi, i.Rn = o, m, rn(i.Raw)
		i.Words, i.VFirst = uint8(i.Raw), vfpFirst(i.Raw, 22, 12)
		i.Writeback = bit(i.Raw, bitW)
		if i.Writeback {
			i.Defs |= 1 << i.Rn
		}
		return i
	}
}

// moveVector is VMOV between Rt and an S register.
func moveVector(toCore bool) semantics {
	return func(i insn.Inst) insn.Inst {
		i.Op, i.Rd, i.VFirst = insn.OpVMove, rd(i.Raw), vfpFirst(i.Raw, 7, 16)
		if toCore {
			i.Defs |= 1 << i.Rd
		}
		return i
	}
}

// simdMemory is an element or structure load or store: Rm 15 leaves the base
// as it is (Arm ARM A7.7.1).
func simdMemory(i insn.Inst) insn.Inst {
	if rm(i.Raw) != core.PC {
		i.Defs |= 1 << rn(i.Raw)
	}
	return i
}

// simdOrSystem is the space of the coprocessors 8 to 15. Of the unconditional
// encodings only those of 14 and 15 reach core registers.
func simdOrSystem(i insn.Inst) insn.Inst {
	if i.Raw>>9&7 != 7 {
		return i
	}
	switch op := i.Raw >> 20 & 0xff; {
	case op == 0xc5:
		return def(12, 16)(i)
	case op == 0xc4:
		return i
	case op&0xfe == 0xc0:
		return undefined(i)
	case op < 0xe0:
		return coprocessorMemory(i)
	case op&1 != 0 && bit(i.Raw, 4):
		return readSystem(i)
	}
	return i
}
