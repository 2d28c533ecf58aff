package rtos

import "pushmask/core"

// fill is the pattern that a kernel fills stacks with.
type fill struct {
	word uint32
	// skip is the number of bytes at the low end that hold something else, such
	// as a magic word of the kernel.
	skip uint32
	// address is set where each word is filled with its own address instead.
	address bool
}

// at returns the word that the pattern has at an address.
func (f fill) at(a core.Addr) uint32 {
	if f.address {
		return uint32(a)
	}
	return f.word
}

// pattern is what stacks that are filled in the same way have in common.
func (f fill) pattern() fill { return fill{word: f.word, address: f.address} }

// maxStack bounds the stacks that are believed, in bytes.
const maxStack = 16 << 20

// fillEvidence is how many untouched words make it certain that a stack was
// filled: the kernel may be built without.
const fillEvidence = 4

// untouched returns the number of bytes from the low end of a stack that still
// have the pattern. It is false where memory is missing.
func (s *System) untouched(st core.Stack, f fill) (uint32, bool) {
	var buf [512]byte
	n := uint32(0)
	for at := st.Low + core.Addr(f.skip); at < st.High; {
		p := buf[:min(uint32(len(buf)), uint32(st.High-at))]
		got, _ := s.Memory.ReadAt(at, p)
		for i, b := range p[:got] {
			if word := f.at((at + core.Addr(i)) &^ 3); b != byte(word>>(8*(i&3))) {
				return n + uint32(i)&^3, true
			}
		}
		if got < len(p) {
			return 0, false
		}
		n += uint32(got)
		at += core.Addr(got)
	}
	return n, true
}

// measure tells how much of each stack was ever used. A stack without the
// pattern at its low end is full where others show that stacks are filled, and
// untold otherwise.
func (s *System) measure(tasks []task) {
	type measured struct {
		t    *task
		free uint32
	}
	var list []measured
	filled := map[fill]bool{}
	for i := range tasks {
		t := &tasks[i]
		if t.fill == nil || !t.Stack.Known() || t.Stack.High-t.Stack.Low > maxStack || t.Stack.Low&3 != 0 {
			continue
		}
		free, ok := s.untouched(t.Stack, *t.fill)
		if !ok {
			continue
		}
		list = append(list, measured{t, free})
		if free >= 4*fillEvidence {
			filled[t.fill.pattern()] = true
		}
	}
	for _, m := range list {
		if filled[m.t.fill.pattern()] {
			m.t.Stack.Used, m.t.Stack.HasUsed = uint32(m.t.Stack.High-m.t.Stack.Low)-m.free, true
		}
	}
}
