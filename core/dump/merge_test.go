package dump

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pushmask/core"
)

// TestParts opens a crash that is in several files.
func TestParts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	ram := write("ram.bin", bytes.Repeat([]byte{0xaa}, 64))
	hexFile := write("flash.hex", []byte(registerless))
	coreFile := write("crash.core", smallCore())
	var set core.Regs
	set.Set(core.PC, 0x101)
	set.Set(core.PSR, 0x01000003)

	d, err := Open(hexFile, Options{More: []Source{{Path: ram, Base: 0x20000000, HasBase: true}}, Set: set})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	exercise(t, d)
	if d.Format != "Intel HEX + raw memory" || len(d.Regions) != 2 || d.threads[0].regs.Value(core.PC) != 0x101 || len(d.Warnings) != 0 || d.profile != core.ProfileM {
		t.Errorf("%s, regions %v, warnings %q", d.Format, d.Regions, d.Warnings)
	}

	// The first file counts over the others, in memory and in registers.
	both, err := Open(coreFile, Options{More: []Source{
		{Path: ram, Base: 0x20000008, HasBase: true}, {Path: hexFile}, {Path: coreFile},
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer both.Close()
	exercise(t, both)
	alone := mustOpen(t, smallCore())
	var got, want [1]byte
	for a, over := range map[core.Addr]bool{0x20000004: true, 0x20000010: true, 0x20000020: true, 0x20000040: false} {
		want[0] = 0xaa
		if over {
			if _, err := alone.Memory().ReadAt(a, want[:]); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := both.Memory().ReadAt(a, got[:]); err != nil || got != want {
			t.Errorf("%v holds %#x, want %#x; error %v", a, got, want, err)
		}
	}
	if !strings.Contains(strings.Join(both.Warnings, "\n"), "crash.core has registers as well") {
		t.Errorf("warnings %q", both.Warnings)
	}

	if _, err := Open(coreFile, Options{More: []Source{{Path: ram}}}); err == nil || !strings.Contains(err.Error(), "ram.bin") {
		t.Errorf("a part without its address: %v", err)
	}
	if _, err := Open(coreFile, Options{More: []Source{{Path: filepath.Join(dir, "none")}}}); !os.IsNotExist(err) && !strings.Contains(err.Error(), "none") {
		t.Errorf("a part that is not there: %v", err)
	}
}

// TestPartCompletesRegisters takes registers of a second file where the first
// has no PC.
func TestPartCompletesRegisters(t *testing.T) {
	t.Parallel()
	d := &Dump{threads: []thread{{Thread: core.Thread{ID: 1, Crashed: true}}}}
	d.threads[0].regs.Set(core.R0, 1)
	part := &Dump{threads: []thread{{Thread: core.Thread{ID: 1, Crashed: true}}}}
	part.threads[0].regs.Set(core.R0, 2)
	part.threads[0].regs.Set(core.PC, 3)
	d.add(part, "part")
	if g := d.threads[0].regs; g.Value(core.R0) != 1 || g.Value(core.PC) != 3 {
		t.Errorf("r0 %d, pc %d", g.Value(core.R0), g.Value(core.PC))
	}
}
