package cfi

import (
	"fmt"
	"math"
	"strings"

	"pushmask/internal/cursor"
)

// CIE is what the entries of several functions have in common (DWARF 5,
// section 6.4.1, "Common Information Entry").
type CIE struct {
	Version      uint8  // 1, 3 or 4
	Augmentation string // "", "zR", ...
	CodeAlign    uint32 // unit of location advances, in bytes
	DataAlign    int32  // unit of factored offsets, in bytes
	ReturnReg    Register
	Signal       bool // the frames are signal handlers': look the caller up at its PC, not before it

	sec      *Section
	encoding uint8 // of addresses
	initial  state // what the CIE's instructions set
}

// FDE describes one function ("Frame Description Entry").
type FDE struct {
	Start, End uint32 // code addresses, without the Thumb bit; End is the first address past it
	Offset     int    // of the entry in its section, in bytes
	CIE        *CIE

	body, end int // offsets of the instructions in the section
}

// Section names the section that the entry is in.
func (f *FDE) Section() string { return f.CIE.sec.Name }

// extent is where an entry lies in its section.
type extent struct {
	off, end int
	fields   int    // offset of what follows the CIE id or CIE pointer
	cie      bool   // it is a CIE
	owner    uint64 // offset of the CIE of an FDE
}

// sectionParser reads one section in two passes, since an FDE may precede its
// CIE.
type sectionParser struct {
	sec  *Section
	cies map[uint64]*CIE // by offset; nil for a damaged one
	fdes []*FDE
	err  error
}

func (p *sectionParser) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

func (p *sectionParser) parse() error {
	entries := p.extents()
	for _, e := range entries {
		if e.cie {
			cie, err := p.parseCIE(e)
			p.cies[uint64(e.off)] = cie
			p.fail(err)
		}
	}
	for _, e := range entries {
		if !e.cie {
			p.parseFDE(e)
		}
	}
	if p.err != nil {
		return fmt.Errorf("parse call frame information: %w", p.err)
	}
	return nil
}

// extents walks over the entries by their lengths. A length of 0, which ends
// what one object file contributed to .eh_frame, is passed over.
func (p *sectionParser) extents() []extent {
	var out []extent
	c := cursor.New(p.sec.Name, p.sec.Data)
	for c.Len() > 0 {
		e := extent{off: c.Off()}
		size, wide := uint64(c.U32()), false
		if size == 0 {
			continue
		}
		if size == math.MaxUint32 { // 64-bit DWARF (section 7.4)
			size, wide = c.U64(), true
		}
		if size > uint64(c.Len()) {
			c.Fail(fmt.Sprintf("entry of %d bytes, %d left", size, c.Len()))
			break
		}
		idOff := c.Off()
		e.end = idOff + int(size)
		p.readOwner(c, &e, wide)
		e.fields = c.Off()
		if c.Err() != nil {
			break
		}
		if e.fields > e.end {
			c.Fail("entry is shorter than its CIE pointer")
			break
		}
		out = append(out, e)
		c.Seek(e.end)
	}
	if c.Err() != nil {
		p.fail(c.Err())
	}
	return out
}

// readOwner reads the field that marks a CIE or leads to it. In .debug_frame it
// is an offset in the section (DWARF 5, section 6.4.1), in .eh_frame the
// distance from the field back to the CIE and always 4 bytes (LSB 10.6.1.1).
func (p *sectionParser) readOwner(c *cursor.Cursor, e *extent, wide bool) {
	at := uint64(c.Off())
	switch {
	case p.sec.EH:
		back := uint64(c.U32())
		e.cie, e.owner = back == 0, at-back
	case wide:
		e.owner = c.U64()
		e.cie = e.owner == math.MaxUint64
	default:
		e.owner = uint64(c.U32())
		e.cie = e.owner == math.MaxUint32
	}
}

func (p *sectionParser) cursorAt(off, end int) *cursor.Cursor {
	c := cursor.New(p.sec.Name, p.sec.Data[:end])
	c.Seek(off)
	return c
}

func (p *sectionParser) parseCIE(e extent) (*CIE, error) {
	c := p.cursorAt(e.fields, e.end)
	cie := &CIE{sec: p.sec, Version: c.U8()}
	if c.Err() == nil && cie.Version != 1 && cie.Version != 3 && cie.Version != 4 {
		c.Fail(fmt.Sprintf("CIE version %d is unknown", cie.Version))
	}
	cie.Augmentation = c.CString()
	if cie.Version == 4 {
		checkAddressSize(c)
	}
	codeAlign, dataAlign := c.ULEB(), c.SLEB()
	if c.Err() == nil && (codeAlign > math.MaxUint16 || dataAlign != int64(int16(dataAlign))) {
		c.Fail(fmt.Sprintf("alignment factors %d and %d", codeAlign, dataAlign))
	}
	cie.CodeAlign, cie.DataAlign = uint32(codeAlign), int32(dataAlign)
	if cie.Version == 1 {
		cie.ReturnReg = Register(c.U8())
	} else {
		cie.ReturnReg = readRegister(c)
	}
	cie.readAugmentation(c)
	if c.Err() != nil {
		return nil, c.Err()
	}
	m := machine{cie: cie, c: c}
	if err := m.runInitial(); err != nil {
		return nil, err
	}
	cie.initial = m.state
	return cie, nil
}

// checkAddressSize reads the fields that version 4 added. The GNU assembler
// (2.40, --gdwarf-cie-version=4) states 8 in files for 32-bit Arm and writes
// addresses of 4 bytes all the same; see TestAssemblerVersion4. Were they of 8,
// the upper half of the start would be read as the function's size, 0, and
// the entry cover nothing.
func checkAddressSize(c *cursor.Cursor) {
	size, selector := c.U8(), c.U8()
	if c.Err() == nil && (size != 4 && size != 8 || selector != 0) {
		c.Fail(fmt.Sprintf("addresses of %d bytes with selectors of %d", size, selector))
	}
}

// readAugmentation reads the augmentation data that the letters of the
// augmentation string announce (LSB 10.6.1.1.1). B, a second authentication
// key, occurs on AArch64 and changes nothing here.
func (cie *CIE) readAugmentation(c *cursor.Cursor) {
	letters, sized := strings.CutPrefix(cie.Augmentation, "z")
	if options, ok := strings.CutPrefix(letters, "armcc"); ok && strings.Contains(options, "+") {
		return // Arm Compiler 5; without "+" its saved-register offsets are reversed
	}
	end := 0
	if sized {
		size := c.ULEB()
		if size > uint64(c.Len()) {
			c.Fail(fmt.Sprintf("augmentation data of %d bytes, %d left", size, c.Len()))
			return
		}
		end = c.Off() + int(size)
	}
	for _, letter := range letters {
		switch letter {
		case 'R':
			cie.encoding = c.U8()
		case 'P':
			cie.skipPointer(c, c.U8())
		case 'L':
			c.U8()
		case 'S':
			cie.Signal = true
		case 'B':
		default:
			c.Fail(fmt.Sprintf("augmentation %q is unknown", cie.Augmentation))
		}
	}
	if sized {
		if c.Off() > end {
			c.Fail("augmentation data is longer than its size")
		}
		c.Seek(end)
	}
}

func (p *sectionParser) parseFDE(e extent) {
	cie, ok := p.cies[e.owner]
	if cie == nil {
		if !ok {
			p.fail(&cursor.Error{Section: p.sec.Name, Off: e.off, Msg: fmt.Sprintf("no CIE at offset %#x", e.owner)})
		}
		return
	}
	c := p.cursorAt(e.fields, e.end)
	start := cie.readPointer(c, cie.encoding)
	size := readValue(c, cie.encoding)
	if strings.HasPrefix(cie.Augmentation, "z") {
		c.Skip(int(min(c.ULEB(), math.MaxInt32))) // the language's own data
	}
	if c.Err() == nil && uint64(start)+uint64(size) > math.MaxUint32 {
		c.Fail(fmt.Sprintf("function of %#x bytes at %#08x", size, start))
	}
	if c.Err() != nil {
		p.fail(c.Err())
		return
	}
	p.fdes = append(p.fdes, &FDE{
		Start: start &^ 1, End: start&^1 + size, Offset: e.off, CIE: cie,
		body: c.Off(), end: e.end,
	})
}

func readRegister(c *cursor.Cursor) Register {
	n := c.ULEB()
	if n > maxRegister {
		c.Fail(fmt.Sprintf("register %d is unknown", n))
		return 0
	}
	return Register(n)
}
