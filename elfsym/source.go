package elfsym

import (
	"maps"
	"slices"
	"strings"
)

// Sources returns the source files that the line tables name, sorted, without
// names that are no files (<built-in>). It reads the header of every line program.
func (m *Image) Sources() []string {
	d := m.debug()
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	set := make(map[string]bool)
	for _, u := range d.units {
		if lp := d.lineProgram(u); lp != nil && lp.program != nil {
			for _, f := range lp.program.Files {
				set[f] = true
			}
		}
	}
	maps.DeleteFunc(set, func(f string, _ bool) bool { return f == "" || strings.HasPrefix(f, "<") })
	return slices.Sorted(maps.Keys(set))
}

// Addresses returns the addresses where statements of a source line begin, in
// ascending order. file is a path as [Location].File and [Image.Sources] give
// it. A line may begin at several places: inlined copies, loops, templates.
func (m *Image) Addresses(file string, line int) []uint32 {
	d := m.debug()
	if d == nil || file == "" || line <= 0 {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []uint32
	seen := make(map[int64]bool)
	for _, u := range d.units {
		if seen[u.stmtList] {
			continue
		}
		seen[u.stmtList] = true
		out = append(out, d.lineAddresses(u, file, uint32(line))...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (d *debugInfo) lineAddresses(u *unit, file string, number uint32) []uint32 {
	lp := d.lineProgram(u)
	if lp == nil || lp.program == nil || !slices.Contains(lp.program.Files, file) {
		return nil
	}
	var out []uint32
	for _, s := range d.lineTable(u).Sequences {
		if !d.image.live(s.Start) {
			continue
		}
		inside := false // the row before is of the same line
		for _, r := range s.Rows {
			match := r.Line == number && d.file(u, int64(r.File)) == file
			if match && r.Stmt && !inside {
				out = append(out, r.Addr)
			}
			inside = match && (inside || r.Stmt)
		}
	}
	return out
}
