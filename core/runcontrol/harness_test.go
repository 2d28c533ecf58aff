package runcontrol_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pushmask/core"
	"pushmask/core/coretest/qemu"
	"pushmask/core/gdbremote"
	"pushmask/core/live"
	"pushmask/core/runcontrol"
	"pushmask/core/session"
)

// firmware is a build of testdata/live and the machine that it is for.
type firmware struct{ name, machine string }

var (
	m3O0  = firmware{"m3-O0", "mps2-an385"}
	m3O2  = firmware{"m3-O2", "mps2-an385"}
	m4fOg = firmware{"m4f-Og", "mps2-an386"}
	m7O2  = firmware{"m7-O2", "mps2-an500"}
	m33O0 = firmware{"m33-O0", "mps2-an505"}
	m33x2 = firmware{"m33-two", "mps2-an521"}
	m0Os  = firmware{"m0-Os", "microbit"}
	a15O0 = firmware{"a15-O0", "virt"}
)

var all = []firmware{m3O0, m3O2, m4fOg, m7O2, m33O0, m33x2, m0Os, a15O0}

func testdata(t testing.TB, elem ...string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(append([]string{"..", "..", "testdata", "live"}, elem...)...))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func (f firmware) elf(t testing.TB) string { return testdata(t, f.name, "fw.elf") }

// target is a live program in QEMU, or behind a stub of a test.
type target struct {
	*runcontrol.Live
	t       testing.TB
	client  *gdbremote.Client
	program *session.Program
}

// machineAt starts the firmware and returns where the stub listens.
func (f firmware) machineAt(t testing.TB) string {
	t.Helper()
	return qemu.StartTest(t, qemu.Config{Machine: f.machine, ELF: f.elf(t)}).Address
}

// open starts the firmware in QEMU and attaches.
func (f firmware) open(t testing.TB, opt runcontrol.Options, args ...string) *target {
	t.Helper()
	m := qemu.StartTest(t, qemu.Config{Machine: f.machine, ELF: f.elf(t), Args: args})
	return f.dial(t, m.Address, opt)
}

// dial attaches to a stub.
func (f firmware) dial(t testing.TB, address string, opt runcontrol.Options) *target {
	t.Helper()
	client, err := gdbremote.Dial(t.Context(), address, gdbremote.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return f.attach(t, client, opt)
}

func (f firmware) attach(t testing.TB, client *gdbremote.Client, opt runcontrol.Options) *target {
	t.Helper()
	t.Cleanup(func() { client.Close() })
	program, err := session.OpenProgram(t.Context(), session.Config{
		Image:     f.elf(t),
		SourceMap: []session.PathRule{{From: "/live", To: testdata(t)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Close() })
	profile, ok := client.Profile()
	if !ok {
		profile = core.ProfileM
	}
	l, err := runcontrol.Open(t.Context(), program, live.New(client, profile), opt)
	if err != nil {
		t.Fatal(err)
	}
	return &target{Live: l, t: t, client: client, program: program}
}

// set sets breakpoints as one group.
func (d *target) set(specs ...runcontrol.Spec) []runcontrol.Placed {
	d.t.Helper()
	placed, err := d.SetBreakpoints(d.t.Context(), "test", specs)
	if err != nil {
		d.t.Fatal(err)
	}
	return placed
}

// breakOn sets a breakpoint on a function, which must exist.
func (d *target) breakOn(function string) {
	d.t.Helper()
	if p := d.set(runcontrol.Spec{Kind: runcontrol.FunctionBreakpoint, Function: function}); !p[0].Verified {
		d.t.Fatalf("breakpoint on %s: %s", function, p[0].Message)
	}
}

// patience is how long a motion may take, on a busy machine too.
const patience = time.Minute

// move carries out a motion, which is paused when it takes too long.
func (d *target) move(m runcontrol.Motion) runcontrol.Event {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), patience)
	defer cancel()
	ev, err := d.Resume(ctx, m)
	if err != nil {
		d.t.Fatalf("%+v: %v", m, err)
	}
	return ev
}

// until is a motion that must end in the given way.
func (d *target) until(m runcontrol.Motion, want runcontrol.EventKind) runcontrol.Event {
	d.t.Helper()
	ev := d.move(m)
	if ev.Kind != want {
		d.t.Fatalf("%+v: stopped by %+v at %s, want kind %d", m, ev, d.at(), want)
	}
	return ev
}

// run continues to a breakpoint on a function and leaves no breakpoint behind.
func (d *target) run(function string) {
	d.t.Helper()
	d.breakOn(function)
	d.until(runcontrol.Motion{}, runcontrol.EventBreakpoint)
	d.set()
}

// frames returns the stack of the thread that stopped.
func (d *target) frames() []session.Frame {
	d.t.Helper()
	s, err := d.Session()
	if err != nil {
		d.t.Fatal(err)
	}
	stack, err := s.Stack(s.Threads()[0].ID)
	if err != nil {
		d.t.Fatal(err)
	}
	frames, err := stack.Frames(context.Background(), 0, 0)
	if err != nil {
		d.t.Fatal(err)
	}
	return frames
}

// at is where the target is stopped: "leaf:7".
func (d *target) at() string {
	d.t.Helper()
	s, err := d.Session()
	if err != nil {
		return err.Error()
	}
	stack, err := s.Stack(s.Threads()[0].ID)
	if err != nil {
		d.t.Fatal(err)
	}
	frames, err := stack.Frames(context.Background(), 0, 1)
	if err != nil || len(frames) == 0 {
		d.t.Fatalf("no frame: %v", err)
	}
	return fmt.Sprintf("%s:%d", frames[0].Function, frames[0].Line)
}

// stack is the call stack as a list of functions.
func (d *target) stack() string {
	d.t.Helper()
	var names []string
	for _, f := range d.frames() {
		names = append(names, f.Function)
	}
	return strings.Join(names, " < ")
}

// symbol is the address of a variable or function.
func (d *target) symbol(name string) core.Addr {
	d.t.Helper()
	found := d.program.Images().Lookup(name)
	if len(found) == 0 {
		d.t.Fatalf("no symbol %s", name)
	}
	return core.Addr(found[0].Addr)
}

// command has the firmware obey in its next round.
func (d *target) command(n byte) {
	d.t.Helper()
	if err := d.WriteMemory(d.t.Context(), d.symbol("command"), []byte{n, 0, 0, 0}); err != nil {
		d.t.Fatal(err)
	}
}

// word reads a variable.
func (d *target) word(name string) uint32 {
	d.t.Helper()
	s, err := d.Session()
	if err != nil {
		d.t.Fatal(err)
	}
	v, err := core.ReadU32(s.Memory(), d.symbol(name))
	if err != nil {
		d.t.Fatal(err)
	}
	return v
}

// The commands of testdata/live/app/command.h.
const (
	commandExit = 1 + iota
	commandWrite
	commandReadUnmapped
	commandUndefined
	commandSpin
	commandWait
	commandTimer
	commandTimerStop
	commandJump
	commandCount
)

var (
	next    = runcontrol.Motion{Kind: runcontrol.MotionNext}
	stepIn  = runcontrol.Motion{Kind: runcontrol.MotionStepIn}
	stepOut = runcontrol.Motion{Kind: runcontrol.MotionStepOut}
)
