package elfsym

import (
	"cmp"
	"debug/dwarf"
	"errors"
	"fmt"
	"slices"

	"pushmask/elfsym/line"
	"pushmask/internal/cursor"
)

// unit is a compilation unit.
type unit struct {
	offset   dwarf.Offset // of its entry
	end      dwarf.Offset // first offset past the unit
	sizes    entrySizes
	abbrevs  uint64 // offset of its table in .debug_abbrev
	compDir  string
	stmtList int64 // DW_AT_stmt_list, -1 when absent

	functions *intervals[*subprogram] // nil until needed
}

// lineProgram is a line program shared by the units that refer to it.
type lineProgram struct {
	program *line.Program // nil when malformed
	table   *line.Table   // nil until run
}

// Unit types of DWARF 5 (DWARF 5, 7.5.1). Type units hold no code; firmware
// has no split DWARF. Before DWARF 5 a unit has no type: 0.
const (
	utCompile = 0x01
	utPartial = 0x03
)

// loadUnits lists the units by their headers and reads the entry of each.
// Units that cannot be read are left out and reported.
func (d *debugInfo) loadUnits() error {
	var ranges []interval[*unit]
	var errs []error
	c := cursor.New(".debug_info", d.info)
	for c.Len() > 0 {
		u, isCode := unitHeader(c)
		if err := c.Err(); err != nil {
			errs = append(errs, err)
			break
		}
		if !isCode {
			continue
		}
		found, err := d.readUnit(u)
		if err != nil {
			errs = append(errs, fmt.Errorf("unit at %#x: %w", u.offset, err))
			continue
		}
		d.units = append(d.units, u)
		for _, r := range found {
			ranges = append(ranges, interval[*unit]{r.lo, r.hi, u})
		}
	}
	d.ranges = newIntervals(ranges)
	return errors.Join(errs[:min(len(errs), maxProblems)]...)
}

// unitHeader reads a unit header (DWARF 5, 7.5.1) and moves to the next unit.
// It returns false for empty units and for types of unit that hold no code.
func unitHeader(c *cursor.Cursor) (u *unit, isCode bool) {
	length, wide := uint64(c.U32()), false
	if length == 0xffffffff {
		length, wide = c.U64(), true
	}
	if length > uint64(c.Len()) {
		c.Fail(fmt.Sprintf("unit of %d bytes, %d are left", length, c.Len()))
		return nil, false
	}
	start := c.Off()
	h := c.Sub(int(length))
	u = &unit{end: dwarf.Offset(c.Off()), stmtList: -1}
	var unitType uint8
	u.sizes = entrySizes{version: h.U16(), wide: wide}
	if u.sizes.version >= 5 {
		unitType, u.sizes.addrSize = h.U8(), h.U8()
	}
	if wide {
		u.abbrevs = h.U64()
	} else {
		u.abbrevs = uint64(h.U32())
	}
	if u.sizes.version < 5 {
		u.sizes.addrSize = h.U8()
	}
	u.offset = dwarf.Offset(start + h.Off())
	holdsCode := unitType == 0 || unitType == utCompile || unitType == utPartial
	return u, holdsCode && h.Err() == nil && h.Len() > 0
}

// readUnit reads the unit's entry and returns the addresses it covers.
func (d *debugInfo) readUnit(u *unit) (covered []pcRange, err error) {
	err = guard(func() error {
		r := d.data.Reader()
		r.Seek(u.offset)
		e, err := r.Next()
		if err != nil {
			return err
		}
		if e == nil || e.Tag != dwarf.TagCompileUnit && e.Tag != dwarf.TagPartialUnit {
			return nil
		}
		u.compDir, _ = e.Val(dwarf.AttrCompDir).(string)
		if off, ok := e.Val(dwarf.AttrStmtList).(int64); ok {
			u.stmtList = off
		}
		covered, err = d.pcRanges(e)
		if len(covered) == 0 && e.Val(dwarf.AttrLowpc) == nil && e.Val(dwarf.AttrRanges) == nil {
			covered = d.lineRanges(u)
		}
		return err
	})
	return covered, err
}

// pcRange is the address range [lo, hi).
type pcRange struct{ lo, hi uint32 }

func (r pcRange) contains(pc uint32) bool { return pc >= r.lo && pc < r.hi }

// pcRanges returns the non-empty address ranges of an entry. The GNU assembler
// writes DW_AT_low_pc of Thumb functions with bit 0 set (libgcc's __adddf3),
// which shifts the end as well.
func (d *debugInfo) pcRanges(e *dwarf.Entry) ([]pcRange, error) {
	ranges, err := d.data.Ranges(e)
	out := make([]pcRange, 0, len(ranges))
	bias := d.image.opt.Bias
	for _, r := range ranges {
		if r[0] >= r[1] || r[1] > 1<<32-1 {
			continue
		}
		moved := pcRange{uint32(r[0])&^1 + bias, uint32(r[1])&^1 + bias}
		if moved.lo < moved.hi {
			out = append(out, moved)
		}
	}
	return out, err
}

// lineRanges stands in for units that give no addresses.
func (d *debugInfo) lineRanges(u *unit) []pcRange {
	table := d.lineTable(u)
	if table == nil {
		return nil
	}
	out := make([]pcRange, len(table.Sequences))
	for i, s := range table.Sequences {
		out[i] = pcRange{s.Start, s.End}
	}
	return out
}

// lineProgram returns the parsed header of the unit's line program, nil when
// it has none.
func (d *debugInfo) lineProgram(u *unit) *lineProgram {
	if u.stmtList < 0 {
		return nil
	}
	lp := d.programs[u.stmtList]
	if lp == nil {
		lp = &lineProgram{}
		d.programs[u.stmtList] = lp
		var err error
		lp.program, err = line.Parse(d.sections, uint64(u.stmtList), u.compDir, u.sizes.addrSize)
		d.image.report(err)
	}
	return lp
}

// lineTable returns the unit's line table, nil when there is none.
func (d *debugInfo) lineTable(u *unit) *line.Table {
	lp := d.lineProgram(u)
	if lp == nil || lp.program == nil {
		return nil
	}
	if lp.table == nil {
		var err error
		lp.table, err = lp.program.Run()
		d.image.report(err)
		if lp.table != nil {
			lp.table.Move(d.image.opt.Bias)
		}
	}
	return lp.table
}

// file returns the path of a file number of the unit, "" when unknown.
func (d *debugInfo) file(u *unit, number int64) string {
	lp := d.lineProgram(u)
	if lp == nil || lp.program == nil || number < 0 || number >= int64(len(lp.program.Files)) {
		return ""
	}
	return lp.program.Files[number]
}

// unitOf returns the unit that contains an entry, nil where there is none.
func (d *debugInfo) unitOf(off dwarf.Offset) *unit {
	i, found := slices.BinarySearchFunc(d.units, off, func(u *unit, off dwarf.Offset) int { return cmp.Compare(u.offset, off) })
	if !found {
		i--
	}
	if i < 0 || off >= d.units[i].end {
		return nil
	}
	return d.units[i]
}
