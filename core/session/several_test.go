package session

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
	"pushmask/core/coretest/images"
	"pushmask/core/dump"
)

// crashed runs a scenario until a HardFault_Handler is entered, and returns RAM,
// which is of 16 KiB, and the registers.
func crashed(t *testing.T, p *Program, f *images.Firmware, s images.Scenario) (ram []byte, regs core.Regs) {
	t.Helper()
	var handlers []core.Addr
	for _, h := range p.Images().Lookup("HardFault_Handler") {
		handlers = append(handlers, core.Addr(h.Addr))
	}
	c := f.StopAt(t, s, handlers...)
	regs, err := c.Registers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ram = make([]byte, 16<<10)
	if _, err := c.ReadMemory(t.Context(), 0x20000000, ram); err != nil {
		t.Fatal(err)
	}
	return ram, regs
}

// labels are the lines of the first stack.
func labels(t *testing.T, s *Session) (list []string) {
	t.Helper()
	k, err := s.Stack(s.Threads()[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	frames, err := k.Frames(t.Context(), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := range frames {
		list = append(list, frames[i].Label())
	}
	return list
}

// TestSeveralImages opens crashes of a boot loader and an application, which use
// the same RAM: the dump is RAM alone, or has the vector table's address too.
func TestSeveralImages(t *testing.T) {
	t.Parallel()
	const boot, app = 0, 0x8000 // vector tables
	for _, name := range []string{"m3-O0", "m3-zephyr"} {
		f := images.Build(t, name)
		b := "boot.elf!"
		if name == "m3-zephyr" {
			b = "mcuboot/zephyr/zephyr.elf!"
		}
		p, err := OpenProgram(t.Context(), Config{Image: f.Second.Path, More: []ImageFile{{Path: f.First.Path}}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { p.Close() })
		if w := p.Warnings(); len(w) > 0 {
			t.Errorf("warnings %q", w)
		}
		for _, c := range []struct {
			scenario images.Scenario
			vtor     int
			frames   []string
			config   string // symbol at the address of the boot loader's config
		}{
			{images.CrashBoot, boot, []string{b + "HardFault_Handler", "<exception HardFault>", b + "put", b + "store", b + "verify", b + "main", b + "Reset_Handler"}, b + "config"},
			{images.CrashApp, app, []string{"HardFault_Handler", "<exception HardFault>", "work", "main", "Reset_Handler"}, ""},
			{images.CrashService, app, []string{"HardFault_Handler", "<exception HardFault>", b + "put", b + "store", "report", "work", "main", "Reset_Handler"}, ""},
			{images.CrashCallback, app, []string{"HardFault_Handler", "<exception HardFault>", "scale", b + "each", "measure", "work", "main", "Reset_Handler"}, ""},
		} {
			t.Run(fmt.Sprintf("%s/%d", name, c.scenario), func(t *testing.T) {
				t.Parallel()
				ram, regs := crashed(t, p, f, c.scenario)
				file := filepath.Join(t.TempDir(), "ram.bin")
				table := filepath.Join(t.TempDir(), "vtor.bin")
				for path, data := range map[string][]byte{file: ram, table: le32(uint32(c.vtor))} {
					if err := os.WriteFile(path, data, 0o666); err != nil {
						t.Fatal(err)
					}
				}
				plain := DumpOptions{Base: 0x20000000, HasBase: true, Set: regs}
				placed := plain
				placed.More = []DumpSource{{Path: table, Base: vtor, HasBase: true}}
				for _, opt := range []DumpOptions{plain, placed} {
					s, err := p.OpenDump(t.Context(), file, opt)
					if err != nil {
						t.Fatal(err)
					}
					defer s.Close()
					if diff := cmp.Diff(c.frames, labels(t, s)); diff != "" {
						t.Errorf("frames (-want +got):\n%s", diff)
					}
					if w := s.Warnings(); len(w) > 0 {
						t.Errorf("warnings %q", w)
					}
					at := bootConfig(t, p, f)
					if got, _, _ := strings.Cut(s.program.symbolText(at), "+"); c.config != "" && got != c.config || c.config == "" && strings.HasPrefix(got, b) {
						t.Errorf("at %v is %q", at, got)
					}
				}
			})
		}
	}
}

// bootConfig returns the address of the boot loader's variable config.
func bootConfig(t *testing.T, p *Program, f *images.Firmware) core.Addr {
	t.Helper()
	i := slices.IndexFunc(p.elfs, func(e ImageFile) bool { return e.Path == f.First.Path })
	list := p.images.Images()[i].Variables("config")
	if len(list) != 1 {
		t.Fatalf("%d variables config", len(list))
	}
	return core.Addr(list[0].Addr)
}

// TestImageOfAnotherBuild has the boot loader of another build beside the right
// application: the text names it.
func TestImageOfAnotherBuild(t *testing.T) {
	t.Parallel()
	right, other := images.Build(t, "m3-O0"), images.Build(t, "m3-O2")
	p, err := OpenProgram(t.Context(), Config{Image: right.Second.Path, More: []ImageFile{{Path: other.First.Path}}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	fits, err := OpenProgram(t.Context(), Config{Image: right.Second.Path, More: []ImageFile{{Path: right.First.Path}}})
	if err != nil {
		t.Fatal(err)
	}
	defer fits.Close()
	target := oneThread(core.ProfileM, 0, map[core.Reg]uint32{core.PC: p.Images().Lookup("main")[0].Addr, core.LR: 0xffffffff})
	d := &dump.Dump{}
	for _, g := range fits.Images().Segments() {
		if g.Write {
			continue
		}
		code := make([]byte, g.FileSize)
		if _, err := fits.Images().ReadAt(g.Addr, code); err != nil {
			t.Fatal(err)
		}
		target.mem.AddBytes(core.Addr(g.Addr), code)
		d.Regions = append(d.Regions, dump.Region{Addr: core.Addr(g.Addr), Size: uint32(len(code))})
	}
	if m := openFake(t, fits, target).compare(t.Context(), d); m.text != "" {
		t.Errorf("of one build: %q", m.text)
	}
	m := openFake(t, p, target).compare(t.Context(), d)
	if !m.clear || !strings.HasPrefix(m.text, "the dump does not match boot.elf: ") {
		t.Errorf("another build: %q, clear %v", m.text, m.clear)
	}
}
