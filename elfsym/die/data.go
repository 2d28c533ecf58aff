package die

import (
	"cmp"
	"debug/dwarf"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"pushmask/internal/cursor"
)

// Sections are the contents of the .debug_* sections, decompressed; nil for
// those that a file does not have.
type Sections struct {
	Abbrev, Info, Types            []byte
	Str, LineStr, StrOffsets, Addr []byte
	Ranges, Rnglists               []byte
	// Lists returns .debug_loc and .debug_loclists, which only variables need. It
	// is called where a list is read; nil where there are none.
	Lists func() (loc, loclists []byte)
}

// Offset is the place of an entry in .debug_info. Entries of .debug_types
// (DWARF 4) count on from the end of .debug_info.
type Offset = dwarf.Offset

// ErrMalformed tells that the DWARF contradicts itself.
var ErrMalformed = errors.New("malformed DWARF")

// Data is the DWARF of a program. It is safe for concurrent use.
type Data struct {
	sections   Sections
	units      []*Unit           // by Offset
	signatures map[uint64]Offset // of type units

	mu      sync.Mutex
	abbrevs map[abbrevKey]*abbrevTable

	indexOnce sync.Once // guards index
	index     atomic.Pointer[index]
}

// maxDamaged bounds the errors that New lists.
const maxDamaged = 20

// New lists the units. The error joins what could not be read of their
// headers; the Data has the others.
func New(s Sections) (*Data, error) {
	d := &Data{sections: s, signatures: make(map[uint64]Offset), abbrevs: make(map[abbrevKey]*abbrevTable)}
	if uint64(len(s.Info))+uint64(len(s.Types)) > 1<<31-1 {
		return nil, fmt.Errorf("read units: %w: sections of more than 2 GiB", ErrMalformed)
	}
	var errs []error
	errs = append(errs, d.addUnits(".debug_info", s.Info, 0)...)
	errs = append(errs, d.addUnits(".debug_types", s.Types, Offset(len(s.Info)))...)
	return d, errors.Join(errs[:min(len(errs), maxDamaged)]...)
}

func (d *Data) addUnits(name string, section []byte, at Offset) (errs []error) {
	c := cursor.New(name, section)
	for c.Len() > 0 {
		u, err := d.readHeader(c, section, at, name == ".debug_types")
		if err != nil {
			errs = append(errs, err)
		}
		if u == nil {
			continue
		}
		d.units = append(d.units, u)
		if u.IsType {
			if _, ok := d.signatures[u.signature]; !ok {
				d.signatures[u.signature] = u.Start + Offset(min(u.typeOffset, 1<<31))
			}
		}
	}
	return errs
}

// Units returns the units in the order of the file.
func (d *Data) Units() []*Unit { return d.units }

// UnitOf returns the unit that has the entry at off, nil where there is none.
func (d *Data) UnitOf(off Offset) *Unit {
	i, found := slices.BinarySearchFunc(d.units, off, func(u *Unit, off Offset) int { return cmp.Compare(u.Start, off) })
	if !found {
		i--
	}
	if i < 0 || off >= d.units[i].End {
		return nil
	}
	return d.units[i]
}

// Entry reads the entry at off.
func (d *Data) Entry(off Offset) (Entry, error) {
	u := d.UnitOf(off)
	if u == nil {
		return Entry{}, fmt.Errorf("read entry at %#x: %w: no unit has it", off, ErrMalformed)
	}
	return u.entry(off)
}

// Signature returns the place of the type that a type unit defines.
func (d *Data) Signature(sig uint64) (Offset, bool) {
	off, ok := d.signatures[sig]
	return off, ok
}

// Sections returns what the Data was made from.
func (d *Data) Sections() *Sections { return &d.sections }
