package svd

import (
	"cmp"
	"slices"
	"sort"

	"pushmask/core"
)

// Hazard says why a register is not read without the user asking for it.
type Hazard uint8

// The hazards.
const (
	NoHazard    Hazard = iota
	NotReadable        // reads have no defined result
	ReadEffect         // reading it, or one of its fields, changes something
	Shared             // another register at one of its bytes has one of these hazards
	Unaligned          // no single access can read it
	Conditional        // its peripheral may only be touched under a condition
)

var hazardNames = []string{
	"", "not readable", "reading it has a side effect", "a read would touch a register that must not be read",
	"not aligned", "its peripheral may only be read under a condition",
}

// String says the hazard in words, "" for none.
func (h Hazard) String() string { return nameOf(hazardNames, h) }

// own returns the hazard of a register that lies in its description alone. A
// register of which no field is readable is not readable.
func (r *Register) own() Hazard {
	if !r.Access.Readable() {
		return NotReadable
	}
	if r.ReadAction != ReadKeeps {
		return ReadEffect
	}
	readable := len(r.Fields) == 0
	for _, f := range r.Fields {
		if f.ReadAction != ReadKeeps {
			return ReadEffect
		}
		readable = readable || f.Access.Readable()
	}
	if !readable {
		return NotReadable
	}
	return NoHazard
}

// bytes returns the addresses that the register takes.
func (r *Register) bytes() byteRange {
	return byteRange{uint64(r.Addr), uint64(r.Addr) + uint64(r.Bytes())}
}

// hazardsOf returns the bytes of registers that must not be read, merged and in
// order; registers are ordered by address.
func hazardsOf(registers []*Register) []byteRange {
	var list []byteRange
	for _, r := range registers {
		if r.own() == NoHazard {
			continue
		}
		b := r.bytes()
		if n := len(list); n > 0 && b.start <= list[n-1].end {
			list[n-1].end = max(list[n-1].end, b.end)
			continue
		}
		list = append(list, b)
	}
	return list
}

// Hazard says whether reading a register is harmless: [NoHazard] if it is. A
// register that shares a byte with one that must not be read is not harmless
// itself: a receive buffer without the readAction it should have is as a rule
// at the address of a transmit buffer that is write-only.
func (d *Device) Hazard(r *Register) Hazard {
	if h := r.own(); h != NoHazard {
		return h
	}
	b := r.bytes()
	i := sort.Search(len(d.hazards), func(i int) bool { return d.hazards[i].end > b.start })
	switch {
	case i < len(d.hazards) && d.hazards[i].start < b.end:
		return Shared
	case b.start%uint64(d.accessBytes(r)) != 0:
		return Unaligned
	case r.Peripheral.DisableCondition != "":
		return Conditional
	}
	return NoHazard
}

// accessBytes is the width of the accesses that read or write a register: its
// own, or that of the bus where it is wider.
func (d *Device) accessBytes(r *Register) int { return min(r.Bytes(), d.Width/8) }

// Read is a run of accesses of one width at addresses one after the other.
type Read struct {
	Addr  core.Addr
	Width int // bytes of each access: 1, 2, 4 or 8
	Count int // number of accesses
}

// End returns the address after the last byte, in 64 bits since it may be 2^32.
func (r Read) End() uint64 { return uint64(r.Addr) + uint64(r.Width)*uint64(r.Count) }

// Accesses returns the accesses that read or write a register as a whole. Reads
// are for those without a [Hazard].
func (d *Device) Accesses(r *Register) Read {
	w := d.accessBytes(r)
	return Read{r.Addr, w, r.Bytes() / w}
}

// Reads returns the accesses that read all registers of a peripheral that can be
// read without harm, by address. Each access is of the register's own width, or
// the bus's where the register is wider; no access touches a byte that is not a
// register's. Registers side by side share a run.
func (d *Device) Reads(p *Peripheral) []Read {
	var list []Read
	for _, r := range p.Registers {
		if d.Hazard(r) == NoHazard {
			list = append(list, d.Accesses(r))
		}
	}
	slices.SortFunc(list, func(a, b Read) int {
		return cmp.Or(cmp.Compare(a.Width, b.Width), cmp.Compare(a.Addr, b.Addr), cmp.Compare(b.Count, a.Count))
	})
	runs := list[:0]
	for _, r := range list {
		n := len(runs)
		if n == 0 || runs[n-1].Width != r.Width || runs[n-1].End() < uint64(r.Addr) {
			runs = append(runs, r)
			continue
		}
		if last := &runs[n-1]; r.End() > last.End() {
			last.Count = int((r.End() - uint64(last.Addr)) / uint64(last.Width))
		}
	}
	slices.SortFunc(runs, func(a, b Read) int {
		return cmp.Or(cmp.Compare(a.Addr, b.Addr), cmp.Compare(b.Width, a.Width))
	})
	return runs
}
