package elfsym

import "slices"

// Sources returns the source files that the line tables of the images name,
// sorted, see [Image.Sources].
func (s *Set) Sources() []string {
	var list []string
	for _, m := range s.Images() {
		list = append(list, m.Sources()...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Addresses returns where statements of a source line begin, ascending: in each
// image that the file is compiled into. See [Image.Addresses].
func (s *Set) Addresses(file string, line int) []uint32 {
	var list []uint32
	for _, m := range s.Images() {
		list = append(list, slices.DeleteFunc(m.Addresses(file, line), func(a uint32) bool { return !s.has(m, a) })...)
	}
	slices.Sort(list)
	return list
}

// Rows returns the rows of the addresses [lo, hi), see [Image.Rows].
func (s *Set) Rows(lo, hi uint32) []LineRow {
	for _, m := range s.asked(lo) {
		if rows := m.Rows(lo, hi); len(rows) > 0 {
			return rows
		}
	}
	return nil
}

// FileRows returns the rows that begin a statement in a source file, image by
// image, see [Image.FileRows].
func (s *Set) FileRows(file string) []LineRow {
	var list []LineRow
	for _, m := range s.Images() {
		list = append(list, slices.DeleteFunc(m.FileRows(file), func(r LineRow) bool { return !s.has(m, r.Addr) })...)
	}
	return list
}
