package elfsym

import (
	"cmp"
	"fmt"
	"slices"
)

// Problems returns the parts of the images that could not be read so far, see
// [Image.Problems].
func (s *Set) Problems() []error {
	var list []error
	for _, m := range s.Images() {
		list = append(list, m.Problems()...)
	}
	return list
}

// MProfile reports whether the main image is for an M-profile core.
func (s *Set) MProfile() bool { return !s.Empty() && s.Main().MProfile() }

// HasSymbols reports whether an image has symbols, see [Image.HasSymbols].
func (s *Set) HasSymbols() bool { return slices.ContainsFunc(s.Images(), (*Image).HasSymbols) }

// HasDebug reports whether an image has DWARF, see [Image.HasDebug].
func (s *Set) HasDebug() bool { return slices.ContainsFunc(s.Images(), (*Image).HasDebug) }

// Segments returns the segments of all images, cut to what belongs to each.
func (s *Set) Segments() []Segment {
	var list []Segment
	for _, m := range s.Images() {
		if len(s.images) == 1 {
			return m.Segments()
		}
		for _, g := range m.Segments() {
			list = append(list, s.cut(m, &g)...)
		}
	}
	return list
}

// cut returns the parts of a segment that belong to its image.
func (s *Set) cut(m *Image, g *Segment) []Segment {
	var list []Segment
	from, to := uint64(g.Addr), uint64(g.Addr)+uint64(g.MemSize)
	for _, r := range s.ownedIn(from, to) {
		if r.value != m {
			continue
		}
		lo, hi := max(from, uint64(r.lo)), min(to, end(r.hi))
		skipped := uint32(lo - from)
		part := *g
		part.Addr, part.PhysAddr, part.Offset = uint32(lo), g.PhysAddr+skipped, g.Offset+skipped
		part.MemSize = uint32(hi - lo)
		part.FileSize = min(part.MemSize, g.FileSize-min(g.FileSize, skipped))
		list = append(list, part)
	}
	return list
}

// ReadAt reads bytes of the images' files as [Image.ReadAt] does, each from the
// image that its address belongs to.
func (s *Set) ReadAt(addr uint32, p []byte) (int, error) {
	n := 0
	for n < len(p) {
		at := uint64(addr) + uint64(n)
		m, room := s.run(at, len(p)-n)
		if m == nil {
			return n, fmt.Errorf("read at %#08x: %w", at, ErrNoBytes)
		}
		k, err := m.ReadAt(uint32(at), p[n:n+room])
		if n += k; err != nil {
			return n, err
		}
	}
	return n, nil
}

// run returns the image of an address, nil for none, and how many bytes of most
// from there on are of the same.
func (s *Set) run(at uint64, most int) (*Image, int) {
	if len(s.Images()) == 1 {
		return s.images[0], most
	}
	if s.Empty() || at >= 1<<32 {
		return nil, 0
	}
	r := s.ownedIn(at, at+1)
	if len(r) == 0 {
		return nil, 0
	}
	return r[0].value, int(min(uint64(most), end(r[0].hi)-at))
}

// State returns what the mapping symbols say about addr, see [Image.State].
func (s *Set) State(addr uint32) State {
	for _, m := range s.asked(addr) {
		if state := m.State(addr); state != StateUnknown {
			return state
		}
	}
	return StateUnknown
}

// FuncAt returns the function that contains pc, see [Image.FuncAt].
func (s *Set) FuncAt(pc uint32) (Func, bool) {
	for _, m := range s.asked(pc) {
		if f, ok := m.FuncAt(pc); ok {
			return f, true
		}
	}
	return Func{}, false
}

// Functions returns the functions of all images sorted by Entry, see
// [Image.Functions].
func (s *Set) Functions() []Func {
	var list []Func
	for _, m := range s.Images() {
		for _, f := range m.functions().funcs {
			if s.has(m, f.Entry) {
				list = append(list, f)
			}
		}
	}
	if len(s.Images()) > 1 {
		slices.SortStableFunc(list, func(a, b Func) int { return cmp.Compare(a.Entry, b.Entry) })
		list = slices.CompactFunc(list, func(a, b Func) bool { return a.Entry == b.Entry })
	}
	return list
}

// Locate returns the source positions of the instruction at pc, see
// [Image.Locate].
func (s *Set) Locate(pc uint32) []Location {
	for _, m := range s.asked(pc) {
		if chain := m.Locate(pc); chain != nil {
			return chain
		}
	}
	return nil
}

// InlinedAt returns the inlined calls that pc is in, see [Image.InlinedAt].
func (s *Set) InlinedAt(pc uint32) []InlinedCode {
	for _, m := range s.asked(pc) {
		if list := m.InlinedAt(pc); list != nil {
			return s.numbered(m, list)
		}
	}
	return nil
}

// Inlined returns the inlined calls of all images whose name match accepts, see
// [Image.Inlined].
func (s *Set) Inlined(match func(name string) bool) []InlinedCode {
	var list []InlinedCode
	for _, m := range s.Images() {
		list = append(list, s.numbered(m, slices.DeleteFunc(m.Inlined(match), func(c InlinedCode) bool {
			return !s.has(m, c.Entry)
		}))...)
	}
	return list
}

// numbered makes the IDs of an image's inlined calls those of the set.
func (s *Set) numbered(m *Image, list []InlinedCode) []InlinedCode {
	number := uint64(slices.Index(s.images, m)) << 32
	for i := range list {
		list[i].ID |= number
	}
	return list
}

// SymbolAt returns the symbol that contains addr, see [Image.SymbolAt].
func (s *Set) SymbolAt(addr uint32) (Symbol, bool) {
	for _, m := range s.asked(addr) {
		if sym, ok := m.SymbolAt(addr); ok {
			return sym, true
		}
	}
	return Symbol{}, false
}

// Lookup returns the symbols with the given name, those of the main image first,
// see [Image.Lookup]. A symbol at an address of another image is left out.
func (s *Set) Lookup(name string) []Symbol {
	return s.symbols(func(m *Image) []Symbol { return m.Lookup(name) })
}

// Variables returns the variables with the given name, those of the main image
// first, see [Image.Variables] and [Set.Lookup].
func (s *Set) Variables(name string) []Symbol {
	return s.symbols(func(m *Image) []Symbol { return m.Variables(name) })
}

func (s *Set) symbols(of func(*Image) []Symbol) []Symbol {
	var list []Symbol
	for _, m := range s.Images() {
		for _, sym := range of(m) {
			if s.has(m, sym.Addr) {
				list = append(list, sym)
			}
		}
	}
	return list
}

// EachVariable calls f with every variable of the images, those of the main
// image first, until f returns false.
func (s *Set) EachVariable(f func(Symbol) bool) {
	for _, m := range s.Images() {
		more := true
		m.EachVariable(func(v Symbol) bool {
			if s.has(m, v.Addr) {
				more = f(v)
			}
			return more
		})
		if !more {
			return
		}
	}
}
