package gdbremote

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"pushmask/core"
	"pushmask/core/coretest/qemu"
	"pushmask/elfsym"
)

// firmware is the folder of the firmware for live targets.
const firmware = "../../testdata/live"

// machines are those that QEMU has, with a case of firmware each.
var machines = []struct {
	machine, cpu, firmware string
	profile                core.Profile
	fpu                    bool
}{
	{"mps2-an385", "", "m3-O0", core.ProfileM, false},
	{"mps2-an386", "", "m4f-Og", core.ProfileM, true},
	{"mps2-an500", "", "m7-O2", core.ProfileM, true},
	{"mps2-an505", "", "m33-O0", core.ProfileM, true},
	{"microbit", "", "m0-Os", core.ProfileM, false},
	{"virt", "cortex-a15", "a15-O0", core.ProfileA, true},
}

// attach starts a machine and connects to it.
func attach(t testing.TB, cfg qemu.Config, opt Options) (*Client, *elfsym.Image) {
	t.Helper()
	cfg.ELF = filepath.Join(firmware, cfg.ELF, "fw.elf")
	m := qemu.StartTest(t, cfg)
	opt.Timeout = qemu.StartTime
	c, err := Dial(t.Context(), m.Address, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	img, err := elfsym.Open(cfg.ELF, elfsym.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c, img
}

// symbol is the address of a symbol without its Thumb bit.
func symbol(t testing.TB, img *elfsym.Image, name string) core.Addr {
	t.Helper()
	list := img.Lookup(name)
	if len(list) == 0 {
		t.Fatalf("no symbol %q", name)
	}
	a, _ := core.CodeAddr(list[0].Addr)
	return a
}

// word reads a word of memory.
func word(t *testing.T, c *Client, a core.Addr) uint32 {
	t.Helper()
	var b [4]byte
	if _, err := c.ReadMemory(t.Context(), a, b[:]); err != nil {
		t.Fatal(err)
	}
	return binary.LittleEndian.Uint32(b[:])
}

// setWord writes one.
func setWord(t *testing.T, c *Client, a core.Addr, v uint32) {
	t.Helper()
	if err := c.WriteMemory(t.Context(), a, binary.LittleEndian.AppendUint32(nil, v)); err != nil {
		t.Fatal(err)
	}
}

// runTo steps, and runs to an address: a breakpoint where the PC is would stop
// QEMU before it moves.
func runTo(t *testing.T, c *Client, a core.Addr) core.Regs {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), qemu.StartTime)
	defer cancel()
	if _, err := c.Step(ctx); err != nil {
		t.Fatal(err)
	}
	if err := c.InsertBreakpoint(ctx, HardwareBreakpoint, a, 2); err != nil {
		t.Fatal(err)
	}
	s, err := c.Continue(ctx)
	if err != nil || s.Code != 5 || s.Interrupted {
		t.Fatalf("run to %v: %+v, %v", a, s, err)
	}
	if err := c.RemoveBreakpoint(ctx, HardwareBreakpoint, a, 2); err != nil {
		t.Fatal(err)
	}
	regs, err := c.Registers(ctx)
	if err != nil || regs.Value(core.PC) != uint32(a) {
		t.Fatalf("at %#x, want %v: %v", regs.Value(core.PC), a, err)
	}
	return regs
}

// TestMachines debugs firmware on every machine: breakpoint, memory, registers,
// watchpoint, step, interrupt.
func TestMachines(t *testing.T) {
	t.Parallel()
	for _, m := range machines {
		t.Run(m.machine, func(t *testing.T) {
			t.Parallel()
			c, img := attach(t, qemu.Config{Machine: m.machine, CPU: m.cpu, ELF: m.firmware}, Options{})
			if p, ok := c.Profile(); p != m.profile || !ok {
				t.Errorf("profile %v, %v", p, ok)
			}
			list, err := c.Threads(t.Context())
			if err != nil || len(list) != 1 || list[0].ID != "p1.1" {
				t.Errorf("threads %+v, %v", list, err)
			}
			counter, tour := symbol(t, img, "counter"), symbol(t, img, "tour")
			runTo(t, c, tour)
			setWord(t, c, counter, 0xabcd0006)
			if got := word(t, c, counter); got != 0xabcd0006 {
				t.Errorf("counter %#x", got)
			}
			if regs := runTo(t, c, tour); regs.Value(core.R0) != 7 {
				t.Errorf("tour(%d), want 7", regs.Value(core.R0))
			}
			writeRegisters(t, c, m.fpu)
			watch(t, c, counter)
			stepAndInterrupt(t, c)
			if err := c.Detach(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// writeRegisters changes registers and reads them back.
func writeRegisters(t *testing.T, c *Client, fpu bool) {
	t.Helper()
	list := []core.Reg{core.R0, core.R12, core.LR}
	if fpu {
		list = append(list, core.S0+4, core.S0+5)
	}
	before, err := c.Registers(t.Context(), list...)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range list {
		if err := c.WriteRegister(t.Context(), "", r, 0x1000+uint32(i)); err != nil {
			t.Errorf("%v: %v", r, err)
		}
	}
	after, err := c.Registers(t.Context(), list...)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range list {
		if got, ok := after.Get(r); got != 0x1000+uint32(i) || !ok {
			t.Errorf("%v = %#x, %v", r, got, ok)
		}
		if err := c.WriteRegister(t.Context(), "", r, before.Value(r)); err != nil {
			t.Error(err)
		}
	}
}

// watch stops at a write.
func watch(t *testing.T, c *Client, a core.Addr) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), qemu.StartTime)
	defer cancel()
	if err := c.InsertBreakpoint(ctx, WriteWatchpoint, a, 4); err != nil {
		t.Fatal(err)
	}
	s, err := c.Continue(ctx)
	if err != nil || s.Reason != ReasonWatch || s.Address != a || s.Thread != "p1.1" {
		t.Errorf("watch: %+v, %v", s, err)
	}
	if err := c.RemoveBreakpoint(ctx, WriteWatchpoint, a, 4); err != nil {
		t.Error(err)
	}
}

// stepAndInterrupt steps, and stops a target that runs.
func stepAndInterrupt(t *testing.T, c *Client) {
	t.Helper()
	before, err := c.Registers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if s, err := c.Step(t.Context()); err != nil || s.Code != 5 {
		t.Errorf("step: %+v, %v", s, err)
	}
	after, err := c.Registers(t.Context())
	if err != nil || after.Value(core.PC) == before.Value(core.PC) {
		t.Errorf("step did not move: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if s, err := c.Continue(ctx); err != nil || s.Code != 2 || !s.Interrupted {
		t.Errorf("interrupt: %+v, %v", s, err)
	}
	if _, err := c.Registers(t.Context()); err != nil {
		t.Errorf("after it: %v", err)
	}
}

// TestPacketCounts has the figures of docs/stubs.md.
func TestPacketCounts(t *testing.T) {
	t.Parallel()
	c, _ := attach(t, qemu.Config{Machine: "mps2-an385", ELF: "m3-O0"}, Options{})
	if _, err := c.Halted(t.Context()); err != nil {
		t.Fatal(err)
	}
	start, _ := c.Packets()
	if _, err := c.Step(t.Context()); err != nil { // and whether it has vCont
		t.Fatal(err)
	}
	before, _ := c.Packets()
	if _, err := c.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Registers(t.Context(), core.PSR, core.MSP, core.CONTROL); err != nil {
		t.Fatal(err)
	}
	if after, _ := c.Packets(); start != 5 || after-before != 2 {
		t.Errorf("%d packets to connect, %d for a step", start, after-before)
	}
}

// TestSecondCore attaches to the second cluster of a machine.
func TestSecondCore(t *testing.T) {
	t.Parallel()
	c, img := attach(t, qemu.Config{Machine: "mps2-an521", ELF: "m33-two"}, Options{})
	ctx := t.Context()
	if s, err := c.Halted(ctx); err != nil || s.Thread != "p1.1" {
		t.Fatalf("%+v, %v", s, err)
	}
	if s, err := c.Attach(ctx, 2); err != nil || s.Thread != "p2.2" {
		t.Fatalf("attach: %+v, %v", s, err)
	}
	counter := symbol(t, img, "second_counter")
	if err := c.InsertBreakpoint(ctx, WriteWatchpoint, counter, 4); err != nil {
		t.Fatal(err)
	}
	run, cancel := context.WithTimeout(ctx, qemu.StartTime)
	defer cancel()
	if s, err := c.Continue(run); err != nil || s.Reason != ReasonWatch || s.Address != counter {
		t.Fatalf("%+v, %v", s, err)
	}
	list, err := c.Threads(ctx)
	if err != nil || len(list) != 2 {
		t.Fatalf("threads %+v, %v", list, err)
	}
	var pcs [2]uint32
	for i, th := range list {
		regs, err := c.RegistersOf(ctx, th.ID, core.S0)
		if err != nil {
			t.Fatal(err)
		}
		pcs[i] = regs.Value(core.PC)
		if fpu := i == 1; regs.Has(core.S0) != fpu {
			t.Errorf("%s: S0 known is %v, want %v", th.ID, !fpu, fpu)
		}
	}
	if pcs[0] == pcs[1] {
		t.Errorf("both cores at %#x", pcs[0])
	}
	if err := c.Detach(ctx); err != nil {
		t.Error(err)
	}
}

// TestSemihosting has the program's output, through File-I/O and through a
// monitor command that prints.
func TestSemihosting(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	c, img := attach(t, qemu.Config{Machine: "mps2-an385", ELF: "m3-O0", Args: []string{"-semihosting-config", "enable=on,target=gdb"}},
		Options{Console: func(b []byte) { out.Write(b) }})
	tour := symbol(t, img, "tour")
	runTo(t, c, tour)
	const commandWrite = 2 // command.h
	setWord(t, c, symbol(t, img, "command"), commandWrite)
	runTo(t, c, tour)
	if out.String() != "a line from the target\n" {
		t.Errorf("output %q", out.String())
	}
	var version strings.Builder
	if err := c.Monitor(t.Context(), "info version", func(s string) { version.WriteString(s) }); err != nil || !strings.Contains(version.String(), ".") {
		t.Errorf("%q, %v", version.String(), err)
	}
	if name, err := c.ServerName(t.Context()); name != "QEMU" || err != nil {
		t.Errorf("server %q, %v", name, err)
	}
}

// TestLoadQEMU writes a program to a machine whose stub has no memory map.
func TestLoadQEMU(t *testing.T) {
	t.Parallel()
	c, _ := attach(t, qemu.Config{Machine: "mps2-an385", ELF: "m3-O0"}, Options{})
	code := pattern(3 * loadPiece)
	if err := c.Load(t.Context(), []Segment{{Addr: 0x20004000, Data: code}}, nil); err != nil {
		t.Error(err)
	}
	err := c.Load(t.Context(), []Segment{{Addr: 0xe0100000, Data: code}}, nil)
	if !errors.Is(err, ErrRefused) && !errors.Is(err, ErrNotWritable) {
		t.Errorf("where nothing is: %v", err)
	}
	got := make([]byte, len(code))
	if _, err := c.ReadMemory(t.Context(), 0x20004000, got); err != nil || !bytes.Equal(got, code) {
		t.Errorf("read back: %v", err)
	}
}

// TestKilled loses the machine while it runs.
func TestKilled(t *testing.T) {
	t.Parallel()
	m := qemu.StartTest(t, qemu.Config{Machine: "mps2-an385", ELF: filepath.Join(firmware, "m3-O0", "fw.elf")})
	started := make(chan struct{})
	var once sync.Once
	c, err := Dial(t.Context(), m.Address, Options{Log: func(d Direction, p string) {
		if d == Sent && p == "vCont;c" {
			once.Do(func() { close(started) })
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	go func() {
		<-started
		m.Stop()
	}()
	if _, err := c.Continue(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
}

// TestTerminal speaks to QEMU through a pseudoterminal, which is opened as
// other serial devices are.
func TestTerminal(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: needs a pseudoterminal of Linux")
	}
	cmd := exec.Command("qemu-system-arm", "-M", "mps2-an385", "-nodefaults", "-display", "none", "-S", "-gdb", "pty",
		"-kernel", filepath.Join(firmware, "m3-O0", "fw.elf"))
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); errors.Is(err, exec.ErrNotFound) {
		t.Skip("SKIPPED:", qemu.ErrMissing)
	} else if err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	line, err := bufio.NewReader(output).ReadString('\n')
	device := regexp.MustCompile(`/dev/pts/\d+`).FindString(line)
	if device == "" {
		t.Fatalf("no device in %q, %v", line, err)
	}
	c, err := Dial(t.Context(), device, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	stepAndInterrupt(t, c)
}

// TestUserMode debugs a Linux program in QEMU's user mode, through a Unix
// socket, to its end.
func TestUserMode(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	source, program, socket := filepath.Join(dir, "p.s"), filepath.Join(dir, "p"), filepath.Join(dir, "stub")
	const text = `
	.global _start
_start:
	mov r4, #3
1:	subs r4, r4, #1
	bne 1b
	mov r0, #7
	mov r7, #1 @ exit
	svc 0
`
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tool := range []string{"qemu-arm", "arm-none-eabi-gcc"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("SKIPPED: %s is not installed", tool)
		}
	}
	if out, err := exec.Command("arm-none-eabi-gcc", "-nostdlib", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command("qemu-arm", "-g", socket, program)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // its status is what the stub tells
	}()
	defer func() {
		_ = cmd.Process.Kill()
		<-ended
	}()
	c := dialWhenThere(t, "unix:"+socket)
	for i := range 4 {
		if s, err := c.Step(t.Context()); err != nil || s.Kind != StopSignal {
			t.Fatalf("step %d: %+v, %v", i, s, err)
		}
	}
	regs, err := c.Registers(t.Context())
	if p, ok := c.Profile(); err != nil || regs.Value(core.R4) != 1 || p != core.ProfileA || !ok {
		t.Errorf("r4 = %d, %v", regs.Value(core.R4), err)
	}
	if s, err := c.Continue(t.Context()); err != nil || s.Kind != StopExited || s.Code != 7 {
		t.Errorf("end: %+v, %v", s, err)
	}
}

// dialWhenThere waits for a stub to listen.
func dialWhenThere(t *testing.T, target string) *Client {
	t.Helper()
	for deadline := time.Now().Add(qemu.StartTime); ; time.Sleep(10 * time.Millisecond) {
		c, err := Dial(t.Context(), target, Options{})
		if err == nil {
			t.Cleanup(func() { c.Close() })
			return c
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// BenchmarkStop is what a stop costs a client that shows a stack: registers and
// two reads of memory, counted in packets, after a step.
func BenchmarkStop(b *testing.B) {
	c, _ := attach(b, qemu.Config{Machine: "mps2-an385", ELF: "m3-O0"}, Options{})
	ctx := b.Context()
	stack := make([]byte, 1024)
	if _, err := c.Step(ctx); err != nil {
		b.Fatal(err)
	}
	first, _ := c.Packets()
	for b.Loop() {
		if _, err := c.Step(ctx); err != nil {
			b.Fatal(err)
		}
		regs, err := c.Registers(ctx, core.PSR, core.MSP, core.PSP, core.CONTROL)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := c.ReadMemory(ctx, core.Addr(regs.Value(core.PC)&^3), stack[:64]); err != nil {
			b.Fatal(err)
		}
		if _, err := c.ReadMemory(ctx, 0x20000000, stack); err != nil {
			b.Fatal(err)
		}
	}
	last, _ := c.Packets()
	b.ReportMetric(float64(last-first)/float64(b.N), "packets/op")
}
