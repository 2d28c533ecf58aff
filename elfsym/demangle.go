package elfsym

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// maxNameLog bounds demangled names to 1<<maxNameLog bytes: hostile mangled
// names expand exponentially.
const maxNameLog = 12

// Demangle returns the C++ or Rust name of a symbol without parameters, for
// people: "ns::Class::method". Other names are returned as they are.
func Demangle(name string) string {
	if !mangled(name) {
		return name
	}
	return demangle.Filter(name, demangle.MaxLength(maxNameLog), demangle.NoParams)
}

// mangled reports whether name begins like an Itanium C++ or a Rust name;
// what follows a private prefix or .cold suffix is left to the demangler.
func mangled(name string) bool {
	return strings.HasPrefix(name, "_Z") || strings.HasPrefix(name, "_R") || strings.HasPrefix(name, "__Z")
}

// readable returns the indices of the symbols that match accepts and whose
// demangled name, with or without parameters, is name. Demangling all symbols of
// a large program takes longer than all else that a crash needs: only those are
// looked at in whose names the last identifier of name occurs.
func (m *Image) readable(name string, match func(*symbol) bool) []int {
	within := encoded(name)
	if within == nil {
		return slices.DeleteFunc(slices.Clone(m.demangled()[name]), func(i int) bool {
			return !match(&m.symtab().symbols[i])
		})
	}
	var out []int
	for i := range m.symtab().symbols {
		s := &m.symtab().symbols[i]
		if !mangled(s.name) || !match(s) || !containsAny(s.name, within) {
			continue
		}
		if Demangle(s.name) == name || demangledFully(s.name) == name {
			out = append(out, i)
		}
	}
	return out
}

func containsAny(s string, list []string) bool {
	return slices.ContainsFunc(list, func(part string) bool { return strings.Contains(s, part) })
}

// encoded returns how the last identifier of a readable name occurs in mangled
// names: after its length (Itanium C++ ABI, 5.1.3 <source-name>), in Rust's v0
// scheme perhaps with a separator (RFC 2603, <undisambiguated-identifier>), in its
// older one with an underscore that is not shown. It is nil where it need not occur: in names of operators, of lambdas, of clones, and
// of what the ABI abbreviates (5.1.10).
func encoded(name string) []string {
	name, _, _ = strings.Cut(name, "(")
	last := name[strings.LastIndexByte(name, ':')+1:]
	plain := last != "" && strings.Trim(last, identifierBytes) == ""
	if !plain || strings.Contains(name, "operator") || slices.Contains(abbreviated, last) {
		return nil
	}
	length := strconv.Itoa(len(last))
	return []string{length + last, length + "_" + last, strconv.Itoa(len(last)+1) + "_" + last}
}

const identifierBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

// abbreviated are the last identifiers of names that substitutions stand for.
var abbreviated = []string{
	"allocator", "basic_string", "string", "basic_istream", "istream", "basic_ostream", "ostream", "basic_iostream", "iostream",
}

// demangledFully is Demangle with parameters.
func demangledFully(name string) string { return demangle.Filter(name, demangle.MaxLength(maxNameLog)) }

// demangledNames indexes symbols by their demangled names, with and without
// parameters.
func demangledNames(symbols []symbol) map[string][]int {
	out := make(map[string][]int)
	for i := range symbols {
		name := symbols[i].name
		if !mangled(name) {
			continue
		}
		short := Demangle(name)
		out[short] = append(out[short], i)
		if full := demangledFully(name); full != short {
			out[full] = append(out[full], i)
		}
	}
	return out
}
