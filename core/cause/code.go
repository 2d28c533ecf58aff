package cause

import (
	"fmt"
	"strings"

	"pushmask/core"
	"pushmask/core/a32"
	"pushmask/core/insn"
	"pushmask/core/thumb"
)

// Bits of the xPSR and the CPSR (Armv7-M ARM B1.4.2, Armv7-AR ARM B1.3.3).
const (
	xpsrT = 1 << 24
	cpsrT = 1 << 5
	ipsr  = 0x1ff
)

// instruction is one that was read from memory.
type instruction struct {
	insn.Inst
	cond insn.Cond // under which it runs, by its encoding or its IT block
}

// decode reads the instruction at pc in the given state.
func decode(m core.Memory, pc core.Addr, t32 bool) (instruction, bool) {
	var b [4]byte
	n, _ := m.ReadAt(pc, b[:])
	var i insn.Inst
	var err error
	if t32 {
		i, err = thumb.Decode(b[:n], pc)
	} else if pc&3 == 0 {
		i, err = a32.Decode(b[:n], pc)
	}
	return instruction{i, i.Cond}, err == nil && i.Size > 0
}

// text is the UAL text of the instruction, between back quotes.
func (i *instruction) text() string {
	if i.Thumb {
		return thumb.Text(i.Inst, i.cond)
	}
	return a32.Text(i.Inst)
}

// itState is the IT state in the xPSR, bits 26..25 and 15..10, which have other
// meanings within a multiple transfer that was interrupted, and then leave the
// low bits zero (Armv7-M ARM B1.4.2).
func itState(psr uint32) thumb.ITState {
	return thumb.ITState(psr>>25&3 | psr>>8&0xfc)
}

// runs reports whether an instruction with the condition runs with the flags of
// psr (Arm ARM, ConditionPassed).
func runs(c insn.Cond, psr uint32) bool {
	n, z, cy, v := psr>>31&1, psr>>30&1, psr>>29&1, psr>>28&1
	var pass bool
	switch c &^ 1 {
	case 0:
		pass = z == 1
	case 2:
		pass = cy == 1
	case 4:
		pass = n == 1
	case 6:
		pass = v == 1
	case 8:
		pass = cy == 1 && z == 0
	case 10:
		pass = n == v
	case 12:
		pass = n == v && z == 0
	default: // AL, and conditions that are no flags
		return true
	}
	return pass != (c&1 == 1)
}

// operands lists the registers that make an address, with their values: "r2 = 0,
// r3 = 0x10".
func operands(regs *core.Regs, list ...core.Reg) string {
	var parts []string
	for _, r := range list {
		if r == core.NoReg || r == core.PC {
			continue
		}
		if v, ok := regs.Get(r); ok {
			parts = append(parts, fmt.Sprintf("%v = %s", r, valueText(v)))
		}
	}
	return strings.Join(parts, ", ")
}

// quoted is the instruction with the values of registers: "`ldr r3, [r2, #4]`
// with r2 = 0".
func (i *instruction) quoted(regs *core.Regs, list ...core.Reg) string {
	s := "`" + i.text() + "`"
	if values := operands(regs, list...); values != "" {
		s += " with " + values
	}
	return s
}
