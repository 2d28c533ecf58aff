package unwind

import (
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

// maxTable bounds the entries of a jump table.
const maxTable = 1024

// tableReader walks a jump table until something says that it has ended: the
// bound of the comparison before it, its first target (code follows the
// table), or an entry that does not lead into the function.
type tableReader struct {
	r     *runner
	s     *state
	limit int       // entries at most
	end   core.Addr // lowest target so far: the table cannot reach past it
	count int
}

// add takes the target of the entry at at and reports whether to go on.
func (t *tableReader) add(at, target core.Addr) bool {
	f := &t.r.plan.Func
	if t.count >= t.limit || at >= t.end || target < f.Entry || target >= f.End {
		return false
	}
	t.count++
	if target > at {
		t.end = min(t.end, target)
	}
	t.r.an.reach(target, *t.s, 0, false)
	return true
}

func (r *runner) table(s *state, limit int) tableReader {
	if limit <= 0 || limit > maxTable {
		limit = maxTable
	}
	return tableReader{r: r, s: s, limit: limit, end: ^core.Addr(0)}
}

// jumpTable handles tbb and tbh (Armv7-M ARM A7.7.185): the target is PC plus
// twice the entry.
func (r *runner) jumpTable(i *insn.Inst, s *state) {
	at := i.Addr + 4
	if i.Rn != core.PC {
		v := s.reg(i.Rn, i)
		if !v.isConst() {
			r.plan.indirectJump = true
			return
		}
		at = core.Addr(v.off)
	}
	r.smallTable(at, i.Addr+4, int(i.Scale), r.table(s, s.bound(i.Rm)))
}

// offsetTable handles "add pc, rX" with twice a byte or halfword of a table in
// rX, what clang makes of tbb and tbh on v6-M.
func (r *runner) offsetTable(i *insn.Inst, s *state) bool {
	v := s.reg(i.Rm, i)
	if v.base != baseByte2 && v.base != baseHalf2 {
		v = s.reg(i.Rn, i)
	}
	size := 1
	switch v.base {
	case baseByte2:
	case baseHalf2:
		size = 2
	default:
		return false
	}
	r.smallTable(core.Addr(v.off), i.Addr+4, size, r.table(s, 0))
	return true
}

// narrow tells the T16 loads of unsigned bytes and halfwords (Armv6-M ARM
// A5.2.4), with which tables of offsets are read where there is no tbb.
func narrow(i *insn.Inst) base {
	switch {
	case i.Size != 2:
		return baseUnknown
	case i.Raw>>11 == 0b01111, i.Raw>>9 == 0b0101110:
		return baseByte
	case i.Raw>>11 == 0b10001, i.Raw>>9 == 0b0101101:
		return baseHalf
	}
	return baseUnknown
}

// smallTable reads a table of unsigned bytes or halfwords, in halfword units
// from origin.
func (r *runner) smallTable(at, origin core.Addr, size int, t tableReader) {
	for {
		b := r.plan.text.at(at)
		if len(b) < size || size == 0 {
			break
		}
		e := core.Addr(b[0])
		if size == 2 {
			e |= core.Addr(b[1]) << 8
		}
		if !t.add(at, origin+2*e) {
			break
		}
		at += core.Addr(size)
	}
	r.noteTable(&t)
}

// noteTable remembers a jump of which no target was found.
func (r *runner) noteTable(t *tableReader) {
	if t.count == 0 {
		r.plan.indirectJump = true
	}
}

// wordTable handles tables of code addresses.
func (r *runner) wordTable(at core.Addr, s *state) {
	t := r.table(s, 0)
	for {
		w, ok := r.word(at)
		if !ok {
			break
		}
		target, _ := core.CodeAddr(w)
		if !t.add(at, target) {
			break
		}
		at += 4
	}
	r.noteTable(&t)
}

// helperTable handles the table behind a call to a Thumb-1 switch helper. The
// helpers preserve every register but LR and R12.
func (r *runner) helperTable(i *insn.Inst, s *state, k switchKind) {
	after := *s
	after.regs[core.LR], after.regs[core.R12] = unknown, unknown
	if k == switchUQI || k == switchSQI || k == switchUHI || k == switchSHI {
		after.regs[core.R0] = unknown
	}
	at, origin, limit := i.Next(), i.Next(), 0
	switch k {
	case switchSI:
		at = (at + 3) &^ 3
		origin = at
	case switchARM8:
		b := r.plan.text.at(at)
		if len(b) == 0 {
			return
		}
		limit = int(b[0]) + 1
		at++
		origin = at &^ 1
	}
	t := r.table(&after, limit)
	for {
		off, size, ok := helperEntry(r.plan.text.at(at), k)
		if !ok || !t.add(at, core.Addr(int64(origin)+int64(off))) {
			break
		}
		at += core.Addr(size)
	}
	r.noteTable(&t)
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

// addPC handles the A32 jump "add pc, pc, rX, lsl #2": a row of branches
// behind it, entered at any word.
func (r *runner) addPC(i *insn.Inst, s *state) {
	if i.Rn != core.PC {
		r.plan.indirectJump = true
		return
	}
	limit := s.bound(i.Rm)
	if limit <= 0 {
		limit = 64
	}
	for k := range limit {
		at := i.Addr + 8 + core.Addr(k)<<i.Shift
		if at >= r.plan.Func.End {
			break
		}
		r.an.reach(at, *s, 0, false)
	}
}
