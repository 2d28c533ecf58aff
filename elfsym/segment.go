package elfsym

import (
	"debug/elf"
	"fmt"
	"io"
	"sync"
)

// segment is a PT_LOAD segment with its file-backed bytes, read at first use:
// unwinding reads code two bytes at a time.
type segment struct {
	Segment
	load func() ([]byte, error)
}

// maxSegments bounds the segments of an image: linkers make a handful, and the
// header has room for 65,535, which would be compared with each other.
const maxSegments = 1 << 10

func (m *Image) loadSegments(f *elf.File, size int64) error {
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD || p.Memsz == 0 && p.Filesz == 0 {
			continue
		}
		if len(m.segments) == maxSegments {
			m.report(fmt.Errorf("%s has more than %d segments, the others are left out", m.path, maxSegments))
			break
		}
		if p.Off+p.Filesz > uint64(size) {
			return headerCheck{m.path, size}.truncated(int64(p.Off), "segment at %#08x ends at %#x, the file at %#x",
				p.Vaddr, p.Off+p.Filesz, size)
		}
		// A segment may not wrap round the address space; keep what fits.
		room := 1<<32 - p.Vaddr
		s := Segment{
			Addr: uint32(p.Vaddr), PhysAddr: uint32(p.Paddr),
			FileSize: uint32(min(p.Filesz, room, 1<<32-1)), MemSize: uint32(min(p.Memsz, room, 1<<32-1)),
			Offset: uint32(p.Off),
			Read:   p.Flags&elf.PF_R != 0, Write: p.Flags&elf.PF_W != 0, Exec: p.Flags&elf.PF_X != 0,
		}
		m.segments = append(m.segments, segment{s, sync.OnceValues(func() ([]byte, error) {
			b := make([]byte, s.FileSize)
			if _, err := io.ReadFull(io.NewSectionReader(p, 0, int64(len(b))), b); err != nil {
				return nil, fmt.Errorf("read segment at %#08x of %s: %w", s.Addr, m.path, err)
			}
			return b, nil
		})})
	}
	return nil
}

// Segments returns the PT_LOAD segments in the order of the file.
func (m *Image) Segments() []Segment {
	out := make([]Segment, len(m.segments))
	for i := range m.segments {
		out[i] = m.segments[i].Segment
	}
	return out
}

// ReadAt reads file-backed bytes at the virtual address addr, the address the
// program runs at; bytes that only exist in memory (.bss) are absent. A read
// may cross adjacent segments. Where bytes are missing it returns the number
// of bytes before the hole and an error that wraps [ErrNoBytes].
func (m *Image) ReadAt(addr uint32, p []byte) (int, error) {
	n := 0
	for n < len(p) {
		at := uint64(addr) + uint64(n)
		s := m.backing(at)
		if s == nil {
			return n, fmt.Errorf("read %s at %#08x: %w", m.path, at, ErrNoBytes)
		}
		b, err := s.load()
		if err != nil {
			return n, err
		}
		n += copy(p[n:], b[at-uint64(s.Addr):])
	}
	return n, nil
}

// backing returns the segment that holds file bytes for addr; where segments
// overlap the first of the file wins, as in a loader's search.
func (m *Image) backing(addr uint64) *segment {
	for i := range m.segments {
		s := &m.segments[i]
		if addr >= uint64(s.Addr) && addr-uint64(s.Addr) < uint64(s.FileSize) {
			return s
		}
	}
	return nil
}

// executable reports whether addr lies in memory that the image calls code.
func (m *Image) executable(addr uint32) bool {
	for i := range m.segments {
		s := &m.segments[i]
		if s.Exec && addr >= s.Addr && addr-s.Addr < s.MemSize {
			return true
		}
	}
	return false
}
