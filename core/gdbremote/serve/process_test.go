package serve

import (
	"os/exec"
	"path/filepath"
	"testing"

	"pushmask/core"
)

// TestProcess serves a position-independent Linux program that crashed under
// QEMU's user mode: clients are told how far it was moved, and its signal.
func TestProcess(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"arm-linux-gnueabihf-gcc", "qemu-arm"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	dir := t.TempDir()
	image := filepath.Join(dir, "process")
	if out, err := exec.Command("arm-linux-gnueabihf-gcc", "-O0", "-g", "-fPIE", "-pie", "-pthread", "-o", image, "../../session/testdata/process.c").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	run := exec.Command("sh", "-c", "ulimit -c unlimited; exec qemu-arm -L /usr/arm-linux-gnueabihf "+image)
	run.Dir = dir
	out, _ := run.CombinedOutput() // ends by a signal
	cores, err := filepath.Glob(filepath.Join(dir, "qemu_*.core"))
	if err != nil || len(cores) != 1 {
		t.Skipf("QEMU wrote no core: %s", out)
	}
	addr := listen(t, newStub(t, openSession(t, image, cores[0], core.Regs{}), Options{}))
	for _, tool := range tools() {
		t.Run(tool.name, func(t *testing.T) {
			out := debugger(t, "", tool.name, tool.stub(image, addr)...)
			containsInOrder(t, out, []string{"SIGSEGV", "store", "process.c:11", "dig", "process.c:17", "dig", "process.c:17", "order", "process.c:23"})
		})
	}
}

// TestLinuxSignal: gdb has its own numbers.
func TestLinuxSignal(t *testing.T) {
	t.Parallel()
	for linux, gdb := range map[int]int{4: sigILL, 5: sigTRAP, 6: sigABRT, 7: sigBUS, 8: sigFPE, 11: sigSEGV, 10: 30, 31: 12, 16: 143, 64: 143, 1000: 143} {
		if got := fromLinux(linux); got != gdb {
			t.Errorf("signal %d of Linux is %d of gdb, want %d", linux, got, gdb)
		}
	}
}
