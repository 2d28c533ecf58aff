package cfi

import (
	"cmp"
	"errors"
	"slices"
)

// Section is a section with call frame information, decompressed.
type Section struct {
	Name string // for errors
	Data []byte
	Addr uint32 // where it is loaded; .debug_frame is not, 0
	EH   bool   // .eh_frame format

	// TextBase and DataBase are the bases of DW_EH_PE_textrel and
	// DW_EH_PE_datarel pointers in .eh_frame, the addresses of .text and .got.
	// With 0, entries that need them are refused.
	TextBase, DataBase uint32

	// Bias is how far the image was moved, which absolute pointers do not know.
	Bias uint32
}

// Table finds the entry of a function by address.
type Table struct {
	fdes []*FDE   // sorted by Start, entries of the same Start in the order of the input
	ends []uint32 // the largest End of fdes[:i+1], those that start at 0 apart
}

// Parse reads all entries of the sections. Entries that are damaged or of a
// kind unknown here are left out and the error, which wraps
// [cursor.Error] values, names the first of each section; the table, never
// nil, holds the others.
func Parse(sections ...Section) (*Table, error) {
	t := &Table{}
	var errs []error
	for i := range sections {
		p := sectionParser{sec: &sections[i], cies: make(map[uint64]*CIE)}
		if err := p.parse(); err != nil {
			errs = append(errs, err)
		}
		t.fdes = append(t.fdes, p.fdes...)
	}
	slices.SortStableFunc(t.fdes, func(a, b *FDE) int { return cmp.Compare(a.Start, b.Start) })
	t.ends = make([]uint32, len(t.fdes))
	var last uint32
	for i, f := range t.fdes {
		if f.Start != 0 { // see Lookup
			last = max(last, f.End)
		}
		t.ends[i] = last
	}
	return t, errors.Join(errs...)
}

// Lookup returns the entry of the function that contains pc; bit 0 of pc is
// ignored. Where entries overlap it is the one that starts last, of those the
// first in the input.
//
// Entries that start at address 0 are never found: linkers leave the entries
// of functions that they discarded, with 0 for the address, and those would
// cover live code of images in flash at 0. What lies at 0 in firmware is a
// vector table. A nil table is empty.
func (t *Table) Lookup(pc uint32) (*FDE, bool) {
	if t == nil {
		return nil, false
	}
	pc &^= 1
	i, _ := slices.BinarySearchFunc(t.fdes, uint64(pc)+1, func(f *FDE, after uint64) int {
		return cmp.Compare(uint64(f.Start), after)
	})
	var found *FDE
	for i--; i >= 0 && t.ends[i] > pc; i-- {
		f := t.fdes[i]
		if found != nil && f.Start != found.Start {
			break
		}
		if f.End > pc {
			found = f
		}
	}
	return found, found != nil
}

// FDEs returns all entries in the order of their addresses, those of discarded
// functions (Start 0) first. The caller must not change the slice.
func (t *Table) FDEs() []*FDE {
	if t == nil {
		return nil
	}
	return t.fdes
}
