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
	// faulted says that the registers are those of the faulting instruction.
	faulted bool
	faults  faults
	words   []word
	sorted  bool // words are in the order of their addresses, each once
	// excReturn is EXC_RETURN where hasReturn.
	excReturn exc.Return
	hasReturn bool
}

// word is a word of memory.
type word struct {
	addr core.Addr
	v    uint32
}

// Sizes of the exception frame without and with floating-point registers, in
// bytes (Armv7-M ARM B1.5.7).
const (
	basicFrame = crash.BasicFrame
	fpFrame    = crash.ExtendedFrame
)

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
	r.sorted = false
}

// correctSP makes SP what it was before the exception where the writer did
// not count the alignment word: the hardware aligns the frame to eight bytes
// and sets bit 9 of the xPSR it stacks when it had to insert a word. Without
// xPSR an SP that is a multiple of eight may be four too low.
func (r *report) correctSP() {
	sp, ok := r.regs.Get(core.SP)
	psr, hasPSR := r.regs.Get(core.PSR)
	switch {
	case !ok || sp&7 != 0:
	case !hasPSR:
		r.regs.Forget(core.SP)
		r.Warnf("SP is %#08x or 4 more: xPSR, which tells, is not in the log", sp)
	case psr&xpsrPad != 0:
		r.regs.Set(core.SP, sp+4)
	}
}

// frameSP sets SP from the address of the exception frame. It needs EXC_RETURN
// for the size of the frame and xPSR for the alignment word.
func (r *report) frameSP(frame uint32) {
	psr, ok := r.regs.Get(core.PSR)
	if !ok || !r.hasReturn {
		r.Warnf("SP is not known: EXC_RETURN or xPSR, which tell the size of the exception frame at %v, is not in the log", core.Addr(frame))
		return
	}
	size := uint32(basicFrame)
	if !r.excReturn.Basic() {
		size = fpFrame
	}
	if psr&xpsrPad != 0 {
		size += 4
	}
	r.regs.Set(core.SP, frame+size)
}

// stacked are the registers that are read from the exception frame, and SP,
// which follows from the status register in it.
var stacked = func() (mask uint64) {
	for _, r := range []core.Reg{core.R0, core.R1, core.R2, core.R3, core.R12, core.SP, core.LR, core.PC, core.PSR, core.FPSCR} {
		mask |= 1 << r
	}
	return mask | 0xffff<<core.S0
}()

// frameUntrue forgets the registers of an exception frame that the hardware
// could not store: what is printed are words that happened to lie there.
func (r *report) frameUntrue(why string) {
	pc, hasPC := r.regs.Get(core.PC)
	lr, hasLR := r.regs.Get(core.LR)
	if hasPC || hasLR {
		r.Skip(fmt.Sprintf("pc %#08x, lr %#08x", pc, lr))
	}
	r.Warnf("%s: the registers that are printed are old words of the stack, not those of the fault", why)
	sp, hasSP := r.regs.Get(core.SP)
	for _, bank := range []core.Reg{core.MSP, core.PSP, core.MSPS, core.PSPS, core.MSPNS, core.PSPNS} {
		if v, ok := r.regs.Get(bank); ok && hasSP && v == sp {
			r.regs.Forget(bank) // it was computed from the frame
		}
	}
	r.regs.Keep(^stacked)
}

// checkFrame forgets the registers if the fault registers say that stacking
// them failed, or the status register is none.
func (r *report) checkFrame() {
	if r.profile() != core.ProfileM || !r.regs.Has(core.PC) {
		return
	}
	// Bits 23 and 22 of the xPSR are reserved (Armv8-M ARM D1.2.304).
	const reserved = 3 << 22
	switch psr, _ := r.regs.Get(core.PSR); {
	case r.faults.known().FrameUntrue():
		r.frameUntrue("the hardware could not store the exception frame")
	case psr&reserved != 0:
		r.frameUntrue("xPSR has reserved bits set")
	}
}

// wordAt returns the word at an address, if the report has it.
func (r *report) wordAt(a core.Addr) (uint32, bool) {
	r.sortWords()
	i, ok := slices.BinarySearchFunc(r.words, a, func(w word, a core.Addr) int { return cmp.Compare(w.addr, a) })
	if !ok {
		return 0, false
	}
	return r.words[i].v, true
}

// sortWords puts the words in the order of their addresses; of two at one
// address the first that was read stays.
func (r *report) sortWords() {
	if r.sorted {
		return
	}
	slices.SortStableFunc(r.words, func(a, b word) int { return cmp.Compare(a.addr, b.addr) })
	r.words = slices.CompactFunc(r.words, func(a, b word) bool { return a.addr == b.addr })
	r.sorted = true
}

// frameAt reports whether the eight words at an address are the registers, as
// in an exception frame.
func (r *report) frameAt(a core.Addr) bool {
	for i, reg := range [...]core.Reg{core.R0, core.R1, core.R2, core.R3, core.R12, core.LR, core.PC, core.PSR} {
		v, ok := r.regs.Get(reg)
		if !ok {
			return false
		}
		if w, held := r.wordAt(a + core.Addr(4*i)); !held || v != w {
			return false
		}
	}
	return true
}

// finish returns the crash with what was collected. Registers go to the
// crashed thread, which is added where nothing else is there.
func (r *report) finish() *crash.Crash {
	r.checkFrame()
	th := r.thread
	th.Crashed = true
	th.Faulted = r.faulted && r.regs.Has(core.PC)
	if pc, ok := r.regs.Get(core.PC); ok && r.profile() == core.ProfileM {
		r.regs.Set(core.PC, pc&^1) // a vector or a stacked entry address keeps the Thumb bit
	}
	r.Threads = append([]crash.Thread{{Thread: th, Regs: r.regs}}, r.Threads...)
	return r.finishOthers()
}

// finishOthers returns the crash where the crashed thread is among Threads.
func (r *report) finishOthers() *crash.Crash {
	c := &r.Crash
	r.placeWords()
	r.faults.put(c, r.profile())
	if r.hasReturn && c.Cause != "" { // the first of the writer's words is its cause
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
	r.sortWords()
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
