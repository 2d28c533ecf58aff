package elfsym

import (
	"debug/dwarf"
	"slices"

	"pushmask/elfsym/line"
)

// subprogram is a DW_TAG_subprogram with code.
type subprogram struct {
	unit   *unit
	offset dwarf.Offset
	calls  []inlinedCall
	parsed bool // calls is filled
}

// maxOriginHops bounds chains of DW_AT_abstract_origin and
// DW_AT_specification; compilers make at most three.
const maxOriginHops = 8

// unitFunctions returns the functions of a unit.
func (d *debugInfo) unitFunctions(u *unit) intervals[*subprogram] {
	if u.functions == nil {
		var list []interval[*subprogram]
		d.image.report(guard(func() error { return d.readFunctions(u, &list) }))
		x := newIntervals(list)
		u.functions = &x
	}
	return *u.functions
}

// readFunctions reads the entries of functions with code. What came before
// damage is kept.
func (d *debugInfo) readFunctions(u *unit, list *[]interval[*subprogram]) error {
	offsets, damage := d.entries.UnitOf(u.offset).Code()
	r := d.unitReader(u)
	for _, off := range offsets {
		r.Seek(off)
		e, err := r.Next()
		if err != nil {
			return err
		}
		ranges, err := d.pcRanges(e)
		d.image.report(err)
		fn := &subprogram{unit: u, offset: off}
		for _, r := range ranges {
			*list = append(*list, interval[*subprogram]{r.lo, r.hi, fn})
		}
	}
	return damage
}

// unitReader returns a reader that has read the unit's own entry, which makes
// it know the base offsets of the indexed forms.
func (d *debugInfo) unitReader(u *unit) *dwarf.Reader {
	r := d.data.Reader()
	r.Seek(u.offset)
	r.Next()
	return r
}

// functionAt returns the function that DWARF has at pc and the range of it
// that contains pc; the innermost where functions are nested.
func (d *debugInfo) functionAt(pc uint32) (interval[*subprogram], bool) {
	var found []interval[*subprogram]
	for _, u := range d.unitsAt(pc) {
		for _, f := range d.unitFunctions(u).containing(pc) {
			if len(found) > 0 && f.lo < found[0].lo || !d.live(f) {
				continue
			}
			if len(found) > 0 && f.lo > found[0].lo {
				found = found[:0]
			}
			found = append(found, f)
		}
	}
	if len(found) == 0 {
		return interval[*subprogram]{}, false
	}
	return d.preferSymbol(found), true
}

// preferSymbol chooses among functions that begin at one address: a live
// function and leftovers of discarded ones where it happens to be at 0, or
// functions that the linker folded. The one that the symbol table names wins.
func (d *debugInfo) preferSymbol(found []interval[*subprogram]) interval[*subprogram] {
	if len(found) == 1 {
		return found[0]
	}
	symbols := d.image.symtab().at(found[0].lo)
	for _, f := range found {
		name := d.name(f.value.offset)
		if slices.ContainsFunc(symbols, func(s symbol) bool { return s.name == name }) {
			return f
		}
	}
	return found[0]
}

// live reports whether a function is in the image; see [Image.live]. Where no
// symbol confirms it, the function must not lie in a line sequence that began
// with a discarded one: the second function of a discarded section has an
// address other than 0.
func (d *debugInfo) live(f interval[*subprogram]) bool {
	if !d.image.live(f.lo) {
		return false
	}
	if s, ok := d.image.symbolFuncs().at(f.lo); ok && s.Entry == f.lo {
		return true
	}
	table := d.lineTable(f.value.unit)
	if table == nil {
		return true
	}
	covering := table.Covering(f.lo)
	return len(covering) == 0 || slices.ContainsFunc(covering, func(s *line.Sequence) bool { return d.image.live(s.Start) })
}

// unitsAt returns the units that cover pc, each once.
func (d *debugInfo) unitsAt(pc uint32) []*unit {
	var out []*unit
	for _, r := range d.ranges.containing(pc) {
		if !slices.Contains(out, r.value) {
			out = append(out, r.value)
		}
	}
	return out
}

// name returns the linkage name of a function entry or, without one, its
// source name. Both may be at the end of a chain of references, which may
// lead into other units.
func (d *debugInfo) name(off dwarf.Offset) string {
	if s, ok := d.names[off]; ok {
		return s
	}
	var name string
	d.image.report(guard(func() error {
		r := d.data.Reader()
		at := off
		for range maxOriginHops {
			r.Seek(at)
			e, err := r.Next()
			if err != nil || e == nil {
				return err
			}
			if s := linkageName(e); s != "" {
				name = s
				return nil
			}
			if s, _ := e.Val(dwarf.AttrName).(string); s != "" && name == "" {
				name = s
			}
			var ok bool
			if at, ok = origin(e); !ok {
				return nil
			}
		}
		return nil
	}))
	d.names[off] = name
	return name
}

// attrMIPSLinkageName is DW_AT_MIPS_linkage_name, which compilers used before
// DWARF 4 had DW_AT_linkage_name.
const attrMIPSLinkageName dwarf.Attr = 0x2007

func linkageName(e *dwarf.Entry) string {
	if s, ok := e.Val(dwarf.AttrLinkageName).(string); ok {
		return s
	}
	s, _ := e.Val(attrMIPSLinkageName).(string)
	return s
}

// origin returns the entry that e is an instance or the definition of.
func origin(e *dwarf.Entry) (dwarf.Offset, bool) {
	if off, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset); ok {
		return off, true
	}
	off, ok := e.Val(dwarf.AttrSpecification).(dwarf.Offset)
	return off, ok
}
