package crashlog

import (
	"strings"

	"pushmask/core"
	"pushmask/core/dump/crash"
	"pushmask/core/dump/logtext"
)

// nordic reads what the nRF5 SDK logs of a hard fault
// (components/libraries/hardfault/hardfault_implementation.c) and of a failed
// check (components/libraries/util/app_error_weak.c). PC stands in the heading of
// a hard fault; SP and the fault status registers are not printed.
type nordic struct {
	report
	begun bool
}

const (
	nordicFault = "HARD FAULT at 0x"
	nordicStack = "Stack violation: stack pointer outside stack area."
)

var nordicFormat = format{
	name: "nRF5 SDK error",
	begins: func(text string) bool {
		return strings.HasPrefix(text, nordicFault) || strings.HasPrefix(text, nordicStack) || nordicCheck(text)
	},
	read: func() reading { return &nordic{} },
}

// nordicCheck matches "ERROR 7 [NRF_ERROR_INVALID_PARAM] at main.c:120" and
// "ASSERTION FAILED at main.c:120".
func nordicCheck(text string) bool {
	if rest, ok := strings.CutPrefix(text, "ERROR "); ok {
		code, rest, _ := strings.Cut(rest, " ")
		_, isNumber := logtext.Decimal(code)
		return isNumber && strings.HasPrefix(rest, "[") && strings.Contains(rest, "] at ")
	}
	return strings.HasPrefix(text, "ASSERTION FAILED at ") || strings.HasPrefix(text, "SOFTDEVICE: ASSERTION FAILED")
}

func (n *nordic) take(line *logtext.Line) kind {
	text := strings.TrimSpace(line.Text)
	if strings.HasPrefix(text, nordicFault) || strings.HasPrefix(text, nordicStack) || nordicCheck(text) {
		if n.begun {
			return next
		}
		n.begun = true
		n.heading(text)
		return part
	}
	value := func(name string) (uint32, bool) {
		rest, ok := strings.CutPrefix(text, name)
		if !ok {
			return 0, false
		}
		return logtext.Hex(strings.TrimSpace(rest))
	}
	if v, ok := value("PC at:"); ok {
		n.at(v)
		return part
	}
	if v, ok := value("MemManage Fault Address:"); ok {
		n.faults.set("mmfar", v)
		return part
	}
	if v, ok := value("Bus Fault Address:"); ok {
		n.faults.set("bfar", v)
		return part
	}
	switch {
	case text == "End of error report":
		return last
	case strings.HasPrefix(text, "Cause: ") && n.Cause == "":
		n.Cause = strings.TrimPrefix(text, "Cause: ")
	case strings.HasPrefix(text, "Cause: "):
		n.Details = append(n.Details, text)
	case n.pairs(text) > 0:
	default:
		return foreign
	}
	return part
}

// heading takes where it happened.
func (n *nordic) heading(text string) {
	if digits, ok := strings.CutPrefix(text, "HARD FAULT at "); ok {
		if v, ok := logtext.Hex(digits); ok {
			n.set(core.PC, v)
		}
		return
	}
	n.Cause = text
	if i := strings.LastIndex(text, " at "); i >= 0 {
		n.Cause, n.Location = text[:i], text[i+len(" at "):]
	}
}

// at takes where a check failed: the value of LR or of PC, 0 where it is not
// known.
func (n *nordic) at(v uint32) {
	switch {
	case v&1 != 0:
		n.AddReturn(v, "")
	case v != 0:
		n.AddCall(v, "")
	}
}

func (n *nordic) crash() *crash.Crash {
	if n.empty() && n.Cause == "" {
		return nil
	}
	n.System = "nRF5 SDK"
	n.setProfile(core.ProfileM)
	n.faulted = true
	n.Truncated = n.Cause == "" && !n.regs.Has(core.PC)
	return n.finish()
}
