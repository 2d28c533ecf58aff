package chromeec

// reasons are the reasons of software panics from reasonBase on
// (include/software_panic.h).
var reasons = [...]string{
	"division by zero", "stack overflow", "PD crash", "assertion", "watchdog", "bad random number generator", "PMIC fault", "exit", "watchdog warning",
}

const reasonBase = 0xdead6660

// Reason puts the reason of a software panic, which R4 holds, into words; "" if
// the value is none.
func Reason(r4 uint32) string {
	if n := r4 - reasonBase; n < uint32(len(reasons)) {
		return "software panic: " + reasons[n]
	}
	return ""
}
