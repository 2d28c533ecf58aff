package a32

import "fmt"

// vectorName is the name of an S or D register whose number is given in S
// registers.
func vectorName(raw uint32, first uint8) string {
	if bit(raw, 8) {
		return fmt.Sprintf("d%d", first/2)
	}
	return fmt.Sprintf("s%d", first)
}

// vfpSingleText writes VLDR and VSTR.
func vfpSingleText(raw uint32) string {
	name := choose(raw, 20, "vldr", "vstr") + condText(raw)
	return name + " " + vectorName(raw, vfpFirst(raw, 22, 12)) + ", " + indexed(raw, immediateOffset(raw, raw&0xff*4))
}

// vfpMultipleText writes VLDM, VSTM, VPUSH, VPOP, FLDMX and FSTMX.
func vfpMultipleText(raw uint32) string {
	count := uint8(raw)
	if bit(raw, 8) {
		count /= 2
	}
	list := vectorList(raw, vfpFirst(raw, 22, 12), count)
	if bit(raw, 8) && bit(raw, 0) {
		name := choose(raw, 20, "fldm", "fstm") + choose(raw, bitP, "dbx", "iax")
		return name + condText(raw) + " " + rn(raw).String() + choose(raw, bitW, "!", "") + ", " + list
	}
	switch raw & 0x0fbf0000 {
	case 0x0d2d0000:
		return "vpush" + condText(raw) + " " + list
	case 0x0cbd0000:
		return "vpop" + condText(raw) + " " + list
	}
	name := choose(raw, 20, "vldm", "vstm") + choose(raw, bitP, "db", "ia")
	return name + condText(raw) + " " + rn(raw).String() + choose(raw, bitW, "!", "") + ", " + list
}

func vectorList(raw uint32, first, count uint8) string {
	from, step := vectorName(raw, first), uint8(1)
	if bit(raw, 8) {
		step = 2
	}
	if count <= 1 {
		return "{" + from + "}"
	}
	return "{" + from + "-" + vectorName(raw, first+(count-1)*step) + "}"
}

// movePairText writes VMOV between two core registers and one D or two S registers.
func movePairText(raw uint32) string {
	first := uint8(raw>>5&1<<4|raw&15) << 1
	vector := vectorName(raw, first)
	if !bit(raw, 8) {
		first = uint8(raw&15<<1 | raw>>5&1)
		vector = vectorName(raw, first) + ", " + vectorName(raw, first+1)
	}
	core := rd(raw).String() + ", " + rn(raw).String()
	if bit(raw, 20) {
		return "vmov" + condText(raw) + " " + core + ", " + vector
	}
	return "vmov" + condText(raw) + " " + vector + ", " + core
}
