package dap

import (
	"fmt"
	"strings"

	"pushmask/core"
)

// psrText names what the status register says: on M-profile the flags, the
// Thumb bit and the exception number of xPSR (Armv7-M ARM B1.4.2), elsewhere
// the flags, the state and the mode of CPSR (Armv7-A/R ARM B1.3.3).
func psrText(v uint32, p core.Profile) string {
	flags := flagText(v)
	if p == core.ProfileA {
		state := "A32"
		if v&(1<<5) != 0 {
			state = "T32"
		}
		mode, ok := modes[v&0x1f]
		if !ok {
			mode = fmt.Sprintf("mode 0x%02x", v&0x1f)
		}
		return strings.Join([]string{flags, state, mode}, ", ")
	}
	parts := []string{flags}
	if v&(1<<24) == 0 {
		parts = append(parts, "T clear: not in T32 state")
	}
	switch n := v & 0x1ff; n {
	case 0:
		parts = append(parts, "thread mode")
	default:
		parts = append(parts, exceptionText(n))
	}
	return strings.Join(parts, ", ")
}

// flagText writes N, Z, C, V and Q (bits 31 to 27), a set flag in upper case.
func flagText(v uint32) string {
	text := []byte("nzcvq")
	for i := range text {
		if v&(1<<(31-i)) != 0 {
			text[i] -= 'a' - 'A'
		}
	}
	return string(text)
}

// modes are the values of CPSR.M (Armv7-A/R ARM, table B1-1).
var modes = map[uint32]string{
	0x10: "User", 0x11: "FIQ", 0x12: "IRQ", 0x13: "Supervisor", 0x16: "Monitor",
	0x17: "Abort", 0x1a: "Hyp", 0x1b: "Undefined", 0x1f: "System",
}

// exceptionNames are the exceptions of the architecture by number (Armv8-M
// ARM B3.9).
var exceptionNames = map[uint32]string{
	1: "Reset", 2: "NMI", 3: "HardFault", 4: "MemManage", 5: "BusFault", 6: "UsageFault",
	7: "SecureFault", 11: "SVCall", 12: "DebugMonitor", 14: "PendSV", 15: "SysTick",
}

// exceptionText names an exception by its number; the external interrupts
// start at 16.
func exceptionText(n uint32) string {
	if n >= 16 {
		return fmt.Sprintf("exception %d (IRQ %d)", n, n-16)
	}
	if name, ok := exceptionNames[n]; ok {
		return fmt.Sprintf("exception %d (%s)", n, name)
	}
	return fmt.Sprintf("exception %d (reserved)", n)
}

// controlText names the bits of CONTROL (Armv7-M ARM B1.4.4).
func controlText(v uint32) string {
	parts := []string{"privileged", "MSP"}
	if v&1 != 0 {
		parts[0] = "unprivileged"
	}
	if v&2 != 0 {
		parts[1] = "PSP"
	}
	if v&4 != 0 {
		parts = append(parts, "FP active")
	}
	return strings.Join(parts, ", ")
}
