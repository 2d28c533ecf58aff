package dump

import (
	"strings"

	"pushmask/core"
)

// System control space of an M-profile core (Armv7-M ARM B3.2.1).
const (
	scsBase = 0xe000e000
	scsSize = 0x1000
)

// decideProfile tells M-profile cores from the others. No header field of an
// ELF core says it: e_flags has no bit for it and Tag_CPU_arch_profile is in
// the program, not in the core. The evidence, strongest first:
//
//  1. GDB's target description names org.gnu.gdb.arm.m-profile, or has cpsr;
//  2. the core holds memory of the system control space at 0xe000e000;
//  3. the status register of the first thread that tells (see [psrProfile]);
//     this comes before 4 because Linux runs on Cortex-M too, without an MMU;
//  4. Linux wrote the core: A;
//  5. otherwise M, which is what pushmask is mostly given.
func (e *elfCore) decideProfile(p producer) core.Profile {
	switch {
	case strings.Contains(e.d.TargetXML, "org.gnu.gdb.arm.m-profile"):
		return core.ProfileM
	case strings.Contains(e.d.TargetXML, `name="cpsr"`):
		return core.ProfileA
	}
	for _, s := range e.segments {
		if s.typ == ptLoad && s.vaddr >= scsBase && s.vaddr < scsBase+scsSize {
			return core.ProfileM
		}
	}
	for _, t := range e.d.threads {
		if v, ok := t.regs.Get(core.PSR); ok {
			if profile, ok := psrProfile(v); ok {
				return profile
			}
		}
	}
	if p == producerLinux {
		return core.ProfileA
	}
	return core.ProfileM
}

// psrProfile tells whether v is an xPSR or a CPSR, where that can be told.
//
// Bit 24 is the T bit of the xPSR (Armv7-M ARM B1.4.2), set unless the core
// faults at once, and the J bit of the CPSR (Armv7-A ARM B1.3.3), clear unless
// Java bytecode runs. With bit 24 clear, bits 4..0 of a CPSR are one of nine
// modes that all have bit 4 set; an xPSR has the exception number there, so
// that only IRQ 0 to 15 with a clear T bit could be mistaken.
func psrProfile(v uint32) (core.Profile, bool) {
	const tBit = 1 << 24
	if v&tBit != 0 {
		return core.ProfileM, true
	}
	switch v & 0x1f {
	case 0x10, 0x11, 0x12, 0x13, 0x16, 0x17, 0x1a, 0x1b, 0x1f: // usr fiq irq svc mon abt hyp und sys
		return core.ProfileA, true
	}
	return core.ProfileM, false
}
