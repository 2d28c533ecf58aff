package elfsym

import (
	"cmp"
	"debug/elf"
	"slices"
	"strings"
)

// Variables returns the variables with the given name, in the order of their
// addresses: several where files have statics of one name. Names that a
// compiler made unique are found by what they were, after names that are as in
// the source: "x.lto_priv.0" (link-time optimisation), "x.llvm.4711" (ThinLTO),
// "x.1" (statics of functions). C++ names are found as in [Image.Lookup].
func (m *Image) Variables(name string) []Symbol {
	var out []Symbol
	t := m.symtab()
	for _, i := range m.variables()[name] {
		out = append(out, t.symbols[i].export())
	}
	if len(out) > 0 {
		return out
	}
	for _, i := range m.readable(name, (*symbol).isVariable) {
		out = append(out, t.symbols[i].export())
	}
	return out
}

// EachVariable calls f with every variable of the symbol table in the order of
// addresses until f returns false.
func (m *Image) EachVariable(f func(Symbol) bool) {
	t := m.symtab()
	for i := range t.symbols {
		if s := &t.symbols[i]; s.isVariable() && !f(s.export()) {
			return
		}
	}
}

// isVariable reports whether a symbol can be a variable: assemblers and linker
// scripts leave the type of theirs out.
func (s *symbol) isVariable() bool { return s.typ == elf.STT_OBJECT || s.typ == elf.STT_NOTYPE }

// variableIndex lists the variables by the name that the source has.
func variableIndex(symbols []symbol) map[string][]int {
	index := make(map[string][]int)
	for i := range symbols {
		if s := &symbols[i]; s.isVariable() {
			name := sourceName(s.name)
			index[name] = append(index[name], i)
		}
	}
	for _, list := range index {
		// A name as it is in the source counts before one that was made unique.
		slices.SortStableFunc(list, func(a, b int) int {
			return cmp.Compare(strings.Count(symbols[a].name, "."), strings.Count(symbols[b].name, "."))
		})
	}
	return index
}

// sourceName cuts off what compilers append to make a local name unique.
func sourceName(name string) string {
	base, suffix, ok := strings.Cut(name, ".")
	if !ok || base == "" {
		return name
	}
	for part := range strings.SplitSeq(suffix, ".") {
		if part != "lto_priv" && part != "llvm" && strings.Trim(part, "0123456789") != "" {
			return name
		}
	}
	return base
}
