package hexfile

import (
	"encoding/hex"

	"pushmask/core"
)

// Record types of Intel HEX (Intel Hexadecimal Object File Format
// Specification, revision A, 1988).
const (
	intelData          = 0
	intelEnd           = 1
	intelSegment       = 2 // bits 4 to 19 of the addresses that follow
	intelStartSegment  = 3 // CS:IP
	intelUpper         = 4 // bits 16 to 31 of the addresses that follow
	intelStartLinear   = 5 // EIP
	intelOverhead      = 5 // count, offset, type and checksum, in bytes
	intelAddressLength = 15
)

// intelRecord is a record whose checksum is right.
type intelRecord struct {
	typ    byte
	offset uint16
	data   []byte
}

// parseIntel reads ":CCOOOOTT", data and a checksum: the bytes of a record add
// up to 0. why says what is wrong with a line that is none.
func parseIntel(line []byte) (r intelRecord, why string) {
	if line[0] != ':' {
		return r, "it does not begin with ':'"
	}
	b, err := hex.DecodeString(string(line[1:]))
	if err != nil {
		return r, "it has other characters than hexadecimal digits, or an odd number of them"
	}
	if len(b) < intelOverhead || len(b) != intelOverhead+int(b[0]) {
		return r, "its length is not the one it states"
	}
	sum := byte(0)
	for _, v := range b {
		sum += v
	}
	if sum != 0 {
		return r, "its checksum is wrong"
	}
	r = intelRecord{b[3], uint16(b[1])<<8 | uint16(b[2]), b[4 : len(b)-1]}
	if n, ok := intelSizes[r.typ]; r.typ != intelData && (!ok || len(r.data) != n) {
		return r, "no record of its type has this length"
	}
	return r, ""
}

// intelSizes is how many bytes of data the records of a type have.
var intelSizes = map[byte]int{
	intelEnd: 0, intelSegment: 2, intelStartSegment: 4, intelUpper: 2, intelStartLinear: 4,
}

func isIntel(line, _ []byte) bool {
	_, why := parseIntel(line)
	return why == ""
}

// intel is the state between the records of a file.
type intel struct {
	m       *image
	base    uint32
	segment bool // the base is that of a segment, in which offsets wrap
	// lost says that the base is not known.
	lost bool
	last int // offset of the last data under this base, -1 before any
	ends bool
	left int // bytes that could not be placed
}

func readIntel(m *image, l *lines) {
	x := &intel{m: m, last: -1}
	for {
		line, ok := l.next()
		if !ok {
			break
		}
		r, why := parseIntel(line)
		if why != "" {
			m.bad(l, why)
			// Only a short line can have been the record of an address.
			x.lost = x.lost || len(line) <= intelAddressLength+2
			continue
		}
		x.take(r, l)
	}
	if x.left > 0 {
		m.c.Warnf("%d bytes are left out: the record with the upper half of their address is missing", x.left)
	}
	if !x.ends {
		m.cut()
	}
}

// take uses one record.
func (x *intel) take(r intelRecord, l *lines) {
	switch r.typ {
	case intelData:
		x.data(r, l)
	case intelEnd:
		x.ends = true
		x.setBase(0, false) // another file may follow
	case intelSegment:
		x.setBase(uint32(r.data[0])<<12|uint32(r.data[1])<<4, true)
	case intelUpper:
		x.setBase(uint32(r.data[0])<<24|uint32(r.data[1])<<16, false)
	}
}

func (x *intel) setBase(base uint32, segment bool) {
	x.base, x.segment, x.lost, x.last = base, segment, false, -1
}

// data places a data record. Writers go upwards: an offset that falls without
// a record of an address before it says that this one was lost.
func (x *intel) data(r intelRecord, l *lines) {
	if int(r.offset) < x.last {
		x.m.c.Warnf("line %d: the addresses fall, and no record says why: one is missing", l.number)
		x.lost = true
	}
	x.last = int(r.offset)
	if x.lost {
		x.left += len(r.data)
		return
	}
	at := core.Addr(x.base + uint32(r.offset))
	if inside := 0x10000 - int(r.offset); x.segment && len(r.data) > inside {
		x.m.add(at, r.data[:inside])
		x.m.add(core.Addr(x.base), r.data[inside:])
		return
	}
	x.m.add(at, r.data)
}
