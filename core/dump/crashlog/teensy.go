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
	begins:  func(text string) bool { return strings.TrimSpace(text) == teensyHeading },
	read:    func() reading { return &teensy{} },
	records: true,
}

func (t *teensy) take(line *logtext.Line) kind {
	text := strings.TrimSpace(line.Text)
	switch {
	case text == teensyHeading:
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
	case strings.HasPrefix(text, "CFSR:"), strings.HasPrefix(text, "HTSR:"):
		t.status(text)
	case strings.HasPrefix(text, "(") && strings.Contains(text, ") "):
		t.bit(text)
	case t.detail(text):
	default:
		return foreign
	}
	return part
}

// status takes "CFSR: 82". What is printed as HTSR is the HFSR.
func (t *teensy) status(text string) {
	for _, p := range logtext.Pairs(text) {
		if p.Name == "HTSR" {
			t.faults.set("hfsr", p.Hex())
		} else {
			t.pair(p)
		}
	}
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
