package memfault

import "fmt"

// reasons are the reboot reasons that the SDK knows
// (components/include/memfault/core/reboot_reason_types.h); from 0x8000 on they
// are unexpected.
var reasons = map[uint32]string{
	0x0001: "user shutdown", 0x0002: "user reset", 0x0003: "firmware update", 0x0004: "low power",
	0x0005: "halted by a debugger", 0x0006: "button reset", 0x0007: "power on", 0x0008: "software reset",
	0x0009: "woken from deep sleep", 0x000a: "pin reset", 0x000b: "self test",
	0x8000: "unexpected reset", 0x8001: "assertion", 0x8002: "watchdog", 0x8003: "brown-out", 0x8004: "NMI",
	0x8005: "hardware watchdog", 0x8006: "software watchdog", 0x8007: "clock failure", 0x8008: "kernel panic",
	0x8009: "firmware update failed", 0x800a: "out of memory", 0x800b: "stack overflow",
	0x9100: "bus fault", 0x9200: "memory management fault", 0x9300: "usage fault", 0x9400: "hard fault",
	0x9401: "lock-up", 0x9402: "security violation", 0x9403: "parity error", 0x9404: "temperature",
	0x9405: "hardware error",
}

// ReasonText words a reboot reason.
func ReasonText(n uint32) string {
	const expected, unexpected, count = 0x1000, 0xa000, 0x100
	switch {
	case reasons[n] != "":
		return reasons[n]
	case n >= expected && n < expected+count || n >= unexpected && n < unexpected+count:
		return fmt.Sprintf("reason %#x of the product's own", n)
	}
	return fmt.Sprintf("reason %#x", n)
}
