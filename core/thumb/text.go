package thumb

import (
	"fmt"
	"strconv"
	"strings"

	"pushmask/core"
	"pushmask/core/insn"
)

// Text returns the UAL text of an instruction of [Decode] as GNU objdump
// writes it, with one space after the mnemonic. cond is the condition that
// the enclosing IT block gives the instruction, [insn.AL] outside of one; see
// [ITState]. (A block of IT AL, which assemblers do not emit, reads as none.) Unallocated encodings are written as .inst.n or .inst.w.
//
// Differences from objdump: registers have the names of [core.Reg] (r10, not
// sl); no comments follow the operands; what objdump prints as <illegal>,
// or <UNPREDICTABLE> is written like its predictable form, <und> is nv;
// SVC, BKPT and HLT have a decimal #imm; floating-point constants are numbers;
// APSR and the PAC keys have their M-profile names; MVE instructions are the
// bare mnemonic, Advanced SIMD ones are .inst.w.
func Text(i insn.Inst, cond insn.Cond) string {
	f := forms.find(i.Raw, i.Size)
	if f == nil || f.text == "" {
		return directive(i)
	}
	p := printer{i: &i, f: f, cond: cond}
	p.expand(f.text)
	return strings.TrimRight(string(p.out), " ")
}

// directive writes an encoding that is no instruction.
func directive(i insn.Inst) string {
	switch i.Size {
	case 2:
		return fmt.Sprintf(".inst.n 0x%04x", i.Raw)
	case 4:
		return fmt.Sprintf(".inst.w 0x%08x", i.Raw)
	}
	return ""
}

// printer expands the template of one instruction.
type printer struct {
	i    *insn.Inst
	f    *form
	cond insn.Cond
	out  []byte
}

// expand writes a template: text, and <placeholders> of the table operands.
func (p *printer) expand(template string) {
	for template != "" {
		text, rest, found := strings.Cut(template, "<")
		p.out = append(p.out, text...)
		if !found {
			return
		}
		name, rest, _ := strings.Cut(rest, ">")
		operand(name)(p)
		template = rest
	}
}

func (p *printer) field(letter byte) uint32 { return p.f.get(p.i.Raw, letter) }
func (p *printer) text(s string)            { p.out = append(p.out, s...) }
func (p *printer) number(v int64)           { p.out = strconv.AppendInt(p.out, v, 10) }

func (p *printer) immediate(v int64) {
	p.text("#")
	p.number(v)
}

func (p *printer) hex(v uint32) { p.out = strconv.AppendUint(p.out, uint64(v), 16) }

func (p *printer) reg(n uint32) { p.text(core.Reg(n).String()) }

var condNames = [...]string{
	"eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "", "",
}

func condName(c insn.Cond) string {
	if int(c) < len(condNames) {
		return condNames[c]
	}
	return ""
}

// list writes the registers of a mask, each by its own name.
func (p *printer) list(mask uint16, names func(core.Reg) string) {
	sep := "{"
	for r := core.R0; r <= core.PC; r++ {
		if mask>>r&1 != 0 {
			p.text(sep)
			p.text(names(r))
			sep = ", "
		}
	}
	if mask == 0 {
		p.text(sep)
	}
	p.text("}")
}

var shiftNames = [...]string{"lsl", "lsr", "asr", "ror"}

// shift writes the shift of a register operand (Arm ARM, DecodeImmShift);
// LSL #0 is none.
func (p *printer) shift(kind, amount uint32) {
	switch {
	case kind == 0 && amount == 0:
		return
	case kind == 3 && amount == 0:
		p.text(", rrx")
		return
	case amount == 0:
		amount = 32
	}
	p.text(", " + shiftNames[kind] + " ")
	p.immediate(int64(amount))
}

// mem writes the address operand of a modelled load or store.
func (p *printer) mem() {
	i := p.i
	p.text("[" + i.Rn.String())
	switch {
	case i.Index == insn.RegOffset:
		p.text(", " + i.Rm.String())
		if i.Shift != 0 {
			p.text(", lsl ")
			p.immediate(int64(i.Shift))
		}
		p.text("]")
	case i.Index == insn.PostIndex:
		p.text("], ")
		p.offset()
	case i.Index == insn.PreIndex:
		p.text(", ")
		p.offset()
		p.text("]!")
	case i.Imm == 0 && !p.minusZero() && i.Size == 4 && (i.Rn != core.PC || i.Rd2 != core.NoReg):
		p.text("]")
	default:
		p.text(", ")
		p.offset()
		p.text("]")
	}
}

// offset writes the immediate of an address; 0 subtracted is #-0.
func (p *printer) offset() {
	if p.minusZero() {
		p.text("#-0")
		return
	}
	p.immediate(int64(p.i.Imm))
}

func (p *printer) minusZero() bool {
	return p.i.Imm == 0 && p.f.lookup('U') != nil && p.field('U') == 0
}
