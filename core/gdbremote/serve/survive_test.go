package serve

import (
	"strings"
	"testing"
)

// containsInOrder finds each part behind the one before.
func containsInOrder(t *testing.T, out string, parts []string) {
	t.Helper()
	rest := out
	for _, part := range parts {
		_, after, ok := strings.Cut(rest, part)
		if !ok {
			t.Errorf("no %q behind what was found before in\n%s", part, out)
			return
		}
		rest = after
	}
}

// TestGDBSurvives asks gdb for all that a crash cannot do, and then for what it
// can.
func TestGDBSurvives(t *testing.T) {
	t.Parallel()
	a := fixture("process-stack", "crash.core")
	addr := listen(t, newStub(t, a.open(t), Options{}))
	args := []string{"-nx", "-batch"}
	for _, command := range []string{
		"target extended-remote " + addr, "x/2i $pc", "p/x $msp", "p/x $psp", "load", "stepi", "next", "continue", "set var $r0 = 1",
		"set var *(int *)0x20000000 = 1", "x/wx 0x20000000", "x/wx 0x30000000", "break main", "continue", "delete", "watch sensors[0].raw",
		"jump main", "call main()", "monitor reset halt", "bt 3", "detach",
	} {
		args = append(args, "-ex", command)
	}
	containsInOrder(t, debugger(t, "", "gdb-multiarch", append(args, a.image)...), []string{
		"HardFault_Handler ()", "=> 0x3dc <HardFault_Handler>:", "$1 = 0x20000fc8", "$2 = 0x200002b8", "Load failed",
		"neither run nor stepped", "signal SIGSEGV", "neither run nor stepped", "signal SIGSEGV", "neither run nor stepped",
		`Could not write register "r0"`, "Cannot access memory at address 0x20000000", "0x20000000 <sensors>:\t0x",
		"0x30000000:\tCannot access memory", "Cannot insert hardware breakpoint", "#2  0x000000d2 in read_raw", "detached]",
	})
}

// TestLLDBSurvives does the same with lldb, which ends its session at an error
// where it expects a stop.
func TestLLDBSurvives(t *testing.T) {
	t.Parallel()
	a := fixture("demo", "crash.core")
	stub := newStub(t, a.open(t), Options{})
	for _, lldb := range []string{"lldb-16", "lldb-19"} {
		t.Run(lldb, func(t *testing.T) {
			commands := strings.Join([]string{
				"script lldb.debugger.SetAsync(False)", "gdb-remote " + listen(t, stub), "stepi", "next", "continue", "finish",
				"register write r0 1", "register read r0", "memory write 0x20000000 1", "memory read -c 4 0x30000000",
				"breakpoint set -n main", "continue", "process interrupt", "process plugin packet monitor halt",
				"disassemble -c 2 -s $pc", "memory read -c 4 0x20000000", "thread select 2", "bt 3", "detach",
			}, "\n") + "\n"
			out := debugger(t, commands, lldb, "-x", "-O", noCache, a.image)
			containsInOrder(t, out, []string{
				"stop reason = HardFault: `ldr r3, [r3, #0]`", "neither run nor stepped", "neither run nor stepped", "neither run nor stepped",
				"r0 = 0x20000030", "Memory write to 0x20000000 failed", "memory read failed for 0x30000000",
				"response: OK", "->  0x410 <+0>:", "0x20000000: ac 04 00 00", "filter_mean", "Process 1 detached",
			})
			if strings.Contains(out, "lost connection") {
				t.Errorf("the session was lost:\n%s", out)
			}
		})
	}
}

// TestThreadNames: the threads of an operating system have their names in gdb.
func TestThreadNames(t *testing.T) {
	t.Parallel()
	a := kernel(t)
	addr := listen(t, newStub(t, a.open(t), Options{}))
	out := debugger(t, "", "gdb-multiarch", "-nx", "-batch", "-ex", "target remote "+addr, "-ex", "info threads", a.image)
	for _, part := range []string{
		`Thread 1 "main" (running, prio 3, Halted)`, `"rx" (blocked on queue rx_queue, prio 2)`, `"off" (suspended, prio 0)`, "rx_task ()",
	} {
		if !strings.Contains(out, part) {
			t.Errorf("no %s in\n%s", part, out)
		}
	}
}
