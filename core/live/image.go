package live

import (
	"bytes"

	"pushmask/core"
)

// Range is the addresses from Addr on, Size bytes.
type Range struct {
	Addr core.Addr
	Size uint32
}

// sampleSize is how many bytes of a range are compared at each sample: the start,
// the middle and the end. Samples are aligned, so that each lies in one block.
const sampleSize = 64

// TrustCode takes code and constants of an ELF in place of the target's from
// now on, where samples of both are equal: reading them costs nothing then. It
// returns the first address at which they differ. What the target does not let
// us read counts for nothing and is not trusted.
func (m *Machine) TrustCode(elf core.Memory, ranges []Range) (differs core.Addr, ok bool) {
	m.memory.code = nil // what was trusted before is not what is in the target
	var list []constant
	for _, r := range ranges {
		same, at, readable := m.sample(elf, r)
		if readable && !same {
			return at, false
		}
		if readable {
			list = append(list, constant{span{uint64(r.Addr), uint64(r.Addr) + uint64(r.Size)}, elf})
		}
	}
	m.memory.code = list
	return 0, true
}

// sample compares parts of a range.
func (m *Machine) sample(elf core.Memory, r Range) (same bool, at core.Addr, readable bool) {
	if r.Size == 0 {
		return true, 0, true
	}
	end := uint64(r.Addr) + uint64(r.Size)
	for _, within := range []uint32{0, (r.Size - 1) / 2, r.Size - 1} {
		var got, want [sampleSize]byte
		a := max((r.Addr+core.Addr(within))&^(sampleSize-1), r.Addr)
		n := min(end-uint64(a), sampleSize-uint64(a%sampleSize))
		if k, err := m.memory.ReadAt(a, got[:n]); err != nil || k < int(n) {
			return false, a, false
		}
		if k, err := elf.ReadAt(a, want[:n]); err != nil || k < int(n) {
			return false, a, false
		}
		if !bytes.Equal(got[:n], want[:n]) {
			return false, a, true
		}
	}
	return true, 0, true
}

// SetNormal says which memory of an A- or R-profile target is no device:
// reading it has no side effects. Without a map, nothing is known to be.
func (m *Machine) SetNormal(ranges []Range) {
	m.memory.normal = nil
	for _, r := range ranges {
		m.memory.normal = append(m.memory.normal, span{uint64(r.Addr), uint64(r.Addr) + uint64(r.Size)})
	}
}
