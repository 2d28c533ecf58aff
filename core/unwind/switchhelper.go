package unwind

import (
	"iter"

	"pushmask/core"
	"pushmask/core/insn"
)

// switchKind tells the tables that follow a call to a Thumb-1 switch helper.
type switchKind uint8

// The helpers: libgcc's __gnu_thumb1_case_* (libgcc/config/arm/lib1funcs.S)
// and Arm's __ARM_common_switch8_thumb (a count byte, then bytes).
const (
	switchNone switchKind = iota
	switchUQI             // unsigned bytes, halfword units
	switchSQI             // signed bytes, halfword units
	switchUHI             // unsigned halfwords, halfword units
	switchSHI             // signed halfwords, halfword units
	switchSI              // words, byte units, word aligned
	switchARM8            // Arm Compiler: count, then unsigned bytes
)

var switchHelpers = map[string]switchKind{
	"__gnu_thumb1_case_uqi":      switchUQI,
	"__gnu_thumb1_case_sqi":      switchSQI,
	"__gnu_thumb1_case_uhi":      switchUHI,
	"__gnu_thumb1_case_shi":      switchSHI,
	"__gnu_thumb1_case_si":       switchSI,
	"__ARM_common_switch8_thumb": switchARM8,
}

// switchHelper implements callInfo: by name, and without symbols by the code.
func (p *Program) switchHelper(entry core.Addr) switchKind {
	if f, ok := p.syms.FuncAt(uint32(entry)); ok {
		if f.Entry == uint32(entry) {
			return switchHelpers[f.Name]
		}
		return switchNone
	}
	return helperByCode(p.text, entry)
}

// maxHelper bounds the instructions of a switch helper.
const maxHelper = 12

// helperByCode recognises libgcc's helpers: they save R1 (and R0), read the
// table through a copy of LR, put the target into LR and go there. The width of
// the one load tells the kind.
func helperByCode(t text, entry core.Addr) switchKind {
	k, moved := switchNone, false
	pc := entry
	for n := range maxHelper {
		i, err := fetch(t, pc, true)
		switch {
		case err != nil || i.Size != 2:
			return switchNone
		case n == 0 && !(pushes(&i) && i.List&^(1<<core.R0|1<<core.R1) == 0),
			n == 1 && !(i.Op == insn.OpMove && i.Rm == core.LR && i.Rd == core.R1):
			return switchNone
		case i.Flow == insn.FlowReg:
			if i.Rm == core.LR && moved {
				return k
			}
			return switchNone
		case i.Flow != insn.FlowNext:
			return switchNone
		case i.Index == insn.RegOffset && k == switchNone:
			k = tableWidth(&i)
		}
		moved = moved || n > 1 && i.Defs&(1<<core.LR) != 0
		pc = i.Next()
	}
	return switchNone
}

// tableWidth tells the table from the T16 load that reads it (Armv6-M ARM
// A5.2.4).
func tableWidth(i *insn.Inst) switchKind {
	switch i.Raw >> 9 {
	case 0b0101100:
		return switchSI
	case 0b0101110:
		return switchUQI
	case 0b0101011:
		return switchSQI
	case 0b0101101:
		return switchUHI
	case 0b0101111:
		return switchSHI
	}
	return switchNone
}

// helperTargets yields the entries of the table behind a call that returns to
// ra, with their targets, for as long as there are any: where the table ends is
// the caller's to know.
func helperTargets(t text, ra core.Addr, k switchKind) iter.Seq2[core.Addr, core.Addr] {
	return func(yield func(at, target core.Addr) bool) {
		at, origin, limit := ra, ra, maxTable
		switch k {
		case switchSI:
			at = (at + 3) &^ 3
			origin = at
		case switchARM8:
			b := t.at(at)
			if len(b) == 0 {
				return
			}
			limit = int(b[0]) + 1
			at++
			origin = at &^ 1
		}
		for range limit {
			off, size, ok := helperEntry(t.at(at), k)
			if !ok || !yield(at, core.Addr(int64(origin)+int64(off))) {
				return
			}
			at += core.Addr(size)
		}
	}
}

// helperEntry decodes one entry: the offset of its target in bytes.
func helperEntry(b []byte, k switchKind) (off int32, size int, ok bool) {
	switch {
	case len(b) >= 1 && (k == switchUQI || k == switchARM8):
		return 2 * int32(b[0]), 1, true
	case len(b) >= 1 && k == switchSQI:
		return 2 * int32(int8(b[0])), 1, true
	case len(b) >= 2 && k == switchUHI:
		return 2 * int32(uint16(b[0])|uint16(b[1])<<8), 2, true
	case len(b) >= 2 && k == switchSHI:
		return 2 * int32(int16(uint16(b[0])|uint16(b[1])<<8)), 2, true
	case len(b) >= 4 && k == switchSI:
		return int32(uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24), 4, true
	}
	return 0, 0, false
}

// switchTable considers that a switch helper is about to go to the target that
// LR holds already: the caller is the one call of the helper whose table has
// that target.
func (s *search) switchTable() {
	w := s.w
	k := w.p.switchHelper(s.f.Entry)
	if k == switchNone || !w.cur.exact {
		return
	}
	lr, ok := w.cur.frame.Regs.Get(core.LR)
	target, odd := core.CodeAddr(lr)
	if !ok || !odd {
		return
	}
	var site callSite
	for _, at := range w.p.callSites().calls[s.f.Entry] {
		i, err := fetch(w.text, at, true)
		if err != nil || !w.inTable(i.Next(), k, target) {
			continue
		}
		if site.ok {
			return // two tables have it
		}
		site = callSite{inst: i, ok: true}
	}
	for _, r := range w.plan(s.f).rowsAt(w.cur.lookup(), false) {
		cfa, err := r.cfa(&w.cur.frame.Regs, w.mem)
		if err != nil || !site.ok {
			continue
		}
		act := r.restore(&w.cur.frame.Regs, cfa, uint32(site.inst.Next())|1, w.mem)
		s.best = &candidate{act: act, grade: proofDirect, site: site, trust: core.TrustAnalysis}
		return
	}
}

// inTable reports whether the table behind a call that returns to ra has the
// target. Code follows the table, at its lowest target.
func (w *Walker) inTable(ra core.Addr, k switchKind, target core.Addr) bool {
	f, ok := w.p.FuncAt(ra - 2)
	if !ok || target < f.Entry || target >= f.End {
		return false
	}
	end := f.End
	for at, t := range helperTargets(w.text, ra, k) {
		if at >= end || t < f.Entry || t >= f.End {
			return false
		}
		if t == target {
			return true
		}
		if t > at {
			end = min(end, t)
		}
	}
	return false
}
