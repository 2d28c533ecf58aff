package elfsym

import (
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
		if full := demangle.Filter(name, demangle.MaxLength(maxNameLog)); full != short {
			out[full] = append(out[full], i)
		}
	}
	return out
}
