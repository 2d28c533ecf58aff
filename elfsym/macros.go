package elfsym

import (
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"sync"

	"pushmask/elfsym/die"
	"pushmask/elfsym/macro"
)

// Attributes that say where the macros of a unit are: DW_AT_macros of DWARF 5,
// DW_AT_GNU_macros of GNU's extension to DWARF 4, DW_AT_macro_info before.
const (
	attrMacros    dwarf.Attr = 0x79
	attrGNUMacros dwarf.Attr = 0x2119
)

// maxMacroUnits bounds the units whose macros are kept.
const maxMacroUnits = 32

// macros are what is known of macros of an image.
type macros struct {
	sections func() macro.Sections // at first use

	mu    sync.Mutex
	units map[die.Offset]*macro.Unit // nil for those without
}

// HasMacros reports whether a unit of [Image.Scopes] has recorded its macros.
func (m *Image) HasMacros(u *die.Unit) bool {
	d := m.debug()
	return d != nil && d.entries != nil && u != nil && m.macros.unit(m, u) != nil
}

// MacrosAt returns the macros that are defined at a line of a file in a unit of
// [Image.Scopes]; none where the unit has not recorded any. file is a path as
// [Location] has it, "" for all that the unit defines in the end.
func (m *Image) MacrosAt(u *die.Unit, file string, line int) macro.Scope {
	if !m.HasMacros(u) {
		return macro.Scope{}
	}
	names := scopeImage{m, m.debug()}
	return m.macros.unit(m, u).At(file, line, func(number uint64) string { return names.SourceFile(u.First, int64(min(number, 1<<31))) })
}

// unit returns the macros of a unit, nil for none.
func (x *macros) unit(m *Image, u *die.Unit) *macro.Unit {
	x.mu.Lock()
	defer x.mu.Unlock()
	if unit, ok := x.units[u.First]; ok {
		return unit
	}
	var unit *macro.Unit
	if start, ok := macroStart(u); ok {
		var err error
		if unit, err = macro.Read(x.sections(), start); err != nil {
			m.report(fmt.Errorf("read macros of the unit at %#x of %s: %w", u.Start, m.path, err))
		}
	}
	if x.units == nil || len(x.units) >= maxMacroUnits {
		x.units = make(map[die.Offset]*macro.Unit)
	}
	x.units[u.First] = unit
	return unit
}

// macroStart says where the macros of a unit are; false where it has none.
func macroStart(u *die.Unit) (macro.Start, bool) {
	root, err := u.Root()
	if err != nil {
		return macro.Start{}, false
	}
	start := macro.Start{Wide: u.Wide, StrOffsets: 8} // after a header (DWARF 5, 7.26)
	if u.Wide {
		start.StrOffsets = 16
	}
	if base, ok := root.Attr(dwarf.AttrStrOffsetsBase).SecOffset(); ok {
		start.StrOffsets = base
	}
	for _, attr := range []dwarf.Attr{attrMacros, attrGNUMacros, dwarf.AttrMacroInfo} {
		if off, ok := root.Attr(attr).SecOffset(); ok {
			start.Offset, start.Macinfo = off, attr == dwarf.AttrMacroInfo
			return start, true
		}
	}
	return start, false
}

// macroSections reads the sections that only macros need.
func (m *Image) macroSections() macro.Sections {
	var s macro.Sections
	if d := m.debug(); d != nil {
		shared := d.entries.Sections()
		s.Str, s.StrOffsets = shared.Str, shared.StrOffsets
	}
	parts := map[string]*[]byte{"macro": &s.Macro, "macinfo": &s.Macinfo}
	for _, section := range m.file.Sections {
		to, ok := parts[dwarfSuffix(section.Name)]
		if !ok || section.Type == elf.SHT_NOBITS {
			continue
		}
		b, err := sectionData(section)
		if err != nil {
			m.report(err)
			continue
		}
		*to = b
	}
	return s
}
