package debugtext

import (
	"os"
	"testing"

	"pushmask/core"
	"pushmask/core/coretest"
)

// TestShared reads public samples and a recording of our own.
func TestShared(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]struct {
		stops      int
		pc, sp, lr uint32
		calls      int
		memory     int // bytes
	}{
		"dumps/debugger-text/gdb_bt_and_info_registers_mbed_pr11332/crash.txt": {1, 0x1874, 0x20002f18, 0x1893, 8, 0},
		"dumps/debugger-text/openocd_reg_stm32f1_hardfault/crash.txt":          {2, 0x08002264, 0x20000708, 0xfffffff9, 0, 0},
		"dumps/recorded/mps2_an386_gcore_fpu_fault/gdb.txt":                    {1, 0xdc, 0x2000ff50, 0xffffffe9, 0, 512},
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			b, err := os.ReadFile(coretest.Shared(t, path))
			if err != nil {
				t.Fatal(err)
			}
			got := find(string(b))
			if len(got) != want.stops {
				t.Fatalf("%d stops, want %d", len(got), want.stops)
			}
			s := got[len(got)-1]
			r, memory := s.Threads[0].Regs, 0
			for _, p := range s.Memory {
				memory += len(p.Data)
			}
			if r.Value(core.PC) != want.pc || r.Value(core.SP) != want.sp || r.Value(core.LR) != want.lr || len(s.Backtrace) != want.calls || memory != want.memory {
				t.Errorf("got %s", describe(got))
			}
		})
	}
}
