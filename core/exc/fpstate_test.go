package exc

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
)

// TestFPSlots checks the layout of the FP part (Armv7-M ARM B1.5.7, Armv8-M ARM
// B3.18).
func TestFPSlots(t *testing.T) {
	t.Parallel()
	const base = 0x20000100
	at := func(f Frame) map[core.Reg]core.Addr {
		m := map[core.Reg]core.Addr{}
		for _, s := range f.FPSlots() {
			m[s.Reg] = s.Addr - base
		}
		return m
	}
	if got := at(Frame{Return: 0xfffffff9, Base: base, SP: base + 0x20}); len(got) != 0 {
		t.Errorf("a basic frame has %v", got)
	}
	want := map[core.Reg]core.Addr{core.FPSCR: 0x60}
	for n := range core.Reg(16) {
		want[core.S0+n] = 0x20 + 4*core.Addr(n)
	}
	f := Frame{Return: 0xffffffe9, Base: base, SP: base + 0x68}
	if d := cmp.Diff(want, at(f)); d != "" {
		t.Errorf("FP part (-want +got):\n%s", d)
	}
	f.AddSecureFP()
	for n := range core.Reg(16) {
		want[core.S0+16+n] = 0x68 + 4*core.Addr(n)
	}
	if d := cmp.Diff(want, at(f)); d != "" || f.SP != base+0xa8 {
		t.Errorf("with S16-S31, SP %v (-want +got):\n%s", f.SP, d)
	}
}
