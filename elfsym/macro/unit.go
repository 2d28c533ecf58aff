package macro

import (
	"errors"
	"fmt"

	"pushmask/internal/cursor"
)

// Sections are the contents of the sections that macros are in; nil for those
// that a file does not have.
type Sections struct{ Macro, Macinfo, Str, StrOffsets []byte }

// Start is where the macros of a unit begin.
type Start struct {
	Offset  uint64
	Macinfo bool // in .debug_macinfo, else in .debug_macro
	// StrOffsets is the unit's DW_AT_str_offsets_base, and Wide says that its
	// offsets have 8 bytes.
	StrOffsets uint64
	Wide       bool
}

// ErrMalformed tells that the macros of a unit contradict their format.
var ErrMalformed = errors.New("malformed macro information")

// Unit is what the preprocessor did in one unit. It is not changed after it was
// read, and safe for concurrent use.
type Unit struct {
	events []event
	byName map[string][]int // events that define or undefine a name, ascending
}

// event is a directive of the preprocessor, in the order in which it met them.
type event struct {
	kind eventKind
	line int // of the directive, in the file around it
	file uint64
	def  *Definition // of eventDefine
}

type eventKind uint8

const (
	eventDefine eventKind = iota
	eventUndefine
	eventStartFile // line is that of the #include, file the number of the file
	eventEndFile
)

// Limits of one unit. The largest have some ten thousand macros.
const (
	maxEvents  = 1 << 20
	maxEntries = 1 << 21 // with those that are no directives
	maxImports = 16      // of each other
)

// Read reads the macros of a unit. What could be read of damaged ones comes with
// the error.
func Read(s Sections, start Start) (*Unit, error) {
	u := &Unit{byName: make(map[string][]int)}
	r := &reader{Sections: s, unit: u, start: start}
	var err error
	if start.Macinfo {
		err = r.macinfo()
	} else {
		err = r.macro(start.Offset, 0)
	}
	return u, err
}

// reader reads the macros of one unit.
type reader struct {
	Sections
	unit    *Unit
	start   Start
	entries int // that were read
}

func (r *reader) add(e event, name string) {
	if e.kind <= eventUndefine {
		r.unit.byName[name] = append(r.unit.byName[name], len(r.unit.events))
	}
	r.unit.events = append(r.unit.events, e)
}

// define adds a #define; what is none is left out.
func (r *reader) define(line uint64, text string) {
	if d, ok := define(text, lineNumber(line)); ok {
		r.add(event{kind: eventDefine, line: d.Line, def: d}, d.Name)
	}
}

func (r *reader) undefine(line uint64, name string) {
	r.add(event{kind: eventUndefine, line: lineNumber(line)}, name)
}

// lineNumber bounds a line.
func lineNumber(n uint64) int { return int(min(n, 1<<31-1)) }

// Types of entries of .debug_macinfo (DWARF 4, 7.22).
const (
	macinfoDefine    = 0x01
	macinfoUndef     = 0x02
	macinfoStartFile = 0x03
	macinfoEndFile   = 0x04
	macinfoVendor    = 0xff
)

// macinfo reads .debug_macinfo.
func (r *reader) macinfo() error {
	c := cursor.New(".debug_macinfo", r.Macinfo)
	c.Seek(int(min(r.start.Offset, 1<<31-1)))
	for c.Err() == nil && len(r.unit.events) < maxEvents {
		switch kind := c.U8(); kind {
		case 0:
			return r.damage(c)
		case macinfoDefine:
			line := c.ULEB()
			r.define(line, c.CString())
		case macinfoUndef:
			line := c.ULEB()
			r.undefine(line, c.CString())
		case macinfoStartFile:
			line := c.ULEB()
			r.add(event{kind: eventStartFile, line: lineNumber(line), file: c.ULEB()}, "")
		case macinfoEndFile:
			r.add(event{kind: eventEndFile}, "")
		case macinfoVendor:
			c.SkipLEB()
			c.SkipCString()
		default:
			c.Fail(fmt.Sprintf("entry of type %#x", kind))
		}
	}
	return r.damage(c)
}

// damage returns the error of a cursor as one of the package.
func (r *reader) damage(c *cursor.Cursor) error {
	if err := c.Err(); err != nil {
		return fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return nil
}
