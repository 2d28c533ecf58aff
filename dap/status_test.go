package dap

import (
	"testing"

	"pushmask/core"
)

func TestStatusText(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		value   uint32
		profile core.Profile
		want    string
	}{
		{0x01000000, core.ProfileM, "nzcvq, thread mode"},
		{0x61000003, core.ProfileM, "nZCvq, exception 3 (HardFault)"},
		{0x8900000f, core.ProfileM, "NzcvQ, exception 15 (SysTick)"},
		{0x01000015, core.ProfileM, "nzcvq, exception 21 (IRQ 5)"},
		{0x01000008, core.ProfileM, "nzcvq, exception 8 (reserved)"},
		{0x10000000, core.ProfileM, "nzcVq, T clear: not in T32 state, thread mode"},
		{0x600001d3, core.ProfileA, "nZCvq, A32, Supervisor"},
		{0x00000030, core.ProfileA, "nzcvq, T32, User"},
		{0x00000002, core.ProfileA, "nzcvq, A32, mode 0x02"},
	} {
		if got := psrText(test.value, test.profile); got != test.want {
			t.Errorf("psrText(%#08x, %v) = %q, want %q", test.value, test.profile, got, test.want)
		}
	}
}

func TestControlText(t *testing.T) {
	t.Parallel()
	for value, want := range map[uint32]string{
		0: "privileged, MSP",
		1: "unprivileged, MSP",
		2: "privileged, PSP",
		7: "unprivileged, PSP, FP active",
	} {
		if got := controlText(value); got != want {
			t.Errorf("controlText(%d) = %q, want %q", value, got, want)
		}
	}
}

func TestThreadName(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		thread  core.Thread
		several bool
		want    string
	}{
		{core.Thread{ID: 1, Crashed: true}, false, "thread 1"},
		{core.Thread{ID: 2, Crashed: true}, true, "thread 2 (crashed)"},
		{core.Thread{ID: 3, Name: "idle"}, true, "idle"},
		{core.Thread{ID: 4, Name: "main", Crashed: true, State: "running", Priority: 3, BasePriority: 3, HasPriority: true}, true, "main [running, prio 3] (crashed)"},
		{core.Thread{ID: 5, Name: "rx", State: "blocked", Waits: "queue q", Priority: 5, BasePriority: 2, HasPriority: true}, true, "rx [blocked on queue q, prio 5 (base 2)]"},
	} {
		if got := threadName(test.thread, test.several); got != test.want {
			t.Errorf("threadName(%+v) = %q, want %q", test.thread, got, test.want)
		}
	}
}
