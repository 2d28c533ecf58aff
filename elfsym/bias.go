package elfsym

import "debug/elf"

// move makes the addresses in the headers of f those of a program that was
// loaded bias away from where it is linked. What other parts of the file say
// in addresses is moved where it is read: symbols, DWARF, absolute pointers of
// call frame information. EHABI tables and .eh_frame say distances.
func move(f *elf.File, bias uint32) {
	if f.Entry != 0 {
		f.Entry = uint64(uint32(f.Entry) + bias)
	}
	for _, p := range f.Progs {
		p.Vaddr, p.Paddr = uint64(uint32(p.Vaddr)+bias), uint64(uint32(p.Paddr)+bias)
	}
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_ALLOC != 0 {
			s.Addr = uint64(uint32(s.Addr) + bias)
		}
	}
}

// Bias returns how far the image runs from where it is linked, see
// [Options.Bias].
func (m *Image) Bias() uint32 { return m.opt.Bias }

// Movable reports whether the program can be loaded elsewhere than where it is
// linked: it is of the ELF type of shared objects, ET_DYN.
func (m *Image) Movable() bool { return m.file.Type == elf.ET_DYN }

// HeadersAddr returns the address of the program headers in memory, which
// PT_PHDR states. Programs without an interpreter may lack it.
func (m *Image) HeadersAddr() (uint32, bool) {
	for _, p := range m.file.Progs {
		if p.Type == elf.PT_PHDR {
			return uint32(p.Vaddr), true
		}
	}
	return 0, false
}
