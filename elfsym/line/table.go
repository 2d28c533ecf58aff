// Package line decodes DWARF 2 to 5 line number programs into tables that are
// searched by address. It is used by elfsym only; the standard library's
// reader trusts the entry counts of the header with its memory and searches
// linearly.
package line

import (
	"cmp"
	"slices"
)

// Row is one row of the line number matrix (DWARF 5, 6.2.2).
type Row struct {
	Addr   uint32
	File   uint32 // index into the files of the program, as in DW_AT_call_file
	Line   uint32 // 0 when the instruction belongs to no line
	Column uint16 // 0 when not known
	Stmt   bool   // recommended place for a breakpoint
	// PrologueEnd marks the place for a breakpoint on the function.
	PrologueEnd bool
}

// Sequence is a run of instructions of ascending addresses.
type Sequence struct {
	Start, End uint32 // End is the first address past it
	Rows       []Row  // sorted by address, the first at Start
}

// Table is the line number matrix of a program. Sequences are sorted by
// Start; those of functions that the linker discarded may overlap others.
type Table struct {
	Sequences []Sequence
	longest   uint32 // bytes of the longest sequence
}

// Add appends a sequence with a copy of rows; empty ones are left out. Call
// [Table.Sort] before the next Covering.
func (t *Table) Add(rows []Row, end uint32) {
	if len(rows) == 0 {
		return
	}
	rows = slices.Clone(rows)
	// Addresses ascend within a sequence (DWARF 5, 6.2.5); keep the order of
	// the program among equal addresses, of which the last describes it.
	if !slices.IsSortedFunc(rows, byAddr) {
		slices.SortStableFunc(rows, byAddr)
	}
	if s := (Sequence{rows[0].Addr, end, rows}); s.End > s.Start {
		t.Sequences = append(t.Sequences, s)
		t.longest = max(t.longest, s.End-s.Start)
	}
}

func byAddr(a, b Row) int { return cmp.Compare(a.Addr, b.Addr) }

// Sort brings the sequences into the order that Covering needs.
func (t *Table) Sort() {
	slices.SortStableFunc(t.Sequences, func(a, b Sequence) int { return cmp.Compare(a.Start, b.Start) })
}

// Move adds delta to every address, modulo 1<<32, and sorts the table. A
// sequence that would pass the top of the address space is dropped.
func (t *Table) Move(delta uint32) {
	if delta == 0 {
		return
	}
	t.Sequences = slices.DeleteFunc(t.Sequences, func(s Sequence) bool { return s.End+delta < s.Start+delta })
	for i := range t.Sequences {
		s := &t.Sequences[i]
		s.Start, s.End = s.Start+delta, s.End+delta
		for k := range s.Rows {
			s.Rows[k].Addr += delta
		}
	}
	t.Sort()
}

// Covering returns the sequences that contain pc, the one that begins last
// first.
func (t *Table) Covering(pc uint32) []*Sequence {
	i, _ := slices.BinarySearchFunc(t.Sequences, uint64(pc)+1, func(s Sequence, a uint64) int {
		return cmp.Compare(uint64(s.Start), a)
	})
	var out []*Sequence
	for i--; i >= 0 && pc-t.Sequences[i].Start < t.longest; i-- {
		if s := &t.Sequences[i]; pc < s.End {
			out = append(out, s)
		}
	}
	return out
}

// At returns the row that describes pc, which lies in the sequence.
func (s *Sequence) At(pc uint32) Row {
	i, _ := slices.BinarySearchFunc(s.Rows, uint64(pc)+1, func(r Row, a uint64) int {
		return cmp.Compare(uint64(r.Addr), a)
	})
	return s.Rows[max(i-1, 0)]
}
