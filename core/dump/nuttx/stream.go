package nuttx

import (
	"bytes"
	"encoding/binary"
	"slices"

	"pushmask/core/dump/crash"
)

// content is a core file as far as it arrived.
type content struct {
	b []byte // lost bytes are 0
	// lost lists the ranges of b that did not arrive; one of size 0 is a place
	// where an unknown number of bytes is missing.
	lost []crash.Span
	// block is the plain size of all blocks but the last.
	block int
	cut   bool // the stream does not end with a whole block
}

// maxContent bounds what a stream unpacks to.
const maxContent = 64 << 20

// unpackStream undoes the blocks of a stream. A block whose bytes are damaged
// is lost; where the header of one is missing, what follows is taken up again at
// the next block.
func unpackStream(b []byte) content {
	var c content
	for len(b) > 0 && len(c.b) < maxContent {
		info, ok := blockAt(b)
		if !ok {
			next := nextBlock(b, 1)
			if next < 0 {
				return c // other bytes follow the stream
			}
			c.lose(0)
			b = b[next:]
			continue
		}
		if len(c.b) == 0 {
			c.block = info.plain
		}
		end := info.header + info.stored
		if next := nextBlock(b, info.header); next > 0 && (end > len(b) || !followed(b[end:])) {
			c.lose(info.plain) // bytes of it are missing
			if next > end {
				c.lose(0) // and the block behind it
			}
			b = b[next:]
			continue
		}
		if end > len(b) {
			c.cut = true
			return c
		}
		c.add(b[info.header:end], info)
		b = b[end:]
	}
	return c
}

// followed reports whether b can come behind a block: another one, the end, or
// bytes in which no block begins.
func followed(b []byte) bool {
	_, ok := blockAt(b)
	return ok || nextBlock(b, 0) < 0
}

// nextBlock returns where a block begins in b at from or later, -1 if none
// does.
func nextBlock(b []byte, from int) int {
	for from < len(b) {
		i := bytes.Index(b[from:], blockMagic)
		if i < 0 {
			return -1
		}
		if _, ok := blockAt(b[from+i:]); ok {
			return from + i
		}
		from += i + 1
	}
	return -1
}

func (s *content) add(stored []byte, info blockInfo) {
	if !info.packed {
		s.b = append(s.b, stored...)
		return
	}
	plain, err := unpack(stored, info.plain)
	if err != nil {
		s.lose(info.plain)
		return
	}
	s.b = append(s.b, plain...)
}

// lose adds a block of n bytes that did not arrive. A size that others do not
// have may be damaged itself.
func (s *content) lose(n int) {
	if n != s.block {
		n = 0
	}
	s.lost = append(s.lost, crash.Span{Offset: int64(len(s.b)), Size: int64(n)})
	s.b = append(s.b, make([]byte, n)...)
}

// settle gives what follows lost blocks its place. It has it already unless an
// unknown number of bytes is missing, which the size of the file tells, too:
// then what follows the last gap is placed from the end. whole says that the end
// arrived.
func (s *content) settle(whole bool) {
	if len(s.lost) == 0 {
		return
	}
	first, last := s.lost[0].Offset, s.lost[len(s.lost)-1]
	want := fileSize(s.b[:first])
	unknown := slices.ContainsFunc(s.lost, func(gap crash.Span) bool { return gap.Size == 0 })
	if !unknown && (want == 0 || want == int64(len(s.b))) {
		return
	}
	tail := s.b[last.Offset+last.Size:]
	from := want - int64(len(tail))
	if !whole || from < first || want > maxContent {
		s.b, s.lost, s.cut = s.b[:first], nil, true
		return
	}
	b := make([]byte, want)
	copy(b, s.b[:first])
	copy(b[from:], tail)
	s.b, s.lost = b, []crash.Span{{Offset: first, Size: from - first}}
}

// Layout of the header and the program headers of an ELF file (System V gABI).
const (
	elfHeader     = 52
	phoffOffset   = 28
	phnumOffset   = 44
	programHeader = 32
)

// fileSize returns the size of the core file that begins with b, by its program
// headers; 0 where they are not all there.
func fileSize(b []byte) int64 {
	if len(b) < elfHeader || !bytes.HasPrefix(b, []byte("\x7fELF")) {
		return 0
	}
	off, n := int64(binary.LittleEndian.Uint32(b[phoffOffset:])), int64(binary.LittleEndian.Uint16(b[phnumOffset:]))
	if off+n*programHeader > int64(len(b)) {
		return 0
	}
	size := int64(0)
	for i := range n {
		h := b[off+i*programHeader:]
		size = max(size, int64(binary.LittleEndian.Uint32(h[4:]))+int64(binary.LittleEndian.Uint32(h[16:])))
	}
	return size
}

// notesEnd returns the end of the headers and notes of the core file that b
// begins with, without the last note: what is sure not to be shifted. It is 0
// unless the notes follow each other without a gap, as they do not where bytes
// are missing.
func notesEnd(b []byte) int {
	const ptNote, noteHeader = 4, 12
	off := int64(binary.LittleEndian.Uint32(b[phoffOffset:]))
	h := b[off:]
	start, size := int64(binary.LittleEndian.Uint32(h[4:])), int64(binary.LittleEndian.Uint32(h[16:]))
	if binary.LittleEndian.Uint32(h) != ptNote || start+size > int64(len(b)) {
		return 0
	}
	pad := func(n uint32) int64 { return (int64(n) + 3) &^ 3 }
	last := start
	for at := start; at < start+size; {
		last = at
		if start+size-at < noteHeader {
			return 0
		}
		n := b[at:]
		if t := binary.LittleEndian.Uint32(n[8:]); t != ntPRStatus && t != ntPRPSInfo {
			return 0
		}
		at += noteHeader + pad(binary.LittleEndian.Uint32(n)) + pad(binary.LittleEndian.Uint32(n[4:]))
		if at > start+size {
			return 0
		}
	}
	return int(last)
}

// The types of the notes in front of the memory.
const (
	ntPRStatus = 1
	ntPRPSInfo = 3
)
