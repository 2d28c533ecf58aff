package crashlog

import (
	"fmt"
	"strings"

	"pushmask/core"
	"pushmask/core/dump/crash"
	"pushmask/core/dump/logtext"
)

// duet reads what RepRapFirmware tells with M122 of the last software reset
// (src/Hardware/SoftwareReset.cpp, github.com/Duet3D/RepRapFirmware). SP is
// where the words of the stack begin, which is
//
//   - the exception frame after faults;
//   - the frame, or its last three words, of a task that was stuck;
//   - R0, R1 and LR as vAssertCalled pushed them after a failed assertion;
//   - some place of the stack for the other reasons.
//
// Versions from March 2023 on leave out the 17 words behind the eight of a frame
// on processors with an FPU, whether the frame has floating-point registers or
// not. Where the version and the processor are not told, only the first eight
// words have an address.
type duet struct {
	report
	begun, coded bool
	reason       string
	sp           uint32
	hasSP        bool
	stack        []uint32
}

var duetFormat = format{
	name: "Duet software reset",
	begins: func(text string) bool {
		return strings.Contains(text, duetReset) || strings.Contains(text, duetFirmware)
	},
	read:    func() reading { return &duet{} },
	records: true,
}

const (
	duetFirmware = "RepRapFirmware for "
	duetReset    = "Last software reset "
	duetCode     = "Software reset code 0x"
)

func (d *duet) take(line *logtext.Line) kind {
	text := strings.TrimSpace(line.Text)
	switch {
	case strings.Contains(text, duetFirmware):
		if d.begun || d.System != "" {
			return next
		}
		d.System = text[strings.Index(text, duetFirmware):]
	case strings.Contains(text, duetReset):
		if d.begun {
			return next
		}
		d.begun = true
		d.reset(text[strings.Index(text, duetReset)+len(duetReset):])
	case d.begun && strings.Contains(text, duetCode):
		if d.coded {
			return next
		}
		d.coded = true
		d.code(text)
	case d.coded && strings.HasPrefix(text, "Stack:"):
		words, rest := logtext.Words(strings.TrimPrefix(text, "Stack:"))
		if rest != "" {
			d.Skip(rest)
		}
		d.stack = words
		return last
	case d.System == "" || d.coded:
		return foreign
	case strings.HasPrefix(text, "Board ID:"), strings.HasPrefix(text, "=== "), strings.HasPrefix(text, "Tasks:"), strings.HasPrefix(text, "Last reset "):
	default:
		return foreign
	}
	return part
}

// reset takes "at 2021-06-17 21:14, reason: HardFault precise, none spinning,
// available RAM 9264, slot 2".
func (d *duet) reset(text string) {
	when, rest, _ := strings.Cut(text, ", reason: ")
	if at, ok := strings.CutPrefix(when, "at "); ok { // or "time unknown"
		d.Time = at
	}
	d.Cause, rest, _ = strings.Cut(rest, ",")
	d.Details = append(d.Details, strings.TrimSpace(rest))
	d.reason = strings.TrimPrefix(d.Cause, "deliberate ")
	d.reason, _, _ = strings.Cut(d.reason, " ")
	if d.reason == "Hard" || d.reason == "Stuck" { // versions before 3 have blanks: "Hard fault"
		d.reason = strings.ReplaceAll(d.Cause, " ", "")
	}
}

// code takes the fault registers and SP. BFAR is MMFAR where an MPU raised the
// fault; a task is known by the first four letters of its name.
func (d *duet) code(text string) {
	fields := strings.FieldsFunc(text[strings.Index(text, duetCode):], func(r rune) bool { return r == ' ' || r == ',' })
	for i := 0; i+1 < len(fields); i++ {
		v, ok := logtext.Hex(fields[i+1])
		switch name := fields[i]; {
		case name == "Task" && d.thread.Name == "":
			d.thread.Name = taskName(fields[i+1])
		case !ok:
		case name == "SP":
			d.sp, d.hasSP = v, v != 0 && v != 0xffffffff
		case name == "BFAR" && d.reason == "MemoryProtectionFault":
			d.faults.set("mmfar", v)
		default:
			d.faults.set(name, v)
		}
	}
}

// taskName returns the name of a task; versions of 2019 print it as a number.
func taskName(field string) string {
	v, ok := logtext.Hex(field)
	if !ok || !strings.HasPrefix(field, "0x") {
		return field
	}
	return strings.TrimRight(string([]byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24)}), "\x00")
}

func (d *duet) crash() *crash.Crash {
	if !d.coded || d.reason == "User" || d.reason == "Erase" { // nothing went wrong
		return nil
	}
	d.setProfile(core.ProfileM)
	d.faulted = true
	d.Truncated = d.hasSP && len(d.stack) == 0
	if d.hasSP && len(d.stack) > 0 {
		d.place()
	}
	return d.finish()
}

// place gives the words of the stack their addresses and takes registers from
// them.
func (d *duet) place() {
	switch d.reason {
	case "NMI", "HardFault", "UsageFault", "OtherFault", "WatchdogTimeout", "MemoryProtectionFault":
		d.placeFrame()
		d.frameRegisters(d.stack)
	case "StuckInSpinLoop", "StuckinSpinloop", "HeatTaskStuck":
		d.placeFrame()
		d.stuck()
	case "AssertionFailed":
		d.memory(core.Addr(d.sp), d.stack)
		if len(d.stack) >= 3 {
			d.AddReturn(d.stack[2], "")
			d.Details = append(d.Details, fmt.Sprintf("assertion in line %d of the file whose name is at %v", d.stack[0], core.Addr(d.stack[1])))
			d.regs.Set(core.LR, d.stack[2])
		}
	default:
		d.memory(core.Addr(d.sp), d.stack)
	}
}

// frameWords is how many words of a frame are printed, and skippedWords how many
// behind them are not.
const (
	frameWords   = basicFrame / 4
	skippedWords = 17
)

// placeFrame gives words that begin with an exception frame their addresses.
func (d *duet) placeFrame() {
	first := min(frameWords, len(d.stack))
	d.memory(core.Addr(d.sp), d.stack[:first])
	rest := d.stack[first:]
	switch skips, known := d.skips(); {
	case !known && len(rest) > 0:
		d.Skip(fmt.Sprintf("%d words of the stack whose addresses depend on processor and version", len(rest)))
	case skips:
		d.memory(core.Addr(d.sp)+4*(frameWords+skippedWords), rest)
	default:
		d.memory(core.Addr(d.sp)+4*frameWords, rest)
	}
}

// skips tells whether the words behind those of a frame were left out.
func (d *duet) skips() (skips, known bool) {
	if !d.hasFPU() {
		return false, d.System != ""
	}
	_, version, ok := strings.Cut(d.System, " version ")
	if !ok || len(version) < 3 {
		return false, false
	}
	return version[:1] > "3" || version[:2] == "3." && version[2] >= '5', true
}

// hasFPU reports whether the processor of the board has an FPU: those of the
// Duet Maestro (SAM4S), the Duet 0.6 and 0.8.5 (SAM3X) and the boards with an
// LPC17xx have none.
func (d *duet) hasFPU() bool {
	for _, board := range []string{"Maestro", "Duet 0.6", "Duet 0.8.5", "LPC"} {
		if strings.Contains(d.System, board) {
			return false
		}
	}
	return d.System != ""
}

// frameRegisters takes the registers of an exception frame. SP is known where
// the frame cannot have floating-point registers.
func (d *duet) frameRegisters(words []uint32) {
	if len(words) < frameWords {
		return
	}
	for i, r := range [...]core.Reg{core.R0, core.R1, core.R2, core.R3, core.R12, core.LR, core.PC, core.PSR} {
		d.regs.Set(r, words[i])
	}
	sp := d.sp + basicFrame
	if words[7]&xpsrPad != 0 {
		sp += 4
	}
	fpscr, held := d.wordAt(core.Addr(d.sp) + 0x60)
	switch {
	case d.System != "" && !d.hasFPU(), held && fpscr&fpscrReserved != 0:
		d.regs.Set(core.SP, sp)
	default:
		d.Warnf("SP is not known: whether the exception frame at %v has floating-point registers is not in the log", core.Addr(d.sp))
	}
}

// stuck takes the registers of a task that was interrupted: of the whole frame
// where another task had to be asked, of its last three words otherwise.
func (d *duet) stuck() {
	whole := len(d.stack) >= frameWords && isThreadPSR(d.stack[7])
	tail := len(d.stack) >= 3 && isThreadPSR(d.stack[2])
	switch {
	case whole && !tail:
		d.frameRegisters(d.stack)
	case tail && !whole:
		for i, r := range [...]core.Reg{core.LR, core.PC, core.PSR} {
			d.regs.Set(r, d.stack[i])
		}
		d.Warnf("SP is not known: the exception frame that ends at %v is not printed as a whole", core.Addr(d.sp+12))
	default:
		d.Warnf("PC is not known: which words are the exception frame cannot be told")
	}
}

// isThreadPSR reports whether a word can be the xPSR of a task: T is set, the
// exception number and the reserved bits are clear (Armv7-M ARM B1.4.2).
func isThreadPSR(v uint32) bool { return v&0x01f001ff == 0x01000000 }
