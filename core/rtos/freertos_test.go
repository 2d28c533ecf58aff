package rtos

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
)

// CPU flags of the builds.
var (
	cortexM0 = []string{"-mcpu=cortex-m0", "-mthumb"}
	cortexM4 = []string{"-mcpu=cortex-m4", "-mthumb"}
	cortexA9 = []string{"-mcpu=cortex-a9", "-marm", "-DA_PROFILE"}
)

// freertosBuilds are kernels as versions, configurations and ports make them.
var freertosBuilds = []struct {
	name  string
	cpu   []string
	flags string
	fp    bool // the task fp has floating-point registers
}{
	{"CM3", cortexM4, "-DCM3", false},
	{"CM0", cortexM0, "-DCM3", false},
	{"CM0 since V11.1", cortexM0, "-DCM0_V11", false},
	{"CM4F", cortexM4, "-DCM4F -DFPU", true},
	{"NTZ", cortexM4, "-DNTZ", false},
	{"NTZ with FP", cortexM4, "-DNTZ -DFPU", true},
	{"NTZ with PAC", cortexM4, "-DNTZ_PAC", false},
	{"TrustZone", cortexM4, "-DTZ", false},
	{"TrustZone with FP", cortexM4, "-DTZ -DFPU", true},
	{"NTZ with MPU of V10", cortexM4, "-DNTZ_MPU_V10", false},
	{"TrustZone with MPU of V10", cortexM4, "-DTZ_MPU_V10", false},
	{"CM3 with MPU of V10", cortexM4, "-DCM3_MPU_V10", false},
	{"CM4 with MPU of V10", cortexM4, "-DCM4_MPU_V10 -DFPU", true},
	{"v8-M with MPU", cortexM4, "-DIN_TCB -DV8_MPU", true},
	{"v8-M with MPU and PAC", cortexM4, "-DIN_TCB -DV8_MPU -DPAC", true},
	{"TrustZone with MPU", cortexM4, "-DIN_TCB -DV8_MPU -DSECURE", true},
	{"v7-M with MPU", cortexM4, "-DIN_TCB -DV7_MPU", true},
	{"v6-M with MPU", cortexM0, "-DIN_TCB -DV6_MPU", false},
	{"integrity words", cortexM4, "-DCM4F -DINTEGRITY", false},
	{"full end marker", cortexM4, "-DCM4F -DNOMINI", false},
	{"both", cortexM4, "-DCM4F -DNOMINI -DINTEGRITY", false},
	{"V8", cortexM4, "-DCM4F -DFPU -DV8", true},
	{"link-time optimisation", cortexM4, "-DCM4F -O2 -flto", false},
	{"CA9", cortexA9, "-DCA9", true},
	{"CR without GIC", cortexA9, "-DNO_GIC", true},
	{"CR5", cortexA9, "-DCR5", true},
	{"CR5 without FP", cortexA9, "-DNO_FP", false},
}

// freertosWant is what every build shows; what only DWARF tells comes after.
const freertosWant = `main     running, prio 3 base 3, stack of 512, 512 used, core 0
tx       ready, prio 2 base 1, stack of 512, USED used
nap      blocked on delay (50 ticks left), prio 1 base 1, stack of 512, USED used
lock     blocked on mutex bus_lock held by tx (100 ticks left), prio 2 base 2, stack of 512, USED used
rx       blocked on queue rx_queue, prio 2 base 2, stack of 512, USED used
off      suspended, prio 0 base 0, stack of 512, USED used
fp       blocked on event group events, prio 4 base 4, stack of 512, USED used
`

// withoutDWARF is what cannot be told then.
var withoutDWARF = strings.NewReplacer(
	"prio 2 base 1", "prio 2 base 2",
	"on delay", "on delay or notification",
	"off      suspended", "off      suspended or blocked on a notification",
)

// TestFreeRTOS reads the tasks of each build, with DWARF and without, and
// compares the registers with those that the firmware was given.
func TestFreeRTOS(t *testing.T) {
	t.Parallel()
	for _, b := range freertosBuilds {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			flags := append(append([]string{"-g"}, b.cpu...), strings.Fields(b.flags)...)
			path := compile(t, "freertos.c", flags...)
			checkFreeRTOS(t, open(t, path), freertosWant, b.fp)
			checkFreeRTOS(t, open(t, strip(t, path)), withoutDWARF.Replace(freertosWant), b.fp)
		})
	}
}

func checkFreeRTOS(t *testing.T, m *machine, want string, fp bool) {
	t.Helper()
	// main's stack has no pattern and is full: the others show that stacks are
	// filled.
	for i := range core.Addr(512 / 4) {
		m.set(m.symbol(t, "main_stack")+4*i, 0x11111111)
	}
	l, err := Threads(m.system(t, "main_task", m.symbol(t, "main_stack")+256))
	if err != nil {
		t.Fatal(err)
	}
	got := describe(l)
	for _, th := range l.Threads {
		if th.Stack.HasUsed && !th.Running {
			used := fmt.Sprintf(", %d used", th.Stack.Used)
			got = strings.Replace(got, used, ", USED used", 1)
			checkUsed(t, m, th)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("DWARF %v: %s", m.image.HasDebug(), d)
	}
	for _, th := range l.Threads {
		if th.Running {
			if !th.Regs.Empty() {
				t.Errorf("%s runs and has saved registers", th.Name)
			}
			continue
		}
		checkRegs(t, m, th, th.Name+"_task", fp && th.Name == "fp")
	}
}

// checkUsed compares the use of a stack with the first word of the context.
func checkUsed(t *testing.T, m *machine, th Thread) {
	t.Helper()
	low := m.symbol(t, th.Name+"_stack")
	for a := low; a < low+core.Addr(512-th.Stack.Used); a += 4 {
		if v, err := core.ReadU32(m, a); err != nil || v != 0xa5a5a5a5 {
			t.Fatalf("%s: %d bytes used, and %v holds %#x", th.Name, th.Stack.Used, a, v)
		}
	}
	if v, _ := core.ReadU32(m, low+core.Addr(512-th.Stack.Used)); v == 0xa5a5a5a5 && th.Stack.Used > 0 {
		t.Errorf("%s: %d bytes used, and the word below is untouched", th.Name, th.Stack.Used)
	}
}

// checkRegs compares registers with the values that the firmware of testdata
// gives all threads.
func checkRegs(t *testing.T, m *machine, th Thread, entry string, fp bool) {
	t.Helper()
	want := map[core.Reg]uint32{
		core.PC: uint32(m.symbol(t, entry)),
		core.SP: uint32(m.symbol(t, th.Name+"_stack")) + 512, core.LR: 0xa0e,
	}
	for r := core.R0; r <= core.R12; r++ {
		want[r] = 0xa00 + uint32(r)
	}
	if fp {
		for r := range core.Reg(32) {
			want[core.S0+r] = 0xf00 + uint32(r)
		}
		want[core.FPSCR] = 0x03000000
	}
	for r, v := range want {
		if got, ok := th.Regs.Get(r); !ok || got != v {
			t.Errorf("%s: %v is %#x (known: %v), want %#x", th.Name, r, got, ok, v)
		}
	}
	if !fp && th.Regs.Has(core.S0) {
		t.Errorf("%s has floating-point registers", th.Name)
	}
}
