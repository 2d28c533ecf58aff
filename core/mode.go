package core

// Mode is a processor mode of A- and R-profile cores, as in CPSR.M (Armv7-A
// ARM B1.3.1). User mode shares the registers of System mode.
type Mode uint8

// The modes.
const (
	ModeNone       Mode = 0 // not known; no mode has this number
	ModeUser       Mode = 0x10
	ModeFIQ        Mode = 0x11
	ModeIRQ        Mode = 0x12
	ModeSupervisor Mode = 0x13
	ModeMonitor    Mode = 0x16
	ModeAbort      Mode = 0x17
	ModeHyp        Mode = 0x1a
	ModeUndefined  Mode = 0x1b
	ModeSystem     Mode = 0x1f
)

var modeNames = map[Mode]string{
	ModeUser: "user", ModeFIQ: "FIQ", ModeIRQ: "IRQ", ModeSupervisor: "supervisor",
	ModeMonitor: "monitor", ModeAbort: "abort", ModeHyp: "hyp", ModeUndefined: "undefined", ModeSystem: "system",
}

// modeSuffixes are those of the names of banked registers (sp_irq).
var modeSuffixes = map[Mode]string{
	ModeFIQ: "fiq", ModeIRQ: "irq", ModeSupervisor: "svc", ModeMonitor: "mon",
	ModeAbort: "abt", ModeHyp: "hyp", ModeUndefined: "und", ModeSystem: "usr",
}

// ModeOf is the mode in a CPSR or SPSR, ModeNone where it is none.
func ModeOf(psr uint32) Mode {
	const field = 0x1f // CPSR.M
	if m := Mode(psr & field); modeNames[m] != "" {
		return m
	}
	return ModeNone
}

// String returns the name of the mode.
func (m Mode) String() string {
	if s := modeNames[m]; s != "" {
		return s
	}
	return "unknown"
}

// Bank is the mode whose SP and LR m uses.
func (m Mode) Bank() Mode {
	if m == ModeUser {
		return ModeSystem
	}
	return m
}

// Exception reports whether only an exception enters the mode and none but its
// handler runs in it.
func (m Mode) Exception() bool {
	return m == ModeFIQ || m == ModeIRQ || m == ModeAbort || m == ModeUndefined
}

// Suffix is that of the names of the mode's banked registers: "irq" of "sp_irq".
func (m Mode) Suffix() string { return modeSuffixes[m.Bank()] }
