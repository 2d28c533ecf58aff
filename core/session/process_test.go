package session

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
)

// TestProcess crashes a position-independent program under QEMU's user mode
// and opens the core that QEMU writes. The image is linked to 0 and runs
// elsewhere; the C library, which calls back into it, is in neither file.
func TestProcess(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"arm-linux-gnueabihf-gcc", "qemu-arm"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	for _, options := range []string{"-marm -O0", "-marm -O2", "-mthumb -Os"} {
		t.Run(options, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			image := filepath.Join(dir, "process")
			args := append(strings.Fields(options), "-g", "-fPIE", "-pie", "-fno-optimize-sibling-calls", "-pthread", "-o", image)
			if out, err := exec.Command("arm-linux-gnueabihf-gcc", append(args, filepath.Join("testdata", "process.c"))...).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			run := exec.Command("sh", "-c", "ulimit -c unlimited; exec qemu-arm -L /usr/arm-linux-gnueabihf "+image)
			run.Dir = dir
			out, _ := run.CombinedOutput() // ends by a signal
			cores, err := filepath.Glob(filepath.Join(dir, "qemu_*.core"))
			if err != nil || len(cores) != 1 {
				t.Skipf("QEMU wrote no core: %s", out)
			}
			checkProcess(t, openPairOf(t, image, cores[0]))
		})
	}
}

func checkProcess(t *testing.T, s *Session) {
	if len(s.Threads()) != 2 || s.Threads()[0].Signal != 11 || s.Program().Images().Main().Entry() < 0x10000 {
		t.Errorf("threads %+v, entry %#x", s.Threads(), s.Program().Images().Main().Entry())
	}
	if w := s.Warnings(); len(w) > 0 {
		t.Errorf("warnings %q", w)
	}
	k, err := s.Stack(s.Threads()[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	frames, err := k.Frames(t.Context(), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range frames {
		if f.Kind != KindFrame || f.Line == 0 {
			t.Errorf("%s at %v has no line", f.Function, f.Core.PC)
		}
		got = append(got, f.Function)
	}
	if diff := cmp.Diff([]string{"store", "dig", "dig", "order"}, got); diff != "" {
		t.Error(diff)
	}
	if stop := k.Stop(); stop.Kind != core.StopNotProven || !strings.Contains(stop.Detail, "lies in code that neither the dump nor the ELF has") {
		t.Errorf("stop %v, %s", stop.Kind, stop.Detail)
	}
}
