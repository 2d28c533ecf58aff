package crashlog

import (
	"strings"

	"pushmask/core"
	"pushmask/core/dump/crash"
	"pushmask/core/dump/logtext"
)

// tfm reads the fatal errors of Trusted Firmware-M
// (platform/ext/common/exception_info.c, trustedfirmware.org): registers of the
// secure handler first, then those of the exception frame. The frame is often
// one of the non-secure image.
type tfm struct {
	report
	frame    uint32
	hasFrame bool
	headed   bool
	banks    core.Regs // MSP, PSP and the non-secure ones on entry
}

var tfmFormat = format{
	name: "TF-M fatal error",
	begins: func(text string) bool {
		text = strings.TrimSpace(text)
		_, ok := tfmHeading(text)
		return ok || strings.HasPrefix(text, "Here is some context for the exception")
	},
	read: func() reading { return &tfm{} },
}

// tfmHeading returns the exception that the first line names.
func tfmHeading(text string) (string, bool) {
	name, ok := strings.CutPrefix(text, "FATAL ERROR: ")
	if !ok {
		return "", false
	}
	for _, w := range []string{"SecureFault", "HardFault", "MemManage", "BusFault", "UsageFault", "Reserved Exception", "Platform external interrupt"} {
		if strings.HasPrefix(name, w) {
			return name, true
		}
	}
	return "", false
}

func (f *tfm) take(line *logtext.Line) kind {
	text := strings.TrimSpace(line.Text)
	if name, ok := tfmHeading(text); ok {
		if f.headed || !f.empty() {
			return next
		}
		f.headed, f.Cause = true, name
		return part
	}
	switch {
	case strings.HasPrefix(text, "Exception came from"):
		f.Details = append(f.Details, strings.TrimSuffix(text, "."))
		return part
	case strings.HasPrefix(text, "Here is some context"):
		if f.hasReturn || f.hasFrame {
			return next
		}
		return part
	case strings.HasPrefix(text, "(Note that the exception frame"), strings.HasPrefix(text, "Callee saved register state:") && !strings.Contains(text, "0x"):
		return part
	}
	known := 0
	for _, p := range logtext.Pairs(text) {
		if f.value(p) {
			known++
		}
	}
	if known == 0 {
		return foreign
	}
	return part
}

func (f *tfm) value(p logtext.Pair) bool {
	switch name := strings.ToUpper(p.Name); name {
	case "EXC_RETURN (LR)":
		f.setReturn(p.Hex())
	case "EXCEPTION FRAME AT":
		f.frame, f.hasFrame = p.Hex(), true
	case "XPSR":
		if f.hasFrame { // the one before is that of the handler
			f.set(core.PSR, p.Hex())
		}
	case "MSP", "PSP", "MSP_NS", "PSP_NS":
		r, _ := core.LookupReg(name)
		f.banks.Set(r, p.Hex())
	default:
		return f.pair(p)
	}
	return true
}

func (f *tfm) crash() *crash.Crash {
	if !f.hasReturn && !f.hasFrame {
		return nil
	}
	f.setProfile(core.ProfileM)
	f.faulted = true
	if f.hasFrame {
		f.frameSP(f.frame)
	}
	f.setBanks()
	f.Truncated = !f.regs.Has(core.PC)
	return f.finish()
}

// setBanks sets the stack pointers of both states as they were before the
// exception: the one that the frame was pushed to is SP.
func (f *tfm) setBanks() {
	sp, ok := f.regs.Get(core.SP)
	if !ok || !f.hasReturn {
		return
	}
	secure, nonSecure := [2]core.Reg{core.MSPS, core.PSPS}, [2]core.Reg{core.MSPNS, core.PSPNS}
	for i, from := range []core.Reg{core.MSP, core.PSP} {
		if v, ok := f.banks.Get(from); ok {
			f.regs.Set(secure[i], v)
		}
		if v, ok := f.banks.Get(nonSecure[i]); ok {
			f.regs.Set(nonSecure[i], v)
		}
	}
	state := nonSecure
	if f.excReturn.Secure() {
		state = secure
	}
	for i, r := range []core.Reg{core.MSP, core.PSP} {
		// TF-M looks at CONTROL_NS, not at EXC_RETURN, for which stack a
		// non-secure frame is on: it is the one whose pointer is the frame.
		if v, ok := f.regs.Get(state[i]); ok && v == f.frame {
			f.regs.Set(state[i], sp)
		}
		if v, ok := f.regs.Get(state[i]); ok {
			f.regs.Set(r, v)
		}
	}
}
