package a32

import (
	"fmt"
	"strconv"
	"strings"

	"pushmask/core"
	"pushmask/core/insn"
)

// objdumpText is what objdump wrote, taken apart.
type objdumpText struct {
	raw      uint32
	text     string // with one space, and numbers as Text has them
	mnemonic string // without the condition
	operands []string
}

func parseObjdump(raw uint32, text string) objdumpText {
	mnemonic, operands, _ := strings.Cut(text, "\t")
	for _, m := range []string{"svc", "bkpt", "hlt", "hvc", "smc", "udf"} {
		v, err := strconv.ParseUint(strings.TrimPrefix(operands, "#"), 0, 32)
		if err == nil && strings.HasPrefix(mnemonic, m) {
			operands = fmt.Sprintf("#%d", v)
		}
	}
	if operands == "{0}" && strings.HasPrefix(mnemonic, "nop") {
		operands = ""
	}
	o := objdumpText{raw: raw, text: strings.TrimSpace(mnemonic + " " + strings.ReplaceAll(operands, "ROR", "ror"))}
	base, kind, _ := strings.Cut(mnemonic, ".")
	if raw < never {
		base = strings.TrimSuffix(base, condNames[raw>>28])
	}
	o.mnemonic = base
	if kind != "" {
		o.mnemonic += "." + kind
	}
	if operands != "" {
		o.operands = strings.Split(operands, ", ")
	}
	return o
}

// reg returns the core register that operand n names.
func (o objdumpText) reg(n int) (core.Reg, bool) {
	if n >= len(o.operands) || strings.HasPrefix(o.operands[n], "cr") {
		return 0, false
	}
	r, ok := core.LookupReg(o.operands[n])
	return r, ok && r <= core.PC
}

func (o objdumpText) is(names ...string) bool {
	for _, name := range names {
		if o.mnemonic == name {
			return true
		}
	}
	return false
}

func (o objdumpText) starts(names ...string) bool {
	for _, name := range names {
		if strings.HasPrefix(o.mnemonic, name) {
			return true
		}
	}
	return false
}

// list returns the registers between braces.
func (o objdumpText) list() (mask uint16) {
	_, rest, _ := strings.Cut(o.text, "{")
	names, _, _ := strings.Cut(rest, "}")
	for _, name := range strings.Split(names, ", ") {
		if r, ok := core.LookupReg(name); ok && r <= core.PC {
			mask |= 1 << r
		}
	}
	return mask
}

func (o objdumpText) flow() insn.Flow {
	first, isReg := o.reg(0)
	switch {
	case o.is("b"):
		return insn.FlowBranch
	case o.is("bl") || o.is("blx") && !isReg:
		return insn.FlowCall
	case o.is("blx"):
		return insn.FlowCallReg
	case o.is("bx", "bxj"):
		return insn.FlowReg
	case o.is("udf"):
		return insn.FlowTrap
	case o.is("eret") || o.starts("rfe"):
		return insn.FlowOther
	case o.defs()>>core.PC&1 == 0:
		return insn.FlowNext
	case strings.HasSuffix(o.text, "^"):
		return insn.FlowOther
	case o.starts("pop", "ldm") && o.list()>>core.PC&1 != 0:
		return insn.FlowLoad
	case o.starts("ldr") && !o.starts("ldrd", "ldrex") && first == core.PC:
		return insn.FlowLoad
	case o.is("mov"):
		if _, ok := o.reg(1); ok && len(o.operands) == 2 {
			return insn.FlowReg
		}
	}
	return insn.FlowOther
}

// silent are the mnemonics, or their beginnings, that write no operand.
var silent = []string{
	"str", "stm", "fstm", "fldm", "stc", "stl", "push", "cmp", "cmn", "tst", "teq", "msr", "svc", "bkpt", "hlt", "hvc", "smc", "udf",
	"pld", "pli", "nop", "yield", "wf", "sev", "dbg", "esb", "csdb", "cps", "setend", "setpan", "clrex", "dsb", "dmb",
	"isb", "srs", "rfe", "eret", "mcr", "cdp", "ldc", "ldm", "pop",
}

func (o objdumpText) defs() (mask uint16) {
	mask = o.base() | o.control()
	set := func(operands ...int) {
		for _, n := range operands {
			if r, ok := o.reg(n); ok {
				mask |= 1 << r
			}
		}
	}
	switch {
	case o.starts("mrrc"):
		set(2, 3)
	case o.starts("mrc"):
		if r, _ := o.reg(2); r != core.PC {
			set(2)
		}
	case o.starts("strex", "stlex"):
		set(0)
	case o.starts("ldrd", "ldrexd", "ldaexd"):
		set(0)
		if r, ok := o.reg(0); ok {
			mask |= 1 << ((r + 1) & 15)
		}
	case o.starts("umull", "umlal", "umaal", "smull", "smlal", "smlsld"):
		set(0, 1)
	case o.starts("vmov", "vmrs"):
		set(0)
		if _, ok := o.reg(0); ok {
			set(1)
		}
	case o.starts("v"):
	case !o.starts(silent...) && !o.is("b", "bl", "blx", "bx", "bxj", "sb"):
		set(0)
	}
	return mask
}

// base is the base register if it is written back.
func (o objdumpText) base() uint16 {
	if o.starts("push", "pop", "vpush", "vpop") {
		return 1 << core.SP
	}
	for n, operand := range o.operands {
		if strings.HasSuffix(operand, "]!") {
			return 1 << o.openBracket(n)
		}
		operand, _, aligned := strings.Cut(operand, " :")
		if aligned {
			operand += "]"
		}
		name, preIndexed := strings.CutSuffix(strings.TrimPrefix(operand, "["), "!")
		last := n == len(o.operands)-1
		postIndexed := strings.HasPrefix(operand, "[") && strings.HasSuffix(operand, "]") && !last &&
			!strings.HasPrefix(o.operands[n+1], "{")
		if preIndexed || postIndexed {
			name = strings.TrimSuffix(name, "]")
			if r, ok := core.LookupReg(name); ok && r <= core.PC {
				return 1 << r
			}
		}
	}
	return 0
}

// openBracket is the register behind the last [ up to operand n.
func (o objdumpText) openBracket(n int) core.Reg {
	for ; n >= 0; n-- {
		if name, ok := strings.CutPrefix(o.operands[n], "["); ok {
			name, _, _ = strings.Cut(strings.TrimSuffix(name, "]!"), " :")
			r, _ := core.LookupReg(name)
			return r & 15
		}
	}
	return core.PC
}

// control is what branches, loads of several registers and changes of mode write.
func (o objdumpText) control() uint16 {
	switch {
	case o.is("bl", "blx"):
		return 1<<core.LR | 1<<core.PC
	case o.is("b", "bx", "bxj", "eret") || o.starts("rfe"):
		return 1 << core.PC
	case o.starts("ldm", "pop"):
		return o.list()
	case o.is("cps", "cpsie", "cpsid") && strings.Contains(o.text, "#"):
		return bankedRegs
	case o.is("msr") && strings.HasPrefix(o.operands[0], "CPSR_") && strings.HasSuffix(o.operands[0], "c") && strings.HasPrefix(o.operands[1], "#"):
		return bankedRegs
	}
	return 0
}
