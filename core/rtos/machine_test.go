package rtos

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pushmask/core"
	"pushmask/elfsym"
)

// machine is the memory of a firmware whose data is initialised as that of a
// running system. Words can be changed.
type machine struct {
	image   *elfsym.Image
	changed map[core.Addr]byte
	// gone is a hole in memory.
	gone core.Addr
	size uint32
}

// ReadAt implements [core.Memory] on the segments of the image.
func (m *machine) ReadAt(a core.Addr, p []byte) (int, error) {
	n, err := m.image.ReadAt(uint32(a), p)
	for i := range n {
		at := a + core.Addr(i)
		if uint32(at-m.gone) < m.size {
			return i, &core.ReadError{Addr: at}
		}
		if b, ok := m.changed[at]; ok {
			p[i] = b
		}
	}
	if n < len(p) && err == nil {
		err = &core.ReadError{Addr: a + core.Addr(n)}
	}
	return n, err
}

// set changes a word.
func (m *machine) set(a core.Addr, v uint32) {
	for i := range core.Addr(4) {
		m.changed[a+i] = byte(v >> (8 * i))
	}
}

// compile builds a firmware of testdata; several tests use one build.
func compile(t testing.TB, source string, flags ...string) string {
	t.Helper()
	const gcc = "arm-none-eabi-gcc"
	if _, err := exec.LookPath(gcc); err != nil {
		t.Skipf("%s is not installed: there are no kernels to read", gcc)
	}
	out := filepath.Join(t.TempDir(), "fw.elf")
	args := append([]string{
		"-ffreestanding", "-nostdlib", "-Wl,-Ttext=0x8000,-Tdata=0x20000000,-Tbss=0x20040000",
		filepath.Join("testdata", source), "-o", out,
	}, flags...)
	if b, err := exec.Command(gcc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", gcc, strings.Join(args, " "), err, b)
	}
	return out
}

// open makes a machine of a firmware.
func open(t testing.TB, path string) *machine {
	t.Helper()
	img, err := elfsym.Open(path, elfsym.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { img.Close() })
	return &machine{image: img, changed: map[core.Addr]byte{}}
}

// symbol returns the address of a variable or function.
func (m *machine) symbol(t testing.TB, name string) core.Addr {
	t.Helper()
	list := m.image.Lookup(name)
	if len(list) == 0 {
		t.Fatalf("no symbol %s", name)
	}
	return core.Addr(list[0].Addr)
}

// system is the machine stopped in a function with the stack pointer given.
func (m *machine) system(t testing.TB, function string, sp core.Addr) *System {
	t.Helper()
	s := &System{Image: m.image, Memory: m, Profile: core.ProfileA}
	var regs core.Regs
	regs.Set(core.PC, uint32(m.symbol(t, function)))
	regs.Set(core.SP, uint32(sp))
	regs.Set(core.PSR, modeSystem)
	if m.image.MProfile() {
		s.Profile = core.ProfileM
		regs.Set(core.PSR, xpsrT)
		regs.Set(core.PSP, uint32(sp))
	}
	s.Stopped = []core.Regs{regs}
	return s
}

// describe writes a list as text, one thread a line.
func describe(l List) string {
	var b strings.Builder
	for _, t := range l.Threads {
		fmt.Fprintf(&b, "%-8s %s", t.Name, t.State)
		if t.Waits != "" {
			fmt.Fprintf(&b, " on %s", t.Waits)
		}
		if t.HasPriority {
			fmt.Fprintf(&b, ", prio %d base %d", t.Priority, t.BasePriority)
		}
		if t.Stack.Known() {
			fmt.Fprintf(&b, ", stack of %d", t.Stack.High-t.Stack.Low)
		}
		if t.Stack.HasUsed {
			fmt.Fprintf(&b, ", %d used", t.Stack.Used)
		}
		if t.Running {
			fmt.Fprintf(&b, ", core %d", t.Core)
		}
		b.WriteByte('\n')
	}
	for _, w := range l.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", w)
	}
	return b.String()
}

// strip copies a firmware without its debug information.
func strip(t testing.TB, path string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "stripped.elf")
	if b, err := exec.Command("arm-none-eabi-strip", "-g", "-o", out, path).CombinedOutput(); err != nil {
		t.Fatalf("strip: %v\n%s", err, b)
	}
	if _, err := os.Stat(out); err != nil {
		t.Fatal(err)
	}
	return out
}
