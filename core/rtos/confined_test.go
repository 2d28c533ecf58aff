package rtos

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestConfined tells kernels that surely run the thread that they call current, on
// the stack that is listed, while a handler of others than SVCall and PendSV runs.
func TestConfined(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		source, flags string
		functions     string // that the firmware has too
		want          bool
	}{
		{"freertos.c", "-DCM4F", "", true},
		{"freertos.c", "-DCM4F", "vSystemCallEnter", false},
		{"freertos.c", "-DIN_TCB -DV7_MPU", "", false},
		{"zephyr.c", "-DCPUS=1 -DMONITOR", "z_arm_pendsv", true},
		{"zephyr.c", "-DCPUS=1 -DMONITOR", "z_arm_pendsv z_arm_do_syscall", false},
		{"zephyr.c", "-DCPUS=1 -DMONITOR", "z_arm_pendsv arm_m_must_switch", false},
		{"zephyr.c", "-DCPUS=1 -DMONITOR", "", false},
		{"threadx.c", "", "", true},
		{"threadx.c", "", "_txm_module_manager_kernel_dispatch", false},
		{"ucos2.c", "", "", false}, // without OS_TASK_CREATE_EXT no bounds
		{"ucos2.c", "-DEXT", "", true},
		{"ucos3.c", "", "", true},
		{"rtx5.c", "", "", false},     // SysTick switches
		{"rtthread.c", "", "", false}, // handlers of any number name another thread
		{"chibios.c", "", "", false},  // threads switch
		{"riot.c", "", "", false},     // nothing says so
	} {
		t.Run(c.source+" "+c.flags+" "+c.functions, func(t *testing.T) {
			t.Parallel()
			more := filepath.Join(t.TempDir(), "more.c")
			var code strings.Builder
			for _, f := range strings.Fields(c.functions) {
				code.WriteString("void " + f + "(void) {}\n")
			}
			if err := os.WriteFile(more, []byte(code.String()), 0o644); err != nil {
				t.Fatal(err)
			}
			flags := append(append([]string{"-g", more}, cortexM4...), strings.Fields(c.flags)...)
			m := open(t, compile(t, c.source, flags...))
			l, err := Threads(m.system(t, "main_task", m.symbol(t, "main_stack")+256))
			if err != nil {
				t.Fatal(err)
			}
			for i, th := range l.Threads {
				if th.Confined != (c.want && i == 0) {
					t.Errorf("%s: confined is %v", th.Name, th.Confined)
				}
			}
		})
	}
}
