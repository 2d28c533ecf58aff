package debugtext

import (
	"strconv"
	"strings"

	"pushmask/core"
	"pushmask/core/dump/logtext"
)

// prompts are what debuggers print before a command.
var prompts = []string{"(gdb)", "(lldb)", "J-Link>", "JLink>", "pyocd>", "pyOCD>", ">>>", ">"}

// cutPrompt returns a line without the prompts in front of it.
func cutPrompt(text string) (rest string, prompt bool) {
	for {
		trimmed := strings.TrimLeft(text, " \t")
		found := false
		for _, p := range prompts {
			if after, ok := strings.CutPrefix(trimmed, p); ok {
				text, prompt, found = strings.TrimLeft(after, " "), true, true
				break
			}
		}
		if !found {
			return text, prompt
		}
	}
}

// runs are the commands that make the machine run, of all debuggers.
var runs = map[string]bool{
	"c": true, "continue": true, "r": true, "run": true, "reset": true, "resume": true, "g": true, "go": true,
	"s": true, "step": true, "si": true, "stepi": true, "n": true, "next": true, "ni": true, "nexti": true,
	"finish": true, "fin": true, "until": true, "advance": true, "jump": true, "load": true, "start": true,
	"soft_reset_halt": true, "target": true, "process": true,
}

// ranOn recognises the lines that say that the machine ran and stopped, or runs,
// and returns why it stopped where they do.
func ranOn(text string) (reason string, ok bool) {
	switch {
	case strings.Contains(text, "halted ") && strings.Contains(text, "due to "):
		return strings.TrimSpace(text), true
	case strings.HasPrefix(text, "Program received signal "), strings.HasPrefix(text, "Program stopped"),
		strings.HasPrefix(text, "Thread ") && strings.Contains(text, " received signal "),
		strings.HasPrefix(text, "Breakpoint ") && strings.Contains(text, ", "),
		strings.HasPrefix(text, "Continuing."):
		return strings.TrimSpace(text), true
	}
	return "", false
}

// openOCDRegister recognises a line of OpenOCD's reg:
//
//	(13) sp (/32): 0x20000708 (dirty)
//	(24) d0 (/64): 0x0000000040400000
//	(23) dwt_ctrl (/32)
//	pc (/32): 0x08002264
func openOCDRegister(text string) (fact, bool) {
	i := strings.Index(text, " (/")
	if i <= 0 || i > 40 {
		return fact{}, false
	}
	name := text[:i]
	if end := strings.IndexByte(name, ')'); name[0] == '(' && end > 0 {
		name = strings.TrimLeft(name[end+1:], " ")
	}
	size, rest, ok := strings.Cut(text[i+3:], ")")
	if _, number := logtext.Decimal(size); !ok || !number {
		return fact{}, false
	}
	f := fact{tool: "OpenOCD"}
	digits, ok := strings.CutPrefix(rest, ": 0x")
	if !ok {
		return f, rest == "" // a register without a value
	}
	v, err := strconv.ParseUint(digits[:hexLen(digits)], 16, 64)
	if err != nil {
		return fact{}, false
	}
	if reg, known := lookup(name); known || isDouble(name) {
		f.regs = wide(name, reg, known, v)
	} else if mode, banked, ok := core.LookupBanked(name); ok {
		f.regs = []value{{v: uint32(v), mode: mode, banked: banked}}
	}
	return f, true
}

// haltRegisters recognises what OpenOCD says when the machine stopped:
//
//	xPSR: 0x01000003 pc: 0x08002264 msp: 0x20000708
//	cpsr: 0x600001d3 pc: 0x00008000
//
// The stack pointer that is named is the one in use.
func haltRegisters(text string) (fact, bool) {
	if !strings.HasPrefix(text, "xPSR: 0x") && !strings.HasPrefix(text, "cpsr: 0x") || !strings.Contains(text, " pc: 0x") {
		return fact{}, false
	}
	f := fact{tool: "OpenOCD"}
	for _, p := range logtext.Pairs(text) {
		reg, ok := core.LookupReg(p.Word())
		if !ok {
			continue
		}
		f.regs = append(f.regs, value{reg: reg, v: p.Hex()})
		if reg == core.MSP || reg == core.PSP {
			f.regs = append(f.regs, value{reg: core.SP, v: p.Hex()})
		}
	}
	return f, true
}

// heading recognises the headings of lists whose lines have no form of their
// own.
func heading(text string) (fact, bool) {
	switch strings.TrimSpace(text) {
	case "General Purpose Registers:", "Floating Point Registers:", "Core Registers:":
		return fact{heading: "lldb"}, true
	case "general registers:", "system registers:", "float registers:", "register group: general":
		return fact{heading: "pyOCD"}, true
	}
	return fact{}, false
}

// jlinkHeading recognises the first line of J-Link's regs and halt:
//
//	PC = 0000046A, CycleCnt = 035D0347
//	PC: (R15) = 00000000, CPSR = 000001D3 (SVC mode, ARM FIQ dis. IRQ dis.)
func jlinkHeading(text string) (fact, bool) {
	if strings.HasPrefix(text, "PC = ") && strings.Contains(text, "CycleCnt") || strings.HasPrefix(text, "PC: (R15) = ") {
		text = strings.Replace(text, "PC: (R15)", "PC", 1)
		f := fact{tool: "J-Link", heading: "J-Link", regs: pairs(text)}
		return f, len(f.regs) > 0
	}
	return fact{}, false
}

// inList recognises a line of a list with a heading.
func (r *reader) inList(text string) (fact, bool) {
	f := fact{tool: r.tool}
	switch r.tool {
	case "J-Link":
		return r.jlinkList(text)
	case "lldb":
		name, rest, ok := strings.Cut(strings.TrimSpace(text), " = ")
		if m := otherMachines[name]; ok && m != "" {
			f.machine = m
			return f, true
		}
		if reg, known := lookup(name); ok && known && strings.HasPrefix(rest, "0x") {
			if v, err := strconv.ParseUint(rest[2:2+hexLen(rest[2:])], 16, 32); err == nil {
				f.regs = []value{{reg: reg, v: uint32(v)}}
			}
		}
	case "pyOCD":
		f.regs = pyOCDRegisters(text)
	}
	return f, len(f.regs) > 0
}

// pairs reads "R0 = 00000000, SP(R13)= 20100CB0, R14(LR) = 0000036D".
func pairs(text string) []value {
	var out []value
	for _, p := range logtext.Pairs(text) {
		name := strings.TrimLeft(p.Name, " ,")
		if i := strings.IndexByte(name, '('); i > 0 {
			name = name[:i]
		}
		if reg, ok := lookup(name[strings.LastIndexByte(name, ' ')+1:]); ok {
			out = append(out, value{reg: reg, v: p.Hex()})
		}
	}
	return out
}

// jlinkList recognises a line of J-Link's regs. On A- and R-profile cores the
// registers of modes follow those of all, with the mode in front of their first
// line:
//
//	USR: R8 =00000009, R9 =0000000A, R10=0000000B, R11 =0000000C, R12 =0000000D
//	     R13=00106000, R14=00000000
//	IRQ: R13=00105F80, R14=00008055, SPSR=00000010
func (r *reader) jlinkList(text string) (fact, bool) {
	f := fact{tool: "J-Link"}
	text = strings.TrimSpace(text)
	if text == "Current:" {
		r.mode = ""
		return f, true
	}
	if mode, rest, ok := strings.Cut(text, ": "); ok && jlinkModes[mode] {
		r.mode, text = mode, rest
	}
	mode, last := r.mode, strings.HasPrefix(text, "R13")
	if mode == "" && !last {
		f.regs = pairs(text)
		return f, len(f.regs) > 0
	}
	if last {
		r.mode = noMode
	}
	f.regs = bankedPairs(text, mode)
	if mode == "USR" {
		for _, v := range pairs(text) {
			if v.reg >= core.R8 && v.reg <= core.R12 {
				f.regs = append(f.regs, v)
			}
		}
	}
	return f, len(f.regs) > 0 || strings.HasPrefix(text, "R8 =")
}

// noMode is the mode of lines whose mode is on a line that is missing.
const noMode = "none"

var jlinkModes = map[string]bool{"USR": true, "FIQ": true, "IRQ": true, "SVC": true, "ABT": true, "UND": true}

// bankedPairs reads "R13=00000000, R14=00000000, SPSR=00000010" of a mode.
func bankedPairs(text, mode string) []value {
	var out []value
	for _, p := range logtext.Pairs(text) {
		if m, reg, ok := core.LookupBanked(p.Word() + "_" + mode); ok {
			out = append(out, value{v: p.Hex(), mode: m, banked: reg})
		}
	}
	return out
}

// pyOCDRegisters reads columns of "r0: 0x00000000 (0)" and, of a
// floating-point register, "s0: 1.5 (0x3fc00000)".
func pyOCDRegisters(text string) []value {
	var out []value
	words := strings.Fields(text)
	for i := 0; i+1 < len(words); i++ {
		name, ok := strings.CutSuffix(words[i], ":")
		reg, known := lookup(name)
		if !ok || !known {
			continue
		}
		v, isHex := strings.CutPrefix(words[i+1], "0x")
		if !isHex && i+2 < len(words) {
			v, isHex = strings.CutPrefix(strings.Trim(words[i+2], "()"), "0x")
		}
		if n, ok := logtext.Hex(v); ok && isHex {
			out = append(out, value{reg: reg, v: n})
		}
	}
	return out
}
