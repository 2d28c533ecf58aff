package hexfile

import (
	"bytes"
	"encoding/hex"
	"strconv"

	"pushmask/core"
)

// parseAddress reads a line "@20000000", with or without 0x.
func parseAddress(line []byte) (core.Addr, bool) {
	s, ok := bytes.CutPrefix(line, []byte("@"))
	if !ok {
		return 0, false
	}
	v, err := strconv.ParseUint(string(bytes.TrimPrefix(bytes.TrimSpace(s), []byte("0x"))), 16, 32)
	return core.Addr(v), err == nil
}

// isAddress tells an address with bytes in the next line.
func isAddress(line, after []byte) bool {
	_, ok := parseAddress(line)
	b, err := parseBytes(after)
	return ok && err == nil && len(b) > 0
}

// parseBytes reads pairs of digits, with or without blanks between them.
func parseBytes(line []byte) ([]byte, error) {
	return hex.DecodeString(string(bytes.Join(bytes.Fields(line), nil)))
}

// readAddressed reads lines of bytes behind "@address" (TI-TXT, TI SLAU131,
// section 12.11; Verilog's $readmemh as objcopy writes it). TI-TXT ends with
// "q". There are no checksums: that a line is missing shows only where a line
// that is shorter than the others is not the last one of its section.
func readAddressed(m *image, l *lines) {
	at, known, full := core.Addr(0), false, 0
	left, last := 0, 0
	for {
		line, ok := l.next()
		if !ok {
			break
		}
		if line[0] == 'q' && len(line) == 1 {
			known = false
			continue
		}
		if line[0] == '@' {
			if at, known = parseAddress(line); !known {
				m.bad(l, "its address cannot be read")
			}
			full, last = 0, 0
			continue
		}
		b, err := parseBytes(line)
		switch {
		case err != nil:
			m.bad(l, "it has other characters than pairs of hexadecimal digits")
			known = false
		case known && last < full:
			m.c.Warnf("line %d: a line with an address is missing before it", l.number)
			known = false
		}
		if !known {
			left += len(b)
			continue
		}
		m.add(at, b)
		at += core.Addr(len(b))
		last, full = len(b), max(full, len(b))
	}
	if left > 0 {
		m.c.Warnf("%d bytes are left out: their address is not known", left)
	}
}
