package elfcore

import (
	"fmt"
	"slices"
	"strings"

	"pushmask/core"
)

// description is GDB's target description of the registers (GDB manual, "ARM
// Features"). Registers that the core has no values of are in it where the
// feature demands them.
func (c *Core) description() string {
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n<target>\n  <architecture>arm</architecture>\n")
	if c.Profile == core.ProfileM {
		c.feature(&b, "m-profile", 25, coreRegisters("xpsr"))
	} else {
		c.feature(&b, "core", 25, coreRegisters("cpsr"))
	}
	if slices.ContainsFunc(c.Threads, func(t Thread) bool { return t.Regs.Has(core.S0) }) {
		c.feature(&b, "vfp", 0, vfpRegisters())
	}
	b.WriteString("</target>\n")
	return b.String()
}

// register is a register of a target description.
type register struct {
	name, kind string
	bits       int
}

// coreRegisters are the registers of the general features; the last is the
// status register, whose number leaves room for those of the FPA.
func coreRegisters(status string) []register {
	var list []register
	for r := core.R0; r <= core.R12; r++ {
		list = append(list, register{r.String(), "int", 32})
	}
	return append(list, register{"sp", "data_ptr", 32}, register{"lr", "int", 32}, register{"pc", "code_ptr", 32}, register{status, "int", 32})
}

func vfpRegisters() []register {
	var list []register
	for i := range 16 {
		list = append(list, register{fmt.Sprintf("d%d", i), "ieee_double", 64})
	}
	return append(list, register{"fpscr", "int", 32})
}

// feature writes a feature; number is that of its last register, 0 for the next
// free one.
func (c *Core) feature(b *strings.Builder, name string, number int, list []register) {
	fmt.Fprintf(b, "  <feature name=\"org.gnu.gdb.arm.%s\">\n", name)
	for i, r := range list {
		regnum := ""
		if number != 0 && i == len(list)-1 {
			regnum = fmt.Sprintf(" regnum=\"%d\"", number)
		}
		fmt.Fprintf(b, "    <reg name=\"%s\" bitsize=\"%d\" type=\"%s\"%s/>\n", r.name, r.bits, r.kind, regnum)
	}
	b.WriteString("  </feature>\n")
}
