package thumb

import (
	"fmt"
	"strings"
)

// specialNames are the M-profile special registers by SYSm (Armv8-M ARM, MRS,
// "SYSm encodings"; the PAC keys are those of Armv8.1-M).
var specialNames = map[uint8]string{
	0: "APSR", 1: "IAPSR", 2: "EAPSR", 3: "XPSR", 5: "IPSR", 6: "EPSR", 7: "IEPSR",
	8: "MSP", 9: "PSP", 10: "MSPLIM", 11: "PSPLIM",
	16: "PRIMASK", 17: "BASEPRI", 18: "BASEPRI_MAX", 19: "FAULTMASK", 20: "CONTROL",
	32: "PAC_KEY_P_0", 33: "PAC_KEY_P_1", 34: "PAC_KEY_P_2", 35: "PAC_KEY_P_3",
	36: "PAC_KEY_U_0", 37: "PAC_KEY_U_1", 38: "PAC_KEY_U_2", 39: "PAC_KEY_U_3",
	0x88: "MSP_NS", 0x89: "PSP_NS", 0x8a: "MSPLIM_NS", 0x8b: "PSPLIM_NS",
	0x90: "PRIMASK_NS", 0x91: "BASEPRI_NS", 0x93: "FAULTMASK_NS", 0x94: "CONTROL_NS", 0x98: "SP_NS",
	0xa0: "PAC_KEY_P_0_NS", 0xa1: "PAC_KEY_P_1_NS", 0xa2: "PAC_KEY_P_2_NS", 0xa3: "PAC_KEY_P_3_NS",
	0xa4: "PAC_KEY_U_0_NS", 0xa5: "PAC_KEY_U_1_NS", 0xa6: "PAC_KEY_U_2_NS", 0xa7: "PAC_KEY_U_3_NS",
}

// special names the register of an M-profile MRS or MSR. A write of APSR
// names the parts that the mask selects (Armv8-M ARM, MSR).
func (p *printer) special() {
	sysm := uint8(p.i.Imm)
	name, known := specialNames[sysm]
	switch {
	case !known:
		p.immediate(int64(sysm))
		return
	case sysm <= 3 && p.f.lookup('b') != nil:
		name += map[uint32]string{2: "_nzcvq", 1: "_g", 3: "_nzcvqg"}[p.field('b')>>2]
	}
	p.text(name)
}

// bankedNames are the registers of MRS and MSR (banked register) on A and R
// profiles by M:M1 (Armv8-A ARM, "Encoding and use of banked register
// transfer instructions").
var bankedNames = map[uint32]string{
	0x00: "R8_usr", 0x01: "R9_usr", 0x02: "R10_usr", 0x03: "R11_usr", 0x04: "R12_usr", 0x05: "SP_usr", 0x06: "LR_usr",
	0x08: "R8_fiq", 0x09: "R9_fiq", 0x0a: "R10_fiq", 0x0b: "R11_fiq", 0x0c: "R12_fiq", 0x0d: "SP_fiq", 0x0e: "LR_fiq",
	0x10: "LR_irq", 0x11: "SP_irq", 0x12: "LR_svc", 0x13: "SP_svc", 0x14: "LR_abt", 0x15: "SP_abt", 0x16: "LR_und", 0x17: "SP_und",
	0x1c: "LR_mon", 0x1d: "SP_mon", 0x1e: "ELR_hyp", 0x1f: "SP_hyp",
}

var bankedStatusNames = map[uint32]string{
	0x0e: "SPSR_fiq", 0x10: "SPSR_irq", 0x12: "SPSR_svc", 0x14: "SPSR_abt", 0x16: "SPSR_und", 0x1c: "SPSR_mon", 0x1e: "SPSR_hyp",
}

// banked names the register of an A-profile MRS or MSR (banked register).
func (p *printer) banked() {
	names := bankedNames
	if p.field('R') != 0 {
		names = bankedStatusNames
	}
	n := p.field('M')<<4 | p.field('b')
	if name, ok := names[n]; ok {
		p.text(name)
		return
	}
	p.immediate(int64(n))
}

// statusRegister names CPSR or SPSR and, in MSR, its parts by the mask b.
func (p *printer) statusRegister() {
	p.text([]string{"CPSR", "SPSR"}[p.field('R')])
	if p.f.lookup('b') == nil {
		return
	}
	p.text("_")
	for k, part := range []string{"f", "s", "x", "c"} {
		if p.field('b')>>(3-k)&1 != 0 {
			p.text(part)
		}
	}
}

// flagNames lists the interrupt masks of CPS.
func flagNames(f uint32) string {
	var s strings.Builder
	for k, c := range "aif" {
		if f>>(2-k)&1 != 0 {
			s.WriteRune(c)
		}
	}
	return s.String()
}

var barrierNames = map[uint32]string{
	1: "oshld", 2: "oshst", 3: "osh", 5: "nshld", 6: "unst", 7: "un",
	9: "ishld", 10: "ishst", 11: "ish", 13: "ld", 14: "st", 15: "sy",
}

// barrierName names the option of DSB, DMB.
func barrierName(v uint32) string {
	if n, ok := barrierNames[v]; ok {
		return n
	}
	return fmt.Sprintf("#%d", v)
}

// syncBarrierName names the option of ISB, of which only SY is defined.
func syncBarrierName(v uint32) string {
	if v == 15 {
		return "sy"
	}
	return fmt.Sprintf("#%d", v)
}
