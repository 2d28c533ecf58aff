package a32

import (
	"encoding/binary"
	"fmt"
	"strings"
	"sync"

	"golang.org/x/arch/arm/armasm"

	"pushmask/core"
	"pushmask/core/insn"
)

// Text returns the UAL text of an instruction of [Decode] as GNU objdump
// writes it, with one space after the mnemonic, decimal immediates and no
// comments. Registers have the names of [core.Reg] (r10, not sl). Unallocated
// encodings, and the few that neither armasm nor this package can write, among
// them Advanced SIMD, are written as .inst.
func Text(i insn.Inst) string {
	if i.Size == 0 {
		return ""
	}
	if i.Flow != insn.FlowUndef {
		if write := ownText(i.Raw); write != nil {
			return write(i.Raw)
		}
		if text := armasmText(&i); text != "" {
			return text
		}
	}
	return fmt.Sprintf(".inst 0x%08x", i.Raw)
}

// armasmLock serialises armasm.Decode, which writes a coverage table of its
// package on every call.
var armasmLock sync.Mutex

func armasmDecode(word uint32) (armasm.Inst, error) {
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], word)
	armasmLock.Lock()
	defer armasmLock.Unlock()
	return armasm.Decode(b[:], armasm.ModeARM)
}

// armasmText returns the text of what armasm decodes, "" when it cannot.
func armasmText(i *insn.Inst) string {
	d, err := armasmDecode(i.Raw)
	if err != nil {
		return ""
	}
	mnemonic, _, _ := strings.Cut(armasm.GNUSyntax(d), " ")
	var operands []string
	for _, arg := range d.Args {
		if arg == nil {
			break
		}
		operands = append(operands, operand(i, arg))
	}
	if last := len(operands) - 1; strings.HasPrefix(mnemonic, "vcmp") && operands[last] == "#0" {
		operands[last] = "#0.0"
	}
	return join(mnemonic, operands...)
}

func join(mnemonic string, operands ...string) string {
	if len(operands) == 0 {
		return mnemonic
	}
	return mnemonic + " " + strings.Join(operands, ", ")
}

// operand writes one operand.
func operand(i *insn.Inst, arg armasm.Arg) string {
	switch arg := arg.(type) {
	case armasm.Reg:
		return regName(arg)
	case armasm.Imm:
		return fmt.Sprintf("#%d", int32(arg))
	case armasm.ImmAlt:
		return fmt.Sprintf("#%d, %d", arg.Val, arg.Rot)
	case armasm.PCRel:
		return fmt.Sprintf("0x%x", uint32(i.Addr)+pcRead+uint32(arg))
	case armasm.RegShift:
		return regName(arg.Reg) + shiftText(arg.Shift, arg.Count)
	case armasm.RegShiftReg:
		return fmt.Sprintf("%s, %s %s", regName(arg.Reg), strings.ToLower(arg.Shift.String()), regName(arg.RegCount))
	case armasm.Mem: // of the exclusive accesses; text_memory.go writes the others
		return "[" + regName(arg.Base) + "]"
	}
	return strings.ToLower(arg.String())
}

func regName(r armasm.Reg) string {
	switch {
	case r <= armasm.R15:
		return core.Reg(r).String()
	case r == armasm.APSR_nzcv:
		return "APSR_nzcv"
	}
	return strings.ToLower(r.String())
}

func shiftText(kind armasm.Shift, count uint8) string {
	switch {
	case kind == armasm.ShiftLeft && count == 0:
		return ""
	case kind == armasm.RotateRightExt:
		return ", rrx"
	}
	return fmt.Sprintf(", %s #%d", strings.ToLower(kind.String()), count)
}
