package die

import (
	"testing"

	"pushmask/internal/cursor"
)

// TestFormSizes passes over one attribute of each form (DWARF 5, 7.5.6).
func TestFormSizes(t *testing.T) {
	t.Parallel()
	narrow := &Unit{Version: 5, AddrSize: 4}
	wide := &Unit{Version: 5, AddrSize: 4, Wide: true}
	old := &Unit{Version: 2, AddrSize: 4, Wide: true}
	leb := []byte{0x80, 0x80, 0x01, 0xee}
	for _, tt := range []struct {
		name string
		unit *Unit
		form uint32
		in   []byte
		want int // bytes
	}{
		{"addr", narrow, formAddr, make([]byte, 9), 4},
		{"strp", narrow, formStrp, make([]byte, 9), 4},
		{"strp, 64-bit", wide, formStrp, make([]byte, 9), 8},
		{"sec_offset, 64-bit", wide, formSecOffset, make([]byte, 9), 8},
		{"line_strp", narrow, formLineStrp, make([]byte, 9), 4},
		{"ref_addr", narrow, formRefAddr, make([]byte, 9), 4},
		{"ref_addr, 64-bit", wide, formRefAddr, make([]byte, 9), 8},
		{"ref_addr, DWARF 2", old, formRefAddr, make([]byte, 9), 4},
		{"data16", narrow, 0x1e, make([]byte, 20), 16},
		{"flag_present", narrow, 0x19, make([]byte, 9), 0},
		{"implicit_const", narrow, formImplicitConst, make([]byte, 9), 0},
		{"strx3", narrow, 0x27, make([]byte, 9), 3},
		{"addrx4", narrow, 0x2c, make([]byte, 9), 4},
		{"ref_sig8", narrow, 0x20, make([]byte, 9), 8},
		{"string", narrow, formString, []byte("abc\x00d"), 4},
		{"udata", narrow, formUdata, leb, 3},
		{"sdata", narrow, formSdata, leb, 3},
		{"strx", narrow, formStrx, leb, 3},
		{"rnglistx", narrow, formRnglistx, leb, 3},
		{"block", narrow, formBlock, []byte{2, 1, 1, 9}, 3},
		{"exprloc", narrow, formExprloc, []byte{2, 1, 1, 9}, 3},
		{"block1", narrow, formBlock1, []byte{2, 1, 1, 9}, 3},
		{"block2", narrow, formBlock2, []byte{2, 0, 1, 1, 9}, 4},
		{"block4", narrow, formBlock4, []byte{2, 0, 0, 0, 1, 1, 9}, 6},
		{"indirect fixed", narrow, formIndirect, []byte{0x06, 1, 2, 3, 4, 9}, 5},
		{"indirect variable", narrow, formIndirect, []byte{formString, 'a', 0, 9}, 3},
	} {
		c := cursor.New(tt.name, tt.in)
		if n, ok := tt.unit.fixedSize(tt.form); ok {
			c.Skip(n)
		} else {
			tt.unit.skipForm(c, tt.form)
		}
		if c.Err() != nil || c.Off() != tt.want {
			t.Errorf("%s: %d bytes, %v; want %d", tt.name, c.Off(), c.Err(), tt.want)
		}
	}
	for name, in := range map[string][]byte{
		"unknown form": {0x7f}, "indirect of indirect": {formIndirect}, "block past the end": {formBlock1, 9},
		"string without end": {formString, 'a'}, "nothing": {},
	} {
		c := cursor.New(name, in)
		if narrow.skipForm(c, formIndirect); c.Err() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestAbbreviations adds up attributes of fixed size and marks functions with
// code.
func TestAbbreviations(t *testing.T) {
	t.Parallel()
	section := []byte{
		0xee,
		1, 0x2e, 1, 0x03, 0x0e, 0x11, 0x01, 0x12, 0x06, 0, 0, // subprogram: name strp, low_pc, high_pc data4
		2, 0x2e, 0, 0x03, 0x08, 0x3f, 0x19, 0, 0, // subprogram: name string, external: a declaration
		3, 0x2e, 0, 0x55, 0x17, 0, 0, // subprogram: ranges
		9, 0x0b, 1, 0x11, 0x01, 0x0b, 0x21, 0x85, 0x01, 0x1d, 0x0f, 0, 0, // block: low_pc, implicit_const, udata; out of order
		0,
	}
	parse := func(section []byte, off uint64) (*abbrevTable, error) {
		u := &Unit{Version: 5, AddrSize: 4, abbrevOff: off, owner: &Data{sections: Sections{Abbrev: section}}}
		return u.parseAbbreviations()
	}
	table, err := parse(section, 1)
	if err != nil {
		t.Fatal(err)
	}
	for code, want := range map[uint64]abbreviation{1: {code: true, size: 12}, 2: {size: -1}, 3: {code: true, size: 4}, 9: {size: -1}} {
		if a := table.get(code); a == nil || a.code != want.code || a.size != want.size {
			t.Errorf("abbreviation %d: %+v, want code %v, %d bytes", code, a, want.code, want.size)
		}
	}
	if table.get(4) != nil || table.get(1<<40) != nil || table.get(9).attrs[1].constant != 0x85 {
		t.Error("abbreviations that are not there, or an implicit constant that is not")
	}
	for _, cut := range []int{2, 5, 20, len(section) - 2} {
		if _, err := parse(section[:cut], 1); err == nil {
			t.Errorf("cut at %d: no error", cut)
		}
	}
	if _, err := parse(section, 1<<40); err == nil {
		t.Error("offset outside of the section: no error")
	}
}
