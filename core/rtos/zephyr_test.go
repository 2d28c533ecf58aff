package rtos

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
)

// zephyrBuilds are kernels as configurations make them.
var zephyrBuilds = []struct {
	name   string
	cpu    []string
	flags  string
	offset bool // the image's own offsets tell the layout too
	fp     bool // rx has floating-point registers
}{
	{"PendSV", cortexM4, "-DCPUS=1 -DMONITOR", true, false},
	{"PendSV on v6-M", cortexM0, "-DCPUS=1 -DMONITOR", true, false},
	{"PendSV with EXC_RETURN", cortexM4, "-DCPUS=1 -DMONITOR -DEXC_RETURN", true, false},
	{"PendSV with FP", cortexM4, "-DCPUS=1 -DMONITOR -DEXC_RETURN -DFPU_SHARING", true, true},
	{"PendSV with FP before 2.6", cortexM4, "-DCPUS=1 -DMONITOR -DMODE_FPCA -DFPU_SHARING", false, true},
	{"switch", cortexM4, "-DCPUS=1 -DMONITOR -DUSE_SWITCH", false, false},
	{"switch with stack limit", cortexM4, "-DCPUS=1 -DMONITOR -DUSE_SWITCH -DGUARD", false, false},
	{"switch with FP", cortexM4, "-DCPUS=1 -DMONITOR -DUSE_SWITCH -DFPU_SWITCH", false, true},
	{"switch with both", cortexM4, "-DCPUS=1 -DMONITOR -DUSE_SWITCH -DFPU_SWITCH -DGUARD", false, true},
	{"A profile", cortexA9, "-DCPUS=4 -DMONITOR -DUSE_SWITCH", false, false},
}

const zephyrWant = `main     running, prio 0 base 0, stack of 512, core 0
tx       queued, prio -2 base -2, stack of 512
nap      sleeping, prio 7 base 7, stack of 512
fresh    prestart, prio 9 base 9, stack of 512
rx       pending on rx_sem, prio 5 base 5, stack of 512
`

// TestZephyr reads the threads of each build, with DWARF and where they tell
// enough by the offsets that the image carries.
func TestZephyr(t *testing.T) {
	t.Parallel()
	for _, b := range zephyrBuilds {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			path := compile(t, "zephyr.c", append(append([]string{"-g"}, b.cpu...), strings.Fields(b.flags)...)...)
			checkZephyr(t, open(t, path), zephyrWant, b.fp)
			if b.offset {
				checkZephyr(t, open(t, strip(t, path)), strings.ReplaceAll(zephyrWant, ", stack of 512", ""), b.fp)
			}
		})
	}
}

func checkZephyr(t *testing.T, m *machine, want string, fp bool) {
	t.Helper()
	l, err := Threads(m.system(t, "main_task", m.symbol(t, "main_stack")+256))
	if err != nil {
		t.Fatal(err)
	}
	for i := range l.Threads {
		th := &l.Threads[i]
		if th.Stack.HasUsed && th.Stack.Used == 0 || th.Stack.Known() && !th.Stack.HasUsed {
			t.Errorf("%s: the use of the stack is not known", th.Name)
		}
		th.Stack.HasUsed = false
		if th.Running {
			continue
		}
		checkZephyrRegs(t, m, *th, fp && th.Name == "rx")
	}
	if d := cmp.Diff(want, describe(l)); d != "" {
		t.Errorf("DWARF %v: %s", m.image.HasDebug(), d)
	}
}

// checkZephyrRegs compares registers with the values of zephyr.c. An A-profile
// thread has those that the callee of a call keeps.
func checkZephyrRegs(t *testing.T, m *machine, th Thread, fp bool) {
	t.Helper()
	entry := th.Name + "_task"
	if th.Name == "fresh" {
		entry = "z_thread_entry"
	}
	if m.image.MProfile() {
		checkRegs(t, m, th, entry, fp)
		return
	}
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

// TestZephyrNoMonitor lists what can be found without the list of all threads.
func TestZephyrNoMonitor(t *testing.T) {
	t.Parallel()
	path := compile(t, "zephyr.c", append(cortexM4, "-g", "-DCPUS=1")...)
	for _, p := range []string{path, strip(t, path)} {
		m := open(t, p)
		l, err := Threads(m.system(t, "main_task", m.symbol(t, "main_stack")+256))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, th := range l.Threads {
			names = append(names, th.Name)
		}
		if len(names) != 5 || names[0] != "main" || !strings.Contains(strings.Join(l.Warnings, "\n"), "CONFIG_THREAD_MONITOR") {
			t.Errorf("%q, warnings %q", names, l.Warnings)
		}
	}
}

// TestZephyrBroken damages the list, and stops before the first thread.
func TestZephyrBroken(t *testing.T) {
	t.Parallel()
	path := compile(t, "zephyr.c", append(cortexM4, "-g", "-DCPUS=1", "-DMONITOR")...)
	m := open(t, path)
	th, _ := m.image.Struct("k_thread")
	next, _ := th.Member("next_thread")
	m.set(m.symbol(t, "_k_thread_obj_nap")+core.Addr(next.Offset), uint32(m.symbol(t, "_k_thread_obj_tx")))
	l, err := Threads(m.system(t, "main_task", m.symbol(t, "main_stack")+256))
	if err != nil || len(l.Threads) != 3 || !strings.Contains(strings.Join(l.Warnings, "\n"), "leads back into itself") {
		t.Errorf("%v %v", l, err)
	}
	m = open(t, path)
	state, _ := th.Member("base.thread_state")
	m.changed[m.symbol(t, "z_main_thread")+core.Addr(state.Offset)] = zephyrDummy
	if l, err = Threads(m.system(t, "main_task", 0x20000100)); err != nil {
		t.Fatal(err)
	}
	for _, th := range l.Threads {
		if th.Running || th.Name == "main" {
			t.Errorf("%s, running %v", th.Name, th.Running)
		}
	}
}
