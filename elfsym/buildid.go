package elfsym

import (
	"debug/elf"
	"io"

	"pushmask/internal/cursor"
)

const (
	// ntGNUBuildID is the note type of the linker's --build-id (note name
	// "GNU").
	ntGNUBuildID = 3
	// maxNotes bounds how much of a note segment is read.
	maxNotes = 1 << 16
)

// BuildID returns the linker's build id (--build-id), nil when there is none.
// It is looked for in note sections and note segments.
func (m *Image) BuildID() []byte {
	for _, s := range m.file.Sections {
		if s.Type != elf.SHT_NOTE {
			continue
		}
		if b, err := sectionData(s); err == nil {
			if id := findBuildID(b); id != nil {
				return id
			}
		}
	}
	for _, p := range m.file.Progs {
		if p.Type != elf.PT_NOTE {
			continue
		}
		b := make([]byte, min(p.Filesz, maxNotes))
		n, err := io.ReadFull(io.NewSectionReader(p, 0, int64(len(b))), b)
		if err != nil && n == 0 {
			continue
		}
		if id := findBuildID(b[:n]); id != nil {
			return id
		}
	}
	return nil
}

// findBuildID walks notes: name size, descriptor size, type, then name and
// descriptor, each padded to four bytes (System V ABI, "Note Section").
func findBuildID(b []byte) []byte {
	c := cursor.New("note", b)
	for c.Len() > 0 {
		nameSize, descSize, typ := c.U32(), c.U32(), c.U32()
		name := string(c.Bytes(int(nameSize)))
		c.Skip(int(-nameSize & 3))
		desc := c.Bytes(int(descSize))
		if c.Err() != nil {
			return nil
		}
		if typ == ntGNUBuildID && name == "GNU\x00" {
			return desc
		}
		// The padding of the last note may be missing.
		c.Skip(min(int(-descSize&3), c.Len()))
	}
	return nil
}
