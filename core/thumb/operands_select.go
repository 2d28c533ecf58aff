package thumb

import "pushmask/core/insn"

// conditionalSelect writes CSEL, CSINC, CSINV, CSNEG or the alias that
// assemblers prefer (Armv8-M ARM, CSINC "alias conditions"): two equal
// sources make CINC, CINV or CNEG, two zero sources CSET or CSETM.
func (p *printer) conditionalSelect() {
	kind, n, m := p.field('k'), p.field('n'), p.field('m')
	c := insn.Cond(p.field('c'))
	inverted := c < insn.AL
	switch {
	case inverted && kind != selCSEL && kind != selCSNEG && n == 15 && m == 15:
		p.text([]string{selCSINC: "cset", selCSINV: "csetm"}[kind])
		p.text(" ")
		p.zeroReg(p.field('d'))
	case inverted && kind != selCSEL && n == m:
		p.text([]string{selCSINC: "cinc", selCSINV: "cinv", selCSNEG: "cneg"}[kind])
		p.text(" ")
		p.zeroReg(p.field('d'))
		p.text(", ")
		p.zeroReg(n)
	default:
		p.text([]string{"csel", "csinc", "csinv", "csneg"}[kind])
		p.text(" ")
		p.zeroReg(p.field('d'))
		p.text(", ")
		p.zeroReg(n)
		p.text(", ")
		p.zeroReg(m)
		p.text(", " + itCondName(c))
		return
	}
	p.text(", " + condName(c^1))
}

// The values of field k of the conditional selects.
const (
	selCSEL  = 0
	selCSINC = 1
	selCSINV = 2
	selCSNEG = 3
)

// zeroReg writes a register operand where 15 is the zero register.
func (p *printer) zeroReg(n uint32) {
	if n == 15 {
		p.text("zr")
		return
	}
	p.reg(n)
}
