package runcontrol_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pushmask/core"
	"pushmask/core/coretest/images"
	"pushmask/core/gdbremote"
	"pushmask/core/live"
	"pushmask/core/runcontrol"
	"pushmask/core/session"
)

// openImages starts firmware of several images and attaches; the application is
// the main one.
func openImages(t *testing.T, name string, s images.Scenario) *target {
	t.Helper()
	f := images.Build(t, name)
	client, err := gdbremote.Dial(t.Context(), f.Start(t, s).Address, gdbremote.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return attachImages(t, client, f.Images())
}

func attachImages(t *testing.T, client *gdbremote.Client, list []images.Image) *target {
	t.Helper()
	t.Cleanup(func() { client.Close() })
	cfg := session.Config{
		Image: list[0].Path, Bias: list[0].Bias,
		SourceMap: []session.PathRule{{From: "/images", To: imageSource(t)}},
	}
	for _, m := range list[1:] {
		cfg.More = append(cfg.More, session.ImageFile{Path: m.Path, Bias: m.Bias})
	}
	program, err := session.OpenProgram(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Close() })
	l, err := runcontrol.Open(t.Context(), program, live.New(client, core.ProfileM), runcontrol.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &target{Live: l, t: t, client: client, program: program}
}

// imageSource is a source file of the images, as an absolute path.
func imageSource(t testing.TB, elem ...string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(append([]string{"..", "..", "testdata", "images"}, elem...)...))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// lineWith is the number of the first line of a source file that has a text.
func lineWith(t testing.TB, path, text string) int {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, _, found := strings.Cut(string(content), text)
	if !found {
		t.Fatalf("%s has no %q", path, text)
	}
	return strings.Count(before, "\n") + 1
}

// labels is the call stack with the images that functions are of.
func (d *target) labels() string {
	d.t.Helper()
	var names []string
	for _, f := range d.frames() {
		names = append(names, f.Label())
	}
	return strings.Join(names, " < ")
}

// inImages tells whether a breakpoint has a place in each of the named images and
// in no other.
func (d *target) inImages(p runcontrol.Placed, want ...string) bool {
	set := d.program.Images()
	got := make(map[string]bool)
	for _, a := range p.Addrs {
		got[set.Name(set.At(uint32(a)))] = true
	}
	for _, name := range want {
		if !got[name] {
			return false
		}
	}
	return p.Verified && len(got) == len(want)
}

// TestImageBreakpoints sets lines and functions that several images have: in all
// of them, or in the one that is named.
func TestImageBreakpoints(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"m3-O0", "m3-O2", "m33-O0"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := openImages(t, name, images.Run)
			boot, app := "boot.elf", "app.elf"
			if strings.HasPrefix(name, "m33") {
				boot, app = "secure.elf", "nonsecure.elf"
			}
			start := imageSource(t, "board", "start.c")
			line := lineWith(t, start, "*to++ = *from++")
			function := func(name, image string) runcontrol.Spec {
				return runcontrol.Spec{Kind: runcontrol.FunctionBreakpoint, Function: name, Image: image}
			}
			placed := d.set(
				function("main", ""), function("main", app), function("main", boot), function("measure", ""),
				runcontrol.Spec{Path: start, Line: line},
				runcontrol.Spec{Path: start, Line: line, Image: boot},
				function("measure", boot), function("main", "other.elf"),
			)
			for i, want := range [][]string{{boot, app}, {app}, {boot}, {app}, {boot, app}, {boot}} {
				if !d.inImages(placed[i], want...) {
					t.Errorf("breakpoint %d is %+v, want it in %v", i, placed[i], want)
				}
			}
			for i, want := range map[int]string{
				6: `no function "measure" in ` + boot,
				7: "the program has no ELF that is called other.elf: it has " + app + ", " + boot,
			} {
				if placed[i].Verified || placed[i].Message != want {
					t.Errorf("breakpoint %d is %+v, want %q", i, placed[i], want)
				}
			}
			d.set(function("main", ""))
			for _, image := range []string{boot + "!", ""} {
				d.until(runcontrol.Motion{}, runcontrol.EventBreakpoint)
				if got := d.labels(); !strings.HasPrefix(got, image+"main < "+image+"Reset_Handler") {
					t.Errorf("stopped in %s, want %smain", got, image)
				}
			}
		})
	}
}

// TestImageLimit says at how many of its places a breakpoint is.
func TestImageLimit(t *testing.T) {
	t.Parallel()
	f := images.Build(t, "m3-O0")
	client, err := gdbremote.Dial(t.Context(), f.Start(t, images.Run).Address, gdbremote.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	program, err := session.OpenProgram(t.Context(), session.Config{Image: f.Second.Path, More: []session.ImageFile{{Path: f.First.Path}}})
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	l, err := runcontrol.Open(t.Context(), program, live.New(client, core.ProfileM), runcontrol.Options{
		Breakpoints: runcontrol.Resources{Require: true, Limit: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	placed, err := l.SetBreakpoints(t.Context(), "test", []runcontrol.Spec{{Kind: runcontrol.FunctionBreakpoint, Function: "main"}})
	if err != nil {
		t.Fatal(err)
	}
	if p := placed[0]; !p.Verified || len(p.Addrs) != 1 || !strings.HasPrefix(p.Message, "set at 1 of 2 places: ") {
		t.Errorf("breakpoint %+v", p)
	}
}

// TestHandover steps over, into and out of the jump from a boot loader to its
// application, and of the call from the secure to the non-secure image: it ends
// where the application begins to run.
func TestHandover(t *testing.T) {
	t.Parallel()
	over := runcontrol.Motion{Kind: runcontrol.MotionNext, Granularity: runcontrol.Instruction}
	for _, name := range []string{"m3-O0", "m3-O2", "m0-Os", "m3-zephyr", "m33-O0", "m33-O2"} {
		for how, motion := range map[string]runcontrol.Motion{"next": next, "step": stepIn, "finish": stepOut, "nexti": over} {
			t.Run(name+"/"+how, func(t *testing.T) {
				t.Parallel()
				d := openImages(t, name, images.Run)
				path, text := imageSource(t, "boot", "main.c"), "  enter(app);"
				if strings.HasPrefix(name, "m33") {
					path, text = imageSource(t, "secure", "main.c"), "  enter();"
				}
				if p := d.set(runcontrol.Spec{Path: path, Line: lineWith(t, path, text)}); !p[0].Verified {
					t.Fatalf("breakpoint %+v", p[0])
				}
				d.until(runcontrol.Motion{}, runcontrol.EventBreakpoint)
				d.set()
				for range 20 { // a line of the boot loader after the other, or one instruction
					d.until(motion, runcontrol.EventStep)
					if f := d.frames()[0]; f.Label() == f.Function {
						break
					}
				}
				if got := d.labels(); !strings.HasPrefix(got, "Reset_Handler") {
					t.Errorf("%s leads to %s", how, got)
				}
			})
		}
	}
}

// TestServices steps from the application into a function of the boot loader and
// out again, over it, and from there into the application's own function that it
// calls back.
func TestServices(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, source, service string }{
		{"m3-O0", "app", "boot.elf!each"},
		{"m3-O2", "app", "boot.elf!each"},
		{"m0-Os", "app", "boot.elf!each"},
		{"m3-zephyr", "app", "mcuboot/zephyr/zephyr.elf!each"},
		{"m3-rom", "app", "boot.elf!each"},
		{"m3-placed", "app", "boot.elf!each"},
		{"m33-O0", "nonsecure", "secure.elf!secure_each"},
		{"m33-O2", "nonsecure", "secure.elf!secure_each"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			secure := test.source == "nonsecure"
			d := openImages(t, test.name, images.Run)
			path := imageSource(t, test.source, "main.c")
			call := runcontrol.Spec{Path: path, Line: lineWith(t, path, "each(samples")}
			d.set(call)
			d.until(runcontrol.Motion{}, runcontrol.EventBreakpoint)
			d.set()
			app := d.labels()
			// QEMU shows the stack pointer of the security state that runs: a stack ends
			// where that of the other one is needed.
			stands := func(what, want string) {
				t.Helper()
				got := d.labels()
				if got != want && !(secure && strings.HasPrefix(want, got)) {
					t.Fatalf("%s: %s, want %s", what, got, want)
				}
			}
			d.until(stepIn, runcontrol.EventStep)
			stands("step into the service", test.service+" < "+app)
			d.breakOn("scale")
			d.until(runcontrol.Motion{}, runcontrol.EventBreakpoint)
			d.set()
			stands("the service calls back", "scale < "+test.service+" < "+app)
			for steps := 0; secure && strings.HasPrefix(d.labels(), "scale") && steps < 9; steps++ {
				d.until(next, runcontrol.EventStep)
			}
			if !secure || strings.Contains(d.labels(), "nonsecure_call") { // of libgcc, with lines
				d.until(stepOut, runcontrol.EventStep)
			}
			stands("step out of what it calls back", test.service+" < "+app)
			d.until(stepOut, runcontrol.EventStep)
			stands("step out of the service", app)
			d.set(call)
			d.until(runcontrol.Motion{}, runcontrol.EventBreakpoint)
			d.set()
			d.until(next, runcontrol.EventStep)
			if got := d.labels(); !strings.HasSuffix(app, got) { // -O2 mixes the lines
				t.Errorf("step over the service leads to %s, want %s", got, app)
			}
		})
	}
}

// TestImageFaults stops at the faults of each image before its handler runs. The
// stacks of the non-secure image end where the secure stack pointer is needed,
// which QEMU does not show.
func TestImageFaults(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		s     images.Scenario
		stack string
	}{
		{"m3-O0", images.CrashBoot, "boot.elf!HardFault_Handler < <exception HardFault> < boot.elf!put < boot.elf!store < boot.elf!verify < boot.elf!main < boot.elf!Reset_Handler"},
		{"m3-O0", images.CrashApp, "HardFault_Handler < <exception HardFault> < work < main < Reset_Handler"},
		{"m3-O0", images.CrashService, "HardFault_Handler < <exception HardFault> < boot.elf!put < boot.elf!store < report < work < main < Reset_Handler"},
		{"m0-Os", images.CrashApp, "boot.elf!HardFault_Handler < <exception HardFault> < work < main < Reset_Handler"},
		{"m33-O0", images.CrashBoot, "secure.elf!HardFault_Handler < <exception HardFault> < secure.elf!put < secure.elf!store < secure.elf!verify < secure.elf!main < secure.elf!Reset_Handler"},
		{"m33-O0", images.CrashApp, "UsageFault_Handler < <exception UsageFault> < work < main < Reset_Handler"},
		{"m33-O0", images.CrashCallback, "UsageFault_Handler < <exception UsageFault> < scale"},
	} {
		t.Run(fmt.Sprintf("%s/%d", test.name, test.s), func(t *testing.T) {
			t.Parallel()
			d := openImages(t, test.name, test.s)
			if err := d.SetVectorCatch(t.Context(), runcontrol.CatchHardFault|runcontrol.CatchUsageFault); err != nil {
				t.Fatal(err)
			}
			ev := d.until(runcontrol.Motion{}, runcontrol.EventException)
			if got := d.labels(); got != test.stack {
				t.Errorf("%s\nstack %s\nwant  %s", ev.Text, got, test.stack)
			}
		})
	}
}

// TestROM sets breakpoints in a ROM of which there is the whole ELF, one without
// contents or one with the addresses of its functions alone, and steps there: into
// functions with lines, over those without.
func TestROM(t *testing.T) {
	t.Parallel()
	f := images.Build(t, "m3-rom")
	for _, rom := range []images.Image{f.ROM, f.ROMDebug, f.ROMSymbols} {
		name := filepath.Base(rom.Path)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := attachImages(t, dialQEMU(t, f.Config(images.Run)), []images.Image{f.Second, f.First, rom})
			if w := d.Warnings(); len(w) > 0 {
				t.Errorf("warnings %q", w)
			}
			placed := d.set(
				runcontrol.Spec{Kind: runcontrol.FunctionBreakpoint, Function: "rom_sum"},
				runcontrol.Spec{Kind: runcontrol.FunctionBreakpoint, Function: "rom_sum", Image: name},
				runcontrol.Spec{Kind: runcontrol.FunctionBreakpoint, Function: "rom_sum", Image: "boot.elf"},
			)
			if !placed[0].Verified || !placed[1].Verified || placed[2].Verified {
				t.Fatalf("breakpoints %+v", placed)
			}
			ev := d.until(runcontrol.Motion{}, runcontrol.EventBreakpoint)
			if got := d.frames()[0].Function; got != "rom_sum" || len(ev.Hit) != 2 {
				t.Errorf("stopped in %s by %v", got, ev.Hit)
			}
			path := imageSource(t, "app", "main.c")
			d.set(runcontrol.Spec{Path: path, Line: lineWith(t, path, "rom_fill(")})
			d.until(runcontrol.Motion{}, runcontrol.EventBreakpoint)
			d.set()
			d.until(stepIn, runcontrol.EventStep)
			want := "rom_fill"
			if rom == f.ROMSymbols {
				want = "report"
			}
			if got := d.frames()[0].Function; got != want {
				t.Errorf("step into the ROM leads to %s, want %s", got, want)
			}
		})
	}
}
