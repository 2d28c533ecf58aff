package crashlog

import (
	"strconv"
	"strings"

	"pushmask/core"
)

// register returns the register that a name means, in the spellings of those
// that print one: r0, R00, r[0], r0/a1, s[ 0], LR [R14], r15/pc. "fp" is r11,
// as in the ARM procedure call standard; formats that mean r7 say so before
// they ask.
func register(name string) (core.Reg, bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	if r, ok := core.LookupReg(name); ok {
		return r, true
	}
	if r, ok := numbered(name); ok {
		return r, true
	}
	// Two names of one register: r0/a1, r14/lr, lr [r14], pc(r15).
	if first, second, ok := strings.Cut(oneSlash.Replace(name), "/"); ok {
		a, okA := core.LookupReg(strings.TrimSpace(first))
		b, okB := core.LookupReg(strings.TrimSpace(second))
		switch {
		case okA && (!okB || a == b):
			return a, true
		case okB && !okA && first == "":
			return b, true
		}
	}
	return core.NoReg, false
}

// oneSlash turns the signs between two names of a register into a slash.
var oneSlash = strings.NewReplacer("[", "/", "(", "/", "]", "", ")", "")

// numbered reads r00, r[0], s[ 0] and s[10].
func numbered(name string) (core.Reg, bool) {
	if len(name) < 2 || name[0] != 'r' && name[0] != 's' {
		return core.NoReg, false
	}
	digits := name[1:]
	if in, ok := strings.CutPrefix(digits, "["); ok {
		if digits, ok = strings.CutSuffix(in, "]"); !ok {
			return core.NoReg, false
		}
		digits = strings.TrimSpace(digits)
	}
	n, err := strconv.ParseUint(digits, 10, 8)
	switch {
	case err != nil || len(digits) > 2:
	case name[0] == 'r' && n < 16:
		return core.R0 + core.Reg(n), true
	case name[0] == 's' && n < 32:
		return core.S0 + core.Reg(n), true
	}
	return core.NoReg, false
}
