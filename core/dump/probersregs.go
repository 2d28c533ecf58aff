package dump

import (
	"fmt"
	"math"
	"slices"

	"pushmask/core"
)

// Register numbers of probe-rs for M-profile cores, those of DCRSR.REGSEL
// (Armv7-M ARM C1.6.3, Armv8-M ARM D1.2, DCRSR). EXTRA is CONTROL, FAULTMASK,
// BASEPRI and PRIMASK, a byte each, the first on top.
const (
	probersPSR      = 16
	probersMSP      = 17
	probersPSP      = 18
	probersExtra    = 20
	probersMSPNS    = 24
	probersPSPNS    = 25
	probersMSPS     = 26
	probersPSPS     = 27
	probersMSPLIMS  = 28
	probersPSPLIMS  = 29
	probersMSPLIMNS = 30
	probersPSPLIMNS = 31
	probersFPSCR    = 33
	probersExtraS   = 34
	probersExtraNS  = 35
	probersS0       = 64
)

// Register numbers of probe-rs for 32-bit A- and R-profile cores.
const (
	probersD0     = 17 // to d31, 64 bits each
	probersAFPSCR = 49
)

// Core types of probe-rs that are 32-bit ARM; armv8a is when it runs A32.
var (
	probersM = []string{"armv6m", "armv7m", "armv7em", "armv8m"}
	probersA = []string{"armv7a", "armv7r", "armv8a"}
)

// checkCore decides the profile and refuses cores that are no 32-bit ARM. A
// truncated file may not say: then only A- and R-profile cores have 64-bit
// registers.
func (p *probersDump) checkCore() error {
	arm32 := p.isa == "" || p.isa == "Thumb2" || p.isa == "A32"
	switch {
	case slices.Contains(probersM, p.coreType):
		p.d.profile = core.ProfileM
	case slices.Contains(probersA, p.coreType) && arm32:
		p.d.profile = core.ProfileA
	case p.coreType == "" && arm32:
		for id := range uint16(32) {
			if p.wide[probersD0+id] {
				p.d.profile = core.ProfileA
			}
		}
		p.d.warnf("the dump does not say what core it is of: taken as %v-profile", p.d.profile)
	default:
		return &FormatError{probersFormat, 0, fmt.Sprintf("the dump is for a core of type %q that runs %q; only 32-bit ARM is supported", p.coreType, p.isa), ErrUnsupported}
	}
	return nil
}

// setRegisters makes the registers those of the only thread.
func (p *probersDump) setRegisters() {
	if len(p.registers) == 0 {
		return
	}
	t := thread{Thread: core.Thread{ID: 1, Crashed: true}}
	for i := range core.Reg(16) {
		if i == core.SP {
			p.setStack(&t.regs, core.SP, uint16(i))
		} else {
			p.set(&t.regs, core.R0+i, uint16(i))
		}
	}
	p.set(&t.regs, core.PSR, probersPSR)
	if p.d.profile == core.ProfileM {
		p.setM(&t.regs)
	} else {
		p.setA(&t.regs)
	}
	p.d.threads = append(p.d.threads, t)
}

// set copies register id to r.
func (p *probersDump) set(regs *core.Regs, r core.Reg, id uint16) {
	if v, ok := p.registers[id]; ok {
		regs.Set(r, uint32(v))
	}
}

func (p *probersDump) setM(regs *core.Regs) {
	p.setStack(regs, core.MSP, probersMSP)
	p.setStack(regs, core.PSP, probersPSP)
	p.set(regs, core.FPSCR, probersFPSCR)
	for i := range core.Reg(32) {
		p.set(regs, core.S0+i, probersS0+uint16(i))
	}
	extra, told := []uint16{probersExtra}, true
	switch {
	case p.isSecure():
		p.setStack(regs, core.MSPLIM, probersMSPLIMS)
		p.setStack(regs, core.PSPLIM, probersPSPLIMS)
		extra = append(extra, probersExtraS)
	case p.isNonSecure():
		p.setStack(regs, core.MSPLIM, probersMSPLIMNS)
		p.setStack(regs, core.PSPLIM, probersPSPLIMNS)
		extra = append(extra, probersExtraNS)
	default:
		told = false // the banks are alike
	}
	p.setExtra(regs, extra)
	if told {
		p.setStack(regs, core.MSPNS, probersMSPNS)
		p.setStack(regs, core.PSPNS, probersPSPNS)
		p.setStack(regs, core.MSPS, probersMSPS)
		p.setStack(regs, core.PSPS, probersPSPS)
	}
}

// setStack copies a stack pointer or limit. All ones is what a register that
// could not be read has in probe-rs, and no such value: the low two bits of
// those registers are zero (Armv8-M ARM D1.2, MSPLIM and R13).
func (p *probersDump) setStack(regs *core.Regs, r core.Reg, id uint16) {
	if p.registers[id] != math.MaxUint32 {
		p.set(regs, r, id)
	}
}

// setExtra splits the first of the registers that the dump has.
func (p *probersDump) setExtra(regs *core.Regs, ids []uint16) {
	for _, id := range ids {
		v, ok := p.registers[id]
		if !ok {
			continue
		}
		regs.Set(core.PRIMASK, uint32(v)&0xff)
		regs.Set(core.CONTROL, uint32(v)>>24&0xff)
		if p.coreType != "armv6m" { // it has neither BASEPRI nor FAULTMASK
			regs.Set(core.BASEPRI, uint32(v)>>8&0xff)
			regs.Set(core.FAULTMASK, uint32(v)>>16&0xff)
		}
		return
	}
}

// isSecure reports whether the core was halted in secure state: MSP is that of
// the secure bank and not that of the other.
func (p *probersDump) isSecure() bool {
	return p.same(probersMSPS) && !p.same(probersMSPNS)
}

// isNonSecure reports the same of the non-secure state, in which a core
// without the Security Extension always is.
func (p *probersDump) isNonSecure() bool {
	_, banked := p.registers[probersMSPS]
	return !banked || p.same(probersMSPNS) && !p.same(probersMSPS)
}

// same reports whether the main stack pointer of a bank is that in use.
func (p *probersDump) same(bank uint16) bool {
	v, ok := p.registers[bank]
	return ok && v == p.registers[probersMSP]
}

func (p *probersDump) setA(regs *core.Regs) {
	p.set(regs, core.FPSCR, probersAFPSCR)
	for i := range core.Reg(16) {
		if v, ok := p.registers[probersD0+uint16(i)]; ok {
			regs.Set(core.S0+2*i, uint32(v))
			regs.Set(core.S0+2*i+1, uint32(v>>32))
		}
	}
}
