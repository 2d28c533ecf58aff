package dap

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-dap"

	"pushmask/core"
	"pushmask/core/coretest/images"
	"pushmask/core/coretest/qemu"
	"pushmask/core/gdbremote"
	"pushmask/dap/dapclient"
	"pushmask/elfsym"
)

// crashConfig is the configuration of a crash of firmware of several ELFs: what
// its RAM, of 16 KiB, holds when a fault handler is entered, and the registers.
func crashConfig(t *testing.T, f *images.Firmware, s images.Scenario, files ...string) map[string]any {
	t.Helper()
	c, err := gdbremote.Dial(t.Context(), f.Start(t, s).Address, gdbremote.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, m := range []images.Image{f.First, f.Second} {
		for _, h := range must(symbolsOf(m.Path, "HardFault_Handler"))(t) {
			if err := c.InsertBreakpoint(t.Context(), gdbremote.HardwareBreakpoint, h, 2); err != nil {
				t.Fatal(err)
			}
		}
	}
	must(c.Continue(t.Context()))(t)
	regs := must(c.Registers(t.Context()))(t)
	ram := make([]byte, 16<<10)
	must(c.ReadMemory(t.Context(), 0x20000000, ram))(t)
	path := filepath.Join(t.TempDir(), "ram.bin")
	if err := os.WriteFile(path, ram, 0o600); err != nil {
		t.Fatal(err)
	}
	values := map[string]any{}
	for r := core.R0; r <= core.PSR; r++ {
		values[r.String()] = regs.Value(r)
	}
	return map[string]any{"symbolFiles": files, "coreFile": path + "@0x20000000", "registers": values}
}

// openConfig opens what a configuration names, up to the first stop.
func openConfig(t *testing.T, config map[string]any) *dapclient.Client {
	t.Helper()
	c := startAdapter(t, nil)
	must(c.Initialize())(t)
	for _, err := range []error{c.Launch(config), c.Event("initialized", nil), c.ConfigurationDone(), c.Event("stopped", nil)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// modulesTold are the module events so far.
func modulesTold(c *dapclient.Client) []string {
	var list []string
	for _, m := range c.Received() {
		if body, ok := decode[dap.ModuleEventBody](m); ok && m.Event == "module" {
			list = append(list, fmt.Sprintf("%s %s %s", body.Reason, moduleNumber(body.Module.Id), body.Module.Name))
		}
	}
	return list
}

// names are the names of the frames of the first thread without the places that
// sources which are not here leave in them, and their modules.
func names(t *testing.T, c *dapclient.Client, format *dap.StackFrameFormat) []string {
	t.Helper()
	var body dap.StackTraceResponseBody
	args := dap.StackTraceArguments{ThreadId: must(c.Threads())(t)[0].Id, Format: format}
	if err := c.Call("stackTrace", args, &body); err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, f := range body.StackFrames {
		name, _, _ := strings.Cut(f.Name, " (")
		list = append(list, name+" "+moduleNumber(f.ModuleId))
	}
	return list
}

// moduleNumber is the id of a module as text, "-" for none.
func moduleNumber(id any) string {
	if n, ok := id.(float64); ok {
		return strconv.Itoa(int(n))
	}
	return "-"
}

func wantList(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestImagesDump opens a crash in a function of a boot loader that its application
// called.
func TestImagesDump(t *testing.T) {
	t.Parallel()
	f := images.Build(t, "m3-O0")
	c := openConfig(t, crashConfig(t, f, images.CrashService, f.Second.Path, f.First.Path))
	wantList(t, "modules", modulesTold(c), "new 1 app.elf", "new 2 boot.elf")
	list := must(c.Modules())(t)
	if len(list) != 2 || list[1].Path != f.First.Path || list[1].SymbolStatus != "symbols and line information" ||
		!strings.HasPrefix(list[1].AddressRange, "0x00000000-0x") || !strings.Contains(list[1].AddressRange, ", 0x20000000-0x") {
		t.Errorf("modules %+v", list)
	}
	wantList(t, "frames", names(t, c, nil), "HardFault_Handler 1", "<exception HardFault> -",
		"boot.elf!put 2", "boot.elf!store 2", "report 1", "work 1", "main 1", "Reset_Handler 1")
	wantList(t, "frames with modules", names(t, c, &dap.StackFrameFormat{Module: true}), "app.elf!HardFault_Handler 1", "<exception HardFault> -",
		"boot.elf!put 2", "boot.elf!store 2", "app.elf!report 1", "app.elf!work 1", "app.elf!main 1", "app.elf!Reset_Handler 1")
	for _, m := range c.Received() {
		if m.Event == "output" && strings.Contains(string(m.Body), "warning") {
			t.Errorf("%s", m.Body)
		}
	}
}

// TestAddSymbolFileToDump adds the ELF of a boot loader to a crash that was opened
// without, and takes it out again.
func TestAddSymbolFileToDump(t *testing.T) {
	t.Parallel()
	f := images.Build(t, "m3-O0")
	c := openConfig(t, crashConfig(t, f, images.CrashService, f.Second.Path))
	repl := func(line string) (string, error) {
		body, err := c.Evaluate(line, 0, "repl")
		return body.Result, err
	}
	if got := names(t, c, nil); slices.Contains(got, "boot.elf!put 2") {
		t.Fatalf("frames %q before the ELF is there", got)
	}
	for _, x := range []struct{ line, want string }{
		{"add-symbol-file /no/such.elf", "there is no file"},
		{"add-symbol-file " + filepath.Join(filepath.Dir(f.First.Path), "board", "x.elf"), "there is no file"},
		{"add-symbol-file " + f.Second.Path, "has the ELF already"},
		{"add-symbol-file " + f.First.Path + " 0x8000 -o 0x100", "moved as a whole"},
		{"add-symbol-file " + f.First.Path + " -s .nothing 4", "no section .nothing"},
		{"add-symbol-file symbolfile_test.go", "not an ELF"},
		{"remove-symbol-file boot.elf", "no ELF of the program"},
		{"remove-symbol-file app.elf", "main ELF of the program"},
		{"symbol-file", "no session without an ELF"},
	} {
		if _, err := repl(x.line); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, want %q", x.line, err, x.want)
		}
	}
	got, err := repl("add-symbol-file " + f.First.Path)
	if err != nil || !strings.HasPrefix(got, "boot.elf  0x00000000-0x") {
		t.Fatalf("added: %q, %v", got, err)
	}
	redrawn := func() {
		t.Helper()
		if err := c.Event("invalidated", nil); err != nil {
			t.Fatal(err)
		}
	}
	redrawn()
	wantList(t, "modules", modulesTold(c), "new 1 app.elf", "new 2 boot.elf")
	wantList(t, "frames", names(t, c, nil), "HardFault_Handler 1", "<exception HardFault> -",
		"boot.elf!put 2", "boot.elf!store 2", "report 1", "work 1", "main 1", "Reset_Handler 1")
	files := must(repl("info sharedlibrary"))(t)
	if lines := strings.Split(files, "\n"); len(lines) != 2 || !strings.HasPrefix(lines[0], "app.elf  0x00008000-") || !strings.HasSuffix(lines[1], f.First.Path) {
		t.Errorf("info sharedlibrary: %s", files)
	}
	must(repl("remove-symbol-file -a 0x4"))(t)
	must(repl("symbol-file " + f.First.Path))(t)
	redrawn()
	redrawn()
	wantList(t, "modules", modulesTold(c), "new 1 app.elf", "new 2 boot.elf", "removed 2 boot.elf", "changed 1 boot.elf")
}

// TestAddSymbolFileLive adds the ELF of a boot loader to a live session:
// breakpoints that had one place have two.
func TestAddSymbolFileLive(t *testing.T) {
	t.Parallel()
	f := images.Build(t, "m3-O0")
	s := &liveSession{Client: startAdapter(t, nil), t: t, config: map[string]any{
		"executable": f.Second.Path, "gdbTarget": f.Start(t, images.Run).Address,
	}}
	must(s.Initialize())(t)
	var placed []dap.Breakpoint
	s.attach(func() { placed = must(s.SetFunctionBreakpoints("main", "store", "boot.elf!main"))(t) })
	if !placed[0].Verified || placed[1].Verified || placed[2].Verified {
		t.Fatalf("breakpoints %+v", placed)
	}
	s.repl("add-symbol-file " + f.First.Path)
	var changed []int
	for _, m := range s.Received() {
		if body, ok := decode[dap.BreakpointEventBody](m); ok && m.Event == "breakpoint" && body.Breakpoint.Verified {
			changed = append(changed, body.Breakpoint.Id)
		}
	}
	slices.Sort(changed)
	if want := []int{placed[0].Id, placed[1].Id, placed[2].Id}; !slices.Equal(changed, want) {
		t.Errorf("breakpoints %v were told of, want %v", changed, want)
	}
	hit := s.goOn("function breakpoint")
	slices.Sort(hit.HitBreakpointIds)
	if !slices.Equal(hit.HitBreakpointIds, []int{placed[0].Id, placed[2].Id}) {
		t.Errorf("stopped by %v", hit.HitBreakpointIds)
	}
	wantList(t, "frames", names(t, s.Client, nil), "boot.elf!main 2", "boot.elf!Reset_Handler 2")
	if text := s.printed(); strings.Contains(text, "warning") {
		t.Errorf("printed %s", text)
	}
	s.ok(s.Continue(s.thread()))
	s.stop("function breakpoint")
	wantList(t, "frames", names(t, s.Client, nil), "main 1", "Reset_Handler 1")
	s.repl("remove-symbol-file boot.elf")
	must(s.SetFunctionBreakpoints("scale"))(t)
	s.goOn("function breakpoint")
	if got := names(t, s.Client, nil); got[0] != "scale 1" || slices.ContainsFunc(got, func(n string) bool { return strings.Contains(n, "!") }) {
		t.Errorf("frames %q without the boot loader's ELF", got)
	}
}

// TestLoadFilesInOrder loads a boot loader and an application into an empty
// machine: the program begins in the first. It runs to main of the main ELF.
func TestLoadFilesInOrder(t *testing.T) {
	t.Parallel()
	f := images.Build(t, "m3-O0")
	cfg := f.Config(images.Run)
	cfg.ELF = images.Build(t, "m3-O2").First.Path // what was there before
	var kept []string
	for i := 0; i+1 < len(cfg.Args); i += 2 {
		if !strings.Contains(cfg.Args[i+1], "file=") {
			kept = append(kept, cfg.Args[i:i+2]...)
		}
	}
	cfg.Args = kept
	s := &liveSession{Client: startAdapter(t, nil), t: t, config: map[string]any{
		"symbolFiles": []string{f.Second.Path, f.First.Path}, "gdbTarget": qemu.StartTest(t, cfg).Address,
		"loadFiles": []string{f.First.Path, f.Second.Path}, "breakAfterReset": true,
	}}
	must(s.Initialize())(t)
	s.begin(s.Launch)
	s.stop("entry")
	wantList(t, "frames", names(t, s.Client, nil)[:1], "boot.elf!Reset_Handler 2")
	if text := s.printed(); strings.Contains(text, "is not what the target has") || strings.Contains(text, "is not loaded") {
		t.Errorf("printed %s", text)
	}
	s.repl("tbreak main")
	must(s.SetFunctionBreakpoints("app.elf!main", "boot.elf!verify"))(t)
	for _, want := range []string{"boot.elf!main 2", "boot.elf!verify 2", "main 1"} {
		s.ok(s.Continue(s.thread()))
		must(s.Stopped())(t)
		wantList(t, "stopped in", names(t, s.Client, nil)[:1], want)
	}
}

// TestEntryOfMainELF runs to main of the application, not of the boot loader
// that comes before, unless that is asked for.
func TestEntryOfMainELF(t *testing.T) {
	t.Parallel()
	for entry, want := range map[string]string{
		"main": "main 1", "boot.elf!main": "boot.elf!main 2", "'boot.elf'::verify": "boot.elf!verify 2", "verify": "boot.elf!verify 2",
	} {
		t.Run(entry, func(t *testing.T) {
			t.Parallel()
			s := startImages(t, "m3-O0", images.Run)
			s.config["runToEntryPoint"], s.config["loadFiles"] = entry, []string{}
			s.begin(s.Launch)
			s.stop("entry")
			wantList(t, "stands in", names(t, s.Client, nil)[:1], want)
		})
	}
}

// TestTargetsImages debugs two machines whose programs are of different ELFs.
func TestTargetsImages(t *testing.T) {
	t.Parallel()
	s := startImages(t, "m3-O0", images.Run)
	f := images.Build(t, "m3-zephyr")
	s.config["targets"] = []any{map[string]any{
		"name": "radio", "gdbTarget": f.Start(t, images.Run).Address, "symbolFiles": []string{f.Second.Path, f.First.Path},
	}}
	s.ok(s.Attach(s.config))
	s.ok(s.Event("initialized", nil))
	placed := must(s.SetFunctionBreakpoints("scale", "mcuboot/zephyr/zephyr.elf!main"))(t)
	if !placed[0].Verified || !placed[1].Verified {
		t.Errorf("breakpoints %+v", placed)
	}
	s.ok(s.ConfigurationDone())
	s.stop("entry")
	s.stop("entry")
	wantList(t, "modules", modulesTold(s.Client), "new 1 app.elf", "new 2 boot.elf",
		fmt.Sprintf("new %d app/zephyr/zephyr.elf", idSpan+1), fmt.Sprintf("new %d mcuboot/zephyr/zephyr.elf", idSpan+2))
	threads := must(s.Threads())(t)
	for _, x := range []struct {
		thread int
		want   string
	}{{1, fmt.Sprintf("mcuboot/zephyr/zephyr.elf!main %d", idSpan+2)}, {0, "scale 1"}, {1, fmt.Sprintf("scale %d", idSpan+1)}} {
		id := threads[x.thread].Id
		s.ok(s.Continue(id))
		s.stop("function breakpoint")
		var body dap.StackTraceResponseBody
		s.ok(s.Call("stackTrace", dap.StackTraceArguments{ThreadId: id}, &body))
		name, _, _ := strings.Cut(body.StackFrames[0].Name, " (")
		if got := name + " " + moduleNumber(body.StackFrames[0].ModuleId); got != x.want {
			t.Errorf("thread %d stands in %s, want %s", x.thread, got, x.want)
		}
	}
}

// symbolsOf are the functions of a name in an ELF.
func symbolsOf(path, name string) ([]core.Addr, error) {
	m, err := elfsym.Open(path, elfsym.Options{})
	if err != nil {
		return nil, err
	}
	defer m.Close()
	var list []core.Addr
	for _, s := range m.Lookup(name) {
		list = append(list, core.Addr(s.Addr))
	}
	return list, nil
}

// decode reads the body of a message; ok is false where it is another's.
func decode[T any](m dapclient.Message) (body T, ok bool) {
	return body, json.Unmarshal(m.Body, &body) == nil
}

// TestConsoleImages sets breakpoints of one ELF and of one file, and runs to
// places of one ELF.
func TestConsoleImages(t *testing.T) {
	t.Parallel()
	s := startImages(t, "m3-O0", images.Run)
	s.attach(nil)
	for _, x := range []struct {
		line, want string
		places     int
	}{
		{"break start.c:Reset_Handler", "start.c:", 2},
		{"break 'boot.elf'::start.c:Reset_Handler", "start.c:", 1},
		{"break boot.elf!start.c:30", "start.c:3", 1},
		{"break start.c:30", "start.c:3", 2},
		{"break app/main.c:main", "main.c:", 1},
		{"break app.elf!verify", `no function "verify" in app.elf`, 0},
		{"break services.c:main", `no function "main" in services.c`, 0},
	} {
		got := s.repl(x.line)
		if !strings.Contains(got, x.want) || strings.Count(got, "0x") != x.places {
			t.Errorf("%s: %q, want %q at %d places", x.line, got, x.want, x.places)
		}
	}
	if got := s.repl("info breakpoints"); !strings.Contains(got, "boot.elf!start.c:Reset_Handler\n") || !strings.Contains(got, "boot.elf!start.c:30\n") {
		t.Errorf("info breakpoints: %s", got)
	}
	s.repl("delete")
	for _, x := range []struct{ line, want string }{
		{"advance boot.elf!verify", "boot.elf!verify 2"}, {"advance 'app.elf'::main", "main 1"}, {"advance app.elf!app/main.c:87", "main 1"},
	} {
		s.repl(x.line)
		s.stop("entry")
		wantList(t, x.line, names(t, s.Client, nil)[:1], x.want)
	}
	if _, err := s.Evaluate("advance boot.elf!app/main.c:87", 0, "repl"); err == nil || !strings.Contains(err.Error(), "no code at line 87") {
		t.Errorf("a line of another ELF: %v", err)
	}
}

// TestSecureImages debugs a secure and a non-secure image: breakpoints in both,
// and a stack from the one into the other.
func TestSecureImages(t *testing.T) {
	t.Parallel()
	s := startImages(t, "m33-O0", images.Run)
	s.attach(func() {
		for _, b := range must(s.SetFunctionBreakpoints("secure.elf!main", "nonsecure.elf!main", "put"))(t) {
			if !b.Verified {
				t.Errorf("breakpoint %+v", b)
			}
		}
	})
	for _, want := range [][]string{
		{"secure.elf!main 2", "secure.elf!Reset_Handler 2"},
		{"main 1", "Reset_Handler 1"},
		{"secure.elf!put 2", "secure.elf!store 2", "secure.elf!secure_store 2", "report 1", "work 1", "main 1", "Reset_Handler 1"},
	} {
		s.goOn("function breakpoint")
		got := names(t, s.Client, nil)
		wantList(t, "frames", got[:min(len(got), len(want))], want...)
	}
	must(s.SetFunctionBreakpoints())(t)
	s.ok(s.Continue(s.thread()))
	if _, err := s.Evaluate("remove-symbol-file secure.elf", 0, "repl"); err == nil || !strings.Contains(err.Error(), "the target is running: pause it first") {
		t.Errorf("an ELF is removed while the target runs: %v", err)
	}
	if got := s.repl("info files"); !strings.HasPrefix(got, "nonsecure.elf  0x00200000-") || !strings.Contains(got, "\nsecure.elf  ") {
		t.Errorf("info files: %s", got)
	}
}
