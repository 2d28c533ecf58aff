package thumb

import "math/bits"

// expandImm computes a T32 modified immediate constant from its 12-bit
// i:imm3:imm8 field (Armv8-M ARM, ThumbExpandImm).
func expandImm(imm12 uint32) uint32 {
	b := imm12 & 0xff
	if imm12>>10 != 0 {
		return bits.RotateLeft32(0x80|imm12&0x7f, -int(imm12>>7))
	}
	switch imm12 >> 8 & 3 {
	case 0:
		return b
	case 1:
		return b<<16 | b
	case 2:
		return b<<24 | b<<8
	}
	return b * 0x01010101
}

// signExtend returns the n-bit two's complement number v.
func signExtend(v uint32, n int) int32 { return int32(v<<(32-n)) >> (32 - n) }
