package crashlog

import (
	"strings"

	"pushmask/core"
	"pushmask/core/dump/crash"
	"pushmask/core/dump/logtext"
)

// teensy reads the CrashReport of Teensyduino (teensy4/CrashReport.cpp,
// github.com/PaulStoffregen/cores): the address of the instruction and the fault
// registers that are not zero, with address registers only where they are valid.
type teensy struct {
	report
	begun bool
}

const teensyHeading = "CrashReport:"

var teensyFormat = format{
	name:    "Teensy crash report",
	begins:  func(text string) bool { return isTeensy(strings.TrimSpace(text)) },
	read:    func() reading { return &teensy{} },
	records: true,
}

// isTeensy matches the heading, which the first version of 2021 had with dots.
func isTeensy(text string) bool {
	return text == teensyHeading || strings.HasPrefix(text, "CrashReport ...")
}

func (t *teensy) take(line *logtext.Line) kind {
	text := strings.TrimSpace(line.Text)
	switch {
	case isTeensy(text):
		if t.begun {
			return next
		}
		t.begun = true
	case strings.HasPrefix(text, "A problem occurred at (system time)"):
		t.Time = strings.TrimSpace(strings.TrimPrefix(text, "A problem occurred at (system time)"))
	case strings.HasPrefix(text, "Code was executing from address 0x"):
		if v, ok := logtext.Hex(strings.TrimPrefix(text, "Code was executing from address ")); ok {
			t.set(core.PC, v)
		}
	case t.status(text):
	case strings.HasPrefix(text, "(") && strings.Contains(text, ") "):
		t.bit(text)
	case t.detail(text):
	default:
		return foreign
	}
	return part
}

// status takes "CFSR: 82". What is printed as HTSR is the HFSR; the first
// version has "return address: C4" and the other members of the structure.
func (t *teensy) status(text string) bool {
	pairs := logtext.Pairs(text)
	if len(pairs) != 1 {
		return false
	}
	switch p := pairs[0]; p.Name {
	case "HTSR":
		t.faults.set("hfsr", p.Hex())
	case "return address":
		t.set(core.PC, p.Hex())
	case "CFSR", "MMFAR", "BFAR", "XPSR":
		return t.pair(p)
	case "IPSR":
		t.Details = append(t.Details, text)
	case "length", "crc":
	default:
		return false
	}
	return true
}

// bit takes "(DACCVIOL) Data Access Violation", and the address of an access.
func (t *teensy) bit(text string) {
	name, _, _ := strings.Cut(text[1:], ")")
	_, at, isAddress := strings.Cut(text, "Accessed Address: ")
	digits, _, _ := strings.Cut(at, " ")
	v, ok := logtext.Hex(digits)
	switch {
	case isAddress && ok && name == "MMARVALID":
		t.faults.set("mmfar", v)
	case isAddress && ok && name == "BFARVALID":
		t.faults.set("bfar", v)
	case isAddress:
	case t.Cause == "":
		t.Cause = text
	default:
		t.Details = append(t.Details, text)
	}
}

// detail takes what is told besides.
func (t *teensy) detail(text string) bool {
	for _, head := range []string{"Temperature inside the chip was", "Startup CPU clock speed is", "Reboot was caused by", "Breadcrumb #"} {
		if strings.HasPrefix(text, head) {
			t.Details = append(t.Details, text)
			return true
		}
	}
	return strings.HasPrefix(text, "Check code at 0x") || strings.HasPrefix(text, `Run "addr2line`) || strings.HasPrefix(text, "Check for stack overflows")
}

func (t *teensy) crash() *crash.Crash {
	if t.empty() {
		return nil
	}
	t.setProfile(core.ProfileM)
	t.faulted = true
	t.Truncated = !t.regs.Has(core.PC)
	return t.finish()
}
