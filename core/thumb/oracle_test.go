package thumb

import (
	"slices"
	"strings"

	"pushmask/core"
	"pushmask/core/insn"
)

// This file derives control flow and written registers from objdump's text
// alone, so that they check the decoder's tables from outside.

// asm is objdump's text taken apart.
type asm struct {
	name string // mnemonic without width and data type
	ops  []string
}

func parseAsm(text string) asm {
	mnemonic, rest, _ := strings.Cut(text, " ")
	name, _, _ := strings.Cut(mnemonic, ".")
	a := asm{name: name}
	depth, start := 0, 0
	for k, c := range rest {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case ',':
			if depth == 0 {
				a.ops = append(a.ops, strings.TrimSpace(rest[start:k]))
				start = k + 1
			}
		}
	}
	if rest != "" {
		a.ops = append(a.ops, strings.TrimSpace(rest[start:]))
	}
	return a
}

func (a asm) op(k int) string {
	if k < len(a.ops) {
		return a.ops[k]
	}
	return ""
}

// coreReg returns the number of a core register operand.
func coreReg(s string) (core.Reg, bool) {
	r, ok := core.LookupReg(strings.TrimSuffix(s, "!"))
	return r, ok && r <= core.PC
}

// listMask returns the core registers of a {list}.
func listMask(s string) uint16 {
	var m uint16
	for _, name := range strings.Split(strings.Trim(s, "{}"), ",") {
		if r, ok := coreReg(strings.TrimSpace(name)); ok {
			m |= 1 << r
		}
	}
	return m
}

func (a asm) conditionalBranch() bool {
	return len(a.name) == 3 && a.name[0] == 'b' && slices.Contains(condNames[:14], a.name[1:])
}

// flow derives the control flow.
func (a asm) flow() insn.Flow {
	direct := strings.HasPrefix(a.op(0), "0x")
	switch a.name {
	case "", "undefined":
		return insn.FlowUndef
	case "b", "cbz", "cbnz", "le", "letp", "wls", "wlstp":
		return insn.FlowBranch
	case "bl":
		return insn.FlowCall
	case "blx", "blxns":
		if direct {
			return insn.FlowCall
		}
		return insn.FlowCallReg
	case "bx", "bxns", "bxj", "bxaut":
		return insn.FlowReg
	case "tbb", "tbh":
		return insn.FlowTable
	case "udf":
		return insn.FlowTrap
	case "rfedb", "rfeia":
		return insn.FlowOther
	}
	switch {
	case a.conditionalBranch():
		return insn.FlowBranch
	case a.written()>>core.PC&1 == 0:
		return insn.FlowNext
	case strings.HasPrefix(a.name, "ldr") && a.op(0) == "pc" && !strings.HasPrefix(a.name, "ldrex") && a.name != "ldrd",
		(strings.HasPrefix(a.name, "ldm") || a.name == "pop") && listMask(a.ops[len(a.ops)-1])>>core.PC != 0:
		return insn.FlowLoad
	case a.name == "mov" && len(a.ops) == 2 && !strings.HasPrefix(a.op(1), "#"):
		return insn.FlowReg
	}
	return insn.FlowOther
}

// Mnemonics by what they write.
var (
	writesNothing = []string{
		"cmp", "cmn", "tst", "teq", "msr", "it", "itt", "ite", "svc", "bkpt", "hlt", "nop", "sg", "clrex",
		"mcr", "mcr2", "mcrr", "mcrr2", "cdp", "cdp2", "dsb", "dmb", "isb", "ssbb", "pssbb", "dfb", "dbg", "smc", "hvc",
		"setend", "setpan", "sev", "sevl", "wfe", "wfi", "yield", "esb", "csdb", "bti", "aut", "autg", "bxaut", "lctp",
		"bf", "bfx", "bfl", "bflx", "bfcsel", "pld", "pldw", "pli", "udf", "stl", "stlb", "stlh", "cbz", "cbnz",
		"vmsr", "vlstm", "vlldm", "bx", "bxns", "bxj", "tbb", "tbh", "b", "le", "letp", "cps", "cpsie", "cpsid",
	}
	writesTwo = []string{
		"ldrd", "ldrexd", "ldaexd", "smull", "umull", "smlal", "umlal", "umaal", "smlald", "smlaldx",
		"smlsld", "smlsldx", "smlalbb", "smlalbt", "smlaltb", "smlaltt",
		"asrl", "lsll", "lsrl", "uqshll", "urshrl", "srshrl", "sqshll", "uqrshll", "sqrshrl",
	}
	storesFirst = []string{"str", "strb", "strh", "strt", "strbt", "strht", "strd", "stm", "stc", "stc2", "stcl", "stc2l",
		"ldc", "ldc2", "ldcl", "ldc2l", "vstr", "vldr", "vstm", "vldm"}
)

// written derives the mask of core registers that are written.
func (a asm) written() uint16 {
	m := a.base()
	if a.name == "srsdb" || a.name == "srsia" {
		if m != 0 {
			m = 1 << core.SP // whatever the should-be bits say
		}
		return m
	}
	set := func(k int) {
		if r, ok := coreReg(a.op(k)); ok {
			m |= 1 << r
		}
	}
	switch {
	case a.name == "bl", a.name == "blx", a.name == "blxns", a.name == "wls", a.name == "wlstp", a.name == "dls", a.name == "dlstp":
		return 1 << core.LR
	case (a.name == "le" || a.name == "letp") && a.op(0) == "lr":
		return 1 << core.LR
	case strings.HasPrefix(a.name, "ldm"), a.name == "pop":
		list := a.ops[len(a.ops)-1]
		m |= listMask(list)
		if a.name == "pop" {
			m |= 1 << core.SP
		}
	case a.name == "push", a.name == "vpush", a.name == "vpop":
		m |= 1 << core.SP
	case a.name == "clrm":
		m |= listMask(a.op(0))
	case slices.Contains(writesTwo, a.name):
		set(0)
		set(1)
	case a.name == "mrc", a.name == "mrc2":
		set(2)
	case a.name == "mrrc", a.name == "mrrc2":
		set(2)
		set(3)
	case strings.HasPrefix(a.name, "vctp"), strings.HasPrefix(a.name, "vstm"), strings.HasPrefix(a.name, "vldm"), strings.HasPrefix(a.name, "it"),
		strings.HasPrefix(a.name, "fstm"), strings.HasPrefix(a.name, "fldm"),
		slices.Contains(writesNothing, a.name), slices.Contains(storesFirst, a.name),
		strings.HasPrefix(a.name, "stm"), strings.HasPrefix(a.name, "rfe"), a.conditionalBranch():
	case strings.HasPrefix(a.name, "v"):
		m |= a.vectorWritten()
	default:
		set(0)
	}
	return m
}

// vectorWritten is for floating-point and vector instructions: those with
// core registers in front write them.
func (a asm) vectorWritten() uint16 {
	var m uint16
	switch {
	case strings.HasPrefix(a.name, "vidup"), strings.HasPrefix(a.name, "vddup"),
		strings.HasPrefix(a.name, "viwdup"), strings.HasPrefix(a.name, "vdwdup"), strings.HasPrefix(a.name, "vshlc"):
		if r, ok := coreReg(a.op(1)); ok {
			m |= 1 << r
		}
		return m
	}
	for k := range a.ops {
		r, ok := coreReg(a.op(k))
		if !ok {
			return m
		}
		m |= 1 << r
	}
	return m
}

// base returns the base register when it is written back.
func (a asm) base() uint16 {
	for k, op := range a.ops {
		if strings.HasSuffix(op, "!") && !strings.HasPrefix(op, "[") {
			if r, ok := coreReg(op); ok {
				return 1 << r
			}
		}
		if !strings.HasPrefix(op, "[") {
			continue
		}
		name, _, _ := strings.Cut(strings.Trim(op, "[]!"), ",")
		post := strings.HasSuffix(op, "]") && strings.HasPrefix(a.op(k+1), "#")
		if r, ok := coreReg(name); ok && (post || strings.HasSuffix(op, "!")) {
			return 1 << r
		}
	}
	return 0
}
