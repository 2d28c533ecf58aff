package crashlog

import (
	"strings"

	"pushmask/core"
	"pushmask/core/dump/crash"
	"pushmask/core/dump/logtext"
)

// linux reads the oopses of 32-bit ARM kernels (arch/arm/kernel/traps.c,
// process.c and arch/arm/mm/fault.c, github.com/torvalds/linux): all registers,
// the kernel's stack from SP on, instructions around the PC, and the stack that
// the kernel's own unwinder found. The registers are those of the faulting
// instruction; r11 is called fp and r12 ip.
type linux struct {
	report
	headed bool // a line before the registers has come
	died   bool // "Internal error:"
	regsOf bool // registers have come
	block  linuxBlock
	refuse string // architecture that is not ours
}

var linuxFormat = format{
	name:    "Linux kernel oops",
	begins:  linuxHeading,
	read:    func() reading { return &linux{} },
	records: true,
}

// linuxHeading matches the lines that begin an oops; that of the registers may
// be the first that was kept.
func linuxHeading(text string) bool {
	for _, head := range []string{"Unable to handle kernel ", "Internal error: ", "Unhandled fault: ", "PC is at ", "pc : ["} {
		if strings.HasPrefix(text, head) {
			return true
		}
	}
	return strings.HasPrefix(text, "8<--- cut here ---") || ubootHeading(text)
}

// ubootHeading matches what U-Boot prints before the same registers
// (arch/arm/lib/interrupts.c, github.com/u-boot/u-boot).
func ubootHeading(text string) bool {
	switch text {
	case "data abort", "prefetch abort", "undefined instruction", "software interrupt", "not used", "fast interrupt request":
		return true
	}
	return false
}

func (l *linux) take(line *logtext.Line) kind {
	text := strings.TrimSpace(line.Text)
	switch {
	case l.block.row(text):
		return part
	case strings.HasPrefix(text, "---[ end trace"):
		return last
	case ubootHeading(text):
		if l.headed || l.died || l.regsOf {
			return next
		}
		l.headed, l.Cause, l.System = true, text, "U-Boot"
	case strings.HasPrefix(text, "Resetting CPU"):
		l.System = "U-Boot"
		return last
	case strings.HasPrefix(text, "8<--- cut here"), strings.HasPrefix(text, "Unable to handle kernel "), strings.HasPrefix(text, "Unhandled fault: "):
		if l.died || l.regsOf || l.headed && l.Cause != "" {
			return next
		}
		l.headed = true
		if !strings.HasPrefix(text, "8<---") {
			l.Cause = text
		}
	case strings.HasPrefix(text, "Internal error: "):
		if l.died || l.regsOf {
			return next
		}
		l.died = true
		l.internal(text)
	case l.refuse != "":
		return l.foreignArch(text)
	case strings.HasPrefix(text, "PC is at "), strings.HasPrefix(text, "LR is at "), strings.HasPrefix(text, "reloc pc : "):
		l.Details = append(l.Details, text)
	case l.stackLine(text), l.backtraceLine(text), l.codeLine(text), l.describes(text):
	default:
		return l.registers(text)
	}
	return part
}

// internal takes "Internal error: Oops: 17 [#2] PREEMPT SMP ARM".
func (l *linux) internal(text string) {
	if l.Cause == "" {
		l.Cause = strings.TrimPrefix(text, "Internal error: ")
	} else {
		l.Details = append(l.Details, text)
	}
	words := strings.Fields(text)
	if n := len(words); n > 0 && words[n-1] != "ARM" && words[n-1] != "THUMB2" {
		// AArch64 says only PREEMPT and SMP, and has wider addresses: see registers.
		return
	}
	l.setProfile(core.ProfileA)
}

// describes takes what is told of the machine and the process.
func (l *linux) describes(text string) bool {
	switch {
	case strings.HasPrefix(text, "CPU: "):
		l.cpu(text)
	case strings.HasPrefix(text, "Process ") && strings.Contains(text, "(pid: "):
		l.process(text)
	case strings.HasPrefix(text, "Hardware name: "), strings.HasPrefix(text, "Modules linked in:"), strings.HasPrefix(text, "Workqueue: "),
		strings.HasPrefix(text, "Flags: "), strings.HasPrefix(text, "Control: "), strings.HasPrefix(text, "pgd = "),
		strings.HasPrefix(text, "Backtrace:"), strings.HasPrefix(text, "Call trace:"),
		strings.HasPrefix(text, "["), strings.HasPrefix(text, "Register ") && strings.Contains(text, " information"):
		if !strings.HasPrefix(text, "[") || strings.Contains(text, "*pgd=") {
			l.Details = append(l.Details, text)
			return true
		}
		return false
	default:
		return false
	}
	return true
}

// cpu takes "CPU: 0 PID: 7690 Comm: htop Tainted: G 5.4.79+ #1373", and before
// 3.9 "CPU: 0    Not tainted  (2.6.38.2 #1)".
func (l *linux) cpu(text string) {
	_, rest, ok := strings.Cut(text, "PID: ")
	if id, _, _ := strings.Cut(rest, " "); ok {
		if n, isNumber := logtext.Decimal(id); isNumber {
			l.thread.ID = core.ThreadID(n)
		}
	}
	if _, rest, ok = strings.Cut(text, "Comm: "); ok && l.thread.Name == "" {
		l.thread.Name = rest
		for _, end := range []string{" Not tainted", " Tainted:"} {
			l.thread.Name, _, _ = strings.Cut(l.thread.Name, end)
		}
	}
	fields := strings.Fields(text)
	for i, f := range fields {
		if i > 0 && len(f) > 1 && f[0] == '#' && f[1] >= '0' && f[1] <= '9' { // the number of the build
			l.System = "Linux " + strings.TrimLeft(fields[i-1], "(")
			return
		}
	}
}

// process takes "Process htop (pid: 7690, stack limit = 0xcd008188)".
func (l *linux) process(text string) {
	name, rest, _ := strings.Cut(strings.TrimPrefix(text, "Process "), " (pid: ")
	id, _, _ := strings.Cut(rest, ",")
	if n, ok := logtext.Decimal(id); ok && l.thread.ID == 0 {
		l.thread.ID = core.ThreadID(n)
	}
	if l.thread.Name == "" {
		l.thread.Name = name
	}
}

// registers takes "pc : [<c01f3218>]    lr : [<c01f32a0>]    psr: 60000013" and
// the lines of the other registers.
func (l *linux) registers(text string) kind {
	if strings.HasPrefix(text, "pc : ") {
		if l.regsOf {
			return next
		}
		l.regsOf = true
		if isAArch64(text) {
			l.refuse = "AArch64"
			return part
		}
		l.setProfile(core.ProfileA)
		text = strings.NewReplacer("[<", "", ">]", "", "[", "", "]", "").Replace(text)
	} else if !l.regsOf {
		return foreign
	}
	// Behind the calls of a printed stack stand the registers that they saved:
	// "r10:ffffe000 r9:81556000".
	pairs := logtext.Pairs(text)
	if !strings.Contains(text, ": ") {
		return foreign
	}
	for _, p := range pairs {
		if reg, ok := register(p.Name); !ok || len(p.Digits) != 8 {
			return foreign
		} else if !l.regs.Has(reg) {
			l.set(reg, p.Hex())
		}
	}
	if len(pairs) == 0 {
		return foreign
	}
	return part
}

// isAArch64 reports whether the line with the PC is of a 64-bit kernel: the
// address has sixteen digits or, since 4.15, is a symbol.
func isAArch64(text string) bool {
	rest := strings.TrimPrefix(strings.TrimPrefix(text, "pc : "), "[<")
	rest = strings.TrimPrefix(rest, "[")
	n := 0
	for n < len(rest) && isHex(rest[n]) {
		n++
	}
	return n > 8 || n < len(rest) && isNameByte(rest[n])
}

// foreignArch takes the lines of an oops that is refused.
func (l *linux) foreignArch(text string) kind {
	if len(text) > 3 && (text[0] == 'x' || strings.HasPrefix(text, "sp :")) && strings.Contains(text, ": ") {
		return part
	}
	return foreign
}

func (l *linux) crash() *crash.Crash {
	if l.refuse != "" {
		return &crash.Crash{Refused: crash.NotARM(l.refuse), System: l.System, Told: l.Told}
	}
	if !l.regsOf || !l.ProfileKnown {
		return nil
	}
	l.System = strings.TrimSpace(l.System)
	if l.System == "" {
		l.System = "Linux"
	}
	l.faulted = true
	l.Truncated = !l.regs.Has(core.PC) || len(l.report.words) == 0
	return l.finish()
}
