package dump

import (
	"context"
	"path/filepath"
	"testing"

	"pushmask/core"
)

// TestSpecialRegisters reads the recorded crash of a task: PSP, which is in no
// note of the usual kinds, lies in the RAM of the dump.
func TestSpecialRegisters(t *testing.T) {
	t.Parallel()
	d, err := Open(filepath.Join("..", "..", "testdata", "firmware", "process-stack", "crash.core"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if len(d.threads) != 1 || len(d.Warnings) > 0 {
		t.Errorf("%d threads, warnings %q", len(d.threads), d.Warnings)
	}
	regs, err := d.Registers(context.Background(), d.threads[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []core.Reg{core.MSP, core.PSP, core.CONTROL, core.PRIMASK, core.BASEPRI, core.FAULTMASK} {
		if !regs.Has(r) {
			t.Errorf("%v is not known", r)
		}
	}
	if psp := core.Addr(regs.Value(core.PSP)); psp < 0x20000000 || psp >= 0x20001000 {
		t.Errorf("PSP is %v", psp)
	}
}

func TestSpecialRegistersDamaged(t *testing.T) {
	t.Parallel()
	var th thread
	th.regs.Set(core.SP, 1)
	desc := append([]byte("sp\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00"), "nonsense\x00\x00\x00\x00\x03\x00\x00\x00"...)
	th.setSpecial(append(desc, "psp\x00"...))
	if th.regs.Value(core.SP) != 1 || th.regs.Has(core.PSP) {
		t.Errorf("sp %#x, psp known %v", th.regs.Value(core.SP), th.regs.Has(core.PSP))
	}
}
