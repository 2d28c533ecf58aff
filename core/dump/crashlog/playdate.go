package crashlog

import (
	"strings"

	"pushmask/core"
	"pushmask/core/dump/crash"
	"pushmask/core/dump/logtext"
)

// playdate reads the crashlog.txt of the Playdate console, which has a record
// for every crash, the oldest first (seen in the posts of devforum.play.date from
// 2022 to 2025; the writer is not public). The registers are those of the
// exception frame. SP is not in it.
type playdate struct {
	report
	begun bool
}

const playdateHeading = "--- crash at "

var playdateFormat = format{
	name:    "Playdate crash log",
	begins:  func(text string) bool { return strings.HasPrefix(text, playdateHeading) },
	read:    func() reading { return &playdate{} },
	records: true,
}

func (p *playdate) take(line *logtext.Line) kind {
	text := strings.TrimSpace(line.Text)
	if rest, ok := strings.CutPrefix(text, playdateHeading); ok {
		if p.begun {
			return next
		}
		p.begun = true
		// Forums join the lines of a record.
		p.Time, text, _ = strings.Cut(rest, "---")
		p.Time, text = strings.TrimSpace(p.Time), strings.TrimSpace(text)
		if text == "" {
			return part
		}
	}
	known := false
	if rest, ok := strings.CutPrefix(text, "build:"); ok {
		var build string
		build, text, _ = strings.Cut(rest, " ")
		p.System, known = "Playdate OS "+build, true
	}
	for _, name := range []string{"heap allocated:", "Lua totalbytes="} {
		if i := strings.Index(text, name); i >= 0 {
			p.Details = append(p.Details, strings.TrimSpace(text[i:]))
			text, known = text[:i], true
		}
	}
	for _, pair := range logtext.Pairs(text) {
		if pair.Word() == "rcccsr" { // why the chip was reset (RM0433 8.7.37)
			p.Details = append(p.Details, "RCC_CSR "+pair.Digits)
			known = true
		} else if p.pair(pair) {
			known = true
		}
	}
	if !known {
		return foreign
	}
	return part
}

func (p *playdate) crash() *crash.Crash {
	if p.empty() {
		return nil
	}
	p.setProfile(core.ProfileM)
	p.faulted = true
	p.Truncated = !p.regs.Has(core.PC)
	return p.finish()
}
