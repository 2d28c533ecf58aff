package unwind

import (
	"pushmask/core"
	"pushmask/core/insn"
)

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
	t.r.an.reach(t.r.at(target), t.s, 0, false)
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
	t := r.table(&after, 0)
	for at, target := range helperTargets(r.plan.text, i.Next(), k) {
		if !t.add(at, target) {
			break
		}
	}
	r.noteTable(&t)
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
		r.an.reach(r.at(at), s, 0, false)
	}
}
