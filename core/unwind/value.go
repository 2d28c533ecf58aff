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
	baseUnknown base = 0
	baseConst   base = 1
	baseTable   base = 2 // a word of the table at address off
	baseIndex   base = 3 // an address in the table at off: off plus an unknown index
	baseEntry   base = 4
	baseSym     base = baseEntry + base(core.NumRegs)
	baseLast    base = 0xffff
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

// isAddr reports whether v can name a stack slot.
func (v value) isAddr() bool { return v.isCFA() || v.isSym() }

// entryReg returns the register whose unchanged entry value v is.
func (v value) entryReg() (core.Reg, bool) {
	if v.base >= baseEntry && v.base < baseSym && v.off == 0 {
		return core.Reg(v.base - baseEntry), true
	}
	return core.NoReg, false
}

func (v value) add(n int32) value {
	if v.base == baseTable {
		return unknown
	}
	if v.known() {
		v.off += n
	}
	return v
}

// plus is v + w where at most one of them has a base other than a constant.
func (v value) plus(w value) value {
	switch {
	case w.isConst() && v.known():
		return v.add(w.off)
	case v.isConst() && w.known():
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
	case v.known() && v.base == w.base:
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
	case v.base == baseTable:
		return fmt.Sprintf("[#%#x+?]", uint32(v.off))
	case v.base == baseIndex:
		return fmt.Sprintf("#%#x+?", uint32(v.off))
	case v.isCFA():
		s = "CFA"
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
