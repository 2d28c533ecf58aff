package elfsym

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
)

// Limits on what a compressed section may expand to: sections up to
// freeSectionSize always, larger ones up to maxExpansion times their size in
// the file, none beyond maxSectionSize. Debug sections of firmware shrink to a
// third, those full of zeros to a hundredth.
const (
	freeSectionSize = 16 << 20
	maxExpansion    = 100
	maxSectionSize  = 512 << 20
)

// region is an allocated section: where symbols of it may lie.
type region struct {
	start, end uint32 // end is the first address past it
	exec       bool
}

func (r region) contains(addr uint32) bool { return addr >= r.start && addr < r.end }

// loadRegions collects the allocated sections by section index; without
// section headers the segments stand in for them.
func (m *Image) loadRegions(f *elf.File) {
	m.regions = make([]region, len(f.Sections))
	for i, s := range f.Sections {
		if s.Flags&elf.SHF_ALLOC == 0 || s.Type == elf.SHT_NULL || s.Size == 0 {
			continue
		}
		end := min(s.Addr+s.Size, 1<<32-1)
		m.regions[i] = region{uint32(s.Addr), uint32(end), s.Flags&elf.SHF_EXECINSTR != 0}
	}
	if len(f.Sections) > 0 {
		return
	}
	for i := range m.segments {
		s := &m.segments[i]
		end := min(uint64(s.Addr)+uint64(s.MemSize), 1<<32-1)
		m.regions = append(m.regions, region{s.Addr, uint32(end), s.Exec})
	}
}

// regionAt returns the allocated section that contains addr. Executable ones
// are preferred: sections may overlap in images with overlays.
func (m *Image) regionAt(addr uint32) (region, bool) {
	var found region
	for _, r := range m.regions {
		if r.contains(addr) && (found.end == 0 || r.exec && !found.exec) {
			found = r
		}
	}
	return found, found.end != 0
}

// checkSections refuses sections that lie outside the file.
func (m *Image) checkSections(f *elf.File, size int64) error {
	for _, s := range f.Sections {
		if s.Type == elf.SHT_NOBITS || s.Type == elf.SHT_NULL {
			continue
		}
		if s.Offset+s.FileSize > uint64(size) {
			return headerCheck{m.path, size}.truncated(int64(s.Offset), "section %s ends at %#x, the file at %#x",
				s.Name, s.Offset+s.FileSize, size)
		}
	}
	return nil
}

// sectionData returns the content of a section, decompressed.
func sectionData(s *elf.Section) (b []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("read section %s: %w: %v", s.Name, ErrMalformed, p)
		}
	}()
	if s.Type == elf.SHT_NOBITS {
		return nil, fmt.Errorf("read section %s: it has no content", s.Name)
	}
	size := s.Size
	if s.Flags&elf.SHF_COMPRESSED == 0 && strings.HasPrefix(s.Name, ".zdebug") {
		// "ZLIB" and the size as a big-endian 64-bit number, the GNU
		// convention from before SHF_COMPRESSED.
		var h [12]byte
		if n, _ := s.ReadAt(h[:], 0); n == len(h) && string(h[:4]) == "ZLIB" {
			size = binary.BigEndian.Uint64(h[4:])
		}
	}
	if size > maxSectionSize || size > freeSectionSize && size/maxExpansion > s.FileSize {
		return nil, fmt.Errorf("read section %s: %w: %d bytes expand to %d", s.Name, ErrMalformed, s.FileSize, size)
	}
	b = make([]byte, size)
	n, err := io.ReadFull(s.Open(), b)
	if err != nil {
		return nil, fmt.Errorf("read section %s: after %d of %d bytes: %w", s.Name, n, size, err)
	}
	return b, nil
}
