package crashlog

import (
	"strings"

	"pushmask/core"
	"pushmask/core/dump/crash"
	"pushmask/core/dump/logtext"
)

// flipper reads what the firmware of the Flipper Zero prints when it gives up
// (furi/core/check.c, github.com/flipperdevices/flipperzero-firmware): registers
// at the call of __furi_crash, whose LR is the return address. The macro that
// stores them has used R11 by then, so that what is printed as r11 is the address
// of the message.
type flipper struct {
	report
	begun bool
}

var flipperFormat = format{
	name: "Flipper Zero crash",
	begins: func(text string) bool {
		return strings.HasPrefix(text, "[CRASH][") || strings.HasPrefix(text, "[HALT][")
	},
	read: func() reading { return &flipper{} },
}

func (f *flipper) take(line *logtext.Line) kind {
	text := strings.TrimSpace(line.Text)
	switch {
	case strings.HasPrefix(text, "[CRASH]["), strings.HasPrefix(text, "[HALT]["):
		if f.begun {
			return next
		}
		f.begun = true
		_, rest, _ := strings.Cut(text, "][")
		name, cause, _ := strings.Cut(rest, "]")
		f.thread.Name, f.Cause = strings.TrimSpace(name), strings.TrimSpace(cause)
	case strings.HasPrefix(text, "Rebooting system."), strings.HasPrefix(text, "System halted."):
		return last
	case strings.HasPrefix(text, "stack watermark:"), strings.HasPrefix(text, "heap "), strings.HasPrefix(text, "core2:"):
		f.Details = append(f.Details, text)
	case f.register(text):
	default:
		return foreign
	}
	return part
}

func (f *flipper) register(text string) bool {
	pairs := logtext.Pairs(text)
	if len(pairs) != 1 {
		return false
	}
	reg, ok := register(pairs[0].Name)
	if ok && reg != core.R11 {
		f.set(reg, pairs[0].Hex())
	}
	return ok
}

func (f *flipper) crash() *crash.Crash {
	if f.Cause == "" && f.empty() {
		return nil
	}
	f.System = "Flipper Zero"
	f.setProfile(core.ProfileM)
	lr, ok := f.regs.Get(core.LR)
	if ok {
		f.AddReturn(lr, "")
	}
	f.Truncated = !ok && !strings.HasPrefix(f.thread.Name, "ISR ")
	return f.finish()
}
