package exc

import "fmt"

// Exception numbers (Armv7-M ARM B1.5.2, Armv8-M ARM B3.8). External
// interrupt n is exception firstIRQ+n.
const (
	numHardFault   = 3
	numMemManage   = 4
	numBusFault    = 5
	numUsageFault  = 6
	numSecureFault = 7
	firstIRQ       = 16
	maxException   = 511 // the exception number has 9 bits in xPSR and ICSR
)

var systemExceptions = [firstIRQ]string{
	1: "Reset", 2: "NMI", 3: "HardFault", 4: "MemManage", 5: "BusFault", 6: "UsageFault",
	7: "SecureFault", 11: "SVCall", 12: "DebugMonitor", 14: "PendSV", 15: "SysTick",
}

// ExceptionName returns the architecture's name of an exception: "HardFault",
// "SysTick", "IRQ 5" for exception 21, "exception 9" for a reserved number.
// It returns "" for 0, thread mode, and for numbers that cannot be.
func ExceptionName(number int) string {
	switch {
	case number <= 0 || number > maxException:
		return ""
	case number >= firstIRQ:
		return fmt.Sprintf("IRQ %d", number-firstIRQ)
	case systemExceptions[number] != "":
		return systemExceptions[number]
	}
	return fmt.Sprintf("exception %d", number)
}
