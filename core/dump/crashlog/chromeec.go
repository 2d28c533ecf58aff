package crashlog

import (
	"fmt"
	"strings"

	"pushmask/core"
	"pushmask/core/dump/chromeec"
	"pushmask/core/dump/crash"
	"pushmask/core/dump/logtext"
)

// chromeEC reads what the Chrome EC prints of an exception
// (core/cortex-m/panic.c, github.com/coreboot/chrome-ec). Registers are those of
// the faulting instruction but for what is printed as sp, which is the address of
// the exception frame. The words of a process stack begin at SP.
type chromeEC struct {
	report
	begun     bool
	handler   bool // the exception was taken in a handler
	frame     uint32
	hasFrame  bool
	stack     bool // the heading of the stack has come
	words     uint32
	hasWords  bool
	exception uint32
}

var chromeECFormat = format{
	name:   "Chrome EC panic",
	begins: func(text string) bool { return chromeHeading(text) || chromeFirst(text) },
	read:   func() reading { return &chromeEC{} },
}

// chromeHeading matches "=== PROCESS EXCEPTION: 03 ====== xPSR: 61000000 ===".
func chromeHeading(text string) bool {
	return strings.Contains(text, "=== PROCESS EXCEPTION:") || strings.Contains(text, "=== HANDLER EXCEPTION:")
}

// chromeFirst matches "r0 :0000000b r1 :00000047 r2 :60000000 r3 :200012b5".
func chromeFirst(text string) bool {
	const form = "r0 :00000000 r1 :00000000 r2 :00000000 r3 :00000000"
	if len(text) != len(form) {
		return false
	}
	for i := range form {
		if digit := form[i] == '0' && i > 3 && form[i-1] != 'r'; digit && !isHex(text[i]) || !digit && text[i] != form[i] {
			return false
		}
	}
	return true
}

func (c *chromeEC) take(line *logtext.Line) kind {
	text := strings.TrimSpace(line.Text)
	switch {
	case chromeHeading(text):
		if c.begun || !c.empty() {
			return next
		}
		c.begun = true
		c.heading(text)
	case strings.Contains(text, "= Process Stack Contents ="):
		c.stack = true
	case chromeFirst(text) && c.hasFrame:
		return next
	case text == "Bad psp":
		return last
	case c.contents(text), c.registers(text):
	case c.Cause == "" && c.begun && chromeSentence(text):
		c.Cause = text
	default:
		return foreign
	}
	return part
}

// heading takes the exception and xPSR, which is printed as -1 where the frame
// could not be read.
func (c *chromeEC) heading(text string) {
	c.handler = strings.Contains(text, "HANDLER")
	for _, p := range logtext.Pairs(text) {
		switch {
		case strings.HasSuffix(p.Name, "EXCEPTION"):
			c.exception = p.Hex()
			c.Details = append(c.Details, fmt.Sprintf("exception %d", c.exception))
		case p.Word() == "xPSR" && p.Hex() != 0xffffffff:
			c.set(core.PSR, p.Hex())
		}
	}
}

// contents takes a row of the stack.
func (c *chromeEC) contents(text string) bool {
	row, ok := logtext.ReadRow(text)
	if !ok {
		return false
	}
	if c.stack && !c.hasWords {
		c.words, c.hasWords = row.Addr, true
	}
	c.memory(core.Addr(row.Addr), row.Words)
	return true
}

func (c *chromeEC) registers(text string) bool {
	known := false
	for _, p := range logtext.Pairs(text) {
		if p.Word() == "sp" {
			c.frame, c.hasFrame, known = p.Hex(), true, true
			continue
		}
		known = c.pair(p) || known
	}
	return known
}

// chromeSentence matches what the bits of the fault registers are put into.
func chromeSentence(text string) bool {
	for _, w := range []string{"violation", "bus error", "bus fault", "Undefined instructions", "Invalid state", "Invalid PC", "No coprocessor",
		"Unaligned", "Divide by 0", "Forced hard fault", "Breakpoint", "Debug event"} {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

func (c *chromeEC) crash() *crash.Crash {
	if c.empty() || !c.begun && !c.hasFrame {
		return nil
	}
	c.System = "Chrome EC"
	c.setProfile(core.ProfileM)
	c.faulted = true
	if r4, ok := c.regs.Get(core.R4); ok && chromeec.Reason(r4) != "" {
		c.Details = append(c.Details, c.Cause)
		c.Cause = chromeec.Reason(r4)
	}
	c.stackPointer()
	c.Truncated = !c.regs.Has(core.PC)
	return c.finish()
}

// stackPointer sets SP to where the words of the process stack begin, if that
// is where the exception frame ends.
func (c *chromeEC) stackPointer() {
	psr, ok := c.regs.Get(core.PSR)
	size := c.words - c.frame
	if psr&xpsrPad != 0 {
		size -= 4
	}
	switch {
	case !c.hasFrame:
	case ok && !c.handler && c.hasWords && (size == basicFrame || size == fpFrame):
		c.regs.Set(core.SP, c.words)
	default:
		c.Details = append(c.Details, fmt.Sprintf("exception frame at %v", core.Addr(c.frame)))
	}
}
