package cause

import (
	"pushmask/core"
	"pushmask/core/insn"
)

// rawShape tells which memory is accessed by an instruction that insn.Op does
// not model, from its encoding: loads and stores of one FP register, exclusive
// and ordered ones, table branches, and the addressing of A32 with a register
// that is subtracted or indexed.
func rawShape(i *insn.Inst) (shape, bool) {
	switch {
	case i.Flow == insn.FlowTable:
		return tableShape(i)
	case i.Size != 4:
		return shape{}, false
	case i.Thumb:
		return rawThumb(i.Raw)
	case i.Raw>>28 == 15:
		return shape{}, false
	}
	return rawARM(i.Raw)
}

// tableShape is the load of TBB and TBH.
func tableShape(i *insn.Inst) (shape, bool) {
	if i.Rn == core.NoReg || i.Rm == core.NoReg {
		return shape{}, false
	}
	s := shape{access: access{size: uint32(max(i.Scale, 1)), align: 1, base: i.Rn, index: i.Rm}}
	if s.size == 2 {
		s.shift = 1
	}
	if s.base == core.PC { // the table follows; PC is not rounded here
		return shape{}, false
	}
	return s, true
}

func regAt(raw uint32, lsb uint) core.Reg { return core.Reg(raw >> lsb & 15) }

// rawThumb knows the T32 encodings (Armv7-M ARM A5.3.6 to A5.3.7, A6.6; Armv8-M
// ARM C2.4 for the ordered ones).
func rawThumb(raw uint32) (shape, bool) {
	s := shape{access: access{base: regAt(raw, 16), index: core.NoReg, write: raw>>20&1 == 0}}
	switch {
	case raw>>24 == 0xed:
		return vectorShape(s, raw)
	case raw>>21 == 0xe84>>1: // LDREX, STREX; TT has 15 in place of Rt
		s.size, s.align, s.offset = 4, 4, int64(raw&0xff)*4
		return s, s.write == (raw>>8&15 != 15) && raw>>12&15 != 15
	case raw>>21 == 0xe8c>>1 && raw>>6&3 != 0: // op, bits 7..4, is 4 and above
		s.size = 1 << (raw >> 4 & 3)
		s.align = s.size
		return s, raw>>4&15 != 6
	}
	return shape{}, false
}

// vectorShape is VLDR and VSTR: the encodings of T32 and A32 agree in all but
// the condition.
func vectorShape(s shape, raw uint32) (shape, bool) {
	if raw>>21&1 != 0 || raw>>10&3 != 2 {
		return shape{}, false
	}
	s.size, s.align, s.offset = 4, 4, int64(raw&0xff)*4
	switch raw >> 8 & 3 {
	case 1:
		s.size, s.align, s.offset = 2, 2, s.offset/2
	case 3:
		s.size = 8
	case 0:
		return shape{}, false
	}
	if raw>>23&1 == 0 {
		s.offset = -s.offset
	}
	return s, true
}

// rawARM knows the A32 encodings (Armv7-AR ARM A5.2.8, A5.2.10, A5.3, A7.6).
func rawARM(raw uint32) (shape, bool) {
	s := shape{access: access{base: regAt(raw, 16), index: core.NoReg, write: raw>>20&1 == 0, size: 4, align: 1}}
	switch {
	case raw>>24&15 == 13:
		return vectorShape(s, raw)
	case raw&0x0f8000f0 == 0x01800090: // exclusive and ordered: size in bits 22..21
		s.size = [4]uint32{4, 8, 1, 2}[raw>>21&3]
		s.align = s.size
		return s, true
	case raw&0x0e000010 == 0x06000000: // [Rn, ±Rm, shift]
		if raw>>22&1 != 0 {
			s.size = 1
		}
		s.shift = uint8(raw >> 7 & 31)
		if raw>>5&3 != 0 && raw>>24&1 != 0 {
			return shape{}, false // shifted other than left
		}
	case raw&0x0e400090 == 0x00000090 && raw>>5&3 != 0: // [Rn, ±Rm]
		s.size, s.write = extraSize(raw)
		if s.size == 8 {
			s.align = 4
		}
	default:
		return shape{}, false
	}
	if raw>>24&1 != 0 { // post-indexed accesses have the address of the base
		s.index, s.minus = regAt(raw, 0), raw>>23&1 == 0
	}
	return s, true
}

// extraSize is the size of an extra load or store, and whether it writes: of a
// pair both LDRD and STRD have L clear.
func extraSize(raw uint32) (size uint32, write bool) {
	load := raw>>20&1 != 0
	switch raw >> 5 & 3 {
	case 1:
		return 2, !load
	case 2:
		if load {
			return 1, false
		}
		return 8, false
	}
	if load {
		return 2, false
	}
	return 8, true
}
