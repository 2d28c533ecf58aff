package rtos

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
)

var update = flag.Bool("update", false, "write the lists of threads in testdata")

// kernelBuild is a kernel as versions, configurations and ports make it. What
// its threads look like is in testdata/<want>.txt, and in <want>.stripped.txt
// for the image without DWARF, where that tells less.
type kernelBuild struct {
	source string
	flags  string
	cpu    []string
	want   string
	fp     bool // rx has floating-point registers
	// few says that a context has no more than what the callee of a call keeps.
	few bool
	// debug says that nothing can be read without DWARF.
	debug bool
}

var kernelBuilds = []kernelBuild{
	{source: "threadx.c", want: "threadx", cpu: cortexM4, fp: true},
	{source: "threadx.c", flags: "-DEXTENSION", want: "threadx", cpu: cortexM4, fp: true},
	{source: "threadx.c", flags: "-DOLD", want: "threadx", cpu: cortexM4},
	{source: "threadx.c", flags: "-DBASELINE", want: "threadx", cpu: cortexM0},
	{source: "threadx.c", want: "threadx", cpu: cortexA9, few: true, fp: true},
	{source: "rtx5.c", want: "rtx5", cpu: cortexM4, fp: true},
	{source: "rtx5.c", flags: "-DBASELINE", want: "rtx5", cpu: cortexM0},
	{source: "ucos3.c", want: "ucos3", cpu: cortexM4, fp: true},
	{source: "ucos3.c", flags: "-DNO_FPU", want: "ucos3", cpu: cortexM0},
	{source: "ucos3.c", flags: "-DPLAIN", want: "ucos3", cpu: cortexM4},
	{source: "ucos3.c", flags: "-DV304 -DNO_FPU", want: "ucos3-v304", cpu: cortexM4},
	{source: "ucos3.c", flags: "-DNO_DBG", want: "ucos3-nodbg", cpu: cortexM4, fp: true, debug: true},
	{source: "ucos2.c", want: "ucos2", cpu: cortexM4},
	{source: "ucos2.c", flags: "-DEXT -DPLAIN", want: "ucos2-ext", cpu: cortexM0},
	{source: "ucos2.c", flags: "-DEXT -DHOOK", want: "ucos2-ext", cpu: cortexM4, fp: true},
	{source: "rtthread.c", want: "rtthread", cpu: cortexM4},
	{source: "rtthread.c", flags: "-DFPU", want: "rtthread", cpu: cortexM4, fp: true},
	{source: "rtthread.c", flags: "-DTZ -DNAME_MAX=16", want: "rtthread", cpu: cortexM4, fp: true},
	{source: "rtthread.c", flags: "-DOLD_STATES", want: "rtthread", cpu: cortexM0},
	{source: "rtthread.c", flags: "-DV51", want: "rtthread", cpu: cortexM4, debug: true},
	{source: "riot.c", flags: "-DDEVELHELP", want: "riot", cpu: cortexM4, fp: true},
	{source: "riot.c", flags: "-DDEVELHELP -DBASELINE", want: "riot", cpu: cortexM0},
	{source: "mynewt.c", want: "mynewt", cpu: cortexM4},
	{source: "mynewt.c", flags: "-DHARDFLOAT", want: "mynewt", cpu: cortexM4, fp: true},
	{source: "mynewt.c", flags: "-DM33", want: "mynewt", cpu: cortexM4, fp: true},
	{source: "mynewt.c", flags: "-DOLD", want: "mynewt", cpu: cortexM0, debug: true},
	{source: "nuttx.c", want: "nuttx", cpu: cortexM4},
	{source: "nuttx.c", flags: "-DFPU", want: "nuttx", cpu: cortexM4, fp: true},
	{source: "nuttx.c", flags: "-DFPU -DLIMIT", want: "nuttx", cpu: cortexM4, fp: true},
	{source: "nuttx.c", flags: "-DOLD", want: "nuttx", cpu: cortexM0, debug: true},
	{source: "nuttx.c", flags: "-DOLD -DFPU", want: "nuttx", cpu: cortexM4, fp: true, debug: true},
	{source: "nuttx.c", want: "nuttx", cpu: cortexA9, fp: true},
	{source: "embos.c", want: "embos", cpu: cortexM4, debug: true},
	{source: "chibios.c", want: "chibios", cpu: cortexM4, few: true},
	{source: "chibios.c", flags: "-DFPU", want: "chibios", cpu: cortexM4, few: true},
	{source: "chibios.c", flags: "-DLIMIT -DFPU", want: "chibios", cpu: cortexM4, few: true},
	{source: "chibios.c", flags: "-DV6", want: "chibios-v6", cpu: cortexM4, few: true},
	{source: "chibios.c", flags: "-DBASELINE", want: "chibios", cpu: cortexM0, few: true},
	{source: "chibios.c", flags: "-DNO_TABLE", want: "chibios-notable", cpu: cortexM4, few: true, debug: true},
	{source: "chibios.c", flags: "-DALT", want: "chibios", cpu: cortexM4, debug: true},
}

// TestKernels reads the threads of each build and compares the registers with
// those that the firmware was given.
func TestKernels(t *testing.T) {
	t.Parallel()
	for _, b := range kernelBuilds {
		t.Run(b.source+" "+b.flags, func(t *testing.T) {
			t.Parallel()
			path := compile(t, b.source, append(append([]string{"-g"}, b.cpu...), strings.Fields(b.flags)...)...)
			checkKernel(t, open(t, path), b, b.want)
			if !b.debug {
				checkKernel(t, open(t, strip(t, path)), b, b.want+".stripped")
			}
		})
	}
}

func checkKernel(t *testing.T, m *machine, b kernelBuild, want string) {
	t.Helper()
	l, err := Threads(m.system(t, "main_task", m.symbol(t, "main_stack")+256))
	if err != nil {
		t.Fatal(err)
	}
	checkGolden(t, want, l)
	for _, th := range l.Threads {
		entry := th.Name + "_task"
		switch {
		case th.Running:
			if !th.Regs.Empty() {
				t.Errorf("%s runs and has saved registers", th.Name)
			}
		case th.Regs.Empty():
			if th.Name != "done" && b.source != "embos.c" {
				t.Errorf("%s has no registers", th.Name)
			}
		case len(m.image.Lookup(entry)) == 0: // a name that DWARF would have told
		case b.few && !(b.source == "threadx.c" && th.Name == "rx"): // that was interrupted
			checkFewRegs(t, m, th, entry)
		default:
			checkRegs(t, m, th, entry, b.fp && (th.Name == "rx" || strings.Contains(b.flags, "HOOK") || b.source == "nuttx.c"))
		}
	}
}

// checkFewRegs compares the registers that the callee of a call keeps.
func checkFewRegs(t *testing.T, m *machine, th Thread, entry string) {
	t.Helper()
	for r := core.R4; r <= core.R11; r++ {
		if v := th.Regs.Value(r); v != 0xa00+uint32(r) {
			t.Errorf("%s: %v is %#x", th.Name, r, v)
		}
	}
	pc, sp := th.Regs.Value(core.PC), th.Regs.Value(core.SP)
	if pc != uint32(m.symbol(t, entry)) || sp != uint32(m.symbol(t, th.Name+"_stack"))+512 || th.Regs.Has(core.LR) || th.Regs.Has(core.R0) {
		t.Errorf("%s: pc %#x, sp %#x, LR known: %v", th.Name, pc, sp, th.Regs.Has(core.LR))
	}
}

// checkGolden compares a list with a file of testdata. How much of a stack was
// used depends on the build.
func checkGolden(t *testing.T, name string, l List) {
	t.Helper()
	var b strings.Builder
	for i := range l.Threads {
		if st := &l.Threads[i].Stack; st.HasUsed && st.Used > 0 && st.Used < uint32(st.High-st.Low) {
			st.Used = 1
		}
	}
	b.WriteString(l.Kernel + "\n" + describe(l))
	got := strings.ReplaceAll(b.String(), ", 1 used", ", part used")
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if os.IsNotExist(err) && strings.HasSuffix(name, ".stripped") {
		want, err = os.ReadFile(filepath.Join("testdata", strings.TrimSuffix(name, ".stripped")+".txt"))
	}
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s: %s", path, d)
	}
}
