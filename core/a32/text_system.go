package a32

import (
	"fmt"
	"math/bits"
	"strings"
)

func supervisorText(raw uint32) string {
	return fmt.Sprintf("svc%s #%d", condText(raw), raw&0xffffff)
}

func breakpointText(raw uint32) string { return fmt.Sprintf("bkpt #%d", imm16(raw)) }

func trapText(raw uint32) string { return fmt.Sprintf("udf #%d", imm16(raw)) }

func haltText(raw uint32) string { return fmt.Sprintf("hlt #%d", imm16(raw)) }

func hypervisorText(raw uint32) string { return fmt.Sprintf("hvc%s #%d", condText(raw), imm16(raw)) }

// checksumText writes CRC32 and CRC32C of ARMv8.
func checksumText(raw uint32) string {
	return fmt.Sprintf("crc32%s%c %v, %v, %v", choose(raw, 9, "c", ""), "bhw"[raw>>21&3], rd(raw), rn(raw), rm(raw))
}

func exceptionReturnText(raw uint32) string { return "eret" + condText(raw) }

func statusRegister(raw uint32) string { return choose(raw, 22, "SPSR", "CPSR") }

func readStatusText(raw uint32) string {
	return "mrs" + condText(raw) + " " + rd(raw).String() + ", " + statusRegister(raw)
}

// writeStatusText writes MSR of a register or an immediate to fields of a
// status register.
func writeStatusText(raw uint32) string {
	value := rm(raw).String()
	if bit(raw, 25) {
		value = modifiedText(raw)
	}
	fields := "_" + choose(raw, 19, "f", "") + choose(raw, 18, "s", "") + choose(raw, 17, "x", "") + choose(raw, 16, "c", "")
	return "msr" + condText(raw) + " " + statusRegister(raw) + fields + ", " + value
}

// modifiedText writes a modified immediate; where a smaller rotation encodes
// the same value, the byte and the rotation (Arm ARM A5.2.4).
func modifiedText(raw uint32) string {
	v, rotation := expandImm(raw), int(raw>>8&15*2)
	for smaller := 0; smaller < rotation; smaller += 2 {
		if bits.RotateLeft32(v, smaller) < 1<<8 {
			return fmt.Sprintf("#%d, %d", raw&0xff, rotation)
		}
	}
	return fmt.Sprintf("#%d", int32(v))
}

// noOperationText is for MOV R0, R0, the NOP of cores before ARMv6K.
func noOperationText(uint32) string { return "nop" }

var hintNames = [...]string{"nop", "yield", "wfe", "wfi", "sev", "sevl"}

func hintText(raw uint32) string {
	switch n := int(raw & 0xff); {
	case n < len(hintNames):
		return hintNames[n] + condText(raw)
	case n == 0x10:
		return "esb" + condText(raw)
	case n == 0x14:
		return "csdb" + condText(raw)
	case n >= 0xf0:
		return fmt.Sprintf("dbg%s #%d", condText(raw), n&15)
	default:
		return fmt.Sprintf("nop%s {%d}", condText(raw), n)
	}
}

// barrierOptions are the domains of DSB and DMB (Arm ARM A8.8.43).
var barrierOptions = map[uint32]string{
	1: "oshld", 2: "oshst", 3: "osh", 5: "nshld", 6: "un", 7: "un", 9: "ishld", 10: "ishst", 11: "ish",
	13: "ld", 14: "st", 15: "sy",
}

func barrierText(name string) writer {
	return func(raw uint32) string {
		option, ok := barrierOptions[raw&15]
		if !ok || name == "isb" && option != "sy" {
			option = fmt.Sprintf("#%d", raw&15)
		}
		return name + " " + option
	}
}

// changeStateText writes CPS, CPSIE and CPSID.
func changeStateText(raw uint32) string {
	flags := choose(raw, 8, "a", "") + choose(raw, 7, "i", "") + choose(raw, 6, "f", "")
	var operands []string
	name := "cps"
	if bit(raw, 19) {
		name += choose(raw, 18, "id", "ie")
		operands = append(operands, flags)
	}
	if bit(raw, 17) {
		operands = append(operands, fmt.Sprintf("#%d", raw&31))
	}
	return name + " " + strings.Join(operands, ",")
}

func setEndText(raw uint32) string { return "setend " + choose(raw, 9, "be", "le") }

func storeReturnStateText(raw uint32) string {
	return fmt.Sprintf("srs%s sp%s, #%d", multiSuffixes[raw>>bitU&3], choose(raw, bitW, "!", ""), raw&31)
}

func returnFromExceptionText(raw uint32) string {
	return "rfe" + multiSuffixes[raw>>bitU&3] + " " + rn(raw).String() + choose(raw, bitW, "!", "")
}

// second is the 2 of the unconditional coprocessor instructions.
func second(raw uint32) string {
	if raw >= never {
		return "2"
	}
	return ""
}

func coprocessor(raw uint32) uint32 { return raw >> 8 & 15 }

// coprocessorText writes CDP.
func coprocessorText(raw uint32) string {
	return fmt.Sprintf("cdp%s%s %d, %d, cr%d, cr%d, cr%d, {%d}", second(raw), condText(raw),
		coprocessor(raw), raw>>20&15, raw>>12&15, raw>>16&15, raw&15, raw>>5&7)
}

// coprocessorMoveText writes MCR and MRC.
func coprocessorMoveText(raw uint32) string {
	register := rd(raw).String()
	if bit(raw, 20) && register == "pc" && raw < never {
		register = "APSR_nzcv"
	}
	return fmt.Sprintf("%s%s%s %d, %d, %s, cr%d, cr%d, {%d}", choose(raw, 20, "mrc", "mcr"), second(raw), condText(raw),
		coprocessor(raw), raw>>21&7, register, raw>>16&15, raw&15, raw>>5&7)
}

// moveTwoText writes MCRR and MRRC.
func moveTwoText(raw uint32) string {
	return fmt.Sprintf("%s%s%s %d, %d, %v, %v, cr%d", choose(raw, 20, "mrrc", "mcrr"), second(raw), condText(raw),
		coprocessor(raw), raw>>4&15, rd(raw), rn(raw), raw&15)
}

// coprocessorMemoryText writes LDC and STC. Without P and W the low byte is an
// option for the coprocessor.
func coprocessorMemoryText(raw uint32) string {
	name := choose(raw, 20, "ldc", "stc") + second(raw) + choose(raw, 22, "l", "") + condText(raw)
	address := indexed(raw, immediateOffset(raw, raw&0xff*4))
	if !bit(raw, bitP) && !bit(raw, bitW) {
		address = fmt.Sprintf("[%v], {%d}", rn(raw), raw&0xff)
	}
	return fmt.Sprintf("%s %d, cr%d, %s", name, coprocessor(raw), raw>>12&15, address)
}
