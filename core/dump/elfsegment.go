package dump

import (
	"fmt"
	"math"

	"pushmask/core"
	"pushmask/internal/cursor"
)

// Values of the program header table (gABI, "Program Header").
const (
	segmentSize = 32 // bytes of an Elf32_Phdr
	ptLoad      = 1
	ptNote      = 4
	pnXNum      = 0xffff // e_phnum: the count is sh_info of section 0
)

// maxSegments bounds the program headers that are read. Linux limits a
// process to 65530 mappings.
const maxSegments = 1 << 17

// segment is a program header.
type segment struct {
	typ           uint32
	offset        uint32
	vaddr         core.Addr
	filesz, memsz uint32
}

// saved returns how many bytes of the segment the file really has.
func (s segment) saved(fileSize int64) uint32 {
	return uint32(min(int64(s.filesz), max(fileSize-int64(s.offset), 0)))
}

// readSegments reads the program header table, which a core must have.
func (e *elfCore) readSegments() error {
	h := e.header
	count, err := e.segmentCount()
	if err != nil {
		return err
	}
	if count == 0 {
		return &FormatError{elfFormat, 44, "there are no program headers", nil}
	}
	if h.phentsize != segmentSize {
		return &FormatError{elfFormat, 42, fmt.Sprintf("program headers have %d bytes, not %d", h.phentsize, segmentSize), nil}
	}
	table, err := e.in.read(int64(h.phoff), int64(min(count, maxSegments))*segmentSize)
	if err != nil {
		return &FormatError{elfFormat, int64(h.phoff), "the program headers cannot be read", err}
	}
	if len(table) < segmentSize {
		return &FormatError{elfFormat, int64(h.phoff), "the file ends before the first program header", nil}
	}
	c := cursor.New("ELF core", table)
	for c.Len() >= segmentSize {
		s := segment{typ: c.U32(), offset: c.U32(), vaddr: core.Addr(c.U32())}
		c.Skip(4) // p_paddr
		s.filesz, s.memsz = c.U32(), c.U32()
		c.Skip(8) // p_flags, p_align
		if s.typ == ptLoad && s.memsz != 0 && s.filesz > s.memsz {
			e.d.warnf("the segment at %v has %d bytes in the file for %d bytes of memory: the rest is left out", s.vaddr, s.filesz, s.memsz)
			s.filesz = s.memsz
		}
		e.segments = append(e.segments, s)
	}
	if got := len(e.segments); uint64(got) < uint64(count) {
		e.d.warnf("only %d of %d program headers could be read: the file is truncated or damaged", got, count)
	}
	return nil
}

// segmentCount returns the number of program headers (gABI, e_phnum and
// PN_XNUM).
func (e *elfCore) segmentCount() (uint32, error) {
	if e.header.phnum != pnXNum {
		return uint32(e.header.phnum), nil
	}
	const infoOffset = 28 // sh_info in an Elf32_Shdr
	b, err := e.in.read(int64(e.header.shoff)+infoOffset, 4)
	if err != nil {
		return 0, &FormatError{elfFormat, int64(e.header.shoff), "section header 0 cannot be read", err}
	}
	if e.header.shoff == 0 || len(b) < 4 {
		e.d.warnf("the number of program headers is in section header 0, which the file does not have: taking %d", pnXNum)
		return pnXNum, nil
	}
	c := cursor.New("ELF core", b)
	return c.U32(), nil
}

// mapMemory maps the loadable segments. Where two overlap, the first in the
// file wins: NuttX writes the stacks, taken from the tasks, before the whole
// RAM that holds them. Only bytes that the file really has take part.
func (e *elfCore) mapMemory() {
	var missing uint64
	var firstMissing core.Addr
	for i := len(e.segments) - 1; i >= 0; i-- {
		s := e.segments[i]
		if s.typ != ptLoad {
			continue
		}
		saved := s.saved(e.in.size)
		e.d.mem.AddReader(s.vaddr, uint64(saved), e.in.r, int64(s.offset))
		if saved < s.filesz {
			missing, firstMissing = missing+uint64(s.filesz-saved), s.vaddr+core.Addr(saved)
		}
		if uint64(s.vaddr)+uint64(saved) > math.MaxUint32+1 {
			e.d.warnf("the segment at %v passes the top of the address space and is cut there", s.vaddr)
		}
	}
	if missing > 0 {
		e.d.warnf("the file is truncated: %d bytes of memory are missing, the first at %v", missing, firstMissing)
	}
	e.listUnsaved()
}

// listUnsaved lists the memory of segments that the file was not meant to
// have: p_memsz above p_filesz.
func (e *elfCore) listUnsaved() {
	for _, s := range e.segments {
		start := uint64(s.vaddr) + uint64(s.filesz)
		end := min(uint64(s.vaddr)+uint64(s.memsz), math.MaxUint32+1)
		if s.typ == ptLoad && start < end {
			e.d.Unsaved = append(e.d.Unsaved, Region{core.Addr(start), uint32(end - start)})
		}
	}
}
