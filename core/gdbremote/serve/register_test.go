package serve

import (
	"testing"

	"pushmask/core"
	"pushmask/core/session"
)

// TestFeatures: gdb is told of stack pointers to unwind with only where every
// thread has them, and of no register that no thread has, but for MSP and PSP.
func TestFeatures(t *testing.T) {
	t.Parallel()
	general := []core.Reg{core.SP, core.LR, core.PC, core.PSR}
	main := append([]core.Reg{core.MSP}, general...)
	both := append([]core.Reg{core.PSP}, main...)
	banked := append([]core.Reg{core.MSPS, core.PSPS, core.MSPNS, core.PSPNS}, both...)
	for _, test := range []struct {
		name    string
		threads [][]core.Reg
		want    map[string]string // feature of registers, "" for none
	}{
		{"both stack pointers", [][]core.Reg{both, both}, map[string]string{"msp": featureSystem, "psp": featureSystem, "d0": "", "control": ""}},
		{"one thread lacks PSP", [][]core.Reg{both, main}, map[string]string{"msp": featureOther, "psp": featureOther}},
		{"none", [][]core.Reg{general}, map[string]string{"msp": featureOther, "psp": featureOther}},
		{"security", [][]core.Reg{banked}, map[string]string{"msp_s": featureSecure, "psp_ns": featureSecure, "msp": featureSystem}},
		{"one thread lacks a bank", [][]core.Reg{banked, banked[1:]}, map[string]string{"msp_s": featureOther, "psp_ns": featureOther}},
		{"FP", [][]core.Reg{append([]core.Reg{core.S0 + 8}, both...)}, map[string]string{"d0": featureFP, "d15": featureFP, "fpscr": featureFP}},
	} {
		var threads []session.DebuggerThread
		for _, known := range test.threads {
			var regs core.Regs
			for _, r := range known {
				regs.Set(r, 4)
			}
			threads = append(threads, session.DebuggerThread{Regs: regs})
		}
		got, last := map[string]string{}, -1
		for _, r := range registersOf(core.ProfileM, threads) {
			got[r.name] = r.feature
			if r.number <= last {
				t.Errorf("%s: %s has the number %d behind %d", test.name, r.name, r.number, last)
			}
			last = r.number
		}
		for name, feature := range test.want {
			if got[name] != feature {
				t.Errorf("%s: %s is in %q, want %q", test.name, name, got[name], feature)
			}
		}
	}
	var irq core.Regs
	irq.SetBanked(core.ModeIRQ, core.BankedSP, 0x41000000)
	list := registersOf(core.ProfileA, []session.DebuggerThread{{Regs: irq}})
	last := list[len(list)-1]
	if text, ok := last.hex(&irq); last.name != "sp_irq" || last.feature != featureBanked || !ok || text != "00000041" {
		t.Errorf("the last register of an A-profile core is %+v, %s", last, text)
	}
	if _, ok := list[0].hex(&irq); list[0].feature != featureCore || ok {
		t.Errorf("the first register of an A-profile core is %+v, known %v", list[0], ok)
	}
}
