package crashlog

import (
	"fmt"
	"strings"

	"pushmask/core"
)

// scanKind is what a name in a hand-written report means.
type scanKind uint8

const (
	scanNothing  scanKind = iota
	scanRegister          // scanName.reg
	scanFault             // scanName.fault
	scanReturn            // EXC_RETURN
	scanFrame             // the address of the exception frame
	scanOther             // a register of another machine
)

// scanName is a name with its meaning.
type scanName struct {
	kind    scanKind
	reg     core.Reg
	fault   string
	stacked bool // the name says that it is of the exception frame
	spelled string
}

// spelledOut are names of several words, in lower case.
var spelledOut = []struct {
	words string
	name  scanName
}{
	{"program counter", scanName{kind: scanRegister, reg: core.PC}},
	{"return address", scanName{kind: scanRegister, reg: core.PC}},
	{"link register", scanName{kind: scanRegister, reg: core.LR}},
	{"stack pointer", scanName{kind: scanRegister, reg: core.SP}},
	{"status register", scanName{kind: scanRegister, reg: core.PSR}},
	{"exception sp", scanName{kind: scanFrame}},
	{"exception frame at", scanName{kind: scanFrame}},
	{"exception frame", scanName{kind: scanFrame}},
	{"exc return", scanName{kind: scanReturn}},
}

// ownerPrefixes are what stands before the last underscore of a name that is
// one of the frame; those that are true say so.
var ownerPrefixes = map[string]bool{
	"stacked": true, "stack": true, "stk": true, "saved": true, "frame": true, "esf": true, "ef": true,
	"fault": true, "faulting": true, "exception": true, "hardfault": true, "hf": true,
	"": false, "reg": false, "regs": false, "ctx": false, "context": false, "cpu": false, "arm": false, "r": false,
	"scb": false, "nvic": false, "m": false, "g": false, "val": false, "scb_cfsr": false,
}

// maxName is the length of the longest name with its owner that is looked up.
const maxName = 48

// lookupName returns what a name means. A name may have an owner before it:
// stacked_pc, ctx->lr, frame.r0, SCB->CFSR.
func lookupName(token string) scanName {
	if len(token) < 2 || len(token) > maxName {
		return scanName{}
	}
	lower := strings.ToLower(strings.Trim(token, "_"))
	owner, name := "", lower
	if i := strings.LastIndexAny(lower, ".>"); i >= 0 {
		owner, name = strings.TrimSuffix(strings.TrimRight(lower[:i+1], ".>"), "-"), lower[i+1:]
		owner = owner[strings.LastIndexByte(owner, '_')+1:]
	}
	if n := plainName(name); n.kind != scanNothing {
		n.stacked, n.spelled = ownerPrefixes[owner], name
		return n
	}
	i := strings.LastIndexByte(name, '_')
	if i < 0 {
		return scanName{}
	}
	before, name := name[:i], name[i+1:]
	stacked, known := ownerPrefixes[before]
	if !known {
		return scanName{}
	}
	n := plainName(name)
	n.stacked, n.spelled = stacked, name
	return n
}

// plainName returns what a name in lower case without an owner means.
func plainName(name string) scanName {
	if len(name) > maxPlainName {
		return scanName{}
	}
	return plainNames[name]
}

// maxPlainName is the length of the longest of the plain names.
const maxPlainName = 12

// plainNames are all names without owners.
var plainNames = func() map[string]scanName {
	m := map[string]scanName{"spsr": {kind: scanRegister, reg: core.PSR}}
	for _, n := range []string{"exc_return", "excreturn", "exclr", "exc_lr", "exret", "exc_ret"} {
		m[n] = scanName{kind: scanReturn}
	}
	for _, n := range []string{"excsp", "exc_sp", "exception_sp", "exceptionsp"} {
		m[n] = scanName{kind: scanFrame}
	}
	for n := range faultNames {
		m[n] = scanName{kind: scanFault, fault: n}
	}
	for n := range armFaultNames {
		m[n] = scanName{kind: scanFault, fault: n}
	}
	for r := range core.Reg(core.NumRegs) {
		m[r.String()] = scanName{kind: scanRegister, reg: r}
	}
	for _, n := range []string{"r13", "r14", "r15", "cpsr", "psr", "sb", "sl", "fp", "ip"} {
		r, _ := core.LookupReg(n)
		m[n] = scanName{kind: scanRegister, reg: r}
	}
	for i := range 32 {
		for _, form := range []string{"r%02d", "r[%d]", "r[%02d]", "s[%d]", "s[%2d]"} {
			if r, ok := numbered(fmt.Sprintf(form, i)); ok {
				m[fmt.Sprintf(form, i)] = scanName{kind: scanRegister, reg: r}
			}
		}
	}
	for _, n := range []string{
		"a0", "a5", "a6", "a7", "ra", "mepc", "mcause", "mtval", "excvaddr", "exccause", "x0", "x29", "x30", "elr", "esr", "rip", "rsp", "eip",
	} {
		m[n] = scanName{kind: scanOther}
	}
	for i := range core.Reg(8) { // AAPCS32, 6.1.1
		m[fmt.Sprintf("v%d", i+1)] = scanName{kind: scanRegister, reg: core.R4 + i}
		if i < 4 {
			m[fmt.Sprintf("a%d", i+1)] = scanName{kind: scanRegister, reg: core.R0 + i}
		}
	}
	return m
}()
