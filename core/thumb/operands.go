package thumb

import (
	"fmt"

	"pushmask/core"
	"pushmask/core/insn"
)

// operands are the placeholders of the templates. A field letter in a name
// (i, b, e, ...) is the field of the encoding it prints.
var operands = map[string]func(*printer){
	// Core registers.
	"Rd":   func(p *printer) { p.reg(p.field('d')) },
	"Rn":   func(p *printer) { p.reg(p.field('n')) },
	"Rm":   func(p *printer) { p.reg(p.field('m')) },
	"Rt":   func(p *printer) { p.reg(p.field('t')) },
	"Rt2":  func(p *printer) { p.reg(p.field('u')) },
	"Ra":   func(p *printer) { p.reg(p.field('a')) },
	"RdLo": func(p *printer) { p.reg(p.field('l')) },
	"RdHi": func(p *printer) { p.reg(p.field('h')) },

	// Suffixes of the mnemonic.
	"c":    func(p *printer) { p.text(condName(p.cond)) },
	"cond": func(p *printer) { p.text(condName(p.i.Cond)) },
	"s":    (*printer).setsFlags,
	"S":    (*printer).flagBit,

	"inst": func(p *printer) { p.text(directive(*p.i)) },

	// Immediates.
	"sh32":  func(p *printer) { p.immediate(int64(zeroIs32(p.field('i')))) },
	"const": func(p *printer) { p.immediate(int64(expandImm(p.field('i')))) },
	"imm16": func(p *printer) { p.immediate(int64(imm16(p.f, p.i.Raw))) },
	"i":     func(p *printer) { p.number(int64(p.field('i'))) },
	"i+1":   func(p *printer) { p.number(int64(p.field('i')) + 1) },
	"i*4":   func(p *printer) { p.number(int64(p.field('i')) * 4) },
	"b":     func(p *printer) { p.number(int64(p.field('b'))) },
	"b+1":   func(p *printer) { p.number(int64(p.field('b')) + 1) },
	"e":     func(p *printer) { p.number(int64(p.field('e'))) },
	"width": func(p *printer) { p.number(int64(p.field('b')) - int64(p.field('i')) + 1) },

	// Shifts of a register operand.
	"shift":    func(p *printer) { p.shift(p.field('y'), p.field('i')) },
	"lsl":      func(p *printer) { p.shift(0, p.field('i')) },
	"satshift": func(p *printer) { p.shift(p.field('y')<<1, p.field('i')) },
	"rotate":   (*printer).rotation,

	"evenLo":  func(p *printer) { p.reg(p.field('l') << 1) },
	"oddHi":   func(p *printer) { p.reg(p.field('h')<<1 | 1) },
	"satbits": func(p *printer) { p.immediate([]int64{64, 48}[p.field('s')]) },
	"csel":    (*printer).conditionalSelect,

	// Addresses, lists, targets.
	"mem":     (*printer).mem,
	"exmem":   (*printer).exclusiveMem,
	"tb":      func(p *printer) { p.text([]string{"tbb", "tbh"}[p.field('H')]) },
	"tbmem":   (*printer).tableMem,
	"wb":      (*printer).writeback,
	"list":    func(p *printer) { p.list(p.i.List, core.Reg.String) },
	"clrlist": func(p *printer) { p.list(p.i.List, clearName) },
	"target":  func(p *printer) { p.text(fmt.Sprintf("0x%x", uint32(p.i.Target))) },

	// Low-overhead loops and branch future.
	"size":   func(p *printer) { p.number(8 << p.field('z')) },
	"boff":   func(p *printer) { p.hex(p.field('b') * 2) },
	"future": (*printer).futureTarget,
	"else":   func(p *printer) { p.hex(p.field('b')*2 + 2 + p.field('h')*2) },
	"bcond":  func(p *printer) { p.text(itCondName(insn.Cond(p.field('c')))) },

	// IT, CPS, special registers and the rest of the system instructions.
	"pattern":   func(p *printer) { p.text(itPattern(p.i.Cond, uint8(p.i.Imm))) },
	"firstcond": func(p *printer) { p.text(itCondName(p.i.Cond)) },
	"iflags":    func(p *printer) { p.text(flagNames(p.field('f'))) },
	"endian":    func(p *printer) { p.text([]string{"le", "be"}[p.field('e')]) },
	"barrier":   func(p *printer) { p.text(barrierName(p.field('i'))) },
	"isb":       func(p *printer) { p.text(syncBarrierName(p.field('i'))) },
	"spec":      (*printer).special,
	"banked":    (*printer).banked,
	"psr":       (*printer).statusRegister,
}

// operand returns the function that prints a placeholder, nil when there is
// none of that name.
func operand(name string) func(*printer) {
	if f := operands[name]; f != nil {
		return f
	}
	return fpOperands[name]
}

// setsFlags is the suffix of T16 instructions that set the flags outside of
// an IT block only.
func (p *printer) setsFlags() {
	if p.cond == insn.AL {
		p.text("s")
		return
	}
	p.text(condName(p.cond))
}

func (p *printer) flagBit() {
	if p.field('S') != 0 {
		p.text("s")
	}
}

func zeroIs32(v uint32) uint32 {
	if v == 0 {
		return 32
	}
	return v
}

func (p *printer) rotation() {
	if r := p.field('r'); r != 0 {
		p.text(", ror ")
		p.immediate(int64(r) * 8)
	}
}

func (p *printer) exclusiveMem() {
	p.text("[" + p.i.Rn.String())
	if v := p.field('i'); v != 0 {
		p.text(", ")
		p.immediate(int64(v) * 4)
	}
	p.text("]")
}

func (p *printer) tableMem() {
	p.text("[" + p.i.Rn.String() + ", " + p.i.Rm.String())
	if p.i.Scale == 2 {
		p.text(", lsl #1")
	}
	p.text("]")
}

func (p *printer) writeback() {
	if p.i.Writeback {
		p.text("!")
	}
}

// clearName names a register of CLRM, where bit 15 is APSR.
func clearName(r core.Reg) string {
	if r == core.PC {
		return "APSR"
	}
	return r.String()
}

// futureTarget is the destination of BF, BFL and BFCSEL: immA:immB:immC.
func (p *printer) futureTarget() {
	a := p.f.lookup('i')
	v := a.of(p.i.Raw)<<11 | p.field('k')<<1 | p.field('j')
	to := p.i.Addr + pcRead + core.Addr(2*signExtend(v, a.width()+11))
	p.text(fmt.Sprintf("0x%x", uint32(to)))
}
