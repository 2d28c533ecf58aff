package line

import (
	"bytes"
	"fmt"
	"strings"

	"pushmask/elfsym/srcpath"
	"pushmask/internal/cursor"
)

// Sections are the sections that line programs refer to.
type Sections struct {
	Line    []byte // .debug_line
	Str     []byte // .debug_str
	LineStr []byte // .debug_line_str
}

// Program is a parsed header and the opcodes that follow it.
type Program struct {
	// Files are the source files by the index that DW_AT_call_file and
	// [Row].File use: from 1 in DWARF 2 to 4, from 0 in DWARF 5.
	Files []string

	version       uint16
	wide          bool // 64-bit DWARF
	addrSize      uint8
	minInstLength uint8
	defaultStmt   bool
	lineBase      int8
	lineRange     uint8
	opcodeBase    uint8
	opcodeLengths []byte // number of LEB128 operands by opcode-1
	opcodes       []byte
	dirs          []string
}

// Content types and forms of the DWARF 5 directory and file tables (DWARF 5,
// 7.22 and 7.5.6).
const (
	lnctPath  = 1
	lnctIndex = 2

	formBlock2   = 0x03
	formBlock4   = 0x04
	formData2    = 0x05
	formData4    = 0x06
	formData8    = 0x07
	formString   = 0x08
	formBlock    = 0x09
	formBlock1   = 0x0a
	formData1    = 0x0b
	formStrp     = 0x0e
	formUdata    = 0x0f
	formData16   = 0x1e
	formLineStrp = 0x1f
)

// Parse reads the header of the line program at off of .debug_line. compDir
// is DW_AT_comp_dir of the unit, which relative paths start from; addrSize
// its address size, used before DWARF 5.
func Parse(sec Sections, off uint64, compDir string, addrSize uint8) (*Program, error) {
	if off >= uint64(len(sec.Line)) {
		return nil, fmt.Errorf("line program at %#x is outside of .debug_line", off)
	}
	c := cursor.New(".debug_line", sec.Line)
	c.Seek(int(off))
	p := &Program{addrSize: addrSize}
	length := p.unitLength(c)
	if length > uint64(c.Len()) {
		c.Fail(fmt.Sprintf("program of %d bytes, %d are left", length, c.Len()))
		return nil, c.Err()
	}
	c = c.Sub(int(length))
	p.fixedFields(c)
	if p.version >= 5 {
		p.tables5(c, sec, compDir)
	} else {
		p.tables4(c, compDir)
	}
	if err := c.Err(); err != nil {
		return nil, fmt.Errorf("line program at %#x: %w", off, err)
	}
	return p, nil
}

// unitLength reads an initial length, 32-bit or 64-bit DWARF (DWARF 5, 7.4).
func (p *Program) unitLength(c *cursor.Cursor) uint64 {
	n := uint64(c.U32())
	if n == 0xffffffff {
		p.wide = true
		n = c.U64()
	}
	return n
}

func (p *Program) offset(c *cursor.Cursor) uint64 {
	if p.wide {
		return c.U64()
	}
	return uint64(c.U32())
}

// fixedFields reads the header up to the directory table and finds the
// opcodes (DWARF 5, 6.2.4).
func (p *Program) fixedFields(c *cursor.Cursor) {
	p.version = c.U16()
	if p.version < 2 || p.version > 5 {
		c.Fail(fmt.Sprintf("version %d is not known", p.version))
		return
	}
	if p.version >= 5 {
		p.addrSize = c.U8()
		if c.U8() != 0 {
			c.Fail("segmented addresses are not supported")
		}
	}
	if headerLength := p.offset(c); headerLength <= uint64(c.Len()) {
		rest := *c
		rest.Skip(int(headerLength))
		p.opcodes = rest.Bytes(rest.Len())
	} else {
		c.Fail("header is longer than the program")
	}
	p.minInstLength = c.U8()
	if p.version >= 4 && c.U8() == 0 {
		c.Fail("maximum operations per instruction is 0")
	}
	p.defaultStmt = c.U8() != 0
	p.lineBase = int8(c.U8())
	p.lineRange = c.U8()
	p.opcodeBase = c.U8()
	if p.lineRange == 0 || p.opcodeBase == 0 {
		c.Fail("line range or opcode base is 0")
		return
	}
	p.opcodeLengths = c.Bytes(int(p.opcodeBase) - 1)
}

// tables4 reads the directories and files of DWARF 2 to 4. Directory 0 is the
// compilation directory; file numbers start at 1.
func (p *Program) tables4(c *cursor.Cursor, compDir string) {
	p.dirs = []string{srcpath.Clean(compDir)}
	for c.Err() == nil {
		dir := c.CString()
		if dir == "" {
			break
		}
		p.dirs = append(p.dirs, srcpath.Join(compDir, dir))
	}
	p.Files = []string{""}
	for c.Err() == nil && p.file4(c) {
	}
}

// file4 reads a file entry: name, directory, time, length. An empty name ends
// the list.
func (p *Program) file4(c *cursor.Cursor) bool {
	name := c.CString()
	if name == "" {
		return false
	}
	dir := c.ULEB()
	c.ULEB()
	c.ULEB()
	p.addFile(dir, name)
	return true
}

// addFile completes a name with its directory, except names that are no files
// (<built-in>, <artificial>).
func (p *Program) addFile(dir uint64, name string) {
	if strings.HasPrefix(name, "<") {
		p.Files = append(p.Files, name)
		return
	}
	base := ""
	if dir < uint64(len(p.dirs)) {
		base = p.dirs[dir]
	}
	p.Files = append(p.Files, srcpath.Join(base, name))
}

// tables5 reads the directories and files of DWARF 5. Directory 0 is the
// compilation directory as the compiler knew it; the others are relative to it.
func (p *Program) tables5(c *cursor.Cursor, sec Sections, compDir string) {
	p.entries5(c, sec, func(dir uint64, path string) {
		switch {
		case len(p.dirs) > 0:
			path = srcpath.Join(p.dirs[0], path)
		case path == compDir:
			path = srcpath.Clean(path)
		default:
			path = srcpath.Join(compDir, path)
		}
		p.dirs = append(p.dirs, path)
	})
	p.entries5(c, sec, p.addFile)
}

// entries5 reads one of the two entry tables and calls add for each entry.
func (p *Program) entries5(c *cursor.Cursor, sec Sections, add func(dir uint64, path string)) {
	type field struct{ content, form uint64 }
	fields := make([]field, c.U8())
	for i := range fields {
		fields[i] = field{c.ULEB(), c.ULEB()}
	}
	count := c.ULEB()
	if len(fields) == 0 && count > 0 {
		c.Fail("entries have no fields")
	}
	for range count {
		var dir uint64
		var path string
		for _, f := range fields {
			s, v := p.value(c, sec, f.form)
			switch f.content {
			case lnctPath:
				path = s
			case lnctIndex:
				dir = v
			}
		}
		if c.Err() != nil {
			return
		}
		add(dir, path)
	}
}

// value reads an attribute of one of the forms that DWARF 5, 6.2.4.1 allows.
func (p *Program) value(c *cursor.Cursor, sec Sections, form uint64) (s string, v uint64) {
	switch form {
	case formString:
		return c.CString(), 0
	case formStrp:
		return cString(sec.Str, p.offset(c)), 0
	case formLineStrp:
		return cString(sec.LineStr, p.offset(c)), 0
	case formData1:
		return "", uint64(c.U8())
	case formData2:
		return "", uint64(c.U16())
	case formData4:
		return "", uint64(c.U32())
	case formData8:
		return "", c.U64()
	case formData16:
		c.Skip(16)
	case formUdata:
		return "", c.ULEB()
	case formBlock:
		c.Skip(int(min(c.ULEB(), 1<<31-1)))
	case formBlock1:
		c.Skip(int(c.U8()))
	case formBlock2:
		c.Skip(int(c.U16()))
	case formBlock4:
		c.Skip(int(min(c.U32(), 1<<31-1)))
	default:
		c.Fail(fmt.Sprintf("form %#x is not allowed in a file table", form))
	}
	return "", 0
}

func cString(table []byte, off uint64) string {
	if off >= uint64(len(table)) {
		return ""
	}
	b := table[off:]
	if n := bytes.IndexByte(b, 0); n >= 0 {
		b = b[:n]
	}
	return string(b)
}
