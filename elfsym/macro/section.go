package macro

import (
	"fmt"

	"pushmask/internal/cursor"
)

// Types of entries of .debug_macro (DWARF 5, 7.23). Those of GNU's extension to
// DWARF 4, which has the version 4, are the same up to 0x07; "sup" stands for a
// supplementary file, "alt" there.
const (
	macroDefine     = 0x01
	macroUndef      = 0x02
	macroStartFile  = 0x03
	macroEndFile    = 0x04
	macroDefineStrp = 0x05
	macroUndefStrp  = 0x06
	macroImport     = 0x07
	macroDefineSup  = 0x08
	macroUndefSup   = 0x09
	macroImportSup  = 0x0a
	macroDefineStrx = 0x0b
	macroUndefStrx  = 0x0c
)

// Flags of a header of .debug_macro (DWARF 5, 6.3.1).
const (
	flagWide     = 1 << 0 // offsets have 8 bytes
	flagLine     = 1 << 1 // an offset in .debug_line follows
	flagOperands = 1 << 2 // a table of opcodes and their operands follows
)

// part is one unit of .debug_macro, which others may import.
type part struct {
	*reader
	*cursor.Cursor
	wide     bool
	operands map[uint8][]uint64 // forms, of opcodes that the header describes
	depth    int
}

// macro reads a unit of .debug_macro.
func (r *reader) macro(off uint64, depth int) error {
	c := cursor.New(".debug_macro", r.Macro)
	c.Seek(int(min(off, 1<<31-1)))
	p := &part{reader: r, Cursor: c, depth: depth}
	p.header()
	for c.Err() == nil && len(r.unit.events) < maxEvents {
		kind := c.U8()
		if kind == 0 {
			return r.damage(c)
		}
		if r.entries++; r.entries > maxEntries {
			return fmt.Errorf("%w: more than %d entries", ErrMalformed, maxEntries)
		}
		if err := p.entry(kind); err != nil {
			return err
		}
	}
	return r.damage(c)
}

// header reads the header of a unit (DWARF 5, 6.3.1).
func (p *part) header() {
	if version := p.U16(); p.Err() == nil && version != 4 && version != 5 {
		p.Fail(fmt.Sprintf("version %d", version))
	}
	flags := p.U8()
	p.wide = flags&flagWide != 0
	if flags&flagLine != 0 {
		p.offset()
	}
	if flags&flagOperands == 0 {
		return
	}
	p.operands = make(map[uint8][]uint64)
	for range p.U8() {
		opcode := p.U8()
		n := p.ULEB()
		if n > uint64(p.Len()) {
			p.Fail("more operands than bytes")
			return
		}
		var forms []uint64
		for range n {
			forms = append(forms, p.ULEB())
		}
		p.operands[opcode] = forms
	}
}

// offset reads an offset of the unit's format.
func (p *part) offset() uint64 {
	if p.wide {
		return p.U64()
	}
	return uint64(p.U32())
}

// entry reads what follows the type of an entry. The error is that of a unit that
// it imports.
func (p *part) entry(kind uint8) error {
	switch kind {
	case macroDefine, macroUndef:
		line := p.ULEB()
		p.named(kind == macroDefine, line, p.CString())
	case macroDefineStrp, macroUndefStrp:
		line := p.ULEB()
		p.named(kind == macroDefineStrp, line, p.text(p.offset()))
	case macroDefineStrx, macroUndefStrx:
		line := p.ULEB()
		p.named(kind == macroDefineStrx, line, p.indexed(p.ULEB()))
	case macroStartFile:
		line := p.ULEB()
		p.add(event{kind: eventStartFile, line: lineNumber(line), file: p.ULEB()}, "")
	case macroEndFile:
		p.add(event{kind: eventEndFile}, "")
	case macroImport:
		off := p.offset()
		if p.depth >= maxImports {
			return fmt.Errorf("%w: units import each other", ErrMalformed)
		}
		if p.Err() == nil {
			return p.macro(off, p.depth+1)
		}
	case macroDefineSup, macroUndefSup: // in a file that is not there
		p.SkipLEB()
		p.offset()
	case macroImportSup:
		p.offset()
	default:
		p.skip(kind)
	}
	return nil
}

// named adds a directive about a name.
func (p *part) named(defines bool, line uint64, text string) {
	switch {
	case p.Err() != nil:
	case defines:
		p.define(line, text)
	default:
		p.undefine(line, text)
	}
}

// text is the string at an offset of .debug_str, "" where none is.
func (p *part) text(off uint64) string {
	c := cursor.New(".debug_str", p.Str)
	c.Seek(int(min(off, 1<<31-1)))
	return c.CString()
}

// indexed is the string with an index in the unit's part of .debug_str_offsets.
func (p *part) indexed(index uint64) string {
	size := uint64(4)
	if p.start.Wide {
		size = 8
	}
	if index > 1<<28 || p.start.StrOffsets > 1<<30 {
		return ""
	}
	c := cursor.New(".debug_str_offsets", p.StrOffsets)
	c.Seek(int(p.start.StrOffsets + index*size))
	off := uint64(c.U32())
	if size == 8 {
		off |= uint64(c.U32()) << 32
	}
	if c.Err() != nil {
		return ""
	}
	return p.text(off)
}

// Forms that operands of further opcodes may have (DWARF 5, 6.3.1 and 7.5.6).
const (
	formBlock2    = 0x03
	formBlock4    = 0x04
	formData2     = 0x05
	formData4     = 0x06
	formData8     = 0x07
	formString    = 0x08
	formBlock     = 0x09
	formBlock1    = 0x0a
	formData1     = 0x0b
	formFlag      = 0x0c
	formSdata     = 0x0d
	formStrp      = 0x0e
	formUdata     = 0x0f
	formSecOffset = 0x17
	formStrx      = 0x1a
	formStrpSup   = 0x1d
	formData16    = 0x1e
	formLineStrp  = 0x1f
)

// skip moves past an entry that the header describes.
func (p *part) skip(kind uint8) {
	forms, ok := p.operands[kind]
	if !ok {
		p.Fail(fmt.Sprintf("entry of type %#x", kind))
	}
	for _, f := range forms {
		switch f {
		case formFlag, formData1:
			p.Cursor.Skip(1)
		case formData2:
			p.Cursor.Skip(2)
		case formData4:
			p.Cursor.Skip(4)
		case formData8:
			p.Cursor.Skip(8)
		case formData16:
			p.Cursor.Skip(16)
		case formString:
			p.SkipCString()
		case formSdata, formUdata, formStrx:
			p.SkipLEB()
		case formStrp, formSecOffset, formStrpSup, formLineStrp:
			p.offset()
		case formBlock, formBlock1, formBlock2, formBlock4:
			p.skipBlock(f)
		default:
			p.Fail(fmt.Sprintf("operand of form %#x", f))
		}
	}
}

func (p *part) skipBlock(form uint64) {
	var n uint64
	switch form {
	case formBlock1:
		n = uint64(p.U8())
	case formBlock2:
		n = uint64(p.U16())
	case formBlock4:
		n = uint64(p.U32())
	default:
		n = p.ULEB()
	}
	p.Cursor.Skip(int(min(n, 1<<31-1)))
}
