package runcontrol_test

import (
	"errors"
	"os/exec"
	"path/filepath"
	"testing"

	"pushmask/core"
	"pushmask/core/coretest/oracle"
	"pushmask/core/coretest/qemu"
	"pushmask/core/gdbremote"
	"pushmask/core/live"
	"pushmask/core/runcontrol"
	"pushmask/core/session"
)

// openKernel runs the kernel of testdata/oracle, whose threads yield, sleep and
// are switched by a timer.
func openKernel(t *testing.T) *target {
	t.Helper()
	src, err := filepath.Abs(filepath.Join("..", "..", "testdata", "oracle"))
	if err != nil {
		t.Fatal(err)
	}
	f := oracle.Firmware{Name: "kernel", Script: "mps2.ld", Target: "-mcpu=cortex-m3 -mthumb", Options: "-O0", Switch: "on_stack.S"}
	elf, err := f.Build(t.Context(), src, t.TempDir())
	if errors.Is(err, oracle.ErrNoCompiler) || errors.Is(err, exec.ErrNotFound) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	m := qemu.StartTest(t, qemu.Config{Machine: "mps2-an385", ELF: elf})
	client, err := gdbremote.Dial(t.Context(), m.Address, gdbremote.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	program, err := session.OpenProgram(t.Context(), session.Config{Image: elf})
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

// TestNextStaysInTask goes round in a task that is switched away from in each
// round, in the depth of a recursion and asleep.
func TestNextStaysInTask(t *testing.T) {
	t.Parallel()
	d := openKernel(t)
	d.run("recurse")
	sp := d.frames()[0].Core.Regs.Value(core.SP)
	runs := func() uint32 { return d.word("kernel_current") }
	task := runs()
	for i := range 12 {
		d.until(next, runcontrol.EventStep)
		f := d.frames()[0]
		if f.Function != "recurse" || f.Core.Regs.Value(core.SP) != sp || runs() != task {
			t.Fatalf("next %d leads to %s with SP %#x in task %#x, want recurse, %#x, %#x", i, d.at(), f.Core.Regs.Value(core.SP), runs(), sp, task)
		}
	}
	d.run("kernel_yield")
	task = runs()
	d.until(stepOut, runcontrol.EventStep)
	if runs() != task {
		t.Errorf("the step out of %s ends in another task", d.stack())
	}
}
