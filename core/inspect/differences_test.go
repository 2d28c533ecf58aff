package inspect_test

import (
	"slices"
	"strings"

	"pushmask/core/inspect"
)

// explain returns the reviewed reason for a difference and whose value is more,
// "" for none.
func explain(d *difference) (reason string, ours bool) {
	for _, e := range oursIsMore {
		if e.applies(d) {
			return e.reason, true
		}
	}
	for _, e := range theirsIsMore {
		if e.applies(d) {
			return e.reason, false
		}
	}
	return "", false
}

// difference is a scalar that is not the same in gdb.
type difference struct {
	mine  inspect.Leaf
	whole inspect.Leaf // the variable that it is a part of
	gdb   gdbLeaf
	// isSame says that the values are equal, and only the types differ.
	isSame bool
}

// explanation is a kind of difference.
type explanation struct {
	reason  string
	applies func(d *difference) bool
}

// oursIsMore are the differences where gdb shows what is not true, or nothing.
var oursIsMore = []explanation{
	{"gdb cannot read registers of the FPU from a core of M-profile", func(d *difference) bool {
		return strings.HasPrefix(d.gdb.value, "<error> Unable to access DWARF register number ")
	}},
	{"gdb takes registers that a call may change for unchanged", func(d *difference) bool {
		return strings.HasPrefix(d.mine.Value, "<lost ")
	}},
	{"gdb takes registers that a call may change for unchanged: the value at entry is in one", func(d *difference) bool {
		return d.mine.Value == "<optimized out>" && d.gdb.variable == "seed#0" && d.gdb.typ == "float"
	}},
	{"gdb cannot find the name", func(d *difference) bool {
		for _, e := range []string{"A syntax error", "overlong character literal", `No symbol "anonymous"`} {
			if strings.HasPrefix(d.gdb.value, "<error> "+e) {
				return true
			}
		}
		return false
	}},
	{"gdb takes std::nullptr_t for int, or for void", func(d *difference) bool {
		return d.mine.Type == "decltype(nullptr)" && d.gdb.typ == "int" || d.mine.Value == "0" && d.mine.Type == "std::nullptr_t"
	}},
	{"gdb does not know how _Accum and _Fract are scaled, as DWARF does not say that", func(d *difference) bool {
		return strings.HasSuffix(d.mine.Type, " _Accum") || strings.HasSuffix(d.mine.Type, " _Fract") || d.mine.Type == "_Accum" || d.mine.Type == "_Fract"
	}},
	{"gdb does not know the operators __real__ and __imag__", func(d *difference) bool {
		return strings.HasPrefix(d.gdb.value, `<error> No symbol "__real__"`) || strings.HasPrefix(d.gdb.value, `<error> No symbol "__imag__"`)
	}},
	{"gdb does not know complex numbers with integer parts", func(d *difference) bool {
		return (d.gdb.value == "<kind> 14" || strings.HasSuffix(d.gdb.value, "has unknown type; cast it to its declared type")) && (d.mine.Type == "complex int" || d.whole.Type == "__unknown__" || d.whole.Type == "complex int")
	}},
	{"gdb takes a length that was optimized out for 1", func(d *difference) bool {
		const length, textLength = "[5]", "[6]" // in the program
		return strings.HasSuffix(d.gdb.outer, "[1]") && (d.whole.Value == "<the length was optimized out>" ||
			d.isSame && (strings.HasSuffix(d.whole.Type, length) || strings.HasSuffix(d.whole.Type, textLength)))
	}},
	{"gdb does not compute the length of an array that was optimized out", func(d *difference) bool {
		return strings.Contains(d.gdb.outer, "[variable length]") && d.isSame
	}},
	{"gdb does not follow a pointer to an array of variable length that was optimized out", func(d *difference) bool {
		return strings.HasPrefix(d.gdb.value, "<error> access outside bounds of object referenced via synthetic pointer")
	}},
	{"gdb takes what follows the last piece of a variable for 0: grid[2][1] is 10 and packed.real 2.5", func(d *difference) bool {
		return d.mine.Value == "<optimized out>" && slices.Contains([]string{"0", "0.0", "<synthetic pointer>"}, d.gdb.value) && d.whole.Value != d.mine.Value && d.gdb.path != ""
	}},
	{"gdb takes the argument of an earlier call: the program passes 1 here", func(d *difference) bool {
		return d.gdb.variable == "low#0" && d.gdb.value == "0" && d.mine.Value == "1"
	}},
	{"gdb cuts a constant of 8 bytes to the size of an address", func(d *difference) bool {
		return d.gdb.variable == "local#0" && d.gdb.path == ".d" && d.gdb.value == "0.0" && d.mine.Value == "-0.5"
	}},
	{"gdb takes the type of another declaration of the handler", func(d *difference) bool {
		return d.isSame && d.gdb.variable == "__cxxabiv1::__unexpected_handler"
	}},
	{"gdb finds a function that the linker left out at address 0", func(d *difference) bool {
		return d.mine.Value == noVariable && d.gdb.frame > 0 && d.gdb.value == "9"
	}},
	{"gdb lists a variable of a block that the PC is not in", func(d *difference) bool {
		return d.mine.Value == noVariable && d.gdb.frame >= 0 && strings.HasPrefix(d.gdb.value, "<error> Cannot access memory")
	}},
}

// theirsIsMore are the differences where gdb shows more.
var theirsIsMore = []explanation{}
