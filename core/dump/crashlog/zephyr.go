package crashlog

import (
	"strings"

	"pushmask/core"
	"pushmask/core/dump/crash"
	"pushmask/core/dump/logtext"
)

// zephyr reads the fatal errors of Zephyr, of all generations since 1.x
// (arch/arm/core/cortex_m/fault.c, arch/arm/core/fatal.c and kernel/fatal.c,
// github.com/zephyrproject-rtos/zephyr). The registers are those of the
// exception frame; SP is printed only with CONFIG_EXTRA_EXCEPTION_INFO, as the
// PSP on entry of the handler.
type zephyr struct {
	report
	headings []string // "HARD FAULT", "BUS FAULT"
	asserted bool
	psp      uint32
	hasPSP   bool
	invalid  bool // the report says that the frame is not valid
}

var zephyrFormat = format{
	name: "Zephyr fatal error",
	begins: func(text string) bool {
		_, ok := zephyrHeading(text)
		return ok || strings.HasPrefix(strings.TrimSpace(text), "ASSERTION FAIL [") ||
			zephyrInvalid(text) || strings.Contains(text, "r0/a1:") || strings.Contains(text, "r3/a4:") || strings.Contains(text, "(r15/pc):") || strings.Contains(text, ">>> ZEPHYR FATAL ERROR")
	},
	read: func() reading { return &zephyr{} },
}

// maxNoise is how many bytes of no meaning may stand before a heading.
const maxNoise = 8

// zephyrHeading returns what is between the stars of "***** BUS FAULT *****".
func zephyrHeading(text string) (string, bool) {
	text = strings.TrimSpace(text)
	if i := strings.IndexByte(text, '*'); i > 0 && i <= maxNoise && !isSaid(text[:i]) {
		text = text[i:] // what the line brought when it was switched on
	}
	in := strings.TrimSpace(strings.Trim(text, "*"))
	if !strings.HasPrefix(text, "****") || !strings.HasSuffix(text, "****") || in == "" {
		return "", false
	}
	upper := strings.ToUpper(in)
	for _, w := range []string{" FAULT", " ABORT", "RESERVED EXCEPTION", "HARDWARE EXCEPTION", "FATAL ERROR", "KERNEL OOPS", "KERNEL PANIC", "STACK CHECK FAIL", "KERNEL ALLOCATION FAILURE"} {
		if strings.Contains(upper, w) {
			return in, true
		}
	}
	return "", false
}

func (z *zephyr) take(line *logtext.Line) kind {
	text := strings.TrimSpace(line.Text)
	if h, ok := zephyrHeading(text); ok {
		return z.heading(h)
	}
	if rest, ok := strings.CutPrefix(text, "ASSERTION FAIL "); ok {
		if z.asserted || !z.empty() {
			return next
		}
		z.asserted = true
		cond, where, _ := strings.Cut(rest, " @ ")
		z.Cause, z.Location = "ASSERTION FAIL "+cond, strings.TrimSpace(where)
		return part
	}
	if z.repeats(text) {
		return next
	}
	switch {
	case strings.Contains(text, "Booting Zephyr OS"), strings.HasPrefix(text, "*** Using Zephyr OS"):
		return next
	case strings.HasPrefix(text, "Halting system"), strings.HasPrefix(text, "Fatal fault in "):
		return last
	case z.address(text) || z.registers(text):
		return part
	}
	return z.words(line.Text, text)
}

// heading takes a line of stars. An escalated fault has two, and the oldest
// generation says "Hardware exception" behind.
func (z *zephyr) heading(h string) kind {
	generic := strings.EqualFold(h, "Hardware exception")
	if !z.regs.Empty() && !generic || len(z.headings) > 3 {
		return next
	}
	z.headings = append(z.headings, h)
	switch upper := strings.ToUpper(h); {
	case strings.HasSuffix(upper, " ABORT"):
		z.setProfile(core.ProfileA)
	case strings.HasSuffix(upper, " FAULT"), strings.HasPrefix(upper, "RESERVED"):
		z.setProfile(core.ProfileM)
	}
	return part
}

// repeats reports whether a line has R0 again with another value: the
// registers of another error, whose heading was lost.
func (z *zephyr) repeats(text string) bool {
	r0, ok := z.regs.Get(core.R0)
	for _, p := range logtext.Pairs(text) {
		if p.Name == "r0/a1" {
			return ok && p.Hex() != r0
		}
	}
	return false
}

// registers takes a line of registers. SP is never among them, it would be the
// end of "psp" on a line that was cut; PSP is that of the handler, see
// [zephyr.stackPointers].
func (z *zephyr) registers(text string) bool {
	known := false
	for _, p := range logtext.Pairs(text) {
		if r, ok := register(p.Name); !ok || r != core.SP && r != core.PSP {
			known = z.pair(p) || known
		}
	}
	return known
}

// address takes the lines that print one address.
func (z *zephyr) address(text string) bool {
	pairs := logtext.Pairs(text)
	if len(pairs) == 0 {
		return false
	}
	p := pairs[len(pairs)-1]
	switch name := p.Name; {
	case strings.HasPrefix(name, "Faulting instruction address"):
		z.set(core.PC, p.Hex())
	case strings.HasSuffix(name, " Address"): // BFAR Address, MMFAR Address, SFAR Address
		return z.faults.set(strings.TrimSuffix(name, " Address"), p.Hex())
	case name == "EXC_RETURN":
		z.setReturn(p.Hex())
	case name == "psp":
		z.psp, z.hasPSP = p.Hex(), true
		z.registers(text)
	case strings.HasPrefix(name, "Current thread ID"), strings.HasPrefix(name, "Executing thread ID"):
	default:
		return false
	}
	return true
}

// words takes what is said in words. line has its indentation: the sentences
// behind a heading have two blanks.
func (z *zephyr) words(line, text string) kind {
	z.invalid = z.invalid || zephyrInvalid(text)
	switch {
	case strings.HasPrefix(text, ">>> ZEPHYR FATAL ERROR"):
		z.Details = append(z.Details, strings.TrimPrefix(text, ">>> "))
	case strings.HasPrefix(text, "Current thread:"):
		if _, name, ok := strings.Cut(text, "("); ok {
			if name = strings.TrimSuffix(name, ")"); name != "unknown" {
				z.thread.Name = name
			}
		}
	case strings.HasPrefix(text, "Fault during interrupt handling"):
		z.Details = append(z.Details, text)
	case strings.HasPrefix(text, "--- ") && strings.HasSuffix(text, "messages dropped ---"):
		z.Warnf("the logger dropped messages: %s", strings.Trim(text, "- "))
	case zephyrInvalid(text), z.isSentence(line):
		z.Details = append(z.Details, text)
	default:
		return foreign
	}
	return part
}

// isSentence reports whether a line is one of the sentences behind a heading:
// they have two blanks, and those of the A- and R-profile an address.
func (z *zephyr) isSentence(line string) bool {
	switch {
	case len(z.headings) == 0 && !z.asserted || z.regs.Has(core.R0):
		return false
	case z.ProfileKnown && z.Profile == core.ProfileA:
		return strings.Contains(line, " @ 0x")
	}
	return strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "\t")
}

// zephyrInvalid matches "Stack overflow (context area not valid)" and "Stacking
// error (context area might be not valid)".
func zephyrInvalid(text string) bool {
	_, rest, ok := strings.Cut(text, "(context area ")
	return ok && strings.Contains(rest, "not valid)")
}

func (z *zephyr) crash() *crash.Crash {
	if z.empty() {
		return nil
	}
	z.System = "Zephyr"
	z.faulted = true
	z.Truncated = !z.regs.Has(core.PC)
	if z.invalid {
		z.frameUntrue("the stack overflowed")
	} else {
		z.stackPointers()
	}
	z.cause()
	return z.finish()
}

// cause puts the most telling heading and the sentence behind it together.
func (z *zephyr) cause() {
	for i := len(z.headings) - 1; i >= 0 && z.Cause == ""; i-- {
		if !strings.EqualFold(z.headings[i], "Hardware exception") || i == 0 {
			z.Cause = z.headings[i]
		}
	}
	for i, d := range z.Details {
		switch {
		case z.Cause == "" && strings.HasPrefix(d, "ZEPHYR FATAL ERROR"):
			_, z.Cause, _ = strings.Cut(d, ": ")
			return
		case len(z.headings) > 0 && !strings.HasPrefix(d, "ZEPHYR FATAL ERROR") && !strings.HasPrefix(d, "Fault escalation"):
			z.Cause += ": " + d
			z.Details = append(z.Details[:i], z.Details[i+1:]...)
			return
		}
	}
}

// stackPointers sets SP and PSP from PSP on entry of the handler.
func (z *zephyr) stackPointers() {
	if !z.hasPSP || !z.hasReturn {
		return
	}
	if !z.excReturn.PSP() {
		z.regs.Set(core.PSP, z.psp)
		return
	}
	z.frameSP(z.psp)
	if sp, ok := z.regs.Get(core.SP); ok {
		z.regs.Set(core.PSP, sp)
	}
}
