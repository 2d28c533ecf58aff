// Package images builds the firmware of several ELFs in testdata/images and
// starts it in QEMU. It is for tests alone.
package images

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"pushmask/core"
	"pushmask/core/coretest/qemu"
	"pushmask/core/gdbremote"
)

// Scenario is what the firmware does: enum scenario in
// testdata/images/board/board.h says where each crashes.
type Scenario uint32

// The scenarios.
const (
	Run Scenario = iota
	CrashBoot
	CrashApp
	CrashService
	CrashInterrupt
	CrashCallback
)

// Image is one ELF of a firmware.
type Image struct {
	Path string
	Bias core.Addr // how far it runs from where it is linked
}

// Firmware is a case of testdata/images that was built.
type Firmware struct {
	Name    string // of the case
	Machine string // of QEMU
	// First is what reset enters: the boot loader, the secure image. Second is the
	// application, or the non-secure image.
	First, Second Image
	// ROM is the third image, of the case m3-rom alone. ROMDebug is the same without
	// contents, ROMSymbols has nothing but the addresses of its global functions.
	ROM, ROMDebug, ROMSymbols Image

	handover []core.Addr // where the words of struct handover are
	app      core.Addr   // vectors of the second image
	raw      string      // what is loaded there instead of the second image's file
}

// placedAt is where the position-independent application of m3-placed runs.
const placedAt = 0x20100000

// Cases lists the cases of testdata/images.
func Cases() []string {
	return []string{"m3-O0", "m3-O2", "m0-Os", "m3-zephyr", "m3-rom", "m3-placed", "m33-O0", "m33-O2"}
}

// Build builds a case into a folder that lives as long as the test. It skips
// the test where the compiler or a shell is missing.
func Build(t testing.TB, name string) *Firmware {
	t.Helper()
	for _, tool := range []string{"sh", "arm-none-eabi-gcc"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	dir := t.TempDir()
	script := filepath.Join(sources(t), "build.sh")
	if out, err := exec.CommandContext(t.Context(), "sh", script, name, dir).CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", name, err, out)
	}
	f := &Firmware{
		Name:     name,
		Machine:  "mps2-an385",
		First:    Image{Path: filepath.Join(dir, "boot.elf")},
		Second:   Image{Path: filepath.Join(dir, "app.elf")},
		handover: []core.Addr{0x20003ff0},
		app:      0x8000,
	}
	switch name {
	case "m0-Os":
		f.Machine = "microbit"
	case "m3-zephyr":
		f.First.Path = filepath.Join(dir, "mcuboot", "zephyr", "zephyr.elf")
		f.Second.Path = filepath.Join(dir, "app", "zephyr", "zephyr.elf")
	case "m3-rom":
		f.ROM.Path = filepath.Join(dir, "rom.elf")
		f.ROMDebug.Path = filepath.Join(dir, "rom-debug.elf")
		f.ROMSymbols.Path = filepath.Join(dir, "rom-symbols.elf")
	case "m3-placed":
		f.app, f.Second.Bias = placedAt, placedAt
		f.raw = filepath.Join(dir, "app.bin")
	case "m33-O0", "m33-O2":
		f.Machine = "mps2-an505"
		f.First.Path = filepath.Join(dir, "secure.elf")
		f.Second.Path = filepath.Join(dir, "nonsecure.elf")
		f.handover = []core.Addr{0x38003ff0, 0x28203ff0}
		f.app = 0x00200000
	}
	return f
}

// sources is the folder testdata/images of the checkout that the test runs in.
func sources(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "testdata", "images")
		} else if !errors.Is(err, os.ErrNotExist) || filepath.Dir(dir) == dir {
			t.Fatalf("find the checkout: %v", err)
		}
		dir = filepath.Dir(dir)
	}
}

// Config is the machine with all images loaded, halted before the first
// instruction of the first image.
func (f *Firmware) Config(s Scenario) qemu.Config {
	cfg := qemu.Config{Machine: f.Machine, ELF: f.First.Path}
	load := func(format string, values ...any) {
		cfg.Args = append(cfg.Args, "-device", "loader,"+fmt.Sprintf(format, values...))
	}
	if f.raw != "" {
		load("file=%s,addr=%#x,force-raw=on", f.raw, uint32(f.app))
	} else {
		load("file=%s", f.Second.Path)
	}
	if f.ROM.Path != "" {
		load("file=%s", f.ROM.Path)
	}
	for _, at := range f.handover {
		for i, w := range []uint32{uint32(s), uint32(f.app)} {
			load("addr=%#x,data=%#x,data-len=4", uint32(at)+uint32(4*i), w)
		}
	}
	return cfg
}

// Start starts the firmware for as long as a test runs, and skips the test
// where QEMU is not installed.
func (f *Firmware) Start(t testing.TB, s Scenario) *qemu.Machine {
	t.Helper()
	return qemu.StartTest(t, f.Config(s))
}

// Images are the images that a program of this firmware has, the application
// first: with the contents of a ROM where there is one.
func (f *Firmware) Images() []Image {
	all := []Image{f.Second, f.First, f.ROM}
	return slices.DeleteFunc(all, func(m Image) bool { return m.Path == "" })
}

// StopAt starts the firmware as [Firmware.Start] does and returns a connection to
// it that has stopped at one of the given instructions.
func (f *Firmware) StopAt(t testing.TB, s Scenario, at ...core.Addr) *gdbremote.Client {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), qemu.StartTime)
	defer cancel()
	c, err := gdbremote.Dial(ctx, f.Start(t, s).Address, gdbremote.Options{Timeout: qemu.StartTime})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	for _, a := range at {
		if err := c.InsertBreakpoint(ctx, gdbremote.HardwareBreakpoint, a, 2); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Continue(ctx); err != nil {
		t.Fatalf("run: %v", err)
	}
	return c
}
