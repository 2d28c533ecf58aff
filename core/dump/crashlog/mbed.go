package crashlog

import (
	"strings"

	"pushmask/core"
	"pushmask/core/dump/crash"
	"pushmask/core/dump/logtext"
)

// mbed reads the reports of Mbed OS
// (platform/source/TARGET_CORTEX_M/mbed_fault_handler.c and
// platform/source/mbed_error.c, github.com/ARMmbed/mbed-os): the registers of a
// fault, and the error information that follows it or stands alone. SP is the
// one before the exception; PSP and MSP are those on entry of the handler.
type mbed struct {
	report
	fault, info bool // headings that have come
	onPSP       bool // the frame lies on the process stack
	hasStack    bool
	psp, msp    uint32
	hasPSP      bool
	hasMSP      bool
	location    uint32 // of the error
	hasLocation bool
}

const (
	mbedFault = "++ MbedOS Fault Handler ++"
	mbedInfo  = "++ MbedOS Error Info ++"
)

var mbedFormat = format{
	name: "Mbed OS crash report",
	begins: func(text string) bool {
		return strings.Contains(text, mbedFault) || strings.Contains(text, mbedInfo) || strings.HasPrefix(strings.TrimSpace(text), "FaultType: ")
	},
	read: func() reading { return &mbed{} },
}

func (m *mbed) take(line *logtext.Line) kind {
	text := strings.TrimSpace(line.Text)
	switch {
	case strings.Contains(text, mbedFault):
		if m.fault || m.info || !m.empty() {
			return next
		}
		m.fault = true
	case strings.Contains(text, mbedInfo):
		if m.info {
			return next
		}
		m.info = true
	case strings.Contains(text, "-- MbedOS Error Info --"):
		return last
	case strings.Contains(text, "-- MbedOS Fault Handler --"), text == "Context:", strings.HasPrefix(text, "CPUID:"):
	case strings.HasPrefix(text, "FaultType:"):
		if m.Cause != "" {
			return next
		}
		m.Cause = strings.TrimSpace(strings.TrimPrefix(text, "FaultType:"))
	case m.stackName(text), m.errorLine(text), m.threadLine(text), m.register(text):
	default:
		return foreign
	}
	return part
}

// stackName takes "Stack: PSP", and Mode and Priv beside it.
func (m *mbed) stackName(text string) bool {
	name, value, ok := strings.Cut(text, ":")
	value = strings.TrimSpace(value)
	switch strings.TrimSpace(name) {
	case "Stack":
		if ok && (value == "PSP" || value == "MSP") {
			m.onPSP, m.hasStack = value == "PSP", true
			return true
		}
	case "Mode", "Priv":
		if !strings.HasPrefix(value, "0x") {
			m.Details = append(m.Details, strings.TrimSpace(name)+": "+value)
			return true
		}
	}
	return false
}

// errorLine takes the lines of the error information.
func (m *mbed) errorLine(text string) bool {
	switch {
	case strings.HasPrefix(text, "Error Status:"), strings.HasPrefix(text, "Error Value:"), strings.HasPrefix(text, "For more info, visit:"):
		m.Details = append(m.Details, text)
	case strings.HasPrefix(text, "Error Message:"):
		m.Details = append(m.Details, text)
		if m.Cause == "" {
			m.Cause = strings.TrimSpace(strings.TrimPrefix(text, "Error Message:"))
		}
	case strings.HasPrefix(text, "Filename:"):
		m.Location = strings.TrimSpace(strings.TrimPrefix(text, "Filename:"))
	case strings.HasPrefix(text, "Location:"):
		if p := logtext.Pairs(text); len(p) == 1 {
			m.location, m.hasLocation = p[0].Hex(), true
		}
	default:
		return false
	}
	return true
}

// threadLine takes "Current Thread: main Id: 0x.. Entry: 0x.. StackSize: 0x..
// StackMem: 0x.. SP: 0x..", and the lists of threads of 2018: their SP is where
// the thread was switched out.
func (m *mbed) threadLine(text string) bool {
	switch text {
	case "Thread Info:", "Current:", "Next:", "Wait:", "Delay:", "Idle:", "Wait Threads:", "Delay Threads:", "Idle Thread:":
		return true
	}
	if !strings.Contains(text, "Entry: ") && !strings.Contains(text, "EntryFn: ") {
		return false
	}
	rest, ok := strings.CutPrefix(text, "Current Thread:")
	if !ok {
		return true
	}
	name, _, _ := strings.Cut(rest, " Id:")
	if name = strings.TrimSpace(name); !strings.Contains(name, ":") {
		m.thread.Name = name
	}
	size := uint32(0)
	for _, p := range logtext.Pairs(rest) {
		switch p.Word() {
		case "StackSize":
			size = p.Hex()
		case "StackMem":
			m.thread.Stack.Low = core.Addr(p.Hex())
		}
	}
	m.thread.Stack.High = m.thread.Stack.Low + core.Addr(size)
	if !m.thread.Stack.Known() {
		m.thread.Stack = core.Stack{}
	}
	return true
}

// register takes a register or a fault register, one a line.
func (m *mbed) register(text string) bool {
	pairs := logtext.Pairs(text)
	if len(pairs) != 1 {
		return false
	}
	switch p := pairs[0]; p.Name {
	case "PSP":
		m.psp, m.hasPSP = p.Hex(), true
	case "MSP":
		m.msp, m.hasMSP = p.Hex(), true
	default:
		return m.pair(p)
	}
	return true
}

func (m *mbed) crash() *crash.Crash {
	if m.empty() && !m.hasLocation {
		return nil
	}
	m.System = "Mbed OS"
	m.setProfile(core.ProfileM)
	m.faulted = true
	m.setStackPointers()
	if m.hasLocation && !m.fault && m.regs.Empty() {
		m.AddCall(m.location, "")
	}
	m.Truncated = !m.regs.Has(core.PC) || !m.regs.Has(core.SP)
	return m.finish()
}

// setStackPointers sets MSP and PSP as they were before the exception: the one
// that the frame was pushed to is SP. Where the report does not say which it
// is, the distance to SP does: a frame is 0x20 or 0x68 bytes, and four more
// with the alignment word.
func (m *mbed) setStackPointers() {
	sp, ok := m.regs.Get(core.SP)
	if !ok {
		return
	}
	if !m.hasStack {
		psp, msp := m.hasPSP && crash.IsFrameSize(sp-m.psp), m.hasMSP && crash.IsFrameSize(sp-m.msp)
		m.onPSP, m.hasStack = psp, psp != msp
	}
	if !m.hasStack {
		return
	}
	if m.onPSP {
		m.psp, m.hasPSP = sp, true
	} else {
		m.msp, m.hasMSP = sp, true
	}
	if m.hasPSP {
		m.regs.Set(core.PSP, m.psp)
	}
	if m.hasMSP {
		m.regs.Set(core.MSP, m.msp)
	}
}
