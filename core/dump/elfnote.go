package dump

import (
	"bytes"
	"slices"

	"pushmask/internal/cursor"
)

// Note types of core files (Linux uapi/linux/elf.h; GDB's NT_GDB_TDESC is in
// binutils include/elf/common.h; the NuttX type spells CORE).
const (
	ntPRStatus  = 1
	ntPRPSInfo  = 3
	ntAuxv      = 6
	ntARMVFP    = 0x400
	ntARMTLS    = 0x401
	ntSigInfo   = 0x53494749
	ntFile      = 0x46494c45
	ntGDBTDesc  = 0xff000000
	ntNuttXInfo = 0x434f5245
)

// Bounds for hostile files: bytes of note segments read, notes kept.
const (
	maxNoteBytes = 64 << 20
	maxNotes     = 1 << 18
)

// note is one ELF note. desc may be shorter than size when the file is cut.
type note struct {
	name string
	typ  uint32
	size uint32
	desc []byte
}

// readNotes reads all note segments, in the order of the program headers.
func (e *elfCore) readNotes() error {
	budget := int64(maxNoteBytes)
	for _, s := range e.segments {
		if s.typ != ptNote || s.filesz == 0 {
			continue
		}
		want := min(int64(s.filesz), budget)
		b, err := e.in.read(int64(s.offset), want)
		if err != nil {
			return &FormatError{elfFormat, int64(s.offset), "the notes cannot be read", err}
		}
		if budget -= int64(len(b)); int64(len(b)) < want {
			e.d.warnf("the notes at offset %#x are truncated: %d of %d bytes are there", s.offset, len(b), s.filesz)
		}
		e.parseNotes(b, int64(s.offset))
		if budget == 0 || len(e.notes) >= maxNotes {
			e.d.warnf("there are more notes than can be read; the rest is left out")
			break
		}
	}
	for _, n := range e.notes {
		e.d.Notes = append(e.d.Notes, Note{n.name, n.typ, n.size})
	}
	return nil
}

// parseNotes splits a note segment that begins at offset base of the file
// (gABI, "Note Section", with 4-byte padding as all 32-bit writers use). The
// name is what comes before its first NUL: NuttX leaves old stack content
// behind it.
func (e *elfCore) parseNotes(b []byte, base int64) {
	c := cursor.New("ELF core", b)
	for c.Len() > 0 && len(e.notes) < maxNotes {
		if rest := b[c.Off():]; len(rest) < 12 && !slices.ContainsFunc(rest, func(x byte) bool { return x != 0 }) {
			return // padding at the end of the segment
		}
		start := c.Off()
		nameSize, descSize, typ := c.U32(), c.U32(), c.U32()
		if c.Err() != nil || uint64(nameSize) > uint64(c.Len()) {
			e.d.warnf("the note at offset %#x is truncated or damaged; what follows it is left out", base+int64(start))
			return
		}
		n := note{name: cString(c.Bytes(int(nameSize))), typ: typ, size: descSize}
		c.Align(4)
		n.desc = c.Bytes(int(min(uint64(descSize), uint64(c.Len()))))
		c.Align(4)
		if uint32(len(n.desc)) < descSize {
			e.d.warnf("the %s note at offset %#x is truncated: %d of %d bytes are there", noteName(n), base+int64(start), len(n.desc), descSize)
		}
		e.notes = append(e.notes, n)
	}
}

// cString returns b up to its first NUL, or all of it.
func cString(b []byte) string {
	b, _, _ = bytes.Cut(b, []byte{0})
	return string(b)
}
