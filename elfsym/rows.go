package elfsym

import "pushmask/elfsym/line"

// LineRow is a row of a line table: the instructions from Addr on, up to the
// next row, are of this line.
type LineRow struct {
	Addr        uint32
	File        string // as recorded, as in [Location]
	Line        int    // 1-based, 0 where the instructions are of no line
	Column      int    // 1-based, 0 when not known
	Stmt        bool   // a statement begins at Addr
	PrologueEnd bool   // the place for a breakpoint on the function
}

// Rows returns the rows of the addresses [lo, hi), which are of one function,
// ascending: one for each address. Of several at an address the last one counts
// that begins a statement, the last one where none does. The first row may
// begin before lo.
func (m *Image) Rows(lo, hi uint32) []LineRow {
	d := m.debug()
	if d == nil || lo >= hi {
		return nil
	}
	f, _ := m.symbolFuncs().at(lo)
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, u := range d.unitsAt(lo) {
		table := d.lineTable(u)
		if table == nil {
			continue
		}
		if s := d.chooseSequence(table.Covering(lo), pcRange{f.Entry, f.End}); s != nil {
			return d.rows(u, s, lo, hi)
		}
	}
	return nil
}

func (d *debugInfo) rows(u *unit, s *line.Sequence, lo, hi uint32) []LineRow {
	var out []LineRow
	for i, r := range s.Rows {
		next := s.End
		if i+1 < len(s.Rows) {
			next = s.Rows[i+1].Addr
		}
		if r.Addr >= hi || next < lo || next == lo && next != r.Addr {
			continue
		}
		row := d.lineRow(u, r)
		if n := len(out); n > 0 && out[n-1].Addr == row.Addr {
			row.PrologueEnd = row.PrologueEnd || out[n-1].PrologueEnd
			if row.Stmt || !out[n-1].Stmt {
				out[n-1] = row
			}
			continue
		}
		out = append(out, row)
	}
	return out
}

func (d *debugInfo) lineRow(u *unit, r line.Row) LineRow {
	return LineRow{
		Addr: r.Addr, File: d.file(u, int64(r.File)), Line: int(r.Line), Column: int(r.Column),
		Stmt: r.Stmt, PrologueEnd: r.PrologueEnd,
	}
}

// FileRows returns the rows of all tables that begin a statement in a source
// file, table by table in ascending order. file is a path as [Image.Sources]
// gives it.
func (m *Image) FileRows(file string) []LineRow {
	d := m.debug()
	if d == nil || file == "" {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []LineRow
	seen := make(map[int64]bool)
	for _, u := range d.units {
		if seen[u.stmtList] {
			continue
		}
		seen[u.stmtList] = true
		out = d.fileRows(out, u, file)
	}
	return out
}

func (d *debugInfo) fileRows(out []LineRow, u *unit, file string) []LineRow {
	table := d.lineTable(u)
	if table == nil {
		return out
	}
	for _, s := range table.Sequences {
		if !d.image.live(s.Start) {
			continue
		}
		for _, r := range s.Rows {
			if r.Stmt && r.Line > 0 && d.file(u, int64(r.File)) == file {
				out = append(out, d.lineRow(u, r))
			}
		}
	}
	return out
}
