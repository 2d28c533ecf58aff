package unwind

import (
	"pushmask/core"
	"pushmask/core/insn"
)

// allFloats has a bit for each S register.
const allFloats = 0xffff_ffff

// moveKind says which way a [floatTransfer] goes.
type moveKind uint8

const (
	toFloat   moveKind = iota // core registers or memory to S registers
	fromFloat                 // S registers to core registers or memory
	floatCopy                 // S registers to others
)

// floatTransfer is an instruction that moves one or two words in or out of S registers.
type floatTransfer struct {
	kind   moveKind
	first  uint32 // S register
	words  int
	from   uint32      // the first S register that is copied
	core   [2]core.Reg // core registers; of memory the base
	memory bool
	off    int32 // of memory, bytes
}

// floatMove tells VMOV, VLDR and VSTR (Armv7-M ARM A6.4, A6.5, A6.6 and A6.7).
func floatMove(i *insn.Inst) (m floatTransfer, ok bool) {
	raw := i.Raw
	if i.Size != 4 || raw>>28 == 0xf || raw>>26&3 != 3 || raw>>9&7 != 5 {
		return floatTransfer{}, false // not of the coprocessors 10 and 11
	}
	rt, rt2 := core.Reg(raw>>12&0xf), core.Reg(raw>>16&0xf)
	load := raw>>20&1 != 0 // to S registers from memory, but from them to core registers
	if m.kind = toFloat; load {
		m.kind = fromFloat
	}
	switch {
	case raw>>24&0xf == 0xd && raw>>21&1 == 0: // VLDR, VSTR
		if m.kind = fromFloat; load {
			m.kind = toFloat
		}
		m.first, m.words = vfpRegister(raw, 12, 22), 1
		if isDouble(raw) {
			m.words = 2
		}
		m.memory, m.core[0], m.off = true, rt2, int32(raw&0xff)*4
		if raw>>23&1 == 0 {
			m.off = -m.off
		}
	case raw>>21&0x7f == 0x62 && raw&0xd0 == 0x10: // two core registers
		m.first, m.words, m.core = vfpRegister(raw, 0, 5), 2, [2]core.Reg{rt, rt2}
	case raw&0x0fe00f7f == 0x0e000a10: // one core register
		m.first, m.words, m.core[0] = vfpRegister(raw, 16, 7), 1, rt
	case raw&0x0fc00f7f == 0x0e000b10: // and half of a D register
		m.first, m.words, m.core[0] = vfpRegister(raw, 16, 7)+raw>>21&1, 1, rt
	case raw&0x0fbf0ed0 == 0x0eb00a40: // of S or D registers
		m.kind, m.first, m.from, m.words = floatCopy, vfpRegister(raw, 12, 22), vfpRegister(raw, 0, 5), 1
		if isDouble(raw) {
			m.words = 2
		}
	default:
		return floatTransfer{}, false
	}
	return m, true
}

// isDouble reports whether an instruction of the FPU is of D registers: of
// coprocessor 11. Half precision, of coprocessor 9, has S registers.
func isDouble(raw uint32) bool { return raw>>8&0xf == 11 }

// floatWrites returns which S registers an instruction may write, VLDM aside: bit
// n is Sn. Vector instructions (Advanced SIMD, MVE) and coprocessors that are not known
// count as writing all.
func floatWrites(i *insn.Inst) uint32 {
	raw := i.Raw
	switch {
	case i.Size != 4:
		return 0
	case i.Thumb && raw>>24 == 0xf9 && raw>>20&1 == 0, // element and structure transfers
		i.Thumb && raw>>24&0xef == 0xef,
		!i.Thumb && (raw>>25 == 0x79 || raw>>24 == 0xf4):
		return allFloats
	case raw>>26&3 != 3 || raw>>24&0xf == 0xf:
		return 0 // neither a transfer nor an operation of a coprocessor
	}
	switch raw >> 8 & 0xf { // the coprocessor
	case 9, 10, 11:
	case 14, 15:
		if isCoreTransfer(raw) || isStore(raw) {
			return 0
		}
		return allFloats
	default:
		return allFloats
	}
	if raw>>25&7 == 6 {
		return transferWrites(i)
	}
	return operationWrites(raw)
}

// isCoreTransfer tells MRC, MCR, MRRC and MCRR (Armv7-A ARM A8.8.98 ff.). MVE has
// bit 4 clear beside the first two, and bit 22 beside the others.
func isCoreTransfer(raw uint32) bool {
	return raw>>28 != 0xf && (raw>>24&0xf == 0xe && raw>>4&1 != 0 || raw>>21&0x7f == 0x62)
}

// isStore tells STC and the stores of MVE: P or W is set, L is clear.
func isStore(raw uint32) bool {
	const p, w, l = 1 << 24, 1 << 21, 1 << 20
	return raw>>25&7 == 6 && raw&(p|w) != 0 && raw&l == 0
}

// transferWrites is floatWrites of loads, stores and VMOV with two core registers
// (Armv7-M ARM A6.5, A6.6 and A6.7: bits 27 to 25 are 110).
func transferWrites(i *insn.Inst) uint32 {
	const load = 1 << 20
	raw := i.Raw
	switch {
	case i.Op == insn.OpVLoad || i.Op == insn.OpVStore:
		return 0
	case i.Op == insn.OpVSave || i.Op == insn.OpVRestore:
		return allFloats
	case raw>>21&0x7f == 0x62: // VMOV of two core registers: bits 27 to 21 are 1100010
		if raw&load != 0 {
			return 0
		}
		first := vfpRegister(raw, 0, 5)
		return floatBit(first) | floatBit(first+1)
	case raw&load == 0:
		return 0
	case raw>>24&0xf == 0xd && raw>>21&1 == 0: // VLDR: P set, W clear
		return destination(raw)
	}
	return allFloats
}

// operationWrites is floatWrites of data processing and of VMOV with one core
// register (Armv7-M ARM A6.4 and A6.6: bits 27 to 24 are 1110).
func operationWrites(raw uint32) uint32 {
	if raw>>4&1 != 0 && raw>>28 != 0xf {
		switch {
		case raw>>20&1 != 0: // to a core register, VMRS among them
			return 0
		case !isDouble(raw) && raw>>21&7 == 7: // VMSR
			return 0
		case !isDouble(raw):
			return floatBit(vfpRegister(raw, 16, 7))
		case raw>>23&1 == 0: // VMOV to half of a D register
			first := vfpRegister(raw, 16, 7)
			return floatBit(first) | floatBit(first+1)
		}
		return allFloats // VDUP, and elements of 8 and 16 bits
	}
	if raw>>28 != 0xf && raw>>20&0xb == 0xb && raw>>16&0xe == 4 && raw>>6&1 != 0 {
		return 0 // VCMP
	}
	return destination(raw)
}

// destination is floatWrites of an instruction that writes Vd, a D or an S
// register. Conversions do not say which in bit 8: they count as both.
func destination(raw uint32) uint32 {
	first := vfpRegister(raw, 12, 22)
	mask := floatBit(first)
	if isDouble(raw) {
		mask |= floatBit(first + 1)
	}
	if isConversion := raw>>24&0xf == 0xe && raw>>20&0xb == 0xb; isConversion {
		single := vfpRegister(raw&^(1<<8), 12, 22)
		double := vfpRegister(raw|1<<8, 12, 22)
		mask |= floatBit(single) | floatBit(double) | floatBit(double+1)
	}
	return mask
}

// vfpRegister is the number of the first S register of an operand whose fields
// start at bits v and d.
func vfpRegister(raw uint32, v, d int) uint32 {
	four, one := raw>>v&0xf, raw>>d&1
	if isDouble(raw) {
		return (one<<4 | four) * 2
	}
	return four<<1 | one
}

// floatBit is the bit of S register n, 0 for those that are none.
func floatBit(n uint32) uint32 {
	if n >= numFloats {
		return 0
	}
	return 1 << n
}
