package oracle_test

import (
	"flag"
	"path/filepath"
	"testing"

	"pushmask/core/coretest/oracle"
)

var (
	elsewhere = flag.String("elf", "", "run this firmware, linked with testdata/oracle/board, instead of our own")
	machine   = flag.String("machine", "mps2-an385", "QEMU's machine for -elf")
	farBL     = flag.Bool("far", false, "the firmware of -elf is v6-M: gcc branches far by BL")
)

// TestElsewhere holds the unwinder to the same bars on firmware with threads
// that is not ours: the demonstration of a kernel, built with its own port.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	if *elsewhere == "" {
		t.Skip("SKIPPED: no firmware is named by -elf")
	}
	b := build{Firmware: oracle.Firmware{Name: filepath.Base(*elsewhere), Switch: "its own"}}
	cfg := oracle.Config{ELF: *elsewhere, Machine: *machine, Variables: true, FarBranches: *farBL, Steps: *long, PerPC: b.perPC()}
	_, _, faults := measure(t, cfg, b)
	for _, f := range faults {
		t.Error(f)
	}
}
