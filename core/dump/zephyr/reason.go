package zephyr

import "fmt"

// reasons are the values of k_fatal_error_reason (include/zephyr/fatal_types.h)
// and, from 16 on, of k_fatal_error_reason_arch of ARM
// (include/zephyr/arch/arm/arch.h, since Zephyr 3.3).
var reasons = map[uint32]string{
	0: "CPU exception", 1: "unhandled interrupt", 2: "stack overflow detected by the kernel",
	3: "kernel oops", 4: "kernel panic",
	16: "MPU fault", 17: "MPU fault while stacking", 18: "MPU fault while unstacking",
	19: "MPU fault: data access", 20: "MPU fault: instruction access", 21: "MPU fault while saving floating-point state",
	22: "bus fault", 23: "bus fault while stacking", 24: "bus fault while unstacking",
	25: "precise data bus error", 26: "imprecise data bus error", 27: "instruction bus error",
	28: "bus fault while saving floating-point state",
	29: "usage fault", 30: "division by zero", 31: "unaligned access", 32: "stack overflow (stack limit)",
	33: "no coprocessor", 34: "bad EXC_RETURN", 35: "bad EPSR", 36: "undefined instruction",
	37: "secure fault", 38: "secure fault: entry point", 39: "secure fault: integrity signature",
	40: "secure fault: exception return", 41: "secure fault: attribution unit", 42: "secure fault: transition",
	43: "secure fault while saving floating-point state", 44: "secure fault: lazy state error",
}

// ReasonText words the reason of a fatal error, which the kernel also prints
// as "ZEPHYR FATAL ERROR n".
func ReasonText(n uint32) string {
	if s, ok := reasons[n]; ok {
		return s
	}
	return fmt.Sprintf("fatal error %d", n)
}
