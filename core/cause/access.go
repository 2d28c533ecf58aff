package cause

import (
	"math/bits"

	"pushmask/core"
	"pushmask/core/insn"
)

// access is the memory access of an instruction.
type access struct {
	addr  core.Addr
	size  uint32 // bytes
	write bool
	// align is the alignment in bytes that the instruction always needs; 1 where
	// it depends on the core and its settings, or none is needed.
	align uint32
	// base and index make the address; index is core.NoReg where there is none.
	base, index core.Reg
}

// contains reports whether a is one of the bytes of the access.
func (a *access) contains(addr core.Addr) bool { return uint32(addr-a.addr) < a.size }

// aligned reports whether the address is a multiple of n.
func (a *access) aligned(n uint32) bool { return uint32(a.addr)%n == 0 }

// natural is the alignment of an access whose size a core may require.
func (a *access) natural() uint32 { return min(a.size, 4) }

// shape is an access before its registers are looked up.
type shape struct {
	access
	offset int64
	shift  uint8 // of index, LSL
	minus  bool  // index is subtracted
}

// accessOf returns the access of an instruction that runs with regs. It is
// false for one that does not access memory, and where a register is not known.
func accessOf(i *insn.Inst, regs *core.Regs) (access, bool) {
	s, ok := shapeOf(i)
	if !ok {
		return access{}, false
	}
	var base uint32
	if s.base == core.PC {
		base = uint32(pcBase(i))
	} else if base, ok = regs.Get(s.base); !ok {
		return access{}, false
	}
	if s.index != core.NoReg {
		v, ok := regs.Get(s.index)
		if !ok {
			return access{}, false
		}
		if v <<= s.shift; s.minus {
			v = -v
		}
		base += v
	}
	s.addr = core.Addr(base + uint32(s.offset))
	return s.access, true
}

// pcBase is what PC reads as for an address (Arm ARM, "use of PC as a base
// register"): Align(PC, 4).
func pcBase(i *insn.Inst) core.Addr {
	if i.Thumb {
		return (i.Addr + 4) &^ 3
	}
	return i.Addr + 8
}

// shapeOf tells which memory an instruction accesses.
func shapeOf(i *insn.Inst) (shape, bool) {
	s := shape{access: access{size: 4, align: 1, base: i.Rn, index: core.NoReg}}
	switch i.Op {
	case insn.OpLoad, insn.OpStore:
		s.write = i.Op == insn.OpStore
	case insn.OpLoadSub, insn.OpStoreSub:
		s.size, s.write = subSize(i), i.Op == insn.OpStoreSub
	case insn.OpLoadDual, insn.OpStoreDual:
		s.size, s.align, s.write = 8, 4, i.Op == insn.OpStoreDual
	case insn.OpLoadMulti, insn.OpStoreMulti:
		s.write = i.Op == insn.OpStoreMulti
		return s.multiple(i.Multi, uint32(bits.OnesCount16(i.List)))
	case insn.OpVLoad, insn.OpVStore:
		s.write = i.Op == insn.OpVStore
		return s.multiple(i.Multi, uint32(i.Words))
	default:
		return rawShape(i)
	}
	if i.Index == insn.RegOffset {
		s.index, s.shift = i.Rm, i.Shift
	} else if i.Index != insn.PostIndex {
		s.offset = int64(i.Imm)
	}
	return s, s.base != core.NoReg
}

// multiple completes a multiple transfer of n words: where it starts depends on
// its mode (Arm ARM, LDM and STM).
func (s shape) multiple(m insn.Multi, n uint32) (shape, bool) {
	s.size, s.align = 4*n, 4
	switch m {
	case insn.DB:
		s.offset = -4 * int64(n)
	case insn.IB:
		s.offset = 4
	case insn.DA:
		s.offset = 4 - 4*int64(n)
	}
	return s, n > 0 && s.base != core.NoReg
}

// subSize is the size of a byte or halfword access by its encoding.
func subSize(i *insn.Inst) uint32 {
	half := false
	switch {
	case i.Thumb && i.Size == 4: // size field, bits 22..21
		half = i.Raw>>21&3 != 0
	case i.Thumb && i.Raw>>12 == 5: // register offset: STRH, LDRH, LDRSH
		op := i.Raw >> 9 & 7
		half = op == 1 || op == 5 || op == 7
	case i.Thumb: // STRH and LDRH of an immediate
		half = i.Raw>>12 == 8
	case i.Raw>>26&3 == 0: // extra load or store: op2, bits 6..5, is 2 for LDRSB
		half = i.Raw>>5&3 != 2
	}
	if half {
		return 2
	}
	return 1
}
