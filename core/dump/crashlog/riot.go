package crashlog

import (
	"strings"

	"pushmask/core"
	"pushmask/core/dump/crash"
	"pushmask/core/dump/logtext"
)

// riot reads the reports of RIOT's hard fault handler
// (cpu/cortexm_common/vectors_cortexm.c, github.com/RIOT-OS/RIOT) and of its
// core_panic. The registers are those of the exception frame; its address is not
// printed.
type riot struct {
	report
	begun, panicked bool
}

const (
	riotContext   = "Context before hardfault:"
	riotCorrupted = "Stack pointer corrupted, reset to top of stack"
	riotPanic     = "*** RIOT kernel panic"
)

var riotFormat = format{
	name: "RIOT crash report",
	begins: func(text string) bool {
		return strings.HasPrefix(text, riotContext) || strings.HasPrefix(text, riotCorrupted) || strings.HasPrefix(text, riotPanic)
	},
	read: func() reading { return &riot{} },
}

func (r *riot) take(line *logtext.Line) kind {
	text := strings.TrimSpace(line.Text)
	switch {
	case text == riotContext, text == riotCorrupted:
		if r.begun || r.panicked {
			return next
		}
		r.begun = true
		if text == riotCorrupted {
			r.Cause = text
		}
	case strings.HasPrefix(text, riotPanic):
		if r.panicked {
			return next
		}
		r.panicked = true
	case text == "*** rebooting...", text == "*** halted.":
		return last
	case text == "FSR/FAR:", text == "Misc", text == "In GDB:", strings.HasPrefix(text, "set $pc="),
		text == "frame 0", text == "bt", strings.HasPrefix(text, "Attempting to reconstruct state"):
	case r.says(text), r.register(text):
	case r.panicked && r.Cause == "" && isSaid(text): // the message of core_panic is on the line below the heading
		r.Cause = text
	default:
		return foreign
	}
	return part
}

// says takes what is said in words.
func (r *riot) says(text string) bool {
	if rest, ok := strings.CutPrefix(text, "Active thread:"); ok {
		id, name, _ := strings.Cut(strings.TrimSpace(rest), " ")
		if n, ok := logtext.Decimal(id); ok {
			r.thread.ID = core.ThreadID(n)
		}
		r.thread.Name = strings.Trim(strings.TrimSpace(name), `"`)
		return true
	}
	if strings.HasPrefix(text, "Hard fault occurred in ISR number") || strings.HasPrefix(text, "ISR stack overflowed") {
		r.Details = append(r.Details, text)
		return true
	}
	return false
}

func (r *riot) register(text string) bool {
	pairs := logtext.Pairs(text)
	if len(pairs) != 1 {
		return false
	}
	if p := pairs[0]; p.Name == "EXC_RET" {
		r.setReturn(p.Hex())
		return true
	}
	return r.pair(pairs[0])
}

func (r *riot) crash() *crash.Crash {
	if r.empty() && r.Cause == "" {
		return nil
	}
	r.System = "RIOT"
	r.setProfile(core.ProfileM)
	r.faulted = true
	r.Truncated = r.begun && !r.regs.Has(core.PC)
	return r.finish()
}
