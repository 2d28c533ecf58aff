package inspect_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pushmask/core"
	"pushmask/core/coretest/qemu"
	"pushmask/core/gdbremote"
	"pushmask/core/session"
	"pushmask/elfsym"
)

// libraryBuild is a way to compile a program that has expectations.
type libraryBuild struct {
	name     string
	compiler string
	source   string // in testdata
	headers  string // of the library, "" for the compiler's own
	options  string
	often    bool // also without -all
}

// Where the libraries of Debian 12 are.
const (
	gnuHeaders = "-isystem /usr/include/newlib/c++/12.2.1 -isystem /usr/include/newlib/c++/12.2.1/arm-none-eabi/thumb/v7-m/nofp"
	llvm16     = "/usr/lib/llvm-16/include/c++/v1"
)

// libraries are libstdc++, libc++, and structures like those of the ETL. The libc++
// of LLVM 19 cannot be installed beside that of 16: LIBCXX_19 names the folder of
// its headers.
func libraries() []libraryBuild {
	const standard, etl = "libcxx/views.cpp", "etl/views.cpp"
	list := []libraryBuild{
		{"libstdc++-gcc-O0", "arm-none-eabi-g++", standard, "", "-O0", true},
		{"libstdc++-gcc-O2", "arm-none-eabi-g++", standard, "", "-O2", false},
		{"libstdc++-clang", "clang++-16", standard, "", "-O0 -gdwarf-4 " + gnuHeaders, false},
		{"etl-gcc", "arm-none-eabi-g++", etl, "", "-O0", true},
		{"etl-clang", "clang++-16", etl, "", "-O0 " + gnuHeaders, true},
	}
	for abi := 1; abi <= 3; abi++ {
		for _, level := range []string{"-O0", "-O1"} {
			options := fmt.Sprintf("%s -DABI=%d", level, abi)
			list = append(list, libraryBuild{fmt.Sprintf("libc++-16-abi%d%s", abi, level), "clang++-16", standard, llvm16, options, level == "-O0" && abi < 3})
			if v19 := os.Getenv("LIBCXX_19"); v19 != "" {
				list = append(list, libraryBuild{fmt.Sprintf("libc++-19-abi%d%s", abi, level), "clang++-19", standard, v19, options, true})
			}
		}
	}
	return list
}

// compile returns the path of the program.
func (b libraryBuild) compile(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	machine := []string{"-mcpu=cortex-m3", "-mthumb"}
	var objects []string
	object := func(compiler, source string, options ...string) {
		out := filepath.Join(dir, filepath.Base(source)+".o")
		tool(t, compiler, append(append(machine, options...), "-g", "-c", source, "-o", out)...)
		objects = append(objects, out)
	}
	options := append(strings.Fields(b.options), "-std=c++20", "-fno-exceptions", "-D_GNU_SOURCE")
	if strings.HasPrefix(b.compiler, "clang") {
		options = append(options, "--target=arm-none-eabi", "-nostdinc++")
	}
	if b.headers != "" {
		if _, err := os.Stat(filepath.Join(b.headers, "vector")); err != nil {
			t.Skipf("no headers of libc++ in %s", b.headers)
		}
		options = append(options, "-isystem", "../libcxx", "-isystem", b.headers)
	}
	if strings.HasPrefix(b.compiler, "clang") {
		options = append(options, "-isystem", "/usr/include/newlib")
	}
	object("arm-none-eabi-gcc", "startup.c", "-O1")
	object(b.compiler, filepath.Join("..", b.source), options...)
	if b.headers != "" {
		object(b.compiler, "../libcxx/library.cpp", options...)
	}
	elf := filepath.Join(dir, "program.elf")
	link := append(append(machine, "-nostartfiles", "-T", "program.ld"), objects...)
	tool(t, "arm-none-eabi-g++", append(link, "-specs=nano.specs", "-specs=nosys.specs", "-o", elf)...)
	return elf
}

// halted is a machine that was stopped and whose RAM a test may change. From
// device on, it has devices, which count what is read of them.
type halted struct {
	ram   []byte
	regs  core.Regs
	reads []core.Addr // of devices
}

// Addresses of the board, and how much RAM is looked at.
const (
	ramAt   = 0x20000000
	ramSize = 0x10000
	device  = 0x40000000
)

func (h *halted) Memory() core.Memory   { return h }
func (h *halted) Profile() core.Profile { return core.ProfileM }

func (h *halted) Threads(context.Context) ([]core.Thread, error) {
	return []core.Thread{{ID: 1, Crashed: true}}, nil
}

func (h *halted) Registers(context.Context, core.ThreadID) (core.Regs, error) { return h.regs, nil }

// Quiet makes it a live target: reads of devices change something.
func (h *halted) Quiet(a core.Addr) bool { return a < device }

// ReadAt implements core.Memory.
func (h *halted) ReadAt(a core.Addr, p []byte) (int, error) {
	switch {
	case a >= device:
		h.reads = append(h.reads, a)
		clear(p)
		return len(p), nil
	case a < ramAt || a >= ramAt+ramSize:
		return 0, &core.ReadError{Addr: a, Len: uint32(len(p))}
	}
	n := copy(p, h.ram[a-ramAt:])
	if n < len(p) {
		return n, &core.ReadError{Addr: a + core.Addr(n), Len: uint32(len(p) - n)}
	}
	return n, nil
}

// set changes a word of RAM, and returns what puts it back.
func (h *halted) set(a core.Addr, word uint32) (restore func()) {
	at := h.ram[a-ramAt:][:4]
	old := binary.LittleEndian.Uint32(at)
	binary.LittleEndian.PutUint32(at, word)
	return func() { binary.LittleEndian.PutUint32(at, old) }
}

// runToStop runs a program of the board in QEMU up to stop_here.
func runToStop(t testing.TB, elf string) *halted {
	t.Helper()
	m := qemu.StartTest(t, qemu.Config{Machine: "mps2-an385", ELF: elf})
	client, err := gdbremote.Dial(t.Context(), m.Address, gdbremote.Options{Timeout: qemu.StartTime})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	runTo(t, client, elf, "stop_here")
	h := &halted{ram: make([]byte, ramSize)}
	if h.regs, err = client.Registers(t.Context(), core.PSR); err != nil {
		t.Fatal(err)
	}
	if _, err := client.ReadMemory(t.Context(), ramAt, h.ram); err != nil {
		t.Fatal(err)
	}
	return h
}

// runTo lets a program run to a function.
func runTo(t testing.TB, client *gdbremote.Client, elf, function string) {
	t.Helper()
	img, err := elfsym.Open(elf, elfsym.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer img.Close()
	list := img.Lookup(function)
	if len(list) == 0 {
		t.Fatalf("no function %s", function)
	}
	at, _ := core.CodeAddr(list[0].Addr)
	if err := client.InsertBreakpoint(t.Context(), gdbremote.HardwareBreakpoint, at, 2); err != nil {
		t.Fatal(err)
	}
	if stop, err := client.Continue(t.Context()); err != nil || stop.Code != 5 {
		t.Fatalf("run to %s: %+v, %v", function, stop, err)
	}
}

// openAt opens a program as it was stopped.
func openAt(t testing.TB, elf string, target core.Target) *session.Session {
	t.Helper()
	s, err := openProgram(t, elf).OpenTarget(context.Background(), target)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// expectation is an expression and how it is shown.
type expectation struct{ expr, text string }

// expectationsOf reads those that a program has in itself.
func expectationsOf(t testing.TB, s *session.Session) []expectation {
	t.Helper()
	text := func(expr string) string {
		v, err := s.Evaluate(context.Background(), expr, nil)
		if err != nil {
			t.Fatalf("%s: %v", expr, err)
		}
		_, quoted, ok := strings.Cut(v.Text, " ")
		if !ok {
			return ""
		}
		out, err := strconv.Unquote(quoted)
		if err != nil {
			t.Fatalf("%s is %s: %v", expr, v.Text, err)
		}
		return out
	}
	var list []expectation
	for i := 0; ; i++ {
		e := expectation{text(fmt.Sprintf("expectations[%d].expression", i)), text(fmt.Sprintf("expectations[%d].text", i))}
		if e.expr == "" {
			return list
		}
		list = append(list, e)
	}
}

// check compares what expressions are shown as with what they have to be, and
// that what they have inside can be reached by expressions too.
func check(t *testing.T, s *session.Session, f *session.Frame, list []expectation) {
	t.Helper()
	for _, e := range list {
		v, err := s.Evaluate(context.Background(), e.expr, f)
		if err != nil {
			t.Errorf("%s: %v", e.expr, err)
			continue
		}
		if v.Text != e.text {
			t.Errorf("%s is %s, want %s", e.expr, v.Text, e.text)
		}
		if f == nil {
			f = frameOf(t, s, 0)
		}
		checkExpressions(t, s, f, v.Value, 2)
	}
}

// frameOf returns a frame of the thread that stopped.
func frameOf(t testing.TB, s *session.Session, n int) *session.Frame {
	t.Helper()
	k, err := s.Stack(s.Threads()[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	frames, err := k.Frames(context.Background(), 0, n+1)
	if err != nil || len(frames) <= n {
		t.Fatalf("%d frames, want more than %d: %v", len(frames), n, err)
	}
	return &frames[n]
}

// checkRaw looks for the members of what is shown as what it means.
func checkRaw(t *testing.T, s *session.Session, expr string) {
	t.Helper()
	v, err := s.Evaluate(context.Background(), expr, nil)
	if err != nil {
		t.Fatal(err)
	}
	named := v.Value.Named(0, 0)
	if len(named) == 0 || named[len(named)-1].Name != "[raw]" || len(named[len(named)-1].Value.Named(0, 0)) == 0 {
		t.Errorf("%s has no members: %v", expr, named)
	}
	raw, err := s.Evaluate(context.Background(), expr+",r", nil)
	if err != nil || raw.Text == v.Text || !strings.HasPrefix(raw.Text, "{") {
		t.Errorf("%s,r is %s, %v", expr, raw.Text, err)
	}
}

// TestLibraries shows types of libraries of C++ as programs that use them say,
// damaged ones as that, and reads no devices.
func TestLibraries(t *testing.T) {
	t.Parallel()
	for _, b := range libraries() {
		if !b.often && !*all {
			continue
		}
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			elf := b.compile(t)
			h := runToStop(t, elf)
			s := openAt(t, elf, h)
			list := expectationsOf(t, s)
			if len(list) < 20 {
				t.Fatalf("%d expectations", len(list))
			}
			check(t, s, nil, list)
			checkRaw(t, s, "numbers")
			checkDamaged(t, s, h, b.name, nil)
			lookAtDamaged(t, s, h, list, nil)
			lookAtDevices(t, s, h, list, nil)
		})
	}
}
