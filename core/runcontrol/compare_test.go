package runcontrol_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pushmask/core"
	"pushmask/core/coretest/images"
	"pushmask/core/coretest/qemu"
	"pushmask/core/gdbremote"
)

// without is a machine that the second image is not loaded into.
func without(f *images.Firmware) qemu.Config {
	cfg := f.Config(images.Run)
	var kept []string
	for i := 0; i+1 < len(cfg.Args); i += 2 {
		if !strings.Contains(cfg.Args[i+1], "file=") {
			kept = append(kept, cfg.Args[i:i+2]...)
		}
	}
	cfg.Args = kept
	return cfg
}

func dialQEMU(t *testing.T, cfg qemu.Config) *gdbremote.Client {
	t.Helper()
	client, err := gdbremote.Dial(t.Context(), qemu.StartTest(t, cfg).Address, gdbremote.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// TestImageDoubts says which of several ELFs the target does not have.
func TestImageDoubts(t *testing.T) {
	t.Parallel()
	right, wrong := images.Build(t, "m3-O0"), images.Build(t, "m3-O2")
	all := right.Config(images.Run)
	for _, test := range []struct {
		name   string
		cfg    qemu.Config
		images []images.Image
		want   []string
	}{
		{"all there", all, right.Images(), nil},
		{"other boot loader", all, []images.Image{right.Second, wrong.First}, []string{"boot.elf is not what the target has: they differ at 0x"}},
		{"other application", all, []images.Image{wrong.Second, right.First}, []string{"app.elf is not what the target has: they differ at 0x"}},
		{"not loaded", without(right), right.Images(), []string{"app.elf is not loaded: the memory of the target is blank at 0x00008000"}},
		{"one, not loaded", without(right), []images.Image{right.Second}, []string{"the ELF is not loaded: the memory of the target is blank at 0x00008000"}},
		{"both", without(right), []images.Image{right.Second, wrong.First}, []string{"app.elf is not loaded", "boot.elf is not what the target has"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := attachImages(t, dialQEMU(t, test.cfg), test.images).Warnings()
			ok := len(got) == len(test.want)
			for i := range min(len(got), len(test.want)) {
				ok = ok && strings.HasPrefix(got[i], test.want[i])
			}
			if !ok {
				t.Errorf("warnings %q, want %q", got, test.want)
			}
		})
	}
}

// TestImageLoadedLater has no doubt left about an image that the program itself
// loads, once the target stands in it.
func TestImageLoadedLater(t *testing.T) {
	t.Parallel()
	f := images.Build(t, "m3-placed")
	d := attachImages(t, dialQEMU(t, without(f)), f.Images())
	if got := d.Warnings(); len(got) != 1 || !strings.HasPrefix(got[0], "app.elf is not loaded") {
		t.Fatalf("warnings %q", got)
	}
	content, err := os.ReadFile(filepath.Join(filepath.Dir(f.Second.Path), "app.bin"))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.WriteMemory(t.Context(), f.Second.Bias, content); err != nil {
		t.Fatal(err)
	}
	var at core.Addr
	for _, s := range d.program.Images().Main().Lookup("main") {
		at = core.Addr(s.Addr)
	}
	if _, err := d.SetPC(t.Context(), 0, at); err != nil {
		t.Fatal(err)
	}
	if got := d.Warnings(); len(got) != 0 || d.at() == "" {
		t.Errorf("at %s, warnings %q", d.at(), got)
	}
}
