package a32

import (
	"fmt"
	"strings"

	"pushmask/core"
	"pushmask/core/insn"
)

var condNames = [16]string{
	"eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "", "",
}

func condText(raw uint32) string { return condNames[raw>>28] }

// choose returns yes or no by a bit of the encoding.
func choose(raw uint32, n uint, yes, no string) string {
	if bit(raw, n) {
		return yes
	}
	return no
}

// indexed puts an offset behind or into the brackets of a base, by P and W.
func indexed(raw uint32, offset string) string {
	base := "[" + rn(raw).String()
	switch index, _ := indexing(raw); {
	case index == insn.PostIndex:
		return base + "], " + offset
	case index == insn.PreIndex:
		return base + ", " + offset + "]!"
	case offset == "#0":
		return base + "]"
	}
	return base + ", " + offset + "]"
}

func immediateOffset(raw, v uint32) string {
	return choose(raw, bitU, "#", "#-") + fmt.Sprint(v)
}

var shiftNames = [4]string{"lsl", "lsr", "asr", "ror"}

// shiftedOffset is ±Rm with its shift (Arm ARM A8.4.3, DecodeImmShift).
func shiftedOffset(raw uint32) string {
	offset := choose(raw, bitU, "", "-") + rm(raw).String()
	kind, amount := raw>>5&3, raw>>7&31
	switch {
	case amount == 0 && kind == 0:
		return offset
	case amount == 0 && kind == 3:
		return offset + ", rrx"
	case amount == 0:
		amount = 32
	}
	return fmt.Sprintf("%s, %s #%d", offset, shiftNames[kind], amount)
}

// singleText writes LDR, LDRB, STR, STRB. PUSH and POP of one register are
// aliases of their indexed forms (Arm ARM A8.8.133 and A8.8.131, encoding A2).
func singleText(raw uint32) string {
	register := rd(raw).String()
	switch raw & 0x0fff0fff {
	case 0x052d0004:
		return "push" + condText(raw) + " {" + register + "}"
	case 0x049d0004:
		return "pop" + condText(raw) + " {" + register + "}"
	}
	name := choose(raw, 20, "ldr", "str") + choose(raw, 22, "b", "")
	if !bit(raw, bitP) && bit(raw, bitW) {
		name += "t"
	}
	offset := immediateOffset(raw, raw&0xfff)
	if bit(raw, 25) {
		offset = shiftedOffset(raw)
	}
	return name + condText(raw) + " " + register + ", " + indexed(raw, offset)
}

// preloadText writes PLD, PLDW and PLI.
func preloadText(name string) writer {
	return func(raw uint32) string {
		offset := immediateOffset(raw, raw&0xfff)
		if bit(raw, 25) {
			offset = shiftedOffset(raw)
		}
		return name + " " + indexed(raw|1<<bitP&^(1<<bitW), offset)
	}
}

// extraNames has LDRD and STRD where the halfword and signed stores would be.
var extraNames = map[uint32]string{0b001: "strh", 0b010: "ldrd", 0b011: "strd", 0b101: "ldrh", 0b110: "ldrsb", 0b111: "ldrsh"}

// extraText writes halfword, signed and dual accesses.
func extraText(raw uint32) string {
	name := extraNames[raw>>20&1<<2|raw>>5&3]
	registers := rd(raw).String()
	if strings.HasSuffix(name, "rd") {
		registers += ", " + core.Reg((raw>>12+1)&15).String()
	} else if !bit(raw, bitP) && bit(raw, bitW) {
		name += "t"
	}
	offset := choose(raw, bitU, "", "-") + rm(raw).String()
	if bit(raw, 22) {
		offset = immediateOffset(raw, raw>>4&0xf0|raw&15)
	}
	return name + condText(raw) + " " + registers + ", " + indexed(raw, offset)
}

var multiSuffixes = [4]string{"da", "ia", "db", "ib"}

// multipleText writes LDM and STM, and PUSH and POP of several registers.
func multipleText(raw uint32) string {
	list := "{" + strings.Join(registerNames(uint16(raw)), ", ") + "}"
	if several := raw&(raw-1)&0xffff != 0; several {
		switch raw & 0x0fff0000 {
		case 0x092d0000:
			return "push" + condText(raw) + " " + list
		case 0x08bd0000:
			return "pop" + condText(raw) + " " + list
		}
	}
	name := choose(raw, 20, "ldm", "stm")
	if suffix := multiSuffixes[raw>>bitU&3]; suffix != "ia" || name == "stm" && raw>>21&3 != 0 {
		name += suffix
	}
	return name + condText(raw) + " " + rn(raw).String() + choose(raw, bitW, "!", "") + ", " + list + choose(raw, 22, "^", "")
}

func registerNames(list uint16) []string {
	var names []string
	for r := core.R0; r <= core.PC; r++ {
		if list>>r&1 != 0 {
			names = append(names, r.String())
		}
	}
	return names
}

// orderedText writes the load-acquire and store-release instructions of
// ARMv8, exclusive with bit 9.
func orderedText(raw uint32) string {
	size := raw >> 21 & 3
	name := choose(raw, 20, "lda", "stl") + choose(raw, 9, "ex", "") + [4]string{"", "d", "b", "h"}[size] + condText(raw)
	value := rd(raw)
	if !bit(raw, 20) {
		value = rm(raw)
	}
	operands := value.String()
	if size == 1 {
		operands += ", " + ((value + 1) & 15).String()
	}
	if bit(raw, 9) && !bit(raw, 20) {
		operands = rd(raw).String() + ", " + operands
	}
	return name + " " + operands + ", [" + rn(raw).String() + "]"
}
