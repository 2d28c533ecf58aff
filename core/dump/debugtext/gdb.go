package debugtext

import (
	"fmt"
	"strconv"
	"strings"

	"pushmask/core"
	"pushmask/core/dump/crash"
	"pushmask/core/dump/logtext"
)

// gdbRegister recognises a line of gdb's info registers and info all-registers:
// the name, the value in hexadecimal, and the same value in the register's own
// form, which proves that the line is one:
//
//	r1             0x1364              4964
//	pc             0xdc                0xdc <HardFault_Handler>
//	s1             1                   (raw 0x3f800000)
//	d0             {u8 = {...}, ..., u64 = 0x40400000, f32 = ...}
func gdbRegister(text string) (fact, bool) {
	end := strings.IndexAny(text, " \t")
	if end < 2 || end > 12 || text[0] == ' ' {
		return fact{}, false
	}
	name, rest := text[:end], strings.TrimLeft(text[end:], " \t")
	if m := otherMachines[name]; m != "" && strings.HasPrefix(rest, "0x") {
		return fact{tool: "gdb", machine: m}, true
	}
	reg, known := lookup(name)
	if !known && !isDouble(name) {
		return fact{}, false
	}
	if raw, ok := rawValue(rest); ok {
		return fact{tool: "gdb", regs: wide(name, reg, known, raw)}, true
	}
	if rest == "<unavailable>" {
		return fact{tool: "gdb"}, true
	}
	if !known || !strings.HasPrefix(rest, "0x") {
		return fact{}, false
	}
	value := rest
	if i := strings.IndexAny(rest, " \t"); i >= 0 {
		value = rest[:i]
	}
	v, err := strconv.ParseUint(value[2:], 16, 32)
	if err != nil || !isNatural(strings.Trim(rest[len(value):], " \t"), uint32(v)) {
		return fact{}, false
	}
	return fact{tool: "gdb", regs: wide(name, reg, known, v)}, true
}

// otherMachines are the machines that have a register of the name, of which no
// 32-bit ARM has one.
var otherMachines = func() map[string]string {
	m := map[string]string{
		"rax": "x86-64", "rip": "x86-64", "eax": "x86", "eip": "x86", "eflags": "x86",
		"ra": "RISC-V", "zero": "RISC-V", "gp": "RISC-V", "windowbase": "Xtensa", "sar": "Xtensa",
	}
	for i := range 31 {
		m[fmt.Sprintf("x%d", i)] = "AArch64"
	}
	return m
}()

// isNatural reports whether text is a value in the form of its register: signed
// or unsigned decimal, hexadecimal with a symbol, or flags.
func isNatural(text string, v uint32) bool {
	word := text
	if i := strings.IndexByte(text, ' '); i >= 0 {
		word = text[:i]
	}
	switch {
	case strings.HasPrefix(word, "0x"):
		n, ok := logtext.Hex(word)
		return ok && n == v
	case strings.HasPrefix(word, "["):
		return true
	}
	n, err := strconv.ParseInt(word, 10, 64)
	return err == nil && uint32(n) == v && n >= -1<<31 && n < 1<<32
}

// rawValue returns the bits of a floating-point register: "(raw 0x...)", or
// the member u64 or u32 of a union.
func rawValue(text string) (uint64, bool) {
	for _, mark := range []string{"(raw 0x", "u64 = 0x", "u32 = 0x"} {
		i := strings.Index(text, mark)
		if i < 0 {
			continue
		}
		digits := text[i+len(mark):]
		v, err := strconv.ParseUint(digits[:hexLen(digits)], 16, 64)
		return v, err == nil
	}
	return 0, false
}

// isDouble reports whether name is d0 to d15 or up to d31.
func isDouble(name string) bool {
	n, ok := doubleNumber(name)
	return ok && n < 32
}

func doubleNumber(name string) (int, bool) {
	if len(name) < 2 || name[0] != 'd' && name[0] != 'D' {
		return 0, false
	}
	n, ok := logtext.Decimal(name[1:])
	return int(n), ok
}

// wide makes registers of a value: a double is two of single precision, of
// which there are 32.
func wide(name string, reg core.Reg, known bool, v uint64) []value {
	if known {
		return []value{{reg: reg, v: uint32(v)}}
	}
	n, ok := doubleNumber(name)
	if !ok || n > 15 {
		return nil
	}
	return []value{{reg: core.S0 + core.Reg(2*n), v: uint32(v)}, {reg: core.S0 + core.Reg(2*n+1), v: uint32(v >> 32)}}
}

// lookup returns the register that a debugger calls name.
func lookup(name string) (core.Reg, bool) {
	if n, ok := strings.CutPrefix(name, "FPS"); ok {
		if i, ok := logtext.Decimal(n); ok && i < 32 {
			return core.S0 + core.Reg(i), true
		}
	}
	return core.LookupReg(name)
}

// gdbThread recognises the lines that say of which thread the next ones are.
func gdbThread(text string) (fact, bool) {
	rest, ok := strings.CutPrefix(text, "[Switching to thread ")
	if !ok {
		if rest, ok = strings.CutPrefix(text, "Thread "); !ok || !strings.HasSuffix(text, "):") {
			return fact{}, false
		}
	}
	n, ok := logtext.Decimal(rest[:digitsLen(rest)])
	return fact{thread: int(n)}, ok && n > 0 && n < 1<<31
}

func digitsLen(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// callLine recognises a line of a call stack of gdb or lldb:
//
//	#1  0x00001892 in func6 (debugP=1) at .\main.cpp:32
//	#0  HardFault_Handler () at startup.c:15
//	#2  <signal handler called>
//	* frame #0: 0x08001234 fw.elf`main at main.c:3:5
func callLine(text string) (fact, bool) {
	t := strings.TrimLeft(text, " \t*")
	lldb := strings.HasPrefix(t, "frame #")
	t = strings.TrimPrefix(t, "frame ")
	if !strings.HasPrefix(t, "#") {
		return fact{}, false
	}
	t = t[1:]
	n := digitsLen(t)
	level, ok := logtext.Decimal(t[:n])
	if !ok || level > 1<<16 {
		return fact{}, false
	}
	t = t[n:]
	f := fact{tool: "gdb", level: int(level), call: new(crash.Call)}
	if lldb {
		f.tool = "lldb"
		t = strings.TrimPrefix(t, ":")
	} else if !strings.HasPrefix(t, "  ") && !strings.HasPrefix(t, " ") {
		return fact{}, false
	}
	t = strings.TrimLeft(t, " ")
	if strings.HasPrefix(t, "0x") {
		digits := hexLen(t[2:])
		a, err := strconv.ParseUint(t[2:2+digits], 16, 32)
		if err != nil {
			return fact{}, false
		}
		f.call.Addr, f.call.HasAddr = core.Addr(a&^1), true
		t = strings.TrimLeft(t[2+digits:], " ")
		if !lldb {
			if t, ok = strings.CutPrefix(t, "in "); !ok {
				return fact{}, false
			}
		}
	}
	return f, describeCall(f.call, t, lldb)
}

// describeCall sets the name and the place of a call from what follows its address.
func describeCall(c *crash.Call, text string, lldb bool) bool {
	if text == "<signal handler called>" {
		c.Name = text
		return true
	}
	name, place, ok := text, "", false
	if lldb {
		if _, after, ok := strings.Cut(text, "`"); ok {
			name = after
		}
		name, place, _ = strings.Cut(name, " at ")
	} else if name, place, ok = strings.Cut(text, " ("); !ok {
		return false
	}
	if i := strings.LastIndex(place, " at "); i >= 0 && !lldb {
		place = place[i+len(" at "):]
	} else if !lldb {
		place = ""
	}
	c.Name, c.Location = name, place
	return name != ""
}
