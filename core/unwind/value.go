package unwind

import (
	"fmt"

	"pushmask/core"
)

// value is what the analysis knows of a register or a stack word: nothing, a
// constant, the value some register had at the function's entry plus an
// offset, or an unnamed quantity (a symbol) plus an offset. The entry value of
// SP is the CFA, so "CFA-8" is entry(SP)-8.
type value struct {
	base base
	off  int32
}

// base names the quantity that an offset counts from.
type base uint16

// The bases. Entry values start at baseEntry, symbols at baseSym; a symbol is
// named after the instruction that made it.
const (
	baseUnknown base = iota
	baseConst
	baseTable // a word of the table at address off
	baseByte  // a byte of the table at off; a halfword for baseHalf
	baseHalf
	baseByte2 // twice such a byte
	baseHalf2
	baseIndex // an address in the table at off: off plus an unknown index
	baseSlot  // what the stack holds at CFA + off: see forward simulation
	baseMask  // what AND left of an address: see aligned
	baseSPSR  // SPSR of the mode that the function was entered in
	// The LRs and SPs that other modes have at the function's entry, by mode.
	baseBankLR
	baseBankSP      = baseBankLR + 32
	baseHeld        = baseBankSP + 32 // what memory holds at the entry value of a register + off: the same
	baseEntry       = baseHeld + base(core.NumRegs)
	baseSym         = baseEntry + base(core.NumRegs)
	baseLast   base = 0xffff
)

var unknown = value{}

func constant(v int32) value { return value{baseConst, v} }

func entry(r core.Reg) value { return value{base: baseEntry + base(r)} }

// cfa is the entry value of SP plus off.
func cfa(off int32) value { return value{baseEntry + base(core.SP), off} }

func (v value) known() bool   { return v.base != baseUnknown }
func (v value) isConst() bool { return v.base == baseConst }
func (v value) isCFA() bool   { return v.base == baseEntry+base(core.SP) }
func (v value) isSym() bool   { return v.base >= baseSym }

// bankSP and bankLR are the SP and the LR of another mode at the entry.
func bankSP(m core.Mode) value { return value{base: baseBankSP + base(m.Bank()&31)} }
func bankLR(m core.Mode) value { return value{base: baseBankLR + base(m.Bank()&31)} }

func (v value) isBankSP() bool { return v.base >= baseBankSP && v.base < baseHeld }

// isAddr reports whether v can name a stack slot.
func (v value) isAddr() bool { return v.isCFA() || v.isSym() || v.isProcess() || v.isBankSP() }

// held is the word at address at, which is a register's entry value plus an
// offset.
func held(at value) value { return value{at.base - baseEntry + baseHeld, at.off} }

// heldAt returns the register and the offset of the word that v is.
func (v value) heldAt() (core.Reg, int32, bool) {
	if v.base >= baseHeld && v.base < baseEntry {
		return core.Reg(v.base - baseHeld), v.off, true
	}
	return core.NoReg, 0, false
}

// entryReg returns the register whose unchanged entry value v is.
func (v value) entryReg() (core.Reg, bool) {
	if v.base >= baseEntry && v.base < baseSym && v.off == 0 {
		return core.Reg(v.base - baseEntry), true
	}
	return core.NoReg, false
}

func (v value) add(n int32) value {
	if v.movable() {
		v.off += n
		return v
	}
	return unknown
}

// movable tells values that stay known when a constant is added.
func (v value) movable() bool {
	return v.base == baseConst || v.base == baseIndex || v.isBankSP() || v.base >= baseEntry
}

// plus is v + w where at most one of them has a base other than a constant.
func (v value) plus(w value) value {
	switch {
	case w.isConst() && v.movable():
		return v.add(w.off)
	case v.isConst() && w.movable():
		return w.add(v.off)
	case w.isConst():
		return value{baseIndex, w.off}
	case v.isConst():
		return value{baseIndex, v.off}
	}
	return unknown
}

// minus is v - w.
func (v value) minus(w value) value {
	switch {
	case w.isConst():
		return v.add(-w.off)
	case v.movable() && v.base == w.base && v.base != baseIndex:
		return constant(v.off - w.off)
	}
	return unknown
}

// String is the notation of plans: "?", "#5", "r4", "CFA-8", "v12+4".
func (v value) String() string {
	var s string
	switch {
	case !v.known():
		return "?"
	case v.isConst():
		return fmt.Sprintf("#%d", v.off)
	case v.base >= baseTable && v.base <= baseHalf2:
		return fmt.Sprintf("[#%#x+?]", uint32(v.off))
	case v.base == baseSlot:
		return fmt.Sprintf("[CFA%+d]", v.off)
	case v.base == baseIndex:
		return fmt.Sprintf("#%#x+?", uint32(v.off))
	case v.base >= baseHeld && v.base < baseEntry:
		return fmt.Sprintf("[%v%+d]", core.Reg(v.base-baseHeld), v.off)
	case v.isCFA():
		s = "CFA"
	case v.base == baseSPSR:
		return "spsr"
	case v.isBankSP():
		s = core.BankedName(core.Mode(v.base-baseBankSP), core.BankedSP)
	case v.base >= baseBankLR && v.base < baseBankSP:
		return core.BankedName(core.Mode(v.base-baseBankLR), core.BankedLR)
	case v.isSym():
		s = fmt.Sprintf("v%d", v.base-baseSym)
	default:
		s = core.Reg(v.base - baseEntry).String()
	}
	if v.off != 0 {
		s += fmt.Sprintf("%+d", v.off)
	}
	return s
}
