package core

import (
	"maps"
	"strings"
)

// BankedReg is a register that modes have copies of.
type BankedReg uint8

// The banked registers that unwinding needs.
const (
	BankedSP BankedReg = iota
	BankedLR
	BankedSPSR
	numBanked
)

var bankedNames = [numBanked]string{"sp", "lr", "spsr"}

// bankedKey names a register of a mode.
type bankedKey struct {
	mode Mode
	reg  BankedReg
}

// banked are registers of modes. It is not changed once it is in use.
type banked map[bankedKey]uint32

// BankedName is the name debuggers give a register of a mode: "sp_irq".
func BankedName(m Mode, r BankedReg) string {
	return bankedNames[r%numBanked] + "_" + m.Suffix()
}

// Banked returns a register of a mode that the core is not in, and whether it
// is known.
func (g *Regs) Banked(m Mode, r BankedReg) (uint32, bool) {
	if g.banked == nil {
		return 0, false
	}
	v, ok := (*g.banked)[bankedKey{m.Bank(), r}]
	return v, ok
}

// SetBanked makes the value of a register of another mode known. Copies of g
// made before do not change.
func (g *Regs) SetBanked(m Mode, r BankedReg, v uint32) {
	next := make(banked)
	if g.banked != nil {
		maps.Copy(next, *g.banked)
	}
	next[bankedKey{m.Bank(), r}] = v
	g.banked = &next
}

// ForgetBanked makes SP and LR of a mode unknown. Copies of g made before do
// not change.
func (g *Regs) ForgetBanked(m Mode) {
	if g.banked == nil {
		return
	}
	next := make(banked)
	for k, v := range *g.banked {
		if k.mode != m.Bank() || k.reg == BankedSPSR {
			next[k] = v
		}
	}
	g.banked = &next
}

// CopyBanked takes the banked registers of from.
func (g *Regs) CopyBanked(from *Regs) { g.banked = from.banked }

// LookupBanked returns the banked register of a name, as OpenOCD has them:
// sp_irq, r13_irq, lr_svc, spsr_abt, sp_usr. It ignores case.
func LookupBanked(name string) (Mode, BankedReg, bool) {
	reg, suffix, ok := strings.Cut(lower(name), "_")
	if !ok {
		return ModeNone, 0, false
	}
	for m, s := range modeSuffixes {
		if s != suffix {
			continue
		}
		switch reg {
		case "sp", "r13":
			return m, BankedSP, true
		case "lr", "r14":
			return m, BankedLR, true
		case "spsr":
			return m, BankedSPSR, m != ModeSystem
		}
	}
	return ModeNone, 0, false
}
