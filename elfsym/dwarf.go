package elfsym

import (
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"strings"
	"sync"

	"pushmask/elfsym/die"
	"pushmask/elfsym/line"
)

// debugInfo is the DWARF of an image. Loading it reads the sections, the unit
// headers and each unit's own entry; functions, inlined calls and line
// programs are parsed unit by unit when an address falls in them.
//
// debug/dwarf caches inside its Data while reading, so one lock guards
// everything.
type debugInfo struct {
	image *Image
	mu    sync.Mutex

	data     *dwarf.Data
	entries  *die.Data
	sections line.Sections
	units    []*unit
	ranges   intervals[*unit]
	programs map[int64]*lineProgram // by DW_AT_stmt_list
	names    map[dwarf.Offset]string
}

// dwarfSections are the sections that positions and names need, without the
// prefix. Location lists and macros can be larger than all of them.
var dwarfSections = map[string]bool{
	"abbrev": true, "info": true, "str": true, "line": true, "ranges": true,
	"addr": true, "line_str": true, "str_offsets": true, "rnglists": true, "types": true,
}

// dwarfSuffix returns "info" for .debug_info and .zdebug_info, "" for sections
// of other kinds.
func dwarfSuffix(name string) string {
	if s, ok := strings.CutPrefix(name, ".debug_"); ok {
		return s
	}
	if s, ok := strings.CutPrefix(name, ".zdebug_"); ok {
		return s
	}
	return ""
}

// HasDebug reports whether the image has DWARF and is allowed to use it.
func (m *Image) HasDebug() bool {
	if m.opt.NoDebug {
		return false
	}
	for _, s := range m.file.Sections {
		if dwarfSuffix(s.Name) == "info" && s.Type != elf.SHT_NOBITS {
			return true
		}
	}
	return false
}

// openDebug loads the DWARF; nil where there is none or it is unreadable.
func (m *Image) openDebug() *debugInfo {
	if !m.HasDebug() {
		return nil
	}
	d := &debugInfo{
		image:    m,
		programs: make(map[int64]*lineProgram),
		names:    make(map[dwarf.Offset]string),
	}
	if err := guard(d.load); err != nil {
		m.report(fmt.Errorf("read DWARF of %s: %w", m.path, err))
		if d.data == nil {
			return nil
		}
	}
	return d
}

// guard turns a panic of debug/dwarf on malformed input into an error.
func guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w DWARF: %v", ErrMalformed, p)
		}
	}()
	return f()
}

func (d *debugInfo) load() error {
	sec := make(map[string][]byte)
	for _, s := range d.image.file.Sections {
		suffix := dwarfSuffix(s.Name)
		if !dwarfSections[suffix] || s.Type == elf.SHT_NOBITS {
			continue
		}
		b, err := sectionData(s)
		if err != nil {
			return err
		}
		sec[suffix] = b
	}
	data, err := dwarf.New(sec["abbrev"], nil, nil, sec["info"], sec["line"], nil, sec["ranges"], sec["str"])
	if err != nil {
		return err
	}
	for _, name := range []string{"addr", "line_str", "str_offsets", "rnglists"} {
		if b := sec[name]; b != nil {
			if err := data.AddSection(".debug_"+name, b); err != nil {
				return err
			}
		}
	}
	d.data = data
	d.entries, err = die.New(die.Sections{
		Abbrev: sec["abbrev"], Info: sec["info"], Types: sec["types"],
		Str: sec["str"], LineStr: sec["line_str"], StrOffsets: sec["str_offsets"], Addr: sec["addr"],
		Ranges: sec["ranges"], Rnglists: sec["rnglists"], Lists: sync.OnceValues(d.image.locationLists),
	})
	if d.entries == nil {
		return err
	}
	d.image.report(err)
	d.sections = line.Sections{Line: sec["line"], Str: sec["str"], LineStr: sec["line_str"]}
	return d.loadUnits()
}

// live reports whether an address at which DWARF says a function or a line
// sequence begins is real. --gc-sections leaves the DWARF of discarded
// functions behind with addresses from 0 on (GNU ld, older lld) or near
// 0xffffffff (lld), and flash may begin at 0 too.
func (m *Image) live(start uint32) bool {
	r, ok := m.regionAt(start)
	state := m.symtab().stateAt(start)
	code := state == StateThumb || state == StateARM
	if !ok || !r.exec && !code && !m.executable(start) {
		return false
	}
	if f, ok := m.symbolFuncs().at(start); ok && f.Sized {
		return f.Entry == start
	}
	if len(m.symtab().mapping) > 0 {
		return code
	}
	// Without symbols only address 0 itself can be told: an M-profile core
	// has its vector table there.
	return start != 0 || !m.mProfile
}
