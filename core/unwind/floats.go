package unwind

import (
	"slices"

	"pushmask/core"
	"pushmask/core/insn"
)

// firstHigh is the first of the FP registers that a callee leaves as they were
// or saves: S16 to S31, which are D8 to D15 (AAPCS32 6.1.2.1).
const firstHigh = core.S0 + 16

// allHigh has a bit for each of them: bit k is S16+k.
const allHigh = 0xffff

// floats says where the caller's S16 to S31 are. The zero value knows of none.
type floats struct {
	kept  uint16 // bit k: S16+k still holds the caller's value
	saved []SavedRule
}

// floats lists them as they are in state s.
func (s *state) floats() floats {
	f := floats{kept: ^s.written}
	for i := range s.slots[:s.n] {
		q, ok := s.slots[i].val.entryReg()
		if !ok || q < firstHigh {
			continue
		}
		if l, ok := s.loc(place{reg: core.NoReg, at: s.slots[i].at}); ok {
			f.saved = append(f.saved, SavedRule{Reg: q, Loc: l})
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
// registers: which of them is executed does not show in what they lead to.
func (r *Row) meetFloats(rows []Row) {
	for i := range rows {
		q := &rows[i]
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

// storeHigh returns what word k of the VFP transfer i writes: a register of the
// caller, or what is not followed. FSTMX, whose count of words is odd, writes in
// a form of its own (Armv7-A ARM A8.8.50).
func (s *state) storeHigh(i *insn.Inst, k int32) value {
	n := int32(i.VFirst) + k - (int32(firstHigh) - int32(core.S0))
	if n < 0 || n >= 16 || s.written>>n&1 != 0 || isDouble(i.Raw) && i.Words&1 != 0 {
		return unknown
	}
	return entry(firstHigh + core.Reg(n))
}

// loadHigh notes the registers that the VFP transfer i from low writes: those
// that get back what they held are the caller's again.
func (s *state) loadHigh(i *insn.Inst, low value) {
	for k := range int32(i.Words) {
		n := int32(i.VFirst) + k - (int32(firstHigh) - int32(core.S0))
		if n < 0 || n >= 16 {
			continue
		}
		s.written |= 1 << n
		if s.load(low.add(4*k)) == entry(firstHigh+core.Reg(n)) {
			s.written &^= 1 << n
		}
	}
}

// isDouble reports whether an instruction of the FPU is of D registers.
func isDouble(raw uint32) bool { return raw>>8&1 != 0 }

// writesHigh returns which of S16 to S31 an instruction may write, VLDM aside.
// Vector instructions (Advanced SIMD, MVE) and coprocessors that are not known
// count as writing all.
func writesHigh(i *insn.Inst) uint16 {
	raw := i.Raw
	switch {
	case i.Size != 4:
		return 0
	case i.Thumb && raw>>24 == 0xf9 && raw>>20&1 == 0, // element and structure transfers
		i.Thumb && raw>>24&0xef == 0xef,
		!i.Thumb && (raw>>25 == 0x79 || raw>>24 == 0xf4):
		return allHigh
	case raw>>26&3 != 3 || raw>>24&0xf == 0xf:
		return 0 // neither a transfer nor an operation of a coprocessor
	}
	switch raw >> 8 & 0xf { // the coprocessor
	case 9, 10, 11:
	case 14, 15:
		if isCoreTransfer(raw) || isStore(raw) {
			return 0
		}
		return allHigh
	default:
		return allHigh
	}
	if raw>>25&7 == 6 {
		return transferWrites(i)
	}
	return operationWrites(raw)
}

// isCoreTransfer tells MRC, MCR, MRRC and MCRR (Armv7-A ARM A8.8.98 ff.). MVE has
// bit 4 clear beside the first two, and bit 22 beside the others.
func isCoreTransfer(raw uint32) bool {
	return raw>>28 != 0xf && (raw>>24&0xf == 0xe && raw>>4&1 != 0 || raw>>21&0x7f == 0x62)
}

// isStore tells STC and the stores of MVE: P or W is set, L is clear.
func isStore(raw uint32) bool {
	const p, w, l = 1 << 24, 1 << 21, 1 << 20
	return raw>>25&7 == 6 && raw&(p|w) != 0 && raw&l == 0
}

// transferWrites is writesHigh of loads, stores and VMOV with two core registers
// (Armv7-M ARM A6.5, A6.6 and A6.7: bits 27 to 25 are 110).
func transferWrites(i *insn.Inst) uint16 {
	const load = 1 << 20
	raw := i.Raw
	switch {
	case i.Op == insn.OpVLoad || i.Op == insn.OpVStore:
		return 0
	case i.Op == insn.OpVSave || i.Op == insn.OpVRestore:
		return allHigh
	case raw>>21&0x7f == 0x62: // VMOV of two core registers: bits 27 to 21 are 1100010
		if raw&load != 0 {
			return 0
		}
		first := vfpRegister(raw, 0, 5)
		return high(first) | high(first+1)
	case raw&load == 0:
		return 0
	case raw>>24&0xf == 0xd && raw>>21&1 == 0: // VLDR: P set, W clear
		return destination(raw)
	}
	return allHigh
}

// operationWrites is writesHigh of data processing and of VMOV with one core
// register (Armv7-M ARM A6.4 and A6.6: bits 27 to 24 are 1110).
func operationWrites(raw uint32) uint16 {
	if raw>>4&1 != 0 && raw>>28 != 0xf {
		switch {
		case raw>>20&1 != 0: // to a core register, VMRS among them
			return 0
		case !isDouble(raw) && raw>>21&7 == 7: // VMSR
			return 0
		case !isDouble(raw):
			return high(vfpRegister(raw, 16, 7))
		case raw>>23&1 == 0: // VMOV to half of a D register
			first := vfpRegister(raw, 16, 7)
			return high(first) | high(first+1)
		}
		return allHigh // VDUP, and elements of 8 and 16 bits
	}
	if raw>>28 != 0xf && raw>>20&0xb == 0xb && raw>>16&0xe == 4 && raw>>6&1 != 0 {
		return 0 // VCMP
	}
	return destination(raw)
}

// destination is writesHigh of an instruction that writes Vd, a D or an S
// register. Conversions do not say which in bit 8: they count as both.
func destination(raw uint32) uint16 {
	first := vfpRegister(raw, 12, 22)
	mask := high(first)
	if isDouble(raw) {
		mask |= high(first + 1)
	}
	if isConversion := raw>>24&0xf == 0xe && raw>>20&0xb == 0xb; isConversion {
		single := vfpRegister(raw&^(1<<8), 12, 22)
		double := vfpRegister(raw|1<<8, 12, 22)
		mask |= high(single) | high(double) | high(double+1)
	}
	return mask
}

// vfpRegister is the number of the first S register of an operand whose fields
// start at bits v and d.
func vfpRegister(raw uint32, v, d int) uint32 {
	four, one := raw>>v&0xf, raw>>d&1
	if isDouble(raw) {
		return (one<<4 | four) * 2
	}
	return four<<1 | one
}

// high is the bit of S register n, 0 for those that are not S16 to S31.
func high(n uint32) uint16 {
	if n < 16 || n >= 32 {
		return 0
	}
	return 1 << (n - 16)
}
