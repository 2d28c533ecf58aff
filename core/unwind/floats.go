package unwind

import (
	"slices"

	"pushmask/core"
	"pushmask/core/insn"
)

// firstHigh is the first of the FP registers that a callee leaves as they were
// or saves: S16 to S31, which are D8 to D15 (AAPCS32 6.1.2.1).
const firstHigh = core.S0 + 16

// numFloats is the number of S registers.
const numFloats = 32

// floatRegs has, for each S register, the register whose entry value it holds,
// NoReg for none.
type floatRegs [numFloats]core.Reg

// entryFloats are the S registers at the entry of a function.
func entryFloats() (v floatRegs) {
	for n := range v {
		v[n] = core.S0 + core.Reg(n)
	}
	return v
}

// forget drops what the registers of a mask hold: bit n is Sn.
func (v *floatRegs) forget(mask uint32) {
	for n := range v {
		if mask>>n&1 != 0 {
			v[n] = core.NoReg
		}
	}
}

// meet keeps what o holds too.
func (v *floatRegs) meet(o *floatRegs) {
	for n := range v {
		if v[n] != o[n] {
			v[n] = core.NoReg
		}
	}
}

// holder finds an S register with the entry value of q.
func (v *floatRegs) holder(q core.Reg) (core.Reg, bool) {
	n := slices.Index(v[:], q)
	return core.S0 + core.Reg(n), n >= 0
}

// floats says where the caller's S16 to S31 are. The zero value knows of none.
type floats struct {
	kept  uint16 // bit k: S16+k still holds the caller's value
	saved []SavedRule
}

// floats lists them as they are in state s.
func (s *state) floats() floats {
	var f floats
	for i := range s.slots[:s.n] {
		q, ok := s.slots[i].val.entryReg()
		if !ok || q < firstHigh {
			continue
		}
		if l, ok := s.loc(place{reg: core.NoReg, at: s.slots[i].at}); ok {
			f.saved = append(f.saved, SavedRule{Reg: q, Loc: l})
		}
	}
	for q := firstHigh; q <= core.S31; q++ {
		if s.fp[q-core.S0] == q {
			f.kept |= 1 << (q - firstHigh)
		} else if p, ok := s.locate(q); ok && p.reg != core.NoReg {
			f.saved = append(f.saved, SavedRule{Reg: q, Loc: Loc{Kind: LocReg, Reg: p.reg}})
		}
	}
	return f
}

// meet keeps what o says too.
func (f *floats) meet(o *floats) {
	f.kept &= o.kept
	f.saved = slices.DeleteFunc(slices.Clone(f.saved), func(s SavedRule) bool { return !slices.Contains(o.saved, s) })
}

// meetFloats makes r and those of rows with the same caller say the same of FP
// registers: which of them is executed does not show in what they lead to, but for
// the kind of the hardware frame.
func (r *Row) meetFloats(rows []Row) {
	for i := range rows {
		q := &rows[i]
		if q.high != r.high && q.high != highUnknown && r.high != highUnknown {
			continue
		}
		if q.HasRA == r.HasRA && q.RA == r.RA && slices.Equal(q.CFA[:min(1, len(q.CFA))], r.CFA[:min(1, len(r.CFA))]) {
			q.floats.meet(&r.floats)
			r.floats.meet(&q.floats)
		}
	}
}

// restore recovers the FP registers of the caller that were not kept.
func (f *floats) restore(a *activation, regs *core.Regs, mem core.Memory) {
	for _, s := range f.saved {
		if v, err := s.Loc.value(regs, a.cfa, mem); err == nil && !a.regs.Has(s.Reg) {
			a.regs.Set(s.Reg, v)
		}
		if addr, ok := s.Loc.address(regs, a.cfa); ok {
			a.saved = append(a.saved, core.SavedReg{Reg: s.Reg, Addr: addr})
		}
	}
}

// float is what an S register holds as a value of the analysis.
func (s *state) float(n uint32) value {
	if n >= numFloats || s.fp[n] == core.NoReg {
		return unknown
	}
	return entry(s.fp[n])
}

// setFloat makes v what an S register holds; only entry values are followed.
func (s *state) setFloat(n uint32, v value) {
	if n >= numFloats {
		return
	}
	q, ok := v.entryReg()
	if !ok {
		q = core.NoReg
	}
	s.fp[n] = q
}

// storeFloats writes the registers of the VFP transfer i to low. FSTMX, whose
// count of words is odd, writes in a form of its own (Armv7-A ARM A8.8.50).
func (s *state) storeFloats(i *insn.Inst, low value) {
	for k := range uint32(i.Words) {
		v := unknown
		if !isDouble(i.Raw) || i.Words&1 == 0 {
			v = s.float(uint32(i.VFirst) + k)
		}
		s.store(low.add(4*int32(k)), v)
	}
}

// loadFloats reads the registers of the VFP transfer i from low.
func (s *state) loadFloats(i *insn.Inst, low value) {
	for k := range uint32(i.Words) {
		v := unknown
		if !isDouble(i.Raw) || i.Words&1 == 0 {
			v = s.load(low.add(4 * int32(k)))
		}
		s.setFloat(uint32(i.VFirst)+k, v)
	}
}

// stepFloats applies what i does to S registers, transfers of several aside, and
// what VSTR does to memory.
func (s *state) stepFloats(i *insn.Inst) {
	mask := floatWrites(i)
	m, ok := floatMove(i)
	if !ok {
		if mask != 0 {
			s.fp.forget(mask)
		}
		return
	}
	var ea value
	if m.memory {
		ea = s.reg(m.core[0], i).add(m.off)
	}
	for k := range m.words {
		n := m.first + uint32(k)
		switch at := ea.add(4 * int32(k)); {
		case m.kind == fromFloat && m.memory:
			s.store(at, s.float(n))
		case m.kind == toFloat && m.memory:
			s.setFloat(n, s.load(at))
		case m.kind == toFloat:
			s.setFloat(n, s.reg(m.core[k], i))
		case m.kind == floatCopy:
			s.setFloat(n, s.float(m.from+uint32(k)))
		}
	}
}

// takeFloats sets the core registers that i moves S registers to.
func (s *state) takeFloats(i *insn.Inst, sym base) {
	m, ok := floatMove(i)
	if !ok || m.kind != fromFloat || m.memory {
		return
	}
	for k := range m.words {
		if r := m.core[k]; r < core.PC {
			s.assign(r, s.float(m.first+uint32(k)), sym)
		}
	}
}
