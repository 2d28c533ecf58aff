package thumb

import (
	"pushmask/core"
	"pushmask/core/insn"
)

// Decode decodes the instruction at the start of b, which lies at addr. An
// unallocated encoding is no error: its Flow is FlowUndef and its Size is
// right. UNPREDICTABLE encodings are decoded as if they were predictable, but
// for wrong should-be bits that binutils takes for unallocated. The only error is [ErrTruncated], with an Inst that has Addr only.
func Decode(b []byte, addr core.Addr) (i insn.Inst, err error) {
	i = insn.Inst{
		Addr: addr &^ 1, Thumb: true, Cond: insn.AL,
		Rd: core.NoReg, Rd2: core.NoReg, Rn: core.NoReg, Rm: core.NoReg,
	}
	if len(b) < 2 {
		return i, ErrTruncated
	}
	h := uint16(b[0]) | uint16(b[1])<<8
	i.Raw, i.Size = uint32(h), 2
	if wideHalfword(h) {
		if len(b) < 4 {
			i.Raw, i.Size = 0, 0
			return i, ErrTruncated
		}
		i.Raw, i.Size = uint32(h)<<16|uint32(b[2])|uint32(b[3])<<8, 4
	}
	f := forms.find(i.Raw, i.Size)
	if f == nil || f.text == "" {
		i.Flow = insn.FlowUndef
		return i, nil
	}
	f.apply(&i)
	return i, nil
}

// apply fills in i, whose Addr, Raw and Size are set.
func (f *form) apply(i *insn.Inst) {
	if f.rd.mask != 0 {
		i.Rd = core.Reg(f.rd.of(i.Raw))
	}
	if f.rd2.mask != 0 {
		i.Rd2 = core.Reg(f.rd2.of(i.Raw))
	}
	if f.rn.mask != 0 {
		i.Rn = core.Reg(f.rn.of(i.Raw))
	}
	if f.rm.mask != 0 {
		i.Rm = core.Reg(f.rm.of(i.Raw))
	}
	i.Defs = f.implicit
	for k := range f.defs {
		if f.defs[k].mask != 0 {
			i.Defs |= 1 << (f.defs[k].of(i.Raw) & 15)
		}
	}
	if f.sem != nil {
		*i = f.sem(*i, f)
	}
	if i.Defs>>core.PC&1 != 0 && i.Flow == insn.FlowNext {
		i.Flow = insn.FlowOther
	}
}
