package debugtext

import (
	"strconv"
	"strings"

	"pushmask/core"
)

// memoryRow recognises a line of memory:
//
//	0x20000000 <buf+4>:  0x00000001  0x00000002   gdb's x/, lldb's with -f x
//	0x20000000: 00000001 00000002                 OpenOCD's mdw, mdh, mdb, mdd
//	0x20000000: 01 02 03 04 ..  ....              lldb's memory read
//	20000000 = 00000001 00000002                  J-Link's mem32, mem16, mem8
//	20000000:  01 02 03 04  05 06 07 08   |....|  pyOCD's rd, rw, rb
//
// All values of a line have the same number of digits, which is their width.
func memoryRow(text string) (fact, bool) {
	text = strings.TrimLeft(text, " \t")
	gdb := strings.HasPrefix(text, "0x")
	digits := strings.TrimPrefix(text, "0x")
	n := hexLen(digits)
	if n == 0 || n > 8 || !gdb && n != 8 {
		return fact{}, false
	}
	addr, err := strconv.ParseUint(digits[:n], 16, 32)
	if err != nil {
		return fact{}, false
	}
	rest, tool := strings.TrimLeft(digits[n:], " \t"), "OpenOCD"
	if strings.HasPrefix(rest, "<") {
		end := strings.Index(rest, ">:")
		if end < 0 {
			return fact{}, false
		}
		rest, tool = rest[end+1:], "gdb"
	}
	var data []byte
	switch {
	case strings.HasPrefix(rest, ":") && gdb:
		rest, _, _ = strings.Cut(rest, "Cannot access memory")
		if data = values(rest[1:], "0x", "  "); data != nil {
			tool = "gdb"
		} else if tool != "gdb" {
			data = values(rest[1:], "", "  ")
		}
	case strings.HasPrefix(rest, ":"):
		tool, data = "pyOCD", values(rest[1:], "", "   ")
	case strings.HasPrefix(rest, "=") && !gdb:
		tool, data = "J-Link", values(rest[1:], "", "  ")
	}
	if len(data) == 0 || addr+uint64(len(data)) > 1<<32 {
		return fact{}, false
	}
	return fact{tool: tool, rows: []row{{core.Addr(addr), data}}}, true
}

// hexLen returns how many hexadecimal digits s begins with.
func hexLen(s string) int {
	n := 0
	for n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n] >= 'a' && s[n] <= 'f' || s[n] >= 'A' && s[n] <= 'F') {
		n++
	}
	return n
}

// maxRow is how many bytes of memory a line has at most.
const maxRow = 256

// values reads numbers with prefix in front and the same number of digits, 2,
// 4, 8 or 16, up to a gap of blanks or a bar, behind which are characters. What
// else a line has makes it none of memory: then it is nil.
func values(text, prefix, gap string) []byte {
	var out []byte
	width := 0
	text = strings.TrimLeft(text, " \t")
	if bar := strings.IndexByte(text, '|'); bar >= 0 {
		text = text[:bar]
	}
	for text != "" && len(out) < maxRow {
		digits, ok := strings.CutPrefix(text, prefix)
		n := hexLen(digits)
		if !ok || width != 0 && n != width || n != 2 && n != 4 && n != 8 && n != 16 {
			return nil
		}
		v, err := strconv.ParseUint(digits[:n], 16, 64)
		if err != nil {
			return nil
		}
		width = n
		for i := range n / 2 {
			out = append(out, byte(v>>(8*i)))
		}
		text = digits[n:]
		switch {
		case strings.Trim(text, " \t") == "":
			return out
		case prefix == "" && strings.HasPrefix(text, gap):
			return out
		case text[0] != ' ' && text[0] != '\t':
			return nil
		}
		text = strings.TrimLeft(text, " \t")
	}
	return out
}
