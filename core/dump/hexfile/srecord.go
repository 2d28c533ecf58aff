package hexfile

import (
	"encoding/hex"

	"pushmask/core"
)

// sRecord is a record whose checksum is right.
type sRecord struct {
	typ  byte // the digit
	addr uint32
	data []byte
}

// addressBytes is how many bytes of address the records of a type have
// (Motorola M68000 Family Programmer's Reference Manual, appendix C).
var addressBytes = map[byte]int{
	'0': 2, '1': 2, '2': 3, '3': 4, '5': 2, '6': 3, '7': 4, '8': 3, '9': 2,
}

// parseSRecord reads "S", type, count, address, data and checksum: the ones'
// complement of the sum of all bytes before it.
func parseSRecord(line []byte) (r sRecord, why string) {
	if len(line) < 2 || line[0] != 'S' {
		return r, "it does not begin with 'S'"
	}
	n, ok := addressBytes[line[1]]
	if !ok {
		return r, "there is no record of its type"
	}
	b, err := hex.DecodeString(string(line[2:]))
	if err != nil {
		return r, "it has other characters than hexadecimal digits, or an odd number of them"
	}
	if len(b) < 2+n || len(b) != 1+int(b[0]) {
		return r, "its length is not the one it states"
	}
	sum := byte(0)
	for _, v := range b {
		sum += v
	}
	if sum != 0xff {
		return r, "its checksum is wrong"
	}
	r.typ, r.data = line[1], b[1+n:len(b)-1]
	if r.typ >= '5' && len(r.data) > 0 {
		return r, "records of its type carry no data" // the checksum does not cover the type
	}
	for _, v := range b[1 : 1+n] {
		r.addr = r.addr<<8 | uint32(v)
	}
	return r, ""
}

func isSRecord(line, _ []byte) bool {
	_, why := parseSRecord(line)
	return why == ""
}

func readSRecords(m *image, l *lines) {
	count, bad, ends := uint32(0), 0, false
	for {
		line, ok := l.next()
		if !ok {
			break
		}
		r, why := parseSRecord(line)
		if why != "" {
			m.bad(l, why)
			bad++
			continue
		}
		switch r.typ {
		case '1', '2', '3':
			count++
			m.add(core.Addr(r.addr), r.data)
		case '5', '6':
			if r.addr != count && bad == 0 {
				m.c.Warnf("the file has %d data records and says that it has %d", count, r.addr)
			}
		case '7', '8', '9':
			count, ends = 0, true // another file may follow
		}
	}
	if !ends {
		m.cut()
	}
}
