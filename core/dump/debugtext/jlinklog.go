package debugtext

import (
	"strconv"
	"strings"

	"pushmask/core"
	"pushmask/core/dump/logtext"
)

// dllLog recognises lines of the logs of the J-Link DLL and its GDB server:
//
//	T1234 000:123.456 JLINK_ReadReg(R15 (PC)) - 0.002ms returns 0x08000A94
//	T1234 000:124.000 JLINK_ReadMem(0x20000000, 0x4 Bytes, ...)
//	T1234 000:124.001   Data:  00 80 00 20
//	Read 4 bytes @ address 0xE000ED28 (Data = 0x00000400)
//	Reading register (PC = 0x08000A94)
func (r *reader) dllLog(text string) (fact, bool) {
	f := fact{tool: "J-Link"}
	switch {
	case strings.Contains(text, "JLINK_Go"), strings.Contains(text, "JLINK_Step"), strings.Contains(text, "JLINK_Reset"):
		r.close("")
		return f, true
	case strings.Contains(text, "JLINK_ReadReg("):
		f.regs = readReg(text)
		return f, len(f.regs) > 0
	case strings.Contains(text, "JLINK_ReadMem"):
		r.readAt, r.hasRead = argument(text)
	case strings.HasPrefix(text, "Read ") && strings.Contains(text, " @ address 0x"):
		f.rows = serverRead(text)
		return f, len(f.rows) > 0
	case strings.HasPrefix(text, "Reading register"):
		_, in, _ := strings.Cut(text, "(")
		f.regs = pairs(in)
		return f, len(f.regs) > 0
	}
	if _, data, ok := strings.Cut(text, "Data:"); ok && r.hasRead {
		r.hasRead = false
		if b := leadingBytes(data); len(b) > 0 {
			f.rows = []row{{r.readAt, b}}
		}
		return f, len(f.rows) > 0
	}
	return fact{}, false
}

// argument returns the first argument of a call, an address.
func argument(text string) (core.Addr, bool) {
	_, rest, ok := strings.Cut(text, "(0x")
	v, err := strconv.ParseUint(rest[:hexLen(rest)], 16, 32)
	return core.Addr(v), ok && err == nil
}

// leadingBytes reads bytes up to the first word that is none: the log leaves
// out the end of long data.
func leadingBytes(text string) []byte {
	var out []byte
	for _, w := range strings.Fields(text) {
		v, err := strconv.ParseUint(w, 16, 8)
		if err != nil || len(w) != 2 || len(out) == maxRow {
			break
		}
		out = append(out, byte(v))
	}
	return out
}

// readReg reads a call that read a register, by name or number.
func readReg(text string) []value {
	_, rest, _ := strings.Cut(text, "JLINK_ReadReg(")
	name, rest, ok := strings.Cut(rest, ")")
	name, _, _ = strings.Cut(name, " ")
	reg, known := lookup(name)
	_, result, returned := strings.Cut(rest, "returns 0x")
	if !ok || !known || !returned {
		return nil
	}
	v, ok := logtext.Hex(result[:hexLen(result)])
	if !ok {
		return nil
	}
	return []value{{reg: reg, v: v}}
}

// serverRead reads "Read 4 bytes @ address 0xE000ED28 (Data = 0x00000400)".
func serverRead(text string) []row {
	count, rest, _ := strings.Cut(strings.TrimPrefix(text, "Read "), " ")
	size, ok := logtext.Decimal(count)
	_, rest, _ = strings.Cut(rest, " @ address 0x")
	a, err := strconv.ParseUint(rest[:hexLen(rest)], 16, 32)
	_, data, has := strings.Cut(rest, "(Data = 0x")
	v, dataErr := strconv.ParseUint(data[:hexLen(data)], 16, 64)
	if !ok || size == 0 || size > 8 || err != nil || !has || dataErr != nil || a+uint64(size) > 1<<32 {
		return nil
	}
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(v >> (8 * i))
	}
	return []row{{core.Addr(a), b}}
}
