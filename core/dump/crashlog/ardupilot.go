package crashlog

import (
	"strings"

	"pushmask/core"
	"pushmask/core/dump/crash"
	"pushmask/core/dump/logtext"
)

// ardupilot reads the line that ArduPilot sends after a reset by the watchdog
// (AP_Vehicle::send_watchdog_reset_statustext in libraries/AP_Vehicle,
// github.com/ArduPilot/ardupilot):
//
//	WDG: T-3 SL0 FL0 FT3 FA0 FTP180 FLR80CBB35 FICSR4196355 MM0 MC0 IE0 IEC0 TN:main
//
// FLR is LR of the code that faulted, in hexadecimal digits; FICSR is decimal.
// What FA is depends on the version: the address of the access, or SP.
type ardupilot struct {
	report
	begun bool
}

const ardupilotHeading = "WDG: T"

var ardupilotFormat = format{
	name: "ArduPilot watchdog report",
	begins: func(text string) bool {
		return strings.Contains(text, ardupilotHeading) && strings.Contains(text, " FLR") && !looksLikeCode(text)
	},
	read:    func() reading { return &ardupilot{} },
	records: true,
}

// ardupilotFaults are the values of FT (FaultType in
// libraries/AP_HAL_ChibiOS/hwdef/common/stm32_util.h).
var ardupilotFaults = map[string]string{
	"2": "NMI", "3": "HardFault", "4": "MemManage", "5": "BusFault", "6": "UsageFault",
}

func (a *ardupilot) take(line *logtext.Line) kind {
	if a.begun {
		return next
	}
	a.begun = true
	text := line.Text[strings.Index(line.Text, ardupilotHeading):]
	a.Cause = "watchdog reset"
	fields := strings.Fields(text)
	for i, field := range fields {
		if i == len(fields)-1 && !strings.HasPrefix(field, "TN:") {
			break // the line may have been cut in the number
		}
		if v, ok := strings.CutPrefix(field, "FLR"); ok {
			if lr, isHex := logtext.Hex(v); isHex && lr != 0 {
				a.set(core.LR, lr)
				a.AddReturn(lr, "")
			}
		} else if v, ok := strings.CutPrefix(field, "FTP"); ok {
			prio, isNumber := logtext.Decimal(v)
			a.thread.Priority, a.thread.BasePriority, a.thread.HasPriority = int(prio), int(prio), isNumber
		} else if v, ok := strings.CutPrefix(field, "FT"); ok && ardupilotFaults[v] != "" {
			a.Cause = ardupilotFaults[v]
		} else if v, ok := strings.CutPrefix(field, "FICSR"); ok {
			if icsr, isNumber := logtext.Decimal(v); isNumber {
				a.faults.set("icsr", icsr)
			}
		} else if v, ok := strings.CutPrefix(field, "TN:"); ok {
			a.thread.Name = v
		}
	}
	a.Details = append(a.Details, text)
	return last
}

func (a *ardupilot) crash() *crash.Crash {
	if a.regs.Empty() {
		return nil
	}
	a.System = "ArduPilot"
	a.setProfile(core.ProfileM)
	return a.finish()
}
