package cfi

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// RuleKind tells how the caller's value of a register is found (DWARF 5,
// section 6.4.1). The architectural kind does not occur.
type RuleKind uint8

// The register rules.
const (
	Undefined     RuleKind = iota // the value is lost; on the return register: there is no caller
	SameValue                     // the register still holds it
	Offset                        // saved at CFA+Offset
	ValOffset                     // it is CFA+Offset itself
	InRegister                    // the register Reg holds it
	Expression                    // saved at the address that Expr computes
	ValExpression                 // it is what Expr computes
)

// Rule says where the caller's value of a register is.
type Rule struct {
	Kind   RuleKind
	Reg    Register // of InRegister
	Offset int32    // of Offset and ValOffset, in bytes
	Expr   []byte   // of Expression and ValExpression: run it with the CFA on the stack
}

// String returns the rule in the notation of readelf's frame listings: "c-8"
// is saved at CFA-8, "v+8" is CFA+8, "u" undefined, "s" the same value.
func (r Rule) String() string {
	switch r.Kind {
	case Undefined:
		return "u"
	case SameValue:
		return "s"
	case Offset:
		return fmt.Sprintf("c%+d", r.Offset)
	case ValOffset:
		return fmt.Sprintf("v%+d", r.Offset)
	case InRegister:
		return r.Reg.String()
	case Expression:
		return "exp"
	case ValExpression:
		return "vexp"
	}
	return fmt.Sprintf("rule%d", uint8(r.Kind))
}

// RegRule is the rule of one register.
type RegRule struct {
	Reg  Register
	Rule Rule
}

// CFA says how to compute the canonical frame address: register plus offset,
// or an expression.
type CFA struct {
	Reg    Register
	Offset int32  // in bytes
	Expr   []byte // when not nil, the address that it computes; Reg and Offset are 0
}

// String returns "sp+8", or "exp" for an expression.
func (c CFA) String() string {
	if c.Expr != nil {
		return "exp"
	}
	return fmt.Sprintf("%v%+d", c.Reg, c.Offset)
}

// Row holds for the addresses from Start up to, without, End.
type Row struct {
	Start, End uint32
	CFA        CFA
	// Regs are the registers with a rule, in the order of their numbers. A
	// register without one follows the AAPCS: r4 to r11 and d8 to d15 are the
	// same value, r0 to r3, r12 and the others are lost. The slice is shared
	// with other rows.
	Regs []RegRule
	// ReturnReg is the register whose rule finds the return address, lr in
	// all code that compilers make.
	ReturnReg Register
}

// Rule returns the rule of a register; false means that it has none.
func (r Row) Rule(reg Register) (Rule, bool) {
	i, ok := searchRule(r.Regs, reg)
	if !ok {
		return Rule{}, false
	}
	return r.Regs[i].Rule, true
}

// String returns the row on one line: "08000100 sp+8 r7=c-8 lr=c-4".
func (r Row) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%08x %v", r.Start, r.CFA)
	for _, reg := range r.Regs {
		fmt.Fprintf(&b, " %v=%v", reg.Reg, reg.Rule)
	}
	return b.String()
}

func searchRule(rules []RegRule, reg Register) (int, bool) {
	return slices.BinarySearchFunc(rules, reg, func(r RegRule, n Register) int { return cmp.Compare(r.Reg, n) })
}
