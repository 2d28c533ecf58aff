package exc

// faultBit describes a bit of a status register.
type faultBit struct {
	name, text string
}

// Positions that the code refers to.
const (
	mmarValid = 7
	bfsrShift = 8
	ufsrShift = 16
	bfarValid = 15
	sfarValid = 6

	hfsrForced     = 30
	hfsrDebugEvent = 31
	dfsrBreakpoint = 1
)

// faultBits holds the bits of each status register (CFSR: Armv7-M ARM B3.2.15
// and Armv8-M ARM D1.2, CFSR, for STKOF; HFSR: B3.2.16; DFSR: C1.6.1; SHCSR:
// B3.2.13; ICSR: B3.2.4; SFSR: Armv8-M ARM D1.2).
var faultBits = [numFaultRegs]map[uint8]faultBit{
	CFSR: {
		0:  {"IACCVIOL", "instruction fetch from a forbidden address"},
		1:  {"DACCVIOL", "data access to a forbidden address"},
		3:  {"MUNSTKERR", "memory protection fault while unstacking for an exception return"},
		4:  {"MSTKERR", "memory protection fault while stacking for an exception entry"},
		5:  {"MLSPERR", "memory protection fault while lazily saving the FP registers"},
		7:  {"MMARVALID", "MMFAR holds the fault address"},
		8:  {"IBUSERR", "bus error on an instruction fetch"},
		9:  {"PRECISERR", "precise data bus error"},
		10: {"IMPRECISERR", "imprecise data bus error"},
		11: {"UNSTKERR", "bus error while unstacking for an exception return"},
		12: {"STKERR", "bus error while stacking for an exception entry"},
		13: {"LSPERR", "bus error while lazily saving the FP registers"},
		15: {"BFARVALID", "BFAR holds the fault address"},
		16: {"UNDEFINSTR", "undefined instruction"},
		17: {"INVSTATE", "invalid execution state: Thumb bit clear or bad IT state"},
		18: {"INVPC", "bad EXC_RETURN value, or exception return that failed its integrity checks"},
		19: {"NOCP", "coprocessor or FPU access while it is disabled or absent"},
		20: {"STKOF", "stack pointer passed its limit"},
		24: {"UNALIGNED", "unaligned access"},
		25: {"DIVBYZERO", "division by zero"},
	},
	HFSR: {
		1:  {"VECTTBL", "bus error on a vector table read"},
		30: {"FORCED", "a configurable fault was escalated to HardFault"},
		31: {"DEBUGEVT", "debug event with no debugger to take it"},
	},
	DFSR: {
		0: {"HALTED", "halt or step request"},
		1: {"BKPT", "breakpoint"},
		2: {"DWTTRAP", "watchpoint"},
		3: {"VCATCH", "vector catch"},
		4: {"EXTERNAL", "external debug request"},
		5: {"PMU", "performance monitor event"},
	},
	SFSR: {
		0: {"INVEP", "entry to secure code that is not at an SG instruction"},
		1: {"INVIS", "bad integrity signature in an exception frame"},
		2: {"INVER", "bad EXC_RETURN value for an exception return from non-secure state"},
		3: {"AUVIOL", "access to secure memory from non-secure code"},
		4: {"INVTRAN", "branch to non-secure code that was not marked as one"},
		5: {"LSPERR", "security violation while lazily saving the FP registers"},
		6: {"SFARVALID", "SFAR holds the fault address"},
		7: {"LSERR", "error of the lazy FP state"},
	},
	SHCSR: {
		0:  {"MEMFAULTACT", "MemManage is active"},
		1:  {"BUSFAULTACT", "BusFault is active"},
		2:  {"HARDFAULTACT", "HardFault is active"},
		3:  {"USGFAULTACT", "UsageFault is active"},
		4:  {"SECUREFAULTACT", "SecureFault is active"},
		5:  {"NMIACT", "NMI is active"},
		7:  {"SVCALLACT", "SVCall is active"},
		8:  {"MONITORACT", "DebugMonitor is active"},
		10: {"PENDSVACT", "PendSV is active"},
		11: {"SYSTICKACT", "SysTick is active"},
		12: {"USGFAULTPENDED", "UsageFault is pending"},
		13: {"MEMFAULTPENDED", "MemManage is pending"},
		14: {"BUSFAULTPENDED", "BusFault is pending"},
		15: {"SVCALLPENDED", "SVCall is pending"},
		16: {"MEMFAULTENA", "MemManage is enabled"},
		17: {"BUSFAULTENA", "BusFault is enabled"},
		18: {"USGFAULTENA", "UsageFault is enabled"},
		19: {"SECUREFAULTENA", "SecureFault is enabled"},
		20: {"SECUREFAULTPENDED", "SecureFault is pending"},
		21: {"HARDFAULTPENDED", "HardFault is pending"},
	},
	ICSR: {
		11: {"RETTOBASE", "no other exception is active"},
		22: {"ISRPENDING", "an external interrupt is pending"},
		23: {"ISRPREEMPT", "a pending exception will be serviced on exit from debug state"},
		26: {"PENDSTSET", "SysTick is pending"},
		28: {"PENDSVSET", "PendSV is pending"},
		31: {"NMIPENDSET", "NMI is pending"},
	},
}

// causeBit is a status bit that states a cause. addressed says that the fault
// writes the address register of its group. Faults of instruction fetches and
// of stacking do not: a valid address beside them is of another fault.
type causeBit struct {
	reg       FaultReg
	bit       uint8
	addressed bool
}

// causeBits lists the causes, the most telling first: what the program did
// comes before what the hardware could not do because of it, and before
// faults whose place is not exact.
var causeBits = []causeBit{
	{SFSR, 0, false}, {SFSR, 3, true}, {SFSR, 4, false}, {SFSR, 1, false},
	{SFSR, 2, false}, {SFSR, 5, false}, {SFSR, 7, false},
	{CFSR, 20, false}, {CFSR, 16, false}, {CFSR, 17, false}, {CFSR, 19, false},
	{CFSR, 24, false}, {CFSR, 25, false}, {CFSR, 18, false},
	{CFSR, 0, false}, {CFSR, 1, true}, {CFSR, 8, false}, {CFSR, 9, true},
	{CFSR, 4, false}, {CFSR, 12, false}, {CFSR, 3, false}, {CFSR, 11, false},
	{CFSR, 5, false}, {CFSR, 13, false}, {CFSR, 10, false},
	{HFSR, 1, false}, {HFSR, hfsrDebugEvent, false},
}
