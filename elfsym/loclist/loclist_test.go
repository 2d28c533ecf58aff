package loclist_test

import (
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/elfsym/loclist"
)

// data joins bytes, 16-bit and 32-bit numbers.
func data(parts ...any) (out []byte) {
	for _, p := range parts {
		switch p := p.(type) {
		case int:
			out = append(out, byte(p))
		case uint16:
			out = binary.LittleEndian.AppendUint16(out, p)
		case uint32:
			out = binary.LittleEndian.AppendUint32(out, p)
		}
	}
	return out
}

func address(i uint64) (uint32, bool) { return 0x9000 + uint32(i)*0x100, i < 3 }

func entry(lo, hi uint32, expr ...byte) loclist.Entry {
	return loclist.Entry{Range: loclist.Range{Lo: lo, Hi: hi}, Expr: expr}
}

// TestParse reads lists of both formats.
func TestParse(t *testing.T) {
	t.Parallel()
	v4 := loclist.Unit{Version: 4, AddrSize: 4, Base: 0x8000}
	v5 := loclist.Unit{Version: 5, AddrSize: 4, Base: 0x8000, Address: address}
	byDefault := loclist.Entry{Default: true, Expr: []byte{0x52}}
	for _, tt := range []struct {
		name string
		unit loclist.Unit
		list []byte
		want []loclist.Entry
	}{
		{"v4", v4, data(uint32(0), uint32(4), uint16(1), 0x50, uint32(4), uint32(8), uint16(2), 0x91, 0, uint32(0), uint32(0)),
			[]loclist.Entry{entry(0x8000, 0x8004, 0x50), entry(0x8004, 0x8008, 0x91, 0)}},
		{"v4 with a base", v4, data(uint32(0xffffffff), uint32(0x100), uint32(0), uint32(4), uint16(1), 0x50, uint32(0), uint32(0)),
			[]loclist.Entry{entry(0x100, 0x104, 0x50)}},
		{"v4 empty range", v4, data(uint32(4), uint32(4), uint16(1), 0x50, uint32(4), uint32(6), uint16(1), 0x51, uint32(0), uint32(0)),
			[]loclist.Entry{entry(0x8004, 0x8006, 0x51)}},
		{"offset_pair", v5, data(4, 0, 4, 1, 0x50, 0), []loclist.Entry{entry(0x8000, 0x8004, 0x50)}},
		{"base_addressx", v5, data(1, 2, 4, 0, 4, 1, 0x50, 0), []loclist.Entry{entry(0x9200, 0x9204, 0x50)}},
		{"startx_endx", v5, data(2, 0, 1, 1, 0x50, 0), []loclist.Entry{entry(0x9000, 0x9100, 0x50)}},
		{"startx_length", v5, data(3, 1, 8, 1, 0x50, 0), []loclist.Entry{entry(0x9100, 0x9108, 0x50)}},
		{"default_location", v5, data(5, 1, 0x52, 0), []loclist.Entry{byDefault}},
		{"base_address", v5, data(6, uint32(0x100), 4, 0, 4, 1, 0x50, 0), []loclist.Entry{entry(0x100, 0x104, 0x50)}},
		{"start_end", v5, data(7, uint32(0x100), uint32(0x108), 1, 0x50, 0), []loclist.Entry{entry(0x100, 0x108, 0x50)}},
		{"start_length", v5, data(8, uint32(0x100), 4, 0, 0), []loclist.Entry{entry(0x100, 0x104)}},
		{"GNU view pair", v5, data(9, 0, 0x81, 0x01, 4, 0, 4, 1, 0x50, 0), []loclist.Entry{entry(0x8000, 0x8004, 0x50)}},
	} {
		got, err := loclist.Parse(tt.list, 0, tt.unit)
		for i := range got {
			if len(got[i].Expr) == 0 {
				got[i].Expr = nil
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", tt.name, err, diff)
		}
	}
}

// TestRanges reads range lists, whose kinds have other numbers.
func TestRanges(t *testing.T) {
	t.Parallel()
	v4 := loclist.Unit{Version: 4, AddrSize: 4, Base: 0x8000}
	v5 := loclist.Unit{Version: 5, AddrSize: 4, Base: 0x8000, Address: address}
	for _, tt := range []struct {
		name string
		unit loclist.Unit
		list []byte
		want []loclist.Range
	}{
		{"v4", v4, data(uint32(0), uint32(4), uint32(0xffffffff), uint32(0x20), uint32(1), uint32(2), uint32(0), uint32(0)), []loclist.Range{{Lo: 0x8000, Hi: 0x8004}, {Lo: 0x21, Hi: 0x22}}},
		{"base_address", v5, data(5, uint32(0x100), 4, 0, 4, 0), []loclist.Range{{Lo: 0x100, Hi: 0x104}}},
		{"start_end", v5, data(6, uint32(0x100), uint32(0x104), 0), []loclist.Range{{Lo: 0x100, Hi: 0x104}}},
		{"start_length", v5, data(7, uint32(0x100), 6, 0), []loclist.Range{{Lo: 0x100, Hi: 0x106}}},
		{"startx_length", v5, data(3, 1, 8, 0), []loclist.Range{{Lo: 0x9100, Hi: 0x9108}}},
	} {
		got, err := loclist.Ranges(tt.list, 0, tt.unit)
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", tt.name, err, diff)
		}
	}
}

// TestDamaged keeps what came before the damage.
func TestDamaged(t *testing.T) {
	t.Parallel()
	v5 := loclist.Unit{Version: 5, AddrSize: 4, Address: address}
	good := data(4, 0, 4, 1, 0x50)
	for _, tt := range []struct {
		name string
		unit loclist.Unit
		list []byte
		keep int
	}{
		{"no end", v5, good, 1},
		{"unknown kind", v5, append(good[:5:5], 10), 1},
		{"address not in the table", v5, append(good[:5:5], 1, 3), 1},
		{"expression past the end", v5, append(good[:5:5], 4, 0, 4, 9), 1},
		{"addresses of 8 bytes", loclist.Unit{Version: 5, AddrSize: 8}, good, 0},
		{"no table", loclist.Unit{Version: 5, AddrSize: 4}, data(1, 0), 0},
		{"kind of a location list only", v5, nil, 0},
	} {
		got, err := loclist.Parse(tt.list, 0, tt.unit)
		if err == nil || len(got) != tt.keep {
			t.Errorf("%s: %d entries, %v", tt.name, len(got), err)
		}
	}
	if _, err := loclist.Ranges(data(8, 0), 0, v5); err == nil {
		t.Error("a range list has no entries of kind 8")
	}
	if _, err := loclist.Parse(good, 1<<40, v5); err == nil {
		t.Error("a list outside of the section")
	}
}

// TestAt chooses among entries.
func TestAt(t *testing.T) {
	t.Parallel()
	list := []loclist.Entry{{Default: true, Expr: []byte{1}}, entry(0x10, 0x20, 2), entry(0x18, 0x30, 3)}
	for pc, want := range map[uint32]byte{0xf: 1, 0x10: 2, 0x1f: 2, 0x20: 3, 0x30: 1} {
		if e, ok := loclist.At(list, pc); !ok || e.Expr[0] != want {
			t.Errorf("%#x: entry %v, want %d", pc, e.Expr, want)
		}
	}
	if _, ok := loclist.At(list[1:], 0x30); ok {
		t.Error("an entry where none is")
	}
}

// TestOffset reads the tables of lists.
func TestOffset(t *testing.T) {
	t.Parallel()
	section := append(make([]byte, 12), data(uint32(8), uint32(0x30))...)
	if off, err := loclist.Offset(section, 12, 1, false); err != nil || off != 12+0x30 {
		t.Errorf("%#x, %v", off, err)
	}
	for _, index := range []uint64{2, 1 << 40} {
		if _, err := loclist.Offset(section, 12, index, false); err == nil {
			t.Errorf("list %d of two", index)
		}
	}
	wide := append(make([]byte, 20), data(uint32(8), uint32(0))...)
	if off, err := loclist.Offset(wide, 20, 0, true); err != nil || off != 28 {
		t.Errorf("64-bit: %#x, %v", off, err)
	}
}

func FuzzLists(f *testing.F) {
	f.Add(data(4, 0, 4, 1, 0x50, 0), uint8(5), uint32(0))
	f.Add(data(uint32(0), uint32(4), uint16(1), 0x50, uint32(0), uint32(0)), uint8(4), uint32(0))
	f.Add(data(1, 2, 2, 0, 1, 1, 0x50, 9, 0, 0, 5, 0, 0), uint8(5), uint32(0))
	f.Fuzz(func(t *testing.T, b []byte, version uint8, off uint32) {
		u := loclist.Unit{Version: uint16(version), AddrSize: 4, Base: 0x8000, Address: address}
		list, _ := loclist.Parse(b, uint64(off), u)
		for _, e := range list {
			if !e.Default && e.Lo >= e.Hi {
				t.Errorf("empty range %+v", e)
			}
		}
		loclist.At(list, off)
		loclist.Ranges(b, uint64(off), u)
		loclist.Offset(b, uint64(off), 1, version&1 != 0)
	})
}
