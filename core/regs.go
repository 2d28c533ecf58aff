package core

import "fmt"

// Reg numbers an ARM register. R0 to R12, SP, LR and PC have the numbers of
// the AAPCS and of DWARF (DWARF for the Arm Architecture, "DWARF register
// names").
type Reg uint8

// The registers. PSR is xPSR on M-profile and CPSR elsewhere. MSPLIM and
// PSPLIM exist on ARMv8-M; with its Security Extension MSP and PSP are those of
// the state the core is in, and both banks have names of their own.
const (
	R0 Reg = iota
	R1
	R2
	R3
	R4
	R5
	R6
	R7
	R8
	R9
	R10
	R11
	R12
	SP
	LR
	PC
	PSR
	MSP
	PSP
	CONTROL
	PRIMASK
	BASEPRI
	FAULTMASK
	FPSCR
	MSPLIM
	PSPLIM
	MSPS    // msp_s
	PSPS    // psp_s
	MSPNS   // msp_ns
	PSPNS   // psp_ns
	S0      // S0 to S31 are S0 .. S0+31
	S31     = S0 + 31
	NumRegs = int(S31) + 1
	// NoReg marks an absent register operand.
	NoReg Reg = 0xff
)

var regNames = [...]string{
	"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12",
	"sp", "lr", "pc", "xpsr", "msp", "psp", "control", "primask", "basepri", "faultmask",
	"fpscr", "msplim", "psplim", "msp_s", "psp_s", "msp_ns", "psp_ns",
}

// String returns the register's lower-case name: "r0", "sp", "xpsr", "s31".
func (r Reg) String() string {
	switch {
	case int(r) < len(regNames):
		return regNames[r]
	case r >= S0 && r <= S31:
		return fmt.Sprintf("s%d", r-S0)
	}
	return fmt.Sprintf("reg%d", uint8(r))
}

// Regs is a set of register values of which any may be unknown. The zero
// value knows none. Values of registers that are not known are not comparable:
// compare through Get.
type Regs struct {
	val   [NumRegs]uint32
	valid uint64
	// banked are registers of other modes, shared by copies; nil for M-profile.
	banked *banked
}

// Get returns the value of r and whether it is known.
func (g *Regs) Get(r Reg) (uint32, bool) {
	if int(r) >= NumRegs || g.valid>>r&1 == 0 {
		return 0, false
	}
	return g.val[r], true
}

// Value returns the value of r, 0 when it is not known.
func (g *Regs) Value(r Reg) uint32 { v, _ := g.Get(r); return v }

// Has reports whether r is known.
func (g *Regs) Has(r Reg) bool { return int(r) < NumRegs && g.valid>>r&1 != 0 }

// Set makes the value of r known.
func (g *Regs) Set(r Reg, v uint32) {
	if int(r) < NumRegs {
		g.val[r], g.valid = v, g.valid|1<<r
	}
}

// Forget makes the value of r unknown.
func (g *Regs) Forget(r Reg) {
	if int(r) < NumRegs {
		g.valid &^= 1 << r
	}
}

// Keep forgets every register that is not in mask, which has bit r set for
// register r.
func (g *Regs) Keep(mask uint64) { g.valid &= mask }

// Empty reports whether no register is known.
func (g *Regs) Empty() bool { return g.valid == 0 && g.banked == nil }

// LookupReg returns the register with the given name in any of its usual
// spellings (r13 and sp, r14 and lr, xpsr and cpsr, fp, ip, sl, sb), without
// regard to case.
func LookupReg(name string) (Reg, bool) {
	r, ok := regByName[lower(name)]
	return r, ok
}

var regByName = func() map[string]Reg {
	m := map[string]Reg{
		"r13": SP, "r14": LR, "r15": PC, "cpsr": PSR, "psr": PSR,
		"sb": R9, "sl": R10, "fp": R11, "ip": R12,
	}
	for r := range Reg(NumRegs) {
		m[r.String()] = r
	}
	return m
}()

func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
