package elfsym

import (
	"cmp"
	"debug/dwarf"
	"errors"
	"fmt"
	"slices"

	"pushmask/elfsym/line"
)

// unit is a compilation unit.
type unit struct {
	offset   dwarf.Offset // of its entry
	end      dwarf.Offset // first offset past the unit
	addrSize uint8        // bytes
	compDir  string
	stmtList int64 // DW_AT_stmt_list, -1 when absent

	functions *intervals[*subprogram] // nil until needed
}

// lineProgram is a line program shared by the units that refer to it.
type lineProgram struct {
	program *line.Program // nil when malformed
	table   *line.Table   // nil until run
}

// loadUnits reads the own entry of each unit that can hold code. Units that
// cannot be read are left out and reported.
func (d *debugInfo) loadUnits() error {
	var ranges []interval[*unit]
	var errs []error
	for _, x := range d.entries.Units() {
		if x.IsType {
			continue
		}
		u := &unit{offset: x.First, end: x.End, addrSize: x.AddrSize, stmtList: -1}
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
		lp.program, err = line.Parse(d.sections, uint64(u.stmtList), u.compDir, u.addrSize)
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
