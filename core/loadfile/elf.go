package loadfile

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"

	"pushmask/core"
)

// parseELF takes the loadable segments of a program at their physical addresses:
// initial values of variables lie in flash (ELF, Program Header, p_paddr). As gdb
// and objcopy do, it leaves out what no section covers: linkers begin the first
// segment with the headers of the file.
func parseELF(data []byte) (program Program, err error) {
	defer func() { // debug/elf is not hardened against damaged files
		if v := recover(); v != nil {
			program, err = Program{}, fmt.Errorf("the ELF file is damaged: %v", v)
		}
	}()
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return Program{}, err
	}
	if f.Class != elf.ELFCLASS32 || f.Type != elf.ET_EXEC && f.Type != elf.ET_DYN {
		return Program{}, errors.New("it is no program of 32 bits")
	}
	total := uint64(0)
	for _, s := range f.Sections {
		if s.Type == elf.SHT_NOBITS || s.Flags&elf.SHF_ALLOC == 0 || s.Size == 0 {
			continue
		}
		p := loads(f, s)
		if p == nil {
			continue
		}
		if total += s.Size; total > maxSize {
			return Program{}, errors.New("the sections of the ELF file overlap")
		}
		part, err := section(s, p)
		if err != nil {
			return Program{}, err
		}
		program.Parts = append(program.Parts, part)
		if at := f.Entry &^ 1; at >= s.Addr && at < s.Addr+s.Size {
			entry := uint32(f.Entry)
			program.Entry = &entry
		}
	}
	if len(program.Parts) == 0 {
		return Program{}, errors.New("the ELF file has nothing to load")
	}
	return program, nil
}

// loads returns the segment that loads a section.
func loads(f *elf.File, s *elf.Section) *elf.Prog {
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && s.Offset >= p.Off && s.Offset-p.Off < p.Filesz && s.Size <= p.Filesz-(s.Offset-p.Off) {
			return p
		}
	}
	return nil
}

// section returns the content of a section where its segment has it loaded.
func section(s *elf.Section, p *elf.Prog) (Part, error) {
	at := p.Paddr + (s.Offset - p.Off)
	if at+s.Size > 1<<32 || at+s.Size < at {
		return Part{}, fmt.Errorf("section %s lies outside of the 32-bit address space", s.Name)
	}
	content, err := io.ReadAll(s.Open())
	if err == nil && uint64(len(content)) != s.Size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return Part{}, fmt.Errorf("read section %s: %w", s.Name, err)
	}
	return Part{core.Addr(at), content}, nil
}
