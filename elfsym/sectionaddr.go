package elfsym

import "debug/elf"

// SectionAddr returns the address, moved by the bias, of the section with a name
// that is part of the program in memory; ok is false without one. Of several it is
// the first.
func (m *Image) SectionAddr(name string) (addr uint32, ok bool) {
	for _, s := range m.file.Sections {
		if s.Name == name && s.Flags&elf.SHF_ALLOC != 0 {
			return uint32(s.Addr), true
		}
	}
	return 0, false
}
