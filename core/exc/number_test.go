package exc

import "testing"

func TestExceptionName(t *testing.T) {
	t.Parallel()
	for number, want := range map[int]string{
		-1: "", 0: "", 1: "Reset", 2: "NMI", 3: "HardFault", 4: "MemManage", 5: "BusFault",
		6: "UsageFault", 7: "SecureFault", 8: "exception 8", 11: "SVCall", 12: "DebugMonitor",
		13: "exception 13", 14: "PendSV", 15: "SysTick", 16: "IRQ 0", 21: "IRQ 5", 511: "IRQ 495", 512: "",
	} {
		if got := ExceptionName(number); got != want {
			t.Errorf("ExceptionName(%d) = %q, want %q", number, got, want)
		}
	}
}
