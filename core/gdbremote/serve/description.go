package serve

import (
	"fmt"
	"strings"

	"pushmask/core"
)

// description is target.xml (G, Target Descriptions). The attributes beyond
// gdb's are lldb's: it finds PC, SP and the others by "generic", and the
// registers that unwind tables name by "dwarf_regnum".
func (s *Stub) description() string {
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n<target version=\"1.0\">\n<architecture>arm</architecture>\n")
	feature := ""
	for i := range s.regs {
		r := &s.regs[i]
		if r.feature != feature {
			if feature != "" {
				b.WriteString("</feature>\n")
			}
			feature = r.feature
			fmt.Fprintf(&b, "<feature name=\"%s\">\n", feature)
		}
		fmt.Fprintf(&b, "<reg name=\"%s\" bitsize=\"%d\" type=\"%s\" regnum=\"%d\"%s/>\n", r.name, 8*r.size, r.kind, r.number, r.extra())
	}
	b.WriteString("</feature>\n</target>\n")
	return b.String()
}

// generic are lldb's names of the roles that registers have.
var generic = map[core.Reg]string{
	core.R0: "arg1", core.R1: "arg2", core.R2: "arg3", core.R3: "arg4",
	core.SP: "sp", core.LR: "ra", core.PC: "pc", core.PSR: "flags",
}

// extra are the attributes of lldb. D registers have the numbers 256 and up
// (DWARF for the Arm Architecture, "DWARF register names").
func (r *register) extra() string {
	const dwarfD0 = 256
	var b strings.Builder
	switch {
	case r.size == 8:
		fmt.Fprintf(&b, " encoding=\"ieee754\" format=\"float\" dwarf_regnum=\"%d\" group=\"float\"", dwarfD0+int(r.reg-core.S0)/2)
	case r.reg <= core.PC:
		fmt.Fprintf(&b, " dwarf_regnum=\"%d\" group=\"general\"", r.reg)
	default:
		b.WriteString(" group=\"system\"")
	}
	if g := generic[r.reg]; g != "" {
		fmt.Fprintf(&b, " generic=\"%s\"", g)
	}
	return b.String()
}
