package a32

import (
	"encoding/binary"

	"pushmask/core"
	"pushmask/core/insn"
)

// Decode decodes the instruction at the start of b, which lies at addr. An
// unallocated encoding is no error: its Flow is FlowUndef. UNPREDICTABLE
// encodings are decoded as if they were predictable. The only error is
// [ErrTruncated], with an Inst that has Addr only.
//
// Loads and stores whose address [insn.Index] cannot express (a register
// subtracted, shifted other than left, or written back) are OpOther with
// their Defs. Loads of the registers of another mode are OpOther too.
func Decode(b []byte, addr core.Addr) (insn.Inst, error) {
	i := insn.Inst{
		Addr: addr &^ 3, Cond: insn.AL,
		Rd: core.NoReg, Rd2: core.NoReg, Rn: core.NoReg, Rm: core.NoReg,
	}
	if len(b) < 4 {
		return i, ErrTruncated
	}
	i.Raw, i.Size = binary.LittleEndian.Uint32(b), 4
	f := find(i.Raw)
	if f == nil {
		i.Flow = insn.FlowUndef
		return i, nil
	}
	if i.Raw < never {
		i.Cond = insn.Cond(i.Raw >> 28)
	}
	i = f.sem(i)
	if i.Defs>>core.PC&1 != 0 && i.Flow == insn.FlowNext {
		const dataProcessing = 0 // bits 27:26 (Arm ARM A5.1)
		i.Flow = insn.FlowOther
		i.ExceptionReturn = i.Raw>>26&3 == dataProcessing && setsFlags(i.Raw)
	}
	return i, nil
}

// semantics fills in what an instruction does; Addr, Raw, Size and Cond are set.
type semantics func(insn.Inst) insn.Inst

// The usual places of the register fields (Arm ARM, A5.2).

func regAt(raw uint32, lsb uint) core.Reg { return core.Reg(raw >> lsb & 15) }

func rd(raw uint32) core.Reg { return regAt(raw, 12) }
func rn(raw uint32) core.Reg { return regAt(raw, 16) }
func rm(raw uint32) core.Reg { return regAt(raw, 0) }

func bit(raw uint32, n uint) bool { return raw>>n&1 != 0 }
