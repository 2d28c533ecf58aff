package core

import "testing"

func TestLookupBanked(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		mode Mode
		reg  BankedReg
		ok   bool
	}{
		{"sp_irq", ModeIRQ, BankedSP, true},
		{"R13_SVC", ModeSupervisor, BankedSP, true},
		{"lr_abt", ModeAbort, BankedLR, true},
		{"r14_usr", ModeSystem, BankedLR, true},
		{"spsr_fiq", ModeFIQ, BankedSPSR, true},
		{"spsr_usr", ModeSystem, BankedSPSR, false},
		{"r8_fiq", ModeNone, 0, false},
		{"msp_s", ModeNone, 0, false},
		{"sp", ModeNone, 0, false},
	}
	for _, tt := range tests {
		m, r, ok := LookupBanked(tt.name)
		if ok != tt.ok || ok && (m != tt.mode || r != tt.reg) {
			t.Errorf("LookupBanked(%q) = %v, %v, %v; want %v, %v, %v", tt.name, m, r, ok, tt.mode, tt.reg, tt.ok)
		}
		if ok && BankedName(m, r)[:2] != []string{"sp", "lr", "sp"}[r] {
			t.Errorf("BankedName of %q is %q", tt.name, BankedName(m, r))
		}
	}
}

// TestBanked changes one copy of registers: others keep what they have, and
// User mode has the registers of System mode.
func TestBanked(t *testing.T) {
	t.Parallel()
	var regs Regs
	regs.SetBanked(ModeUser, BankedSP, 1)
	older := regs
	regs.SetBanked(ModeSystem, BankedSP, 2)
	regs.SetBanked(ModeSystem, BankedSPSR, 3)
	regs.SetBanked(ModeIRQ, BankedLR, 4)
	regs.ForgetBanked(ModeSystem)
	if v, ok := older.Banked(ModeSystem, BankedSP); !ok || v != 1 {
		t.Errorf("the older copy has %d, %v", v, ok)
	}
	if _, ok := regs.Banked(ModeUser, BankedSP); ok {
		t.Error("a forgotten register is known")
	}
	if v, ok := regs.Banked(ModeIRQ, BankedLR); !ok || v != 4 {
		t.Errorf("lr_irq is %d, %v", v, ok)
	}
	if regs.Empty() || older.Empty() {
		t.Error("banked registers are none")
	}
}

func TestModeOf(t *testing.T) {
	t.Parallel()
	for psr, want := range map[uint32]Mode{0x600001d3: ModeSupervisor, 0x3f: ModeSystem, 0x10: ModeUser, 0: ModeNone, 0x1c: ModeNone} {
		if got := ModeOf(psr); got != want {
			t.Errorf("ModeOf(%#x) = %v, want %v", psr, got, want)
		}
	}
}
