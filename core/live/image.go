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

// Found is what a target has of an ELF.
type Found uint8

// What a target may have. FoundNothing says that none of it can be read, FoundBlank
// that there is erased flash or cleared RAM in its place.
const (
	FoundNothing Found = iota
	FoundSame
	FoundOther
	FoundBlank
)

// DistrustCode forgets all that [Machine.TrustCode] has taken for the target's.
func (m *Machine) DistrustCode() { m.memory.code = nil }

// TrustCode takes code and constants of an ELF in place of the target's from
// now on, where samples of both are equal: reading them costs nothing then. It
// returns what the target has, and an address at which they differ. What the
// target does not let us read counts for nothing and is not trusted.
func (m *Machine) TrustCode(elf core.Memory, ranges []Range) (found Found, differs core.Addr) {
	var list []constant
	blank := true
	for _, r := range ranges {
		s := m.sample(elf, r)
		switch {
		case !s.readable:
			continue
		case s.same:
			list = append(list, constant{span{uint64(r.Addr), uint64(r.Addr) + uint64(r.Size)}, elf})
		case found != FoundOther:
			found, differs = FoundOther, s.at
		}
		blank = blank && s.blank
	}
	switch {
	case found == FoundOther && blank:
		return FoundBlank, differs
	case found == FoundOther:
		return FoundOther, differs
	case len(list) == 0:
		return FoundNothing, 0
	}
	m.memory.code = append(m.memory.code, list...)
	return FoundSame, 0
}

// sampled is what samples of a range have shown.
type sampled struct {
	readable, same bool
	at             core.Addr // of the sample that differs or cannot be read
	blank          bool      // what was read is all 0xff, or all 0
}

// sample compares parts of a range, up to the first that differs.
func (m *Machine) sample(elf core.Memory, r Range) sampled {
	if r.Size == 0 {
		return sampled{readable: true, same: true}
	}
	end := uint64(r.Addr) + uint64(r.Size)
	blank := true
	for _, within := range []uint32{0, (r.Size - 1) / 2, r.Size - 1} {
		var got, want [sampleSize]byte
		a := max((r.Addr+core.Addr(within))&^(sampleSize-1), r.Addr)
		n := min(end-uint64(a), sampleSize-uint64(a%sampleSize))
		if k, err := m.memory.ReadAt(a, got[:n]); err != nil || k < int(n) {
			return sampled{at: a}
		}
		if k, err := elf.ReadAt(a, want[:n]); err != nil || k < int(n) {
			return sampled{at: a}
		}
		blank = blank && (allAre(got[:n], 0xff) || allAre(got[:n], 0))
		if !bytes.Equal(got[:n], want[:n]) {
			return sampled{readable: true, at: a, blank: blank}
		}
	}
	return sampled{readable: true, same: true, blank: blank}
}

func allAre(b []byte, v byte) bool { return bytes.Count(b, []byte{v}) == len(b) }

// SetNormal says which memory of an A- or R-profile target is no device:
// reading it has no side effects. Without a map, nothing is known to be.
func (m *Machine) SetNormal(ranges []Range) {
	m.memory.normal = nil
	for _, r := range ranges {
		m.memory.normal = append(m.memory.normal, span{uint64(r.Addr), uint64(r.Addr) + uint64(r.Size)})
	}
}
