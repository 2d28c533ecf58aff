package crashlog

import (
	"cmp"
	"strings"

	"pushmask/core"
	"pushmask/core/dump/crash"
	"pushmask/core/dump/logtext"
)

// nuttx reads what NuttX prints on a panic and a failed assertion, of all
// generations since 2014 (arch/arm/src/common/arm_registerdump.c and
// sched/misc/assert.c, github.com/apache/nuttx, and their predecessors
// up_assert.c and arm_assert.c).
//
// Lines carry the name of the function that printed them, or none. Registers
// are rows of eight words, or pairs in which FP is R7 in Thumb code and R11 in
// ARM code. They are those before the exception; only SP has to be corrected,
// because the handler leaves the alignment word of the hardware out
// (arm_exception.S: "ignoring the xPSR[9] alignment bit").
type nuttx struct {
	report
	asserted bool // the line of the assertion has come
	stack    nuttxStack
	stacks   []nuttxStack
	tasks    nuttxTasks
	trace    nuttxTrace
	entered  bool   // a register row has come
	machine  string // that is not ARM, by the names of its registers
}

var nuttxFormat = format{
	name: "NuttX crash log",
	begins: func(text string) bool {
		for _, name := range nuttxPrinters {
			if strings.HasPrefix(strings.TrimLeft(text, " "), name) {
				return true
			}
		}
		text = nuttxText(text)
		return nuttxAssertion(text) || strings.Contains(text, "PANIC!!!") || nuttxFault(text) || strings.HasPrefix(text, "Current Version: NuttX")
	},
	read: func() reading { return &nuttx{} },
}

// nuttxPrinters are the functions that print registers.
var nuttxPrinters = []string{"up_registerdump: ", "arm_registerdump: ", "up_dump_register: "}

// nuttxText removes the name of the function that printed a line: a lower case
// name with an underscore, "up_dump_register: ".
func nuttxText(text string) string {
	text = strings.TrimSpace(text)
	name, rest, ok := strings.Cut(text, ": ")
	if !ok || strings.IndexByte(name, '_') < 0 || strings.ToLower(name) != name || strings.ContainsAny(name, " \t(") {
		return text
	}
	return strings.TrimSpace(rest)
}

// nuttxAssertion matches the line that names file and task: "Assertion failed
// panic: at file: F:1 task: T", "Assertion failed at file:F line: 1 task: T".
func nuttxAssertion(text string) bool {
	_, rest, ok := strings.Cut(text, "Assertion failed")
	return ok && strings.Contains(rest, "at file:") && !strings.Contains(text, "Type:")
}

// nuttxFault matches the lines before it that tell which fault it was.
func nuttxFault(text string) bool {
	switch {
	case strings.HasPrefix(text, "Hard Fault:"), strings.HasPrefix(text, "Hard Fault escalation:"):
		return true
	case strings.HasPrefix(text, "Data abort. PC:"), strings.HasPrefix(text, "Prefetch abort. PC:"),
		strings.HasPrefix(text, "Undefined instruction at 0x"):
		return true
	}
	return false
}

func (n *nuttx) take(line *logtext.Line) kind {
	text := nuttxText(line.Text)
	switch {
	case nuttxAssertion(text):
		if n.asserted {
			return next
		}
		n.asserted = true
		n.assertion(text)
		return part
	case strings.Contains(text, "PANIC!!!") || nuttxFault(text):
		if n.asserted || n.entered {
			return next
		}
		n.fault(text)
		return part
	case strings.Contains(text, "NuttShell (NSH)"), strings.HasSuffix(text, "Start coredump:"), n.otherRegisters(text):
		return next
	case n.stackLine(text), n.registers(text), n.tasks.take(text), n.trace.take(line, text), n.row(text), n.maskedRow(text):
		return part
	}
	return n.other(text)
}

// assertion takes file, line, and the name of the task.
func (n *nuttx) assertion(text string) {
	_, text, _ = strings.Cut(text, "Assertion failed")
	reason, rest, _ := strings.Cut(text, "at file:")
	where, task, _ := strings.Cut(strings.TrimSpace(rest), "task")
	if _, name, ok := strings.Cut(task, ":"); ok {
		name, _, _ = strings.Cut(name, " process:")
		n.thread.Name = nuttxTaskName(name)
	}
	file, line, _ := strings.Cut(strings.TrimSpace(strings.NewReplacer(" line:", ":", " line ", ":").Replace(where)), ":")
	line = strings.Trim(line, " :")
	if _, number := logtext.Decimal(line); number && file != "" { // a panic names no file
		n.Location = strings.TrimSpace(file) + ":" + line
	}
	switch reason = strings.Trim(reason, " :"); {
	case n.Cause != "":
	case reason == "panic":
		n.Cause = reason
	default:
		n.Cause = strings.TrimSpace("Assertion failed " + reason)
	}
}

// nuttxTaskName removes the entry address behind a name: "sh 0x802f4f1". A
// task without a name has only that.
func nuttxTaskName(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.LastIndex(s, " 0x"); i >= 0 {
		s = strings.TrimSpace(s[:i])
	}
	if strings.HasPrefix(s, "0x") {
		return ""
	}
	return s
}

// fault takes a line that says which exception it was.
func (n *nuttx) fault(text string) {
	for _, p := range logtext.Pairs(text) {
		switch strings.ToLower(p.Name[strings.LastIndexAny(p.Name, "!:.")+1:]) {
		case " hard fault": // the value of HFSR, until 2021
			n.faults.set("hfsr", p.Hex())
		case " pc":
			n.setProfile(core.ProfileA)
			n.set(core.PC, p.Hex())
		default:
			n.faults.set(p.Word(), p.Hex())
		}
	}
	if strings.HasPrefix(text, "Undefined instruction at ") {
		n.setProfile(core.ProfileA)
	}
	if _, what, ok := strings.Cut(text, "PANIC!!!"); ok {
		text = strings.TrimSpace(what)
	}
	text, _, _ = strings.Cut(text, ":")
	text = strings.TrimSuffix(text, ". PC")
	if text != "" && (n.Cause == "" || strings.HasPrefix(n.Cause, "Hard Fault")) {
		n.Cause = strings.TrimSpace(text)
	}
}

// registers takes a line of registers or fault registers.
func (n *nuttx) registers(text string) bool {
	if n.wordRow(text, "R0:", core.R0) || n.wordRow(text, "R8:", core.R8) {
		n.entered = true
		return true
	}
	pairs := logtext.Pairs(text)
	for _, p := range pairs {
		if m := otherRegisters[p.Name]; m != "" {
			n.machine = m
		}
	}
	thumb := len(pairs) > 0 && strings.EqualFold(pairs[0].Name, "R4")
	handler := strings.Contains(text, "IPSR:")
	known := 0
	for _, p := range pairs {
		switch name := strings.ToUpper(p.Word()); {
		case name == "EXC_RETURN":
			n.setReturn(p.Hex())
		case handler && (name == "BASEPRI" || name == "PRIMASK" || name == "IPSR") || name == "CONTROL":
			// These are of the handler that prints.
		case name == "FP" && thumb:
			n.set(core.R7, p.Hex())
		case !n.pair(p):
			continue
		case name == "XPSR":
			n.setProfile(core.ProfileM)
		case name == "CPSR":
			n.setProfile(core.ProfileA)
		case name == "R0" || name == "PC":
			n.entered = true
		}
		known++
	}
	return known > 0 && known == len(pairs)
}

// otherRegisters reports whether a line has R0 again with another value: the
// registers of another crash, whose heading was lost.
func (n *nuttx) otherRegisters(text string) bool {
	p := logtext.Pairs(text)
	r0, ok := n.regs.Get(core.R0)
	return ok && len(p) > 0 && p[0].Name == "R0" && p[0].Hex() != r0
}

// wordRow takes eight registers in a row, as until 2022.
func (n *nuttx) wordRow(text, name string, first core.Reg) bool {
	rest, ok := strings.CutPrefix(text, name)
	if !ok {
		return false
	}
	words, _ := logtext.Words(rest)
	if len(words) < 2 {
		return false
	}
	for i, w := range words[:min(len(words), 8)] {
		n.set(first+core.Reg(i), w)
	}
	return true
}

// other takes the lines that are neither registers nor memory.
func (n *nuttx) other(text string) kind {
	switch {
	case strings.HasPrefix(text, "Current Version:"):
		n.System = strings.Join(strings.Fields(strings.TrimPrefix(text, "Current Version:")), " ")
	case strings.HasSuffix(text, "Reason:"):
	case strings.Contains(text, "tack pointer") && strings.Contains(text, "not within"):
		n.Details = append(n.Details, strings.TrimPrefix(text, "ERROR: "))
	case strings.HasPrefix(text, "IRQ: ") && strings.Contains(text, "regs:"):
	case strings.Contains(text, "ERROR: Stack pointer"):
		n.Details = append(n.Details, text)
	case !n.entered && n.isReason(text):
		n.Details = append(n.Details, text)
	default:
		return foreign
	}
	return part
}

// nuttxReasons are beginnings of the sentences that explain a fault
// (arch/arm/src/armv7-m/arm_busfault.c, arm_memfault.c, arm_usagefault.c).
var nuttxReasons = []string{
	"Instruction bus error", "Instruction access violation", "Precise data bus error", "Imprecise data bus error",
	"BusFault on", "Memory", "MemManage", "MPU", "Floating-point", "Undefined instruction", "Data access violation",
	"Invalid state", "Invalid PC", "No coprocessor", "Unaligned access", "Divide by zero", "Stack overflow",
	"Debug event", "Forced", "Vector", "Attempt", "Derived", "Integrity", "Instruction fetch",
}

func (n *nuttx) isReason(text string) bool {
	for _, r := range nuttxReasons {
		if strings.HasPrefix(strings.ToLower(text), strings.ToLower(r)) {
			return true
		}
	}
	return false
}

// nuttxMachines are the machines that the line with the version ends with
// (CONFIG_ARCH), apart from "arm".
var nuttxMachines = map[string]string{
	"risc-v": "RISC-V", "xtensa": "Xtensa", "arm64": "AArch64", "x86": "x86", "x86_64": "x86-64", "mips": "MIPS", "avr": "AVR", "sim": "the simulator",
	"sparc": "SPARC", "renesas": "Renesas", "tricore": "TriCore", "hc": "HC", "z80": "Z80", "z16": "Z16", "or1k": "OpenRISC", "ceva": "CEVA", "misoc": "MiSoC",
}

func (n *nuttx) crash() *crash.Crash {
	machine := nuttxMachines[n.System[strings.LastIndexByte(n.System, ' ')+1:]]
	if machine = cmp.Or(machine, n.machine); machine != "" {
		return &crash.Crash{Refused: crash.NotARM(machine), System: n.System, Told: n.Told}
	}
	if n.Location == "" && n.empty() {
		return nil
	}
	if n.hasReturn {
		n.setProfile(core.ProfileM)
	}
	if n.profile() == core.ProfileM {
		n.correctSP()
	}
	n.faulted = true
	n.endStack()
	n.placeStacks()
	n.Backtrace = n.trace.told.Backtrace
	n.Truncated = !n.regs.Has(core.PC) || !n.regs.Has(core.SP) || len(n.report.words) == 0
	for _, t := range n.tasks.rows {
		if n.isCrashed(t) {
			n.thread.ID, n.thread.State, n.thread.Priority, n.thread.HasPriority = t.ID, t.State, t.Priority, t.HasPriority
			if t.Stack.Known() {
				n.thread.Stack = t.Stack
			}
			n.thread.Name = t.Name
			continue
		}
		n.Threads = append(n.Threads, crash.Thread{Thread: t})
	}
	return n.finish()
}

// isCrashed reports whether a row of the task table is of the task that
// crashed: it runs, or has its name where none runs.
func (n *nuttx) isCrashed(t core.Thread) bool {
	if n.thread.ID != 0 {
		return false
	}
	if t.Stack.Known() && n.regs.Has(core.SP) {
		sp := core.Addr(n.regs.Value(core.SP))
		if sp >= t.Stack.Low && sp <= t.Stack.High {
			return true
		}
	}
	name, _, _ := strings.Cut(t.Name, " ")
	return n.thread.Name != "" && (t.Name == n.thread.Name || name == n.thread.Name) && (t.State == "" || t.State == "Running")
}
