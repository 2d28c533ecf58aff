package thumb

import (
	"fmt"
	"math"
	"strconv"

	"pushmask/core/insn"
)

// fpOperands are the placeholders of the floating-point and coprocessor
// templates. The fields of a register are v and D (destination), w and N
// (first source), x and M (second source).
var fpOperands = map[string]func(*printer){
	"fz":   func(p *printer) { p.text(precisionNames[p.field('z')]) },
	"Sd":   func(p *printer) { p.single('v', 'D') },
	"Sn":   func(p *printer) { p.single('w', 'N') },
	"Sm":   func(p *printer) { p.single('x', 'M') },
	"Sm+1": func(p *printer) { p.vreg('s', p.field('x')<<1|p.field('M')+1) },
	"Dd":   func(p *printer) { p.double('v', 'D') },
	"Dm":   func(p *printer) { p.double('x', 'M') },
	"Vd":   func(p *printer) { p.sized('v', 'D') },
	"Vn":   func(p *printer) { p.sized('w', 'N') },
	"Vm":   func(p *printer) { p.sized('x', 'M') },

	"slist":    func(p *printer) { p.vlist('s', uint32(p.i.VFirst), p.field('i')) },
	"dlist":    func(p *printer) { p.vlist('d', uint32(p.i.VFirst)/2, p.field('i')) },
	"sclrlist": func(p *printer) { p.clearList('s', p.field('v')<<1|p.field('D'), p.field('i')) },
	"dclrlist": func(p *printer) { p.clearList('d', p.field('D')<<4|p.field('v'), p.field('i')) },

	"vmem2": func(p *printer) { p.vectorMem(2) },
	"vmem4": func(p *printer) { p.vectorMem(4) },
	"fpsys": func(p *printer) { p.text(fpStoreNames[p.field('R')]) },
	"fpreg": func(p *printer) { p.text(fpSystemName(p.field('r'))) },
	"fimm":  func(p *printer) { p.text("#" + floatText(p.field('i'))) },
	"bt":    func(p *printer) { p.text([]string{"b", "t"}[p.field('T')]) },
	"fixed": (*printer).fixedTypes,
	"fbits": (*printer).fractionBits,

	"coproc": func(p *printer) { p.number(int64(p.field('q'))) },
	"cmem":   (*printer).coprocessorMem,
	"o":      func(p *printer) { p.number(int64(p.field('o'))) },
	"v":      func(p *printer) { p.number(int64(p.field('v'))) },
	"w":      func(p *printer) { p.number(int64(p.field('w'))) },
	"x":      func(p *printer) { p.number(int64(p.field('x'))) },
}

var precisionNames = [...]string{"", "f16", "f32", "f64"}

func (p *printer) vreg(class byte, n uint32) {
	p.out = strconv.AppendUint(append(p.out, class), uint64(n), 10)
}

func (p *printer) single(reg, low byte)  { p.vreg('s', p.field(reg)<<1|p.field(low)) }
func (p *printer) double(reg, high byte) { p.vreg('d', p.field(high)<<4|p.field(reg)) }

// sized writes an S or D register by the precision z.
func (p *printer) sized(reg, bit byte) {
	if p.field('z') == 3 {
		p.double(reg, bit)
		return
	}
	p.single(reg, bit)
}

// vlist writes a list of n consecutive registers.
func (p *printer) vlist(class byte, first, n uint32) {
	p.text("{")
	if n != 0 {
		p.vreg(class, first)
	}
	if n > 1 {
		p.text("-")
		p.vreg(class, first+n-1)
	}
	p.text("}")
}

// clearList is the list of VSCCLRM, which ends with VPR.
func (p *printer) clearList(class byte, first, n uint32) {
	if n == 0 {
		p.text("{VPR}")
		return
	}
	p.vlist(class, first, n)
	p.out = append(p.out[:len(p.out)-1], ", VPR}"...)
}

// vectorMem is the address of VLDR and VSTR: an offset in units of scale.
func (p *printer) vectorMem(scale uint32) {
	p.text("[" + p.i.Rn.String())
	if p.i.Index == insn.PostIndex {
		p.text("]")
	}
	v, sign := p.field('i')*scale, ""
	if p.field('U') == 0 {
		sign = "-"
	}
	if v != 0 || sign != "" || p.i.Index != insn.Offset {
		p.text(fmt.Sprintf(", #%s%d", sign, v))
	}
	if p.i.Index != insn.PostIndex {
		p.text("]")
	}
	if p.i.Index == insn.PreIndex {
		p.text("!")
	}
}

// coprocessorMem is the address of LDC and STC.
func (p *printer) coprocessorMem() {
	if p.field('P') == 0 && p.field('W') == 0 {
		p.text(fmt.Sprintf("[%s], {%d}", p.i.Rn, p.field('i')))
		return
	}
	p.vectorMem(4)
}

// fpSystemNames are the registers of VMRS and VMSR (Arm ARM, VMRS).
var fpSystemNames = map[uint32]string{
	0: "fpsid", 1: "fpscr", 2: "fpscr_nzcvqc", 5: "mvfr2", 6: "mvfr1", 7: "mvfr0", 8: "fpexc",
	9: "fpinst", 10: "fpinst2", 12: "vpr", 13: "p0", 14: "fpcxt_ns", 15: "fpcxt_s",
}

func fpSystemName(n uint32) string {
	if s, ok := fpSystemNames[n]; ok {
		return s
	}
	return fmt.Sprintf("c%d", n)
}

// fpStoreNames are the registers 12 to 15 of VLDR and VSTR (system register).
var fpStoreNames = [...]string{"VPR", "P0", "FPCXTNS", "FPCXTS"}

// floatText writes the constant of an 8-bit floating-point immediate (Arm
// ARM, VFPExpandImm) in decimal.
func floatText(imm8 uint32) string {
	exponent := int(imm8>>4&7^4) - 3
	v := math.Ldexp(float64(16+imm8&15)/16, exponent)
	if imm8>>7 != 0 {
		v = -v
	}
	if v == math.Trunc(v) {
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// fixedTypes are the two types of VCVT between fixed and floating point.
func (p *printer) fixedTypes() {
	fixed := []string{"s", "u"}[p.field('u')] + []string{"16", "32"}[p.field('s')]
	float := precisionNames[p.field('z')]
	if p.field('o') != 0 {
		p.text(fixed + "." + float)
		return
	}
	p.text(float + "." + fixed)
}

func (p *printer) fractionBits() {
	size := []int64{16, 32}[p.field('s')]
	p.immediate(size - int64(p.field('i')<<1|p.field('j')))
}
