package crashlog

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"pushmask/core"
	"pushmask/core/dump/crash"
	"pushmask/core/dump/logtext"
	"pushmask/core/exc"
)

// report collects what most formats print alike. Of a value that comes twice
// the first counts.
type report struct {
	crash.Crash
	thread core.Thread // that crashed
	regs   core.Regs   // its registers
	faults faults
	words  []word
	// excReturn is EXC_RETURN where hasReturn.
	excReturn exc.Return
	hasReturn bool
}

// word is a word of memory; order tells which of two came first.
type word struct {
	addr core.Addr
	v    uint32
}

// xpsrPad is the bit of a stacked xPSR that is set when the hardware inserted a
// word to align the frame (Armv7-M ARM B1.5.7).
const xpsrPad = 1 << 9

// maxWords bounds the memory of a report, in words.
const maxWords = 1 << 20

// set sets a register unless it is known.
func (r *report) set(reg core.Reg, v uint32) {
	if !r.regs.Has(reg) {
		r.regs.Set(reg, v)
	}
}

// setReturn takes EXC_RETURN.
func (r *report) setReturn(v uint32) {
	if !r.hasReturn && exc.IsReturn(v) {
		r.excReturn, r.hasReturn = exc.Return(v), true
	}
}

// pair takes a register or a fault register by its name.
func (r *report) pair(p logtext.Pair) bool {
	if reg, ok := register(p.Name); ok {
		r.set(reg, p.Hex())
		return true
	}
	if reg, ok := register(p.Word()); ok {
		r.set(reg, p.Hex())
		return true
	}
	return r.faults.set(p.Word(), p.Hex())
}

// pairs takes the registers and fault registers of a line and returns how
// many there were.
func (r *report) pairs(text string) int {
	n := 0
	for _, p := range logtext.Pairs(text) {
		if r.pair(p) {
			n++
		}
	}
	return n
}

// row takes a line of a memory dump.
func (r *report) row(text string) bool {
	row, ok := logtext.ReadRow(text)
	if ok {
		r.memory(core.Addr(row.Addr), row.Words)
	}
	return ok
}

// memory takes words that lie at an address and above.
func (r *report) memory(a core.Addr, words []uint32) {
	if a&3 != 0 {
		r.Skip(fmt.Sprintf("words at %v, which is not word aligned", a))
		return
	}
	if len(r.words)+len(words) > maxWords {
		r.Warnf("more than %d words of memory: the rest is left out", maxWords)
		return
	}
	for i, w := range words {
		r.words = append(r.words, word{a + core.Addr(4*i), w})
	}
}

// holds reports whether the report has the word at an address.
func (r *report) holds(a core.Addr) bool {
	return slices.ContainsFunc(r.words, func(w word) bool { return w.addr == a })
}

// finish returns the crash with what was collected. Registers go to the
// crashed thread, which is added where nothing else is there.
func (r *report) finish() *crash.Crash {
	c := &r.Crash
	th := r.thread
	th.Crashed = true
	if pc, ok := r.regs.Get(core.PC); ok && r.profile() == core.ProfileM {
		r.regs.Set(core.PC, pc&^1) // a vector or a stacked entry address keeps the Thumb bit
	}
	c.Threads = append([]crash.Thread{{Thread: th, Regs: r.regs}}, c.Threads...)
	r.placeWords()
	r.faults.put(c, r.profile())
	if r.hasReturn {
		c.Details = append(c.Details, fmt.Sprintf("EXC_RETURN %v", r.excReturn))
	}
	return c
}

// profile returns the profile as far as it is known, M otherwise.
func (r *report) profile() core.Profile {
	if r.ProfileKnown {
		return r.Profile
	}
	return core.ProfileM
}

// setProfile notes what the format tells of the core.
func (r *report) setProfile(p core.Profile) {
	if !r.ProfileKnown {
		r.Profile, r.ProfileKnown = p, true
	}
}

// placeWords makes memory of the words.
func (r *report) placeWords() {
	slices.SortStableFunc(r.words, func(a, b word) int { return cmp.Compare(a.addr, b.addr) })
	r.words = slices.CompactFunc(r.words, func(a, b word) bool { return a.addr == b.addr })
	for len(r.words) > 0 {
		n := 1
		for n < len(r.words) && r.words[n].addr == r.words[n-1].addr+4 {
			n++
		}
		data := make([]byte, 0, 4*n)
		for _, w := range r.words[:n] {
			data = binary.LittleEndian.AppendUint32(data, w.v)
		}
		r.AddMemory(r.words[0].addr, data)
		r.words = r.words[n:]
	}
}

// empty reports whether nothing of a crash was found.
func (r *report) empty() bool {
	return r.regs.Empty() && len(r.words) == 0 && len(r.faults.named) == 0
}
