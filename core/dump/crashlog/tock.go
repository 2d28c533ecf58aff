package crashlog

import (
	"fmt"
	"strings"

	"pushmask/core"
	"pushmask/core/dump/crash"
	"pushmask/core/dump/logtext"
)

// tock reads the panics of Tock OS (kernel/src/debug.rs, arch/cortex-m and
// capsules/system/src/process_printer.rs, github.com/tock/tock): the registers of
// a hard fault in the kernel, with the names misspelled until 2024, and the
// registers and the memory of every process.
//
// Code of a process is moved to where there is room for it: its addresses are
// those of its own ELF only where that is linked for them. What is printed as SP
// is the address of the exception frame.
type tock struct {
	report
	tock     bool // a line that only Tock prints has come
	begun    bool
	kernel   bool // the registers are those of the kernel
	apps     bool // the processes are listed
	frame    uint32
	hasFrame bool
	app      *crash.Thread // that is being described
	number   string        // "App 0", in whose next line the state is: until 2017
}

// tockTitles are the letters before the name of a process, the older in bold.
var tockTitles = []string{"𝐀𝐩𝐩: ", "App: "}

var tockFormat = format{
	name: "Tock OS panic",
	begins: func(text string) bool {
		text = strings.TrimSpace(text)
		return panicHeading(text) || strings.HasPrefix(text, "---| ") || tockTitle(text) != ""
	},
	read: func() reading { return &tock{} },
}

// tockTitle returns "blink   -   [Faulted]" of the first line of a process.
func tockTitle(text string) string {
	for _, title := range tockTitles {
		if rest, ok := strings.CutPrefix(text, title); ok && strings.Contains(rest, "-   [") {
			return rest
		}
	}
	return ""
}

func (t *tock) take(line *logtext.Line) kind {
	text := strings.TrimSpace(line.Text)
	switch {
	case panicHeading(text):
		if t.begun || t.tock {
			return next
		}
		t.begun = true
		t.Cause, t.Location = panicWords(text)
		t.hardFault(text)
	case strings.HasPrefix(text, "Kernel version "), strings.HasPrefix(text, "---| "):
		t.tock = true
		t.apps = t.apps || strings.HasPrefix(text, "---| App Stat")
		if v, ok := strings.CutPrefix(text, "Kernel version "); ok {
			t.System = "Tock " + v
		}
	case t.hardFault(text):
		t.Cause = strings.Trim(text, `". `)
	case strings.HasPrefix(text, "App ") && len(text) < 8:
		t.number = text
	case t.number != "" && strings.HasPrefix(text, "[") && strings.Contains(text, "]  -  Events Queued:"):
		t.process(t.number + "   -   " + text)
		t.number = ""
	case tockTitle(text) != "":
		t.tock = true
		t.process(tockTitle(text))
	case t.begun && t.Cause == "" && !t.tock && isSaid(text): // since 2023 the message is on a line of its own
		t.Cause = strings.Trim(text, `"`)
	case t.tock && (t.bit(text) || t.kernelLine(text) || t.appLine(text)):
	default:
		return foreign
	}
	return part
}

// hardFault takes the line before the registers of the kernel.
func (t *tock) hardFault(text string) bool {
	if !strings.HasSuffix(text, "Kernel HardFault.") || t.kernel || t.apps {
		return false
	}
	t.tock, t.kernel = true, true
	return true
}

// kernelLine takes a register of the kernel: "r12 0x0", "prs 0x8000001e [ N 1".
func (t *tock) kernelLine(text string) bool {
	name, rest, ok := strings.Cut(text, " ")
	digits, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	v, isHex := logtext.Hex(digits)
	if !ok || !isHex || t.apps {
		return false
	}
	switch {
	case name == "sp":
		t.frame, t.hasFrame = v, true
	case name == "prs":
		t.set(core.PSR, v)
	default:
		reg, ok := register(name)
		if !ok {
			return t.faults.set(name, v)
		}
		t.set(reg, v)
	}
	return true
}

// bit takes what is said of the fault registers: "Faulting Memory Address:
// (valid: true) 0x20000000", and the bits that are true.
func (t *tock) bit(text string) bool {
	name, value, ok := strings.Cut(text, ":")
	value = strings.TrimSpace(value)
	address, valid := strings.CutPrefix(value, "(valid: true)")
	address = strings.TrimSpace(address)
	switch v, isHex := logtext.Hex(address); {
	case !ok:
		return false
	case value == "true":
		t.Details = append(t.Details, name)
	case value == "false":
	case strings.HasPrefix(value, "(valid: false)"):
	case valid && isHex && name == "Faulting Memory Address":
		t.faults.set("mmfar", v)
	case valid && isHex && name == "Bus Fault Address":
		t.faults.set("bfar", v)
	case strings.HasPrefix(name, "Fault Status Register (CFSR)") && isHex:
		t.faults.set("cfsr", v)
	case strings.HasPrefix(name, "Hard Fault Status Register (HFSR)") && isHex:
		t.faults.set("hfsr", v)
	default:
		return false
	}
	return true
}

// process takes "blink   -   [Faulted]".
func (t *tock) process(title string) {
	name, state, _ := strings.Cut(title, "-   [")
	state, _, _ = strings.Cut(state, "]")
	if len(t.Threads) == maxTockApps {
		t.Skip(title)
		return
	}
	t.Threads = append(t.Threads, crash.Thread{Thread: core.Thread{
		ID: core.ThreadID(len(t.Threads) + 1), Name: strings.TrimSpace(name), State: state, Faulted: true,
	}})
	t.app = &t.Threads[len(t.Threads)-1]
}

const maxTockApps = 256

// appLine takes the registers of a process, two in a line.
func (t *tock) appLine(text string) bool {
	if t.app == nil {
		return false
	}
	if strings.HasPrefix(text, "[") { // in lst file
		return strings.Contains(text, "in lst file]")
	}
	known := false
	for _, p := range logtext.Pairs(text) {
		const unreadable = 0xbad00bad
		reg, ok := register(p.Name)
		switch {
		case p.Name == "YPC":
			t.Details = append(t.Details, fmt.Sprintf("%s: PC at the last yield %#08x", t.app.Name, p.Hex()))
		case !ok:
			continue
		case reg == core.SP:
			t.Details = append(t.Details, fmt.Sprintf("%s: exception frame at %#08x", t.app.Name, p.Hex()))
		case p.Hex() == unreadable:
			if reg == core.PC {
				t.Warnf("the registers of %s could not be read: its stack pointer is not in its memory", t.app.Name)
			}
		case !t.app.Regs.Has(reg):
			v := p.Hex()
			if reg == core.PC {
				v &^= 1
			}
			t.app.Regs.Set(reg, v)
		}
		known = true
	}
	return known
}

func (t *tock) crash() *crash.Crash {
	if !t.tock {
		return nil
	}
	t.System = strings.TrimSpace(t.System)
	if t.System == "" {
		t.System = "Tock"
	}
	t.setProfile(core.ProfileM)
	t.faulted = true
	t.thread.Name = "kernel"
	if !t.kernel {
		if c := t.faultedApp(); c != nil {
			c.Crashed = true
			return t.finishOthers()
		}
	}
	if psr, ok := t.regs.Get(core.PSR); ok && t.hasFrame {
		// The kernel is built without floating-point instructions.
		sp := t.frame + basicFrame
		if psr&xpsrPad != 0 {
			sp += 4
		}
		t.regs.Set(core.SP, sp)
	}
	t.Truncated = t.kernel && !t.regs.Has(core.PC)
	return t.finish()
}

// faultedApp returns the process that brought the kernel to panic.
func (t *tock) faultedApp() *crash.Thread {
	for i := range t.Threads {
		if strings.HasPrefix(t.Threads[i].State, "Fault") {
			return &t.Threads[i]
		}
	}
	return nil
}
