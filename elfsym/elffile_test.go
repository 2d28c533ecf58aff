package elfsym_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"testing"

	"pushmask/elfsym"
)

// elfFile describes an ELF32 file that a test wants. It is written without
// any code of the reader.
type elfFile struct {
	typ      elf.Type    // 0 means ET_EXEC
	machine  elf.Machine // 0 means EM_ARM
	entry    uint32
	sections []elfSection
	symbols  []elfSymbol
}

type elfSection struct {
	name  string
	typ   elf.SectionType // 0 means SHT_PROGBITS
	flags elf.SectionFlag
	addr  uint32
	lma   uint32 // 0 means addr
	data  []byte
	size  uint32 // of SHT_NOBITS
}

type elfSymbol struct {
	name    string
	value   uint32
	size    uint32
	typ     elf.SymType
	bind    elf.SymBind
	section uint16 // index into elfFile.sections plus one
}

const codeFlags = elf.SHF_ALLOC | elf.SHF_EXECINSTR

// code returns a section of n bytes of T32 NOPs.
func code(name string, addr uint32, n int) elfSection {
	return elfSection{name: name, flags: codeFlags, addr: addr, data: bytes.Repeat([]byte{0x00, 0xbf}, n/2)}
}

func fn(name string, value, size uint32) elfSymbol {
	return elfSymbol{name, value, size, elf.STT_FUNC, elf.STB_GLOBAL, 1}
}

func label(name string, value uint32) elfSymbol {
	return elfSymbol{name, value, 0, elf.STT_NOTYPE, elf.STB_LOCAL, 1}
}

// stringTable hands out offsets of names.
type stringTable struct{ b bytes.Buffer }

func (t *stringTable) add(s string) uint32 {
	if t.b.Len() == 0 {
		t.b.WriteByte(0)
	}
	off := t.b.Len()
	t.b.WriteString(s + "\x00")
	return uint32(off)
}

// bytes lays the file out: header, program headers, contents, section headers.
func (f elfFile) bytes() []byte {
	sections := append([]elfSection{{}}, f.sections...)
	if f.symbols != nil {
		symtab, strtab := f.symbolSections()
		sections = append(sections, symtab, strtab)
	}
	var names stringTable
	nameOffsets := make([]uint32, len(sections)+1)
	for i, s := range sections {
		nameOffsets[i] = names.add(s.name)
	}
	nameOffsets[len(sections)] = names.add(".shstrtab")
	sections = append(sections, elfSection{name: ".shstrtab", typ: elf.SHT_STRTAB, data: names.b.Bytes()})

	loads := 0
	for _, s := range sections {
		if s.flags&elf.SHF_ALLOC != 0 {
			loads++
		}
	}
	offset := uint32(52 + 32*loads)
	var progs, headers []uint32
	var body bytes.Buffer
	for i, s := range sections {
		size := s.size + uint32(len(s.data))
		typ := s.typ
		if i > 0 && typ == 0 {
			typ = elf.SHT_PROGBITS
		}
		link, entsize := uint32(0), uint32(0)
		if typ == elf.SHT_SYMTAB {
			link, entsize = uint32(i+1), 16
		}
		at := offset + uint32(body.Len())
		headers = append(headers, nameOffsets[i], uint32(typ), uint32(s.flags), s.addr, at, size, link, 0, 1, entsize)
		if s.flags&elf.SHF_ALLOC != 0 {
			lma, perm := s.lma, elf.PF_R
			if lma == 0 {
				lma = s.addr
			}
			if s.flags&elf.SHF_EXECINSTR != 0 {
				perm |= elf.PF_X
			}
			if s.flags&elf.SHF_WRITE != 0 {
				perm |= elf.PF_W
			}
			kind := elf.PT_LOAD
			if typ == elf.SHT_NOTE {
				kind = elf.PT_NOTE
			}
			progs = append(progs, uint32(kind), at, s.addr, lma, uint32(len(s.data)), size, uint32(perm), 4)
		}
		body.Write(s.data)
	}
	return f.assemble(progs, body.Bytes(), headers, offset)
}

func (f elfFile) assemble(progs []uint32, body []byte, headers []uint32, offset uint32) []byte {
	le := binary.LittleEndian
	typ, machine := f.typ, f.machine
	if typ == 0 {
		typ = elf.ET_EXEC
	}
	if machine == 0 {
		machine = elf.EM_ARM
	}
	out := append([]byte(elf.ELFMAG), 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	out = le.AppendUint16(out, uint16(typ))
	out = le.AppendUint16(out, uint16(machine))
	for _, v := range []uint32{1, f.entry, 52, offset + uint32(len(body)), 0x05000000} {
		out = le.AppendUint32(out, v)
	}
	shnum := uint16(len(headers) / 10)
	for _, v := range []uint16{52, 32, uint16(len(progs) / 8), 40, shnum, shnum - 1} {
		out = le.AppendUint16(out, v)
	}
	for _, v := range progs {
		out = le.AppendUint32(out, v)
	}
	out = append(out, body...)
	for _, v := range headers {
		out = le.AppendUint32(out, v)
	}
	return out
}

func (f elfFile) symbolSections() (symtab, strtab elfSection) {
	var names stringTable
	le := binary.LittleEndian
	b := make([]byte, 16)
	for _, s := range f.symbols {
		b = le.AppendUint32(b, names.add(s.name))
		b = le.AppendUint32(b, s.value)
		b = le.AppendUint32(b, s.size)
		b = append(b, byte(s.bind)<<4|byte(s.typ), 0)
		b = le.AppendUint16(b, s.section)
	}
	return elfSection{name: ".symtab", typ: elf.SHT_SYMTAB, data: b},
		elfSection{name: ".strtab", typ: elf.SHT_STRTAB, data: names.b.Bytes()}
}

// withoutSections removes the section headers, as sstrip does.
func withoutSections(b []byte) []byte {
	b = bytes.Clone(b)
	clear(b[32:36]) // e_shoff
	clear(b[48:52]) // e_shnum, e_shstrndx
	return b
}

// image opens the file.
func (f elfFile) image(t testing.TB) *elfsym.Image {
	t.Helper()
	m, err := elfsym.New(bytes.NewReader(f.bytes()), "test.elf", elfsym.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}
