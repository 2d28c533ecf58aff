package memmap

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"

	"pushmask/core"
)

// addressSpace is the number of bytes that 32 bits can address.
const addressSpace = 1 << 32

// ErrTop is returned for the part of a read that lies past the last address,
// 0xffffffff: addresses do not wrap. errors.Is(ErrTop, [core.ErrNoMemory]).
var ErrTop = fmt.Errorf("read passes the top of the address space: %w", core.ErrNoMemory)

// Region is a range of addresses. Size is in bytes, 1 to 1<<32; Addr+Size is
// at most 1<<32.
type Region struct {
	Addr core.Addr
	Size uint64
}

// End returns the address after the region's last byte, which for a region
// at the top of the address space is 1<<32.
func (r Region) End() uint64 { return uint64(r.Addr) + r.Size }

// Func adapts a function to [core.Memory].
type Func func(addr core.Addr, p []byte) (n int, err error)

// ReadAt implements [core.Memory].
func (f Func) ReadAt(addr core.Addr, p []byte) (int, error) { return f(addr, p) }

// Map is spliced memory. It implements [core.Memory]. The zero value is empty
// and ready to use. A Map may be used by several goroutines at once; one lock
// guards the list of regions and is not held while sources are read.
type Map struct {
	mu      sync.Mutex
	regions []region // in the order they were added
	spans   []span   // what is visible of regions; valid unless stale
	stale   bool
}

// region is what the user added.
type region struct {
	Region
	source core.Memory
}

// span is the part of a region that no later region covers.
type span struct {
	start, end uint64
	source     core.Memory
}

// AddBytes adds a region whose content is b. The map keeps b and does not
// copy it.
func (m *Map) AddBytes(addr core.Addr, b []byte) {
	m.AddReader(addr, uint64(len(b)), bytes.NewReader(b), 0)
}

// AddReader adds a region of size bytes whose content begins at offset off of
// r. Nothing is read before it is asked for. Where r ends early the rest of
// the region is a hole.
func (m *Map) AddReader(addr core.Addr, size uint64, r io.ReaderAt, off int64) {
	m.AddMemory(addr, size, readerSource{addr: addr, r: r, off: off})
}

// AddMemory adds a region of size bytes whose content is that of mem at the
// same addresses. Holes of mem stay holes: they do not show older regions.
// A region of size 0 adds nothing; one that would pass the top of the address
// space is cut there.
func (m *Map) AddMemory(addr core.Addr, size uint64, mem core.Memory) {
	size = min(size, addressSpace-uint64(addr))
	if size == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.regions = append(m.regions, region{Region{addr, size}, mem})
	m.stale = true
}

// visible returns the spans in ascending order. Callers must not change them.
func (m *Map) visible() []span {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stale {
		m.spans, m.stale = splice(m.regions), false
	}
	return m.spans
}

// Regions lists what is mapped, ascending, without overlaps; regions that
// touch are one.
func (m *Map) Regions() []Region {
	var out []Region
	for _, s := range m.visible() {
		if k := len(out); k > 0 && out[k-1].End() == s.start {
			out[k-1].Size += s.end - s.start
			continue
		}
		out = append(out, Region{core.Addr(s.start), s.end - s.start})
	}
	return out
}

// Contains reports whether each of the size bytes at addr is mapped. A size
// of 0 is contained where a byte at addr would be.
func (m *Map) Contains(addr core.Addr, size uint64) bool {
	spans := m.visible()
	pos, end := uint64(addr), uint64(addr)+max(size, 1)
	for _, s := range spans[search(spans, pos):] {
		if s.start > pos {
			return false
		}
		if pos = s.end; pos >= end {
			return true
		}
	}
	return false
}

// search returns the index of the first span that ends after pos.
func search(spans []span, pos uint64) int {
	i, _ := slices.BinarySearchFunc(spans, pos, func(s span, pos uint64) int {
		return cmp.Compare(s.end, pos+1)
	})
	return i
}

// ReadAt implements [core.Memory]. The length in its [*core.ReadError] runs to
// the next mapped byte or to the end of the request, whichever comes first.
// An error of a source that is not about missing memory is returned as it is,
// wrapped with the address.
func (m *Map) ReadAt(addr core.Addr, p []byte) (int, error) {
	spans := m.visible()
	pos := uint64(addr)
	end := min(pos+uint64(len(p)), addressSpace)
	n := 0
	for _, s := range spans[search(spans, pos):] {
		if pos >= end || s.start > pos {
			break
		}
		want := int(min(s.end, end) - pos)
		got, err := s.source.ReadAt(core.Addr(pos), p[n:n+want])
		n, pos = n+got, pos+uint64(got)
		if got < want {
			return n, shortRead(core.Addr(pos), want-got, err)
		}
	}
	switch {
	case pos < end:
		return n, hole(pos, nextMapped(spans, pos, end))
	case n < len(p):
		return n, ErrTop
	}
	return n, nil
}

// nextMapped returns the first mapped address from pos on, at most end.
func nextMapped(spans []span, pos, end uint64) uint64 {
	if i := search(spans, pos); i < len(spans) {
		return min(spans[i].start, end)
	}
	return end
}

// hole describes the unmapped bytes from start up to end.
func hole(start, end uint64) error {
	return &core.ReadError{Addr: core.Addr(start), Len: uint32(min(end-start, math.MaxUint32))}
}

// shortRead turns what a source said about a read that missed its last bytes
// into an error for those bytes.
func shortRead(addr core.Addr, missing int, err error) error {
	if re, ok := errors.AsType[*core.ReadError](err); ok {
		return re
	}
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &core.ReadError{Addr: addr, Len: uint32(missing)}
	}
	return fmt.Errorf("read memory at %v: %w", addr, err)
}
