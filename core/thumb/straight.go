package thumb

// Straight returns the size of the instruction at the start of b if its
// encoding is of a class that neither branches nor calls, has no effect on
// special registers and is no secure gateway; 0 if it may be another, or b is
// too short. It is for passes over code that look for calls: most instructions
// need no decoding there (Armv7-M ARM A5.2, A5.3, Armv8-M ARM C2.2).
func Straight(b []byte) int {
	if len(b) < 4 {
		return 0
	}
	h := uint16(b[0]) | uint16(b[1])<<8
	switch {
	case h < 0x4400, // shift, add, subtract, move, compare, data processing
		h >= 0x4800 && h < 0xb100, // literal, loads and stores, addresses, SP
		h >= 0xb400 && h < 0xb600, // PUSH
		h >= 0xc000 && h < 0xd000: // LDM and STM of low registers
		return 2
	case !wideHalfword(h):
		return 0
	case h>>8 == 0xea || h>>8 == 0xeb, // data processing, shifted register
		h>>11 == 0x1e && b[3]&0x80 == 0, // data processing, immediate
		h>>8 == 0xfa || h>>8 == 0xfb,    // data processing, register; multiply
		h>>9 == 0x7c && h&0x70 != 0x50:  // loads and stores, LDR apart
		return 4
	}
	return 0
}
