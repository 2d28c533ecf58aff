package elfsym

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// TestMacrosAt looks up macros of a program that was built with and without -g3,
// and asks for those of a unit that is none.
func TestMacrosAt(t *testing.T) {
	t.Parallel()
	gcc, err := exec.LookPath("arm-none-eabi-gcc")
	if err != nil {
		t.Skip("arm-none-eabi-gcc is not installed")
	}
	for _, level := range []string{"-g", "-g3"} {
		elf := filepath.Join(t.TempDir(), "fw.elf")
		cmd := exec.Command(gcc, "-mcpu=cortex-m3", "-mthumb", level, "-nostdlib", "-Wl,-e,main", "-x", "c", "testdata/macros.c", "-o", elf)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		m, err := Open(elf, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		u := m.Scopes().Data().Units()[0]
		loc := m.Locate(m.Lookup("main")[0].Addr)[0]
		d, ok := m.MacrosAt(u, loc.File, loc.Line).Lookup("LIMIT")
		if ok != (level == "-g3") || m.HasMacros(u) != ok || ok && d.String() != "LIMIT 3" {
			t.Errorf("%s: %v, %v", level, d, ok)
		}
		if _, ok := m.MacrosAt(u, "", 0).Lookup("LATER"); ok != (level == "-g3") {
			t.Errorf("%s: LATER is defined in the end: %v", level, ok)
		}
		if _, ok := m.MacrosAt(nil, loc.File, loc.Line).Lookup("LIMIT"); ok || m.HasMacros(nil) {
			t.Error("macros of no unit")
		}
	}
}
