package serve

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pushmask/core"
	"pushmask/core/session"
)

// listen serves clients on a free port until the test ends.
func listen(t testing.TB, stub *Stub) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	bound, done := make(chan net.Addr, 1), make(chan error, 1)
	stub.opt.Listening = func(a net.Addr) { bound <- a }
	go func() { done <- stub.Listen(ctx, "127.0.0.1:0") }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Listen: %v", err)
		}
	})
	select {
	case a := <-bound:
		return a.String()
	case err := <-done:
		done <- nil
		t.Fatal(err)
	}
	return ""
}

// debugger runs a debugger that is to end by itself, and returns what it said.
func debugger(t testing.TB, stdin string, name string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("%s is not installed", name)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdin = strings.NewReader(stdin)
	cmd.Env = append(os.Environ(), "DEBUGINFOD_URLS=", "HOME="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil || ctx.Err() != nil {
		t.Fatalf("%s: %v, %v\n%s", name, err, ctx.Err(), out)
	}
	return string(out)
}

// artefact is a crash with what it is expected to show.
type artefact struct {
	name        string
	image, dump string
	set         core.Regs
}

func (a *artefact) open(t testing.TB) *session.Session { return openSession(t, a.image, a.dump, a.set) }

func fixture(folder, dump string) artefact {
	dir := filepath.Join(fixtures, folder)
	return artefact{name: folder + "/" + dump, image: filepath.Join(dir, "fw.elf"), dump: filepath.Join(dir, dump)}
}

// textLog prints a crash the way NuttX does: registers of the interrupted code,
// and its stack.
func textLog(t testing.TB) artefact {
	t.Helper()
	a := fixture("m3-O0", "crash.core")
	s := a.open(t)
	threads, err := s.DebuggerThreads(context.Background())
	if err != nil || len(threads) != 2 {
		t.Fatalf("%d threads, %v", len(threads), err)
	}
	regs := threads[1].Regs
	var b strings.Builder
	for first := core.R0; first <= core.R8; first += 8 {
		fmt.Fprintf(&b, "up_registerdump: %v:", strings.ToUpper(first.String()))
		for r := first; r < first+8; r++ {
			fmt.Fprintf(&b, " %08x", regs.Value(r))
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "up_registerdump: xPSR: %08x BASEPRI: 00000000 CONTROL: 00000000\n", regs.Value(core.PSR))
	for i, at := 0, core.Addr(regs.Value(core.SP)); ; i, at = i+1, at+4 {
		v, err := core.ReadU32(s.Target().Memory(), at)
		if err != nil {
			break
		}
		if i%8 == 0 {
			fmt.Fprintf(&b, "\nup_stackdump: %08x:", uint32(at))
		}
		fmt.Fprintf(&b, " %08x", v)
	}
	a.name, a.dump = "text log", filepath.Join(t.TempDir(), "crash.log")
	write(t, a.dump, []byte(b.String()))
	return a
}

// rawRAM is the memory of a crash alone, with the registers given by hand.
func rawRAM(t testing.TB) artefact {
	t.Helper()
	a := fixture("m33-O2", "crash.core")
	s := a.open(t)
	r := s.Regions()[0]
	ram := make([]byte, r.Size)
	if _, err := s.Memory().ReadAt(r.Addr, ram); err != nil {
		t.Fatal(err)
	}
	regs, err := s.Registers(context.Background(), s.Threads()[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []core.Reg{core.R7, core.SP, core.LR, core.PC, core.PSR} {
		a.set.Set(r, regs.Value(r))
	}
	file := filepath.Join(t.TempDir(), "ram.bin")
	write(t, file, ram)
	a.name, a.dump = "raw RAM", fmt.Sprintf("%s@0x%x", file, uint32(r.Addr))
	return a
}

// kernel is the memory of a FreeRTOS with threads, built from the sources of the
// tests of core/rtos.
func kernel(t testing.TB) artefact {
	t.Helper()
	const gcc = "arm-none-eabi-gcc"
	if _, err := exec.LookPath(gcc); err != nil {
		t.Skipf("%s is not installed: there is no kernel to read", gcc)
	}
	dir := t.TempDir()
	a := artefact{name: "FreeRTOS", image: filepath.Join(dir, "fw.elf"), dump: filepath.Join(dir, "ram.bin")}
	args := strings.Fields("-mcpu=cortex-m4 -mthumb -g -DCM4F -ffreestanding -nostdlib -Wl,-Ttext=0x8000,-Tdata=0x20000000 -o")
	if b, err := exec.Command(gcc, append(args, a.image, "../../rtos/testdata/freertos.c")...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	p, err := session.OpenProgram(context.Background(), session.Config{Image: a.image})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, seg := range p.Images().Segments() {
		if !seg.Write {
			continue
		}
		ram := make([]byte, seg.FileSize)
		if _, err := p.Images().ReadAt(seg.Addr, ram); err != nil {
			t.Fatal(err)
		}
		write(t, a.dump, ram)
		a.dump += fmt.Sprintf("@0x%x", seg.Addr)
	}
	a.set.Set(core.PC, p.Images().Lookup("main_task")[0].Addr)
	a.set.Set(core.SP, p.Images().Lookup("main_stack")[0].Addr+256)
	a.set.Set(core.LR, 0xffffffff)
	a.set.Set(core.PSR, 1<<24)
	return a
}

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// debuggerTool is how a debugger is told to print all stacks.
type debuggerTool struct {
	name       string
	stub, core func(image, what string) (args []string)
}

// pastMain keeps gdb from ending a stack at main.
const pastMain = "set backtrace past-main on"

// noCache keeps lldb from reading memory in lines of 512 bytes, of which a dump
// may have a part.
const noCache = "settings set target.process.disable-memory-cache true"

func tools() []debuggerTool {
	gdb := debuggerTool{
		name: "gdb-multiarch",
		stub: func(image, addr string) []string {
			return []string{"-nx", "-batch", "-ex", pastMain, "-ex", "target remote " + addr, "-ex", "thread apply all bt", "-ex", "detach", image}
		},
		core: func(image, core string) []string {
			return []string{"-nx", "-batch", "-ex", pastMain, "-ex", "thread apply all bt", image, core}
		},
	}
	list := []debuggerTool{gdb}
	for _, lldb := range []string{"lldb-16", "lldb-19"} {
		list = append(list, debuggerTool{
			name: lldb,
			stub: func(image, addr string) []string {
				return []string{"-x", "-b", "-O", noCache, "-o", "gdb-remote " + addr, "-o", "bt all", "-o", "detach", image}
			},
			core: func(image, core string) []string {
				return []string{"-x", "-b", "-o", "target modules load --file " + filepath.Base(image) + " --slide 0", "-o", "bt all", "-c", core, image}
			},
		})
	}
	return list
}

var (
	threadLine = regexp.MustCompile(`^(?:\* |  )?(?:Thread (\d+) \(|thread #(\d+))`)
	frameLine  = regexp.MustCompile("^ *(?:\\* )?(?:frame )?#\\d+:? +(?:0x[0-9a-f]+ )?(?:in |\\S+`(?:\\w+ \\[inlined\\] )?)?(\\w+|<signal handler called>|\\?\\?)")
)

// stacks finds the functions of the stack of each thread.
func stacks(out string) map[string][]string {
	list := map[string][]string{}
	thread := ""
	for line := range strings.Lines(out) {
		if m := threadLine.FindStringSubmatch(line); m != nil {
			thread = m[1] + m[2]
			list[thread] = nil // a stack that is shown again is shown as a whole
		} else if m := frameLine.FindStringSubmatch(line); m != nil && thread != "" {
			list[thread] = append(list[thread], m[1])
		}
	}
	return list
}

// TestDebuggers: gdb and lldb find in a served crash what they find in the core
// that convert writes of it, and what we find in code that an exception
// interrupted. They may find more: a core has no MSP and PSP, and no names.
func TestDebuggers(t *testing.T) {
	t.Parallel()
	artefacts := []artefact{
		fixture("demo", "crash.core"), // M4F, the FP frame of a HardFault
		fixture("process-stack", "crash.core"), fixture("a32", "crash.core"), textLog(t), rawRAM(t), kernel(t),
		// From here on with gdb alone: lldb takes a second for each.
		fixture("nested", "crash.core"), fixture("interrupt", "crash.core"), fixture("m0-Os", "crash.core"), fixture("faults", "unaligned.core"),
	}
	const withLLDB = 6
	for i, a := range artefacts {
		use := tools()
		if i >= withLLDB {
			use = use[:1]
		}
		s := a.open(t)
		file := filepath.Join(t.TempDir(), "core.elf")
		var b bytes.Buffer
		if err := s.WriteCore(context.Background(), &b, false); err != nil {
			t.Fatal(err)
		}
		write(t, file, b.Bytes())
		stub := newStub(t, s, Options{})
		addr := listen(t, stub)
		want := ourStacks(t, s, stub)
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			for _, tool := range use {
				t.Run(tool.name, func(t *testing.T) {
					fromCore := stacks(debugger(t, "", tool.name, tool.core(a.image, file)...))
					out := debugger(t, "", tool.name, tool.stub(a.image, addr)...)
					compareStacks(t, stacks(out), fromCore, want, out)
				})
			}
		})
	}
}

// ourStack is the stack of a thread as we find it, without exceptions. The
// first functions are those that a debugger finds too: down to the next exception
// or the end, of which the last is left out, as how they end a stack differs.
type ourStack struct {
	names []string
	first int
}

// ourStacks returns the stacks of a stub's threads by their place in its list.
func ourStacks(t *testing.T, s *session.Session, stub *Stub) (list []ourStack) {
	t.Helper()
	below := map[core.ThreadID]int{}
	for _, th := range stub.threads {
		of := th.ID
		if th.Interrupted != 0 {
			of = th.Interrupted
			below[of]++
		}
		k, err := s.Stack(of)
		if err != nil {
			t.Fatal(err)
		}
		frames, err := k.Frames(context.Background(), 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		var our ourStack
		exceptions := 0
		for _, f := range frames {
			switch {
			case f.Kind == session.KindException:
				exceptions++
			case exceptions >= below[of]:
				our.names = append(our.names, f.Function)
				if exceptions == below[of] {
					our.first = len(our.names)
				}
			}
		}
		if our.first == len(our.names) && our.first > 1 {
			our.first--
		}
		list = append(list, our)
	}
	return list
}

const signalFrame = "<signal handler called>"

// compareStacks compares threads by their place in the list. A debugger may stop
// early below an exception; what it shows must be true. Of an exception in a core
// gdb knows no stack pointer but that of the handler.
func compareStacks(t *testing.T, got, fromCore map[string][]string, want []ourStack, out string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d threads, want %d\n%s", len(got), len(want), out)
	}
	for i, our := range want {
		id := fmt.Sprint(i + 1)
		inCore := fromCore[id]
		if j := slices.Index(inCore, signalFrame); j >= 0 {
			inCore = inCore[:j]
		}
		if n := len(inCore); len(got[id]) < n || !slices.Equal(got[id][:n], inCore) {
			t.Errorf("thread %s: %q, the core has %q\n%s", id, got[id], inCore, out)
		}
		names := slices.DeleteFunc(slices.Clone(got[id]), func(name string) bool { return name == signalFrame })
		n := min(len(names), len(our.names))
		if n < our.first || !slices.Equal(names[:n], our.names[:n]) {
			t.Errorf("thread %s: %q, we find %q\n%s", id, names, our.names, out)
		}
	}
}
