package elfsym

import (
	"cmp"
	"debug/elf"
	"errors"
	"slices"
	"strings"

	"pushmask/internal/cursor"
)

// symbol is a named symbol that lies in an allocated section, or is absolute.
type symbol struct {
	name    string
	addr    uint32 // bit 0 of functions cleared
	size    uint32
	section uint16 // index of the section, SHN_ABS for absolute symbols
	typ     elf.SymType
	bind    elf.SymBind
	thumb   bool // STT_FUNC with bit 0 of the value set
}

// isFunc reports whether the symbol table itself calls this a function.
func (s *symbol) isFunc() bool { return s.typ == elf.STT_FUNC || s.typ == elf.STT_GNU_IFUNC }

// end returns the first address past the symbol, capped at the address space.
func (s *symbol) end() uint32 { return clampEnd(s.addr, s.size) }

func clampEnd(addr, size uint32) uint32 { return uint32(min(uint64(addr)+uint64(size), 1<<32-1)) }

// mapping is a mapping symbol: the state of code from addr on.
type mapping struct {
	addr  uint32
	state State
}

// symbolTable is a parsed .symtab (or .dynsym where that is all there is).
type symbolTable struct {
	symbols []symbol // sorted by address
	// mapping is sorted by address. Section ends are in it as StateUnknown,
	// so that a state does not leak into what follows a section.
	mapping []mapping
	// joints are addresses where a mapping symbol repeats the state that
	// already holds: assemblers emit one at the start of each section of each
	// object, so this is where the linker joined two of them.
	joints []uint32
}

// parseSymbols reads the symbol table of f. Symbols of sections that are not
// loaded, undefined symbols, and section and file symbols are left out.
func (m *Image) parseSymbols(f *elf.File) (*symbolTable, error) {
	t := &symbolTable{}
	sec := f.SectionByType(elf.SHT_SYMTAB)
	if sec == nil {
		sec = f.SectionByType(elf.SHT_DYNSYM)
	}
	if sec == nil {
		return t, nil
	}
	if sec.Flags&elf.SHF_COMPRESSED != 0 {
		return t, errors.New("read symbol table: it is compressed")
	}
	data, err := sectionData(sec)
	if err != nil {
		return t, err
	}
	if sec.Link == 0 || uint64(sec.Link) >= uint64(len(f.Sections)) {
		return t, errors.New("read symbol table: it names no string table")
	}
	names, err := sectionData(f.Sections[sec.Link])
	if err != nil {
		return t, err
	}
	t.read(data, string(names), m.opt.Bias, m.regions)
	t.finish(m.regions)
	return t, nil
}

// read decodes the entries (System V ABI, "Symbol Table": name, value, size,
// info, other, section index). Absolute symbols do not move with the image.
func (t *symbolTable) read(data []byte, names string, bias uint32, regions []region) {
	t.symbols = make([]symbol, 0, len(data)/symSize)
	c := cursor.New("symbol table", data)
	for c.Len() >= symSize {
		nameOff, value, size, info := c.U32(), c.U32(), c.U32(), c.U8()
		c.U8()
		shndx := c.U16()
		if elf.SectionIndex(shndx) != elf.SHN_ABS {
			value += bias
		}
		s := symbol{
			name: stringAt(names, nameOff), addr: value, size: size, section: shndx,
			typ: elf.ST_TYPE(info), bind: elf.ST_BIND(info),
		}
		if s.name == "" || s.typ == elf.STT_SECTION || s.typ == elf.STT_FILE || s.typ == elf.STT_TLS {
			continue
		}
		if s.isFunc() {
			s.thumb, s.addr = value&1 != 0, value&^1
		}
		if !s.placed(regions) {
			continue
		}
		if state, ok := mappingState(s.name); ok && s.bind == elf.STB_LOCAL {
			t.mapping = append(t.mapping, mapping{s.addr, state})
			continue
		}
		t.symbols = append(t.symbols, s)
	}
}

// placed reports whether the symbol's section is loaded and contains it. A
// symbol at a section's end (_etext) counts as contained.
func (s *symbol) placed(regions []region) bool {
	if elf.SectionIndex(s.section) == elf.SHN_ABS {
		return true
	}
	if s.section == 0 || int(s.section) >= len(regions) {
		return false
	}
	r := regions[s.section]
	return r.end != 0 && s.addr >= r.start && s.addr <= r.end
}

// mappingState recognises mapping symbols: $a, $t, $d, optionally followed by
// a period and anything (ELF for the Arm Architecture, "Mapping symbols").
func mappingState(name string) (State, bool) {
	if len(name) < 2 || name[0] != '$' || len(name) > 2 && name[2] != '.' {
		return StateUnknown, false
	}
	switch name[1] {
	case 't':
		return StateThumb, true
	case 'a':
		return StateARM, true
	case 'd':
		return StateData, true
	}
	return StateUnknown, false
}

func stringAt(table string, off uint32) string {
	if uint64(off) >= uint64(len(table)) {
		return ""
	}
	s := table[off:]
	if n := strings.IndexByte(s, 0); n >= 0 {
		return s[:n]
	}
	return s
}

// finish sorts the table and derives joints and section ends.
func (t *symbolTable) finish(regions []region) {
	slices.SortStableFunc(t.symbols, func(a, b symbol) int { return cmp.Compare(a.addr, b.addr) })
	slices.SortStableFunc(t.mapping, func(a, b mapping) int { return cmp.Compare(a.addr, b.addr) })
	for i := 1; i < len(t.mapping); i++ {
		if a, b := t.mapping[i-1], t.mapping[i]; a.state == b.state && a.addr != b.addr {
			t.joints = append(t.joints, b.addr)
		}
	}
	if len(t.mapping) == 0 {
		return
	}
	var ends []mapping
	for _, r := range regions {
		if r.end != 0 {
			ends = append(ends, mapping{r.end, StateUnknown})
		}
	}
	// Ends go first so that a section that begins at the end of another wins.
	t.mapping = append(ends, t.mapping...)
	slices.SortStableFunc(t.mapping, func(a, b mapping) int { return cmp.Compare(a.addr, b.addr) })
}

// stateAt returns the state of the last mapping symbol at or before addr.
func (t *symbolTable) stateAt(addr uint32) State {
	i, _ := slices.BinarySearchFunc(t.mapping, uint64(addr)+1, func(m mapping, a uint64) int {
		return cmp.Compare(uint64(m.addr), a)
	})
	if i == 0 {
		return StateUnknown
	}
	return t.mapping[i-1].state
}

// at returns the symbols whose address is addr.
func (t *symbolTable) at(addr uint32) []symbol {
	i, _ := slices.BinarySearchFunc(t.symbols, addr, func(s symbol, a uint32) int { return cmp.Compare(s.addr, a) })
	j := i
	for j < len(t.symbols) && t.symbols[j].addr == addr {
		j++
	}
	return t.symbols[i:j]
}
