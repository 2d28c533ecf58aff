package oracle

import (
	"strings"

	"pushmask/core"
)

// What an exception of A-profile is, by its place in the vector table: how far
// LR is behind the address that did not execute (Armv7-A ARM B1.8.3). The
// firmware of the oracle takes all exceptions from A32 code or by IRQ.
var lrAhead = map[uint32]uint32{1: 4, 2: 0, 3: 4, 4: 8, 6: 4}

// vectorsPrefix begins the names of the firmware's vector tables: eight jumps,
// then the addresses they load.
const vectorsPrefix = "vectors_"

// readVectors notes which exception a vector or a handler is of.
func (p *program) readVectors() {
	p.vectors = make(map[uint32]uint32)
	for name, table := range p.symbols {
		if !strings.HasPrefix(name, vectorsPrefix) {
			continue
		}
		for n := range lrAhead {
			p.vectors[table+4*n] = n
			p.vectors[p.word(table+32+4*n)] = n
		}
	}
}

// mode is CPSR.M.
func (s state) mode() core.Mode { return core.ModeOf(s.psr).Bank() }

// returnsFromException tells A32 instructions that load CPSR with PC: RFE,
// LDM with ^ and PC, MOVS and SUBS of PC (Armv7-A ARM B9.3).
func (p *program) returnsFromException(s state) bool {
	w := p.word(s.pc)
	switch {
	case p.thumb(s):
		return false
	case w&0xfe50ffff == 0xf8100a00, w&0x0e508000 == 0x08508000:
		return true
	}
	return w&0x0c10f000 == 0x0010f000 && w>>28 != 15
}

// modeStep follows an exception of A-profile: its entry, or the return from it.
// It reports whether the step was one.
func (s *shadow) modeStep(before, after state) bool {
	number, entered := s.prog.vectors[after.pc]
	if _, was := s.prog.vectors[before.pc]; was && before.mode() == after.mode() {
		entered = false // from the table to the handler
	}
	switch {
	case entered && !(s.prog.onlyJumps(before) && before.mode() == after.mode() && after.lr == before.lr):
		s.modeEntry(before, after, number)
		return true
	case s.prog.returnsFromException(before):
		if i := s.active(); i >= 0 {
			s.drop(i)
		}
		return true
	}
	return false
}

// modeEntry pushes the interrupted code. QEMU may have executed an instruction
// before it took an interrupt: its SP is not known then.
func (s *shadow) modeEntry(before, after state, number uint32) {
	pc := after.lr - lrAhead[number]
	interrupted := before
	if number == 2 { // SVC has executed
		interrupted.pc = pc
	}
	e := &entry{sp: after.sp, frame: after.sp, number: number}
	if pc != interrupted.pc {
		interrupted.pc = pc
		interrupted.lr = 0
		e.inexact = true
	}
	f := &activation{ret: interrupted.pc, sp: interrupted.sp, exception: e}
	f.interruptedMode(before)
	s.frames = append(s.frames, f)
}

// modeBanks are the registers of the modes that the core is not in, which QEMU's
// stub does not tell: what they were when it left.
type modeBanks struct {
	last  map[core.Mode]state
	saved map[core.Mode]uint32 // SPSR
}

// follow notes the registers of the mode before a step, and what wrote SPSR.
func (b *modeBanks) follow(p *program, before, after state, regs *core.Regs) {
	if b.last == nil {
		b.last, b.saved = make(map[core.Mode]state), make(map[core.Mode]uint32)
	}
	b.last[before.mode()] = before
	// MSR SPSR, Rm (Armv7-A ARM B9.3.12).
	if w := p.word(before.pc); !p.thumb(before) && w&0x0ff0fff0 == 0x0160f000 {
		b.saved[before.mode()] = regs.Value(core.Reg(w & 15))
	}
	// SRSDB sp!, #mode (Armv7-A ARM B9.3.16) moves the stack pointer of a mode.
	if w := p.word(before.pc); !p.thumb(before) && w&0xffffffe0 == 0xf96d0500 {
		if s, ok := b.last[core.Mode(w&31).Bank()]; ok && core.Mode(w&31).Bank() != after.mode() {
			s.sp -= 8
			b.last[core.Mode(w&31).Bank()] = s
		}
	}
	if _, entry := p.vectors[after.pc]; entry && before.mode() != after.mode() {
		b.saved[after.mode()] = before.psr
	}
}

// set gives regs, of a core in mode now, the registers of the other modes.
func (b *modeBanks) set(regs *core.Regs, now core.Mode) {
	for m, s := range b.last {
		if m != now {
			regs.SetBanked(m, core.BankedSP, s.sp)
			regs.SetBanked(m, core.BankedLR, s.lr)
		}
	}
	for m, v := range b.saved {
		regs.SetBanked(m, core.BankedSPSR, v)
	}
}
