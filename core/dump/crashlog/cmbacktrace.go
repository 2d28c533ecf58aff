package crashlog

import (
	"cmp"
	"slices"
	"strings"

	"pushmask/core"
	"pushmask/core/dump/crash"
	"pushmask/core/dump/logtext"
)

// cmBacktrace reads the reports of CmBacktrace (cm_backtrace.c,
// github.com/armink/CmBacktrace), in English and Chinese. They have the words
// of a stack from SP on, and the registers of the exception frame without SP.
//
// SP is the address of the first word, with two exceptions: ports that do not
// skip the exception frame begin with its eight words, and old versions did not
// count the alignment word.
type cmBacktrace struct {
	report
	table    bool // of the registers
	firmware bool // headings that have come
	fault    bool
	stack    bool
	place    string // where it was: "Fault on thread main"
	first    uint32 // address of the first word
	hasFirst bool
	headed   bool // the heading of the stack came before it
	overflow bool // of the stack: the first word is not at SP
}

// cmbWords are the words that CmBacktrace's sentences consist of, by what they
// tell (cmb_zh_*.h and cm_backtrace.c).
var (
	cmbThread  = []string{"Fault on thread ", "Assert on thread "}
	cmbHandler = []string{
		"Fault on interrupt or bare metal", "Assert on interrupt or bare metal", "在中断或裸机环境下发生错误异常", "在中断或裸机环境下发生断言",
	}
	cmbStack     = []string{"Thread stack information", "Main stack information", "线程堆栈信息", "主堆栈信息"}
	cmbRegisters = []string{"Registers information", "寄存器信息"}
	cmbOverflow  = []string{"was overflow", "发生溢出"}
	cmbCause     = []string{" fault is caused by ", "错误，原因："}
	cmbEnd       = []string{"Dump call stack has an error", "获取函数调用栈失败"}
)

// narrow replaces the punctuation of Chinese by that of English.
var narrow = strings.NewReplacer("：", ":", "，", ",")

func containsAny(text string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}

var cmBacktraceFormat = format{
	name: "CmBacktrace report",
	begins: func(text string) bool {
		return cmbFirmware(text) || cmbHeading(text) || containsAny(text, cmbStack) && strings.Contains(text, "==") ||
			containsAny(text, cmbRegisters) && strings.Contains(text, "==")
	},
	read: func() reading { return &cmBacktrace{} },
}

func cmbFirmware(text string) bool {
	return strings.Contains(text, "Firmware name:") && strings.Contains(text, "hardware version:") ||
		strings.Contains(text, "固件名称") && strings.Contains(text, "硬件版本号")
}

// cmbHeading matches the line that says where the fault or assertion was.
func cmbHeading(text string) bool {
	text = strings.TrimSpace(text)
	for _, w := range cmbThread {
		if strings.HasPrefix(text, w) {
			return true
		}
	}
	return containsAny(text, cmbHandler) || strings.HasPrefix(text, "在线程(") && strings.Contains(text, "中发生")
}

func (c *cmBacktrace) take(line *logtext.Line) kind {
	text := strings.TrimSpace(line.Text)
	switch {
	case cmbFirmware(text):
		if c.firmware || c.fault || !c.empty() {
			return next
		}
		c.firmware = true
		name, _, _ := strings.Cut(narrow.Replace(text), ",")
		_, name, _ = strings.Cut(name, ":")
		c.Executable = strings.TrimSpace(name)
		return part
	case cmbHeading(text):
		if c.fault || !c.empty() {
			return next
		}
		c.heading(text)
		return part
	case containsAny(text, cmbStack):
		if c.hasFirst {
			return next
		}
		c.stack = true
		return part
	case containsAny(text, cmbRegisters):
		c.table = true
		return part
	case !c.fault && !c.stack && !c.table: // what is known of the firmware is printed when it starts, too
		return foreign
	case strings.HasPrefix(text, "====="):
		return part
	case strings.Contains(text, "addr2line -e"):
		c.command(text)
		return last
	case containsAny(text, cmbEnd):
		c.Details = append(c.Details, text)
		return last
	}
	if c.word(text) || c.address(text) || c.sentence(text) {
		return part
	}
	if r0, ok := c.regs.Get(core.R0); ok {
		if p := logtext.Pairs(text); len(p) > 0 && p[0].Name == "R0" && p[0].Hex() != r0 {
			return next
		}
	}
	if c.pairs(text) > 0 {
		return part
	}
	return foreign
}

// heading takes where the fault or assertion was.
func (c *cmBacktrace) heading(text string) {
	c.fault, c.place = true, text
	for _, w := range cmbThread {
		if name, ok := strings.CutPrefix(text, w); ok {
			c.thread.Name = strings.TrimSpace(name)
		}
	}
	if rest, ok := strings.CutPrefix(text, "在线程("); ok {
		c.thread.Name, _, _ = strings.Cut(rest, ")")
	}
	if strings.HasPrefix(text, "Assert") || strings.Contains(text, "断言") {
		c.Cause = "Assertion failed"
	}
}

// word takes "addr: 2000ffb0    data: 0000000a".
func (c *cmBacktrace) word(text string) bool {
	p := logtext.Pairs(text)
	if len(p) != 2 || p[0].Name != "addr" || p[1].Name != "data" {
		return false
	}
	if !c.hasFirst {
		c.first, c.hasFirst, c.headed = p[0].Hex(), true, c.stack
	}
	c.memory(core.Addr(p[0].Hex()), []uint32{p[1].Hex()})
	return true
}

// address takes the lines that print addresses among words.
func (c *cmBacktrace) address(text string) bool {
	at := strings.LastIndexAny(text, " ：")
	if at < 0 {
		return false
	}
	v, ok := logtext.Hex(strings.TrimPrefix(text[at:], "："))
	if !ok {
		v, ok = logtext.Hex(strings.TrimSpace(text[at:]))
	}
	switch {
	case ok && (strings.HasPrefix(text, "The memory management fault occurred address") || strings.HasPrefix(text, "发生存储器管理错误的地址")):
		c.faults.set("mmfar", v)
	case ok && (strings.HasPrefix(text, "The bus fault occurred address") || strings.HasPrefix(text, "发生总线错误的地址")):
		c.faults.set("bfar", v)
	case strings.Contains(text, "stack_start_addr:") && strings.Contains(text, "stack_end_addr:"):
		for _, p := range logtext.Pairs(text) {
			switch p.Name {
			case "stack_start_addr":
				c.thread.Stack.Low = core.Addr(p.Hex())
			case "stack_end_addr":
				c.thread.Stack.High = core.Addr(p.Hex())
			}
		}
	default:
		return false
	}
	return true
}

// sentence takes a cause, the first of which is the most telling.
func (c *cmBacktrace) sentence(text string) bool {
	switch {
	case containsAny(text, cmbCause):
		if c.Cause == "" {
			c.Cause = text
		} else {
			c.Details = append(c.Details, text)
		}
	case containsAny(text, cmbOverflow):
		c.Details = append(c.Details, text)
		c.overflow = true
		c.Warnf("the stack had overflowed: CmBacktrace prints no registers then")
	default:
		return false
	}
	return true
}

// command takes the addresses of the command that is proposed at the end. Old
// versions print return addresses less four, which are odd.
func (c *cmBacktrace) command(text string) {
	_, args, _ := strings.Cut(text, "addr2line -e")
	for i, f := range strings.Fields(args) {
		if i == 0 && c.Executable == "" {
			c.Executable = f
		}
		v, ok := logtext.Word(f)
		if !ok || i == 0 {
			continue
		}
		if v&1 != 0 {
			v += 4
		}
		c.AddCall(v, "")
	}
}

func (c *cmBacktrace) crash() *crash.Crash {
	if c.empty() && c.Backtrace == nil && (!c.fault || !c.overflow && !containsAny(c.Cause, cmbCause)) {
		return nil
	}
	c.setProfile(core.ProfileM)
	c.faulted = true
	c.Cause = cmp.Or(c.Cause, c.place)
	if c.hasFirst {
		c.stackPointer()
	}
	c.Truncated = !c.regs.Has(core.PC) || len(c.report.words) == 0
	return c.finish()
}

// stackPointer sets SP by the first word of the stack.
func (c *cmBacktrace) stackPointer() {
	psr, hasPSR := c.regs.Get(core.PSR)
	switch {
	case c.overflow || !hasPSR:
		// The words begin at the bound of the stack, or at the SP of an assertion
		// whose PC is not printed.
	case !c.headed:
		c.Warnf("SP is not known: the first word of the stack is not in the log")
	case c.frameAt(core.Addr(c.first)):
		sp := c.first + basicFrame
		if psr&xpsrPad != 0 {
			sp += 4
		}
		c.regs.Set(core.SP, sp)
	case psr&xpsrPad == 0 && c.first&7 != 0:
		// The frame is a multiple of eight, so a word before it is lost.
		c.Warnf("SP is not known: the first word of the stack is not in the log")
	default:
		c.regs.Set(core.SP, c.first)
		c.correctSP()
	}
}
