package elfsym

import (
	"debug/elf"

	"pushmask/elfsym/die"
	"pushmask/elfsym/scope"
	"pushmask/elfsym/types"
)

// Scopes returns what the program declares according to its DWARF: variables,
// functions, types, and where they lie. It is nil where the image has no DWARF
// or must not use it ([Options].NoDebug).
func (m *Image) Scopes() *scope.Program { return m.scopes() }

// Types returns the types of the program, nil where the image has no DWARF.
func (m *Image) Types() *types.Reader {
	if p := m.Scopes(); p != nil {
		return p.Types
	}
	return nil
}

// openScopes makes the declarations of what openDebug read.
func (m *Image) openScopes() *scope.Program {
	d := m.debug()
	if d == nil || d.entries == nil {
		return nil
	}
	p := scope.New(d.entries, scopeImage{m, d})
	p.Types.AlternativeHalf = m.attributes.half == alternativeHalf
	return p
}

// locationLists reads the sections that only variables need.
func (m *Image) locationLists() (loc, loclists []byte) {
	for _, s := range m.file.Sections {
		if suffix := dwarfSuffix(s.Name); suffix != "loc" && suffix != "loclists" || s.Type == elf.SHT_NOBITS {
			continue
		}
		b, err := sectionData(s)
		if err != nil {
			m.report(err)
		} else if dwarfSuffix(s.Name) == "loc" {
			loc = b
		} else {
			loclists = b
		}
	}
	return loc, loclists
}

// scopeImage tells package scope what it has to know of the image.
type scopeImage struct {
	image *Image
	debug *debugInfo
}

// Bias implements scope.Image.
func (s scopeImage) Bias() uint32 { return s.image.opt.Bias }

// FunctionEntry implements scope.Image.
func (s scopeImage) FunctionEntry(pc uint32) (die.Offset, bool) {
	s.debug.mu.Lock()
	defer s.debug.mu.Unlock()
	fn, ok := s.debug.functionAt(pc)
	if !ok {
		return 0, false
	}
	return fn.value.offset, true
}

// HoldsData implements scope.Image. At the address 0 itself, where linkers put
// what they left out, a variable has to have a symbol.
func (s scopeImage) HoldsData(addr uint32) bool {
	m := s.image
	if _, ok := m.regionAt(addr); !ok {
		return false
	}
	if addr != m.opt.Bias {
		return true
	}
	for _, x := range m.symtab().at(addr) {
		if x.typ == elf.STT_OBJECT {
			return true
		}
	}
	return false
}

// SourceFile implements scope.Image.
func (s scopeImage) SourceFile(unit die.Offset, number int64) string {
	s.debug.mu.Lock()
	defer s.debug.mu.Unlock()
	u := s.debug.unitOf(unit)
	if u == nil {
		return ""
	}
	return s.debug.file(u, number)
}
