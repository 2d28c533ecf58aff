package memfault

import (
	"encoding/base64"
	"errors"
	"slices"
	"strings"

	"pushmask/core/dump/crash"
	"pushmask/core/dump/logtext"
)

// A chunk begins with a byte of flags; then comes the length of the message in
// the first of several chunks, the offset in the message in each further one.
// The last one ends with a CRC-16 of the message, low byte first.
const (
	chunkContinues = 1 << 7 // not the first of its message
	chunkMore      = 1 << 6 // others of its message follow
	crcSize        = 2
)

// A message begins with a byte: its type, and whether its content is packed and
// has a project key in front.
const (
	messageCoredump = 1
	messageTypes    = 0x3f
	messageKey      = 0x40
	messagePacked   = 0x80
	keySize         = 32
)

// maxMessage bounds what chunks add up to, and what they unpack to.
const maxMessage = 64 << 20

// textMark is in front of a chunk in a log, base64 and a colon behind it.
const textMark = "MC:"

// message is a core dump while its chunks are collected.
type message struct {
	b     []byte
	total int // length that the first chunk states, 0 if it does not
	parts []crash.Span
	ended bool // the last chunk is there
	crc   uint16
	place crash.Place
}

// FindLog returns the core dumps that chunks in a log carry. Chunks of other
// messages are passed over.
func FindLog(log *logtext.Log) []*crash.Crash {
	var found []*crash.Crash
	var m *message
	end := func() {
		if m != nil {
			if c := m.crash(); c != nil {
				found = append(found, c)
			}
		}
		m = nil
	}
	for i := range log.Lines {
		chunk, ok := chunkIn(log.Lines[i].Text)
		if !ok {
			continue
		}
		if chunk[0]&chunkContinues == 0 {
			if chunk[0]&chunkMore == 0 && !isCoredump(chunk[1:]) {
				continue // a message of another kind, whole
			}
			end()
			m = begin(chunk)
			m.place = crash.Place{Offset: log.Lines[i].Offset, Line: log.Lines[i].Number}
		} else if m != nil {
			m.add(chunk)
		}
		if m != nil && m.ended {
			end()
		}
	}
	end()
	return found
}

// chunkIn returns the chunk that a line carries.
func chunkIn(text string) ([]byte, bool) {
	_, text, ok := strings.Cut(text, textMark)
	if !ok {
		return nil, false
	}
	text, _, _ = strings.Cut(text, ":")
	b, err := base64.StdEncoding.DecodeString(text)
	return b, err == nil && len(b) > crcSize
}

// isCoredump tells the type of a message.
func isCoredump(b []byte) bool { return len(b) > 0 && b[0]&messageTypes == messageCoredump }

// begin makes a message of its first chunk.
func begin(chunk []byte) *message {
	m := new(message)
	rest := chunk[1:]
	if chunk[0]&chunkMore != 0 {
		total, n := varint(rest)
		m.total = int(min(total, maxMessage))
		rest = rest[n:]
	} else {
		rest = m.finish(rest)
	}
	m.put(0, rest)
	return m
}

// add adds a further chunk.
func (m *message) add(chunk []byte) {
	off, n := varint(chunk[1:])
	rest := chunk[1+n:]
	if off > maxMessage {
		return
	}
	if chunk[0]&chunkMore == 0 {
		if left := m.total - int(off); m.total > 0 && left >= 0 && left+crcSize <= len(rest) {
			rest = rest[:left+crcSize] // without the fill of a chunk of fixed size
		}
		rest = m.finish(rest)
	}
	m.put(int(off), rest)
}

// finish takes the CRC off the last chunk.
func (m *message) finish(rest []byte) []byte {
	m.ended = true
	if len(rest) < crcSize {
		return nil
	}
	n := len(rest) - crcSize
	m.crc = uint16(rest[n]) | uint16(rest[n+1])<<8
	return rest[:n]
}

// put places bytes of the message.
func (m *message) put(off int, b []byte) {
	if need := off + len(b); need > len(m.b) {
		m.b = slices.Grow(m.b, need-len(m.b))[:need]
	}
	copy(m.b[off:], b)
	m.parts = append(m.parts, crash.Span{Offset: int64(off), Size: int64(len(b))})
}

// gaps lists what lies between the parts and in front of the end.
func (m *message) gaps() []crash.Span {
	parts := slices.Clone(m.parts)
	slices.SortFunc(parts, func(a, b crash.Span) int { return int(a.Offset - b.Offset) })
	var list []crash.Span
	at := int64(0)
	for _, p := range parts {
		if p.Offset > at {
			list = append(list, crash.Span{Offset: at, Size: p.Offset - at})
		}
		at = max(at, p.Offset+p.Size)
	}
	return list
}

// crash reads the message; nil if it is no core dump.
func (m *message) crash() *crash.Crash {
	if !isCoredump(m.b) {
		return nil
	}
	c := &crash.Crash{Format: name + " in a log", Where: m.place}
	gaps := m.gaps()
	lost := int64(0)
	for _, g := range gaps {
		lost += g.Size
	}
	switch {
	case lost > 0:
		c.Truncated = true
		c.Warnf("chunks with %d bytes of the message are missing", lost)
	case !m.ended:
		c.Truncated = true
		c.Warnf("the last chunks are missing: %d of %d bytes of the message are there", len(m.b), m.total)
	case crc16(m.b) != m.crc:
		c.Warnf("the checksum of the message is %#04x, it says %#04x: bytes have changed", crc16(m.b), m.crc)
	}
	b, lostHere := m.content(gaps)
	if !Is(b) {
		c.Truncated = true
		c.Warnf("the beginning of the core dump is missing: nothing of it can be placed")
		return c
	}
	img := image{crash: c, b: b, lost: lostHere}
	c.Refused = img.read()
	return c
}

// content returns the core dump in the message and what of it is lost. Packed
// content can be unpacked up to the first gap.
func (m *message) content(gaps []crash.Span) ([]byte, []crash.Span) {
	skip := 1
	if m.b[0]&messageKey != 0 {
		skip += keySize
	}
	if m.b[0]&messagePacked == 0 {
		for i := range gaps {
			gaps[i].Offset -= int64(skip)
		}
		return m.b[min(skip, len(m.b)):], gaps
	}
	b := m.b
	if len(gaps) > 0 {
		b = b[:gaps[0].Offset]
	}
	plain, _ := unpack(b[min(skip, len(b)):])
	return plain, nil
}

var errPacked = errors.New("the packed bytes end in the middle")

// unpack undoes the run lengths (components/util/src/memfault_rle.c): a signed
// number n, then for n < 0 that many bytes, for n > 0 a byte that repeats n
// times. It returns what came before an error too.
func unpack(b []byte) ([]byte, error) {
	var out []byte
	for len(b) > 0 {
		v, n := varint(b)
		if n == 0 || n >= len(b) {
			return out, errPacked
		}
		b = b[n:]
		count := int64(v>>1) ^ -int64(v&1)
		if max(count, -count)+int64(len(out)) > maxMessage {
			return out, errPacked
		}
		if count < 0 {
			k := int(min(-count, int64(len(b))))
			out = append(out, b[:k]...)
			if b = b[k:]; int64(k) < -count {
				return out, errPacked
			}
			continue
		}
		out = append(out, slices.Repeat(b[:1], int(count))...)
		b = b[1:]
	}
	return out, nil
}

// varint reads a number of seven bits a byte, the lowest first, of at most 32
// bits. n is 0 if there is none.
func varint(b []byte) (v uint64, n int) {
	const most = 5
	for i := range min(most, len(b)) {
		v |= uint64(b[i]&0x7f) << (7 * i)
		if b[i]&0x80 == 0 {
			return v & 0xffffffff, i + 1
		}
	}
	return 0, 0
}

// crc16 is CRC-16/XMODEM: polynomial 0x1021, start 0.
func crc16(b []byte) (crc uint16) {
	for _, v := range b {
		crc ^= uint16(v) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
	}
	return crc
}
