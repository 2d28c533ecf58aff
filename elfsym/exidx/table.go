package exidx

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"pushmask/internal/cursor"
)

const (
	entrySize = 8
	// cantUnwind, as the second word of an entry (EHABI, "Index table
	// entries": EXIDX_CANTUNWIND).
	cantUnwind = 1
	// compactBit marks a compact model entry, in the index as in .ARM.extab
	// (EHABI, "Index table entries").
	compactBit = 1 << 31
)

// ErrMalformed is wrapped by errors about tables that the EHABI does not
// allow.
var ErrMalformed = errors.New("malformed exception table")

// Reader returns n bytes of the image at addr, or an error.
type Reader func(addr uint32, n int) ([]byte, error)

// Table is the index of an image.
type Table struct {
	entries []Entry // sorted by Start
	read    Reader
}

// Entry is an entry of the index. It holds from Start up to, without, End.
type Entry struct {
	// Start is the function's address without the Thumb bit, End the start of
	// the next entry. The last entry of the table has no end of its own, and
	// End is 0xffffffff.
	Start, End uint32

	addr  uint32 // of the entry's second word
	value uint32 // the second word
	read  Reader
}

// Parse reads the content of .ARM.exidx that is loaded at addr; read serves
// .ARM.extab. Entries that a linker left unsorted are sorted. A table whose size
// is no multiple of 8 gives its whole entries and an error that wraps
// [ErrMalformed].
func Parse(exidx []byte, addr uint32, read func(addr uint32, n int) ([]byte, error)) (*Table, error) {
	t := &Table{entries: make([]Entry, 0, len(exidx)/entrySize), read: read}
	c := cursor.New(".ARM.exidx", exidx)
	for c.Len() >= entrySize {
		at := addr + uint32(c.Off())
		t.entries = append(t.entries, Entry{Start: prel31(at, c.U32()) &^ 1, addr: at + 4, value: c.U32(), read: read})
	}
	slices.SortStableFunc(t.entries, func(a, b Entry) int { return cmp.Compare(a.Start, b.Start) })
	for i := range t.entries {
		t.entries[i].End = math.MaxUint32
		if i+1 < len(t.entries) {
			t.entries[i].End = t.entries[i+1].Start
		}
	}
	if n := len(exidx) % entrySize; n != 0 {
		return t, fmt.Errorf("parse .ARM.exidx: %w: %d bytes after the last entry", ErrMalformed, n)
	}
	return t, nil
}

// prel31 resolves a 31-bit place-relative offset in the word w at addr
// (R_ARM_PREL31, AAELF32); bit 31 is not part of it.
func prel31(addr, w uint32) uint32 { return addr + uint32(int32(w<<1)>>1) }

// Lookup returns the entry whose range contains pc; bit 0 of pc is ignored. It
// is false before the first entry. A nil table is empty.
func (t *Table) Lookup(pc uint32) (Entry, bool) {
	if t == nil {
		return Entry{}, false
	}
	pc &^= 1
	i, _ := slices.BinarySearchFunc(t.entries, uint64(pc)+1, func(e Entry, after uint64) int {
		return cmp.Compare(uint64(e.Start), after)
	})
	if i == 0 {
		return Entry{}, false
	}
	return t.entries[i-1], true
}

// Entries returns all entries in the order of their addresses. The caller must
// not change the slice.
func (t *Table) Entries() []Entry {
	if t == nil {
		return nil
	}
	return t.entries
}
