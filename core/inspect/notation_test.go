package inspect_test

import (
	"regexp"
	"strconv"
	"strings"
)

// sameLeaf compares what two debuggers show of a scalar. A variable that has no
// value is not there, whether it is listed or not.
func sameLeaf(ours, theirs string) bool {
	if ours == noVariable && (theirs == "<optimized out>" || strings.HasPrefix(theirs, "<error> Invalid ")) || theirs == "<error> no such vector element" && ours == "(none) <optimized out>" {
		return true
	}
	if ours == "nullptr" && theirs == "NULL" {
		return true
	}
	if f := methodName.FindString(ours); f != "" && f == methodName.FindString(theirs) {
		return true
	}
	x, err := strconv.ParseFloat(ours, 64)
	y, err2 := strconv.ParseFloat(theirs, 64)
	return ours == theirs || err == nil && err2 == nil && (x == y || x != x && y != y)
}

// sameType compares the names of types by what they mean. gdb writes the
// arguments of templates in its own spelling of C's types, types of C without their
// tags where the program is C++, "this" of some compilers as a constant,
// functions without named parameters as (void), complex numbers in several ways, whose
// parts are compared for themselves, and all pointers of Rust as *mut.
func sameType(ours, theirs string) bool {
	if ours == theirs {
		return true
	}
	if bare := untagged.Replace(theirs); bare == theirs || strings.Contains(theirs, "::") {
		ours, theirs = untagged.Replace(ours), bare
	}
	return plainType(ours) == plainType(theirs)
}

// plainType writes a type without what the notation of debuggers differs in.
func plainType(name string) string {
	name = complexType.ReplaceAllString(name, "complex")
	name = rustPointer.ReplaceAllString(name, "*mut $1")
	name = rustFunction.ReplaceAllString(name, "fn ")
	return canonical.Replace(name)
}

var (
	// methodName is what a pointer to a member function points to, without parameters.
	methodName   = regexp.MustCompile(`(?:<|&virtual )[\w:]+`)
	complexType  = regexp.MustCompile(`^(?:double complex|_Complex \w+|complex \w+)$`)
	rustPointer  = regexp.MustCompile(`(?:&mut |\*const |&)([\w(\[<])`)
	rustFunction = regexp.MustCompile(`(?:\*mut )?(?:unsafe )?(?:extern "C" )?\bfn ?`)
)

var canonical = strings.NewReplacer(
	"long unsigned int", "unsigned long", "short unsigned int", "unsigned short", "short int", "short", "long int", "long",
	"unsigned int", "unsigned", " >", ">", "> ", ">", " * const)", "*)", " * const,", "*,", "::* const", "::*", " *", "*", " &", "&", "const int", "int const", "(void)", "()", "(...)", "()",
	"0U", "0u", "1U", "1u", "2U", "2u", "3U", "3u", "4U", "4u", "5U", "5u", "6U", "6u", "7U", "7u", "8U", "8u", "9U", "9u")

var untagged = strings.NewReplacer("struct ", "", "union ", "", "enum ", "", "class ", "")
