package elfsym

import (
	"cmp"
	"slices"
)

// objectTable answers which symbol contains an address.
type objectTable struct {
	symbols []*symbol // best alias for each address, sorted
	outer   []int     // as in functionTable
}

// newObjectTable indexes symbols, which are sorted by address.
func newObjectTable(symbols []symbol) *objectTable {
	t := &objectTable{}
	for i := 0; i < len(symbols); {
		j := i + 1
		for j < len(symbols) && symbols[j].addr == symbols[i].addr {
			j++
		}
		best := bestAlias(symbols[i:j])
		o := len(t.symbols) - 1
		for o >= 0 && t.symbols[o].end() <= best.end() {
			o = t.outer[o]
		}
		t.symbols, t.outer = append(t.symbols, best), append(t.outer, o)
		i = j
	}
	return t
}

// at returns the innermost symbol that contains addr; symbols without a size
// contain their own address only.
func (t *objectTable) at(addr uint32) (*symbol, bool) {
	i, found := slices.BinarySearchFunc(t.symbols, addr, func(s *symbol, a uint32) int { return cmp.Compare(s.addr, a) })
	if found {
		return t.symbols[i], true
	}
	i--
	for i >= 0 && addr >= t.symbols[i].end() {
		i = t.outer[i]
	}
	if i < 0 {
		return nil, false
	}
	return t.symbols[i], true
}

// SymbolAt returns the symbol of any kind that contains addr: the function
// where there is one, else the innermost variable, else a label at addr itself.
func (m *Image) SymbolAt(addr uint32) (Symbol, bool) {
	if f, ok := m.FuncAt(addr); ok {
		return Symbol{Name: f.Name, Addr: f.Entry, Size: f.End - f.Entry, Func: true}, true
	}
	s, ok := m.objects().at(addr)
	if !ok {
		return Symbol{}, false
	}
	return s.export(), true
}

func (s *symbol) export() Symbol {
	return Symbol{Name: s.name, Addr: s.addr, Size: s.size, Func: s.isFunc()}
}

// Lookup returns the symbols with the given name, in the order of their
// addresses: as it is in the symbol table or, if there is none, demangled,
// with or without the parameter list.
func (m *Image) Lookup(name string) []Symbol {
	t := m.symtab()
	var out []Symbol
	for i := range t.symbols {
		if t.symbols[i].name == name {
			out = append(out, t.symbols[i].export())
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, i := range m.readable(name, func(*symbol) bool { return true }) {
		out = append(out, t.symbols[i].export())
	}
	return out
}
