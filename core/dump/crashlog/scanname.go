package crashlog

import (
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

// lookupName returns what a name means. A name may have an owner before it:
// stacked_pc, ctx->lr, frame.r0, SCB->CFSR.
func lookupName(token string) scanName {
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
	switch name {
	case "exc_return", "excreturn", "exclr", "exc_lr", "exret", "exc_ret":
		return scanName{kind: scanReturn}
	case "excsp", "exc_sp", "exception_sp", "exceptionsp":
		return scanName{kind: scanFrame}
	case "spsr":
		return scanName{kind: scanRegister, reg: core.PSR}
	}
	if r, ok := numbered(name); ok {
		return scanName{kind: scanRegister, reg: r}
	}
	if r, ok := core.LookupReg(name); ok {
		return scanName{kind: scanRegister, reg: r}
	}
	if r, ok := apcsName(name); ok {
		return scanName{kind: scanRegister, reg: r}
	}
	if _, ok := faultNames[name]; ok {
		return scanName{kind: scanFault, fault: name}
	}
	if _, ok := armFaultNames[name]; ok {
		return scanName{kind: scanFault, fault: name}
	}
	return scanName{}
}

// apcsName reads the argument and variable registers of the procedure call
// standard: a1 to a4, v1 to v8 (AAPCS32, 6.1.1).
func apcsName(name string) (core.Reg, bool) {
	if len(name) != 2 {
		return core.NoReg, false
	}
	switch c := name[1]; {
	case name[0] == 'a' && c >= '1' && c <= '4':
		return core.R0 + core.Reg(c-'1'), true
	case name[0] == 'v' && c >= '1' && c <= '8':
		return core.R4 + core.Reg(c-'1'), true
	}
	return core.NoReg, false
}
