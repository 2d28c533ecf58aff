package crashlog

import (
	"strings"

	"pushmask/core"
	"pushmask/core/dump/crash"
	"pushmask/core/dump/logtext"
)

// marlin reads what the 3D printer firmware Marlin prints with
// POSTMORTEM_DEBUGGING (Marlin/src/HAL/shared/cpu_exception/exception_arm.cpp,
// github.com/MarlinFirmware/Marlin): the registers of the exception frame, its
// address and EXC_RETURN, and the stack that Marlin's own unwinder found.
type marlin struct {
	report
	begun    bool
	frame    uint32 // address of the exception frame
	hasFrame bool
}

const marlinHeading = "## Software Fault detected ##"

var marlinFormat = format{
	name:   "Marlin post-mortem",
	begins: func(text string) bool { return strings.Contains(text, marlinHeading) },
	read:   func() reading { return &marlin{} },
}

func (m *marlin) take(line *logtext.Line) kind {
	text := strings.TrimSpace(line.Text)
	switch {
	case strings.Contains(text, marlinHeading):
		if m.begun {
			return next
		}
		m.begun = true
	case strings.HasPrefix(text, "Cause:") && m.Cause == "":
		m.Cause = strings.TrimSpace(strings.TrimPrefix(text, "Cause:"))
	case len(text) > 8 && strings.Trim(text, ".") == "": // the watchdog is fed
		return last
	case m.call(strings.TrimPrefix(text, "Backtrace:")), m.register(text):
	default:
		return foreign
	}
	return part
}

// call takes "#2 : unknown@0x0001BA20+1746 PC:0x0001C0F2".
func (m *marlin) call(text string) bool {
	_, rest, ok := strings.Cut(text, " : ")
	name, pc, found := strings.Cut(rest, " PC:")
	v, isHex := logtext.Hex(strings.TrimSpace(pc))
	if !ok || !found || !isHex || text[0] != '#' {
		return false
	}
	if name, _, _ = strings.Cut(name, "@"); name == "unknown" {
		name = ""
	}
	m.AddCall(v, name)
	return true
}

func (m *marlin) register(text string) bool {
	pairs := logtext.Pairs(text)
	if len(pairs) != 1 {
		return false
	}
	switch p := pairs[0]; p.Name {
	case "ExcLR":
		m.setReturn(p.Hex())
	case "ExcSP":
		m.frame, m.hasFrame = p.Hex(), true
	default:
		return m.pair(p)
	}
	return true
}

func (m *marlin) crash() *crash.Crash {
	if m.empty() && m.Backtrace == nil {
		return nil
	}
	m.System = "Marlin"
	m.setProfile(core.ProfileM)
	m.faulted = true
	if m.hasFrame {
		m.frameSP(m.frame)
	}
	m.Truncated = !m.regs.Has(core.PC) || !m.hasFrame
	return m.finish()
}
