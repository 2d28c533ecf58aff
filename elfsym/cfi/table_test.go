package cfi_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/elfsym/cfi"
	"pushmask/internal/cursor"
)

// list writes the entries of a table as start..end.
func list(t *cfi.Table) []string {
	var out []string
	for _, f := range t.FDEs() {
		out = append(out, fmt.Sprintf("%x..%x", f.Start, f.End))
	}
	return out
}

// TestParse reads sections of every layout; the error names the first damage
// and the other entries stay.
func TestParse(t *testing.T) {
	t.Parallel()
	usual := cie(defCFA...)
	header := func(version byte, rest ...byte) []byte {
		return entry(u32(0xffffffff), []byte{version}, rest, defCFA)
	}
	wide := func(id uint64, parts ...[]byte) []byte {
		body := slices.Concat(append([][]byte{u64(id)}, parts...)...)
		return slices.Concat(u32(0xffffffff), u64(uint64(len(body))), body)
	}
	function := fde(0x8000, 0x10)
	tests := []struct {
		name    string
		section cfi.Section
		want    []string
		err     string
	}{
		{name: "empty"},
		{name: "unsorted", section: debugFrame(usual, fde(0x9000, 8), fde(0x8001, 8)), want: []string{"8000..8008", "9000..9008"}},
		{name: "FDE before its CIE", section: debugFrame(entry(u32(16), u32(0x8000), u32(4)), usual), want: []string{"8000..8004"}},
		{name: "version 3", section: debugFrame(header(3, 0, 2, 0x7c, 14), function), want: []string{"8000..8010"}},
		{name: "version 4", section: debugFrame(header(4, 0, 4, 0, 2, 0x7c, 14), function), want: []string{"8000..8010"}},
		{name: "version 4 of the GNU assembler", section: debugFrame(header(4, 0, 8, 0, 2, 0x7c, 14), function), want: []string{"8000..8010"}},
		{name: "64-bit DWARF", section: debugFrame(wide(1<<64-1, []byte{1, 0, 2, 0x7c, 14}, defCFA), wide(0, u32(0x8000), u32(4))), want: []string{"8000..8004"}},
		{name: "Arm Compiler 5", section: debugFrame(header(3, 'a', 'r', 'm', 'c', 'c', '+', 0, 1, 0x7c, 14), function), want: []string{"8000..8010"}},
		{name: "Arm Compiler, reversed offsets", section: debugFrame(header(3, 'a', 'r', 'm', 'c', 'c', 0, 1, 0x7c, 14), function), err: `augmentation "armcc" is unknown`},
		{name: "selectors", section: debugFrame(header(4, 0, 4, 2, 2, 0x7c, 14), function), err: "addresses of 4 bytes with selectors of 2"},
		{name: "16-bit addresses", section: debugFrame(header(4, 0, 2, 0, 2, 0x7c, 14), function), err: "addresses of 2 bytes"},
		{name: "version 2", section: debugFrame(header(2, 0, 2, 0x7c, 14), function), err: "CIE version 2 is unknown"},
		{name: "alignment", section: debugFrame(header(3, 0, 0x80, 0x80, 4, 0x7c, 14), function), err: "alignment factors 65536 and -4"},
		{name: "return register", section: debugFrame(header(3, 0, 2, 0x7c, 0x80, 8), function), err: "register 1024 is unknown"},
		{name: "CIE that moves", section: debugFrame(cie(0x0c, 13, 0, 0x41), function), err: "CIE moves the location"},
		{name: "no CIE", section: debugFrame(usual, entry(u32(4), u32(0x8000), u32(4)), fde(0x9000, 4)), want: []string{"9000..9004"}, err: "no CIE at offset 0x4"},
		{name: "end of the address space", section: debugFrame(usual, fde(0xfffffff0, 0x20), fde(0xfffffff0, 0xf)), want: []string{"fffffff0..ffffffff"}, err: "function of 0x20 bytes at 0xfffffff0"},
		{name: "truncated entry", section: debugFrame(usual, function, u32(100), u32(0)), want: []string{"8000..8010"}, err: "offset 0x24: entry of 100 bytes, 4 left"},
		{name: "short entry", section: debugFrame(usual, function, u32(2), u32(0), u32(0)), want: []string{"8000..8010"}, err: "shorter than its CIE pointer"},
		{name: "entry cut in its CIE pointer", section: debugFrame(usual, function, u32(2), []byte{0, 0}), want: []string{"8000..8010"}, err: "4 bytes expected, 2 left"},
		{name: "no range", section: debugFrame(usual, entry(u32(0), u32(0x9000)), function), want: []string{"8000..8010"}, err: "4 bytes expected, 0 left"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			table, err := cfi.Parse(tt.section)
			checkError(t, err, tt.err)
			if _, ok := errors.AsType[*cursor.Error](err); err != nil && !ok {
				t.Errorf("error %v does not tell the offset", err)
			}
			if diff := cmp.Diff(tt.want, list(table)); diff != "" {
				t.Errorf("entries (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPointers encodes the same function, 0x8000 to 0x8010, in every way that
// .eh_frame knows. The section lies at 0xc000.
func TestPointers(t *testing.T) {
	t.Parallel()
	const base = 0xc000
	tests := []struct {
		name     string
		encoding byte
		start    func(at uint32) []byte
		size     []byte
		err      string
	}{
		{"absolute", 0x00, func(uint32) []byte { return u32(0x8000) }, u32(16), ""},
		{"absolute, 2 bytes", 0x02, func(uint32) []byte { return []byte{0, 0x80} }, []byte{16, 0}, ""},
		{"absolute, 8 bytes", 0x04, func(uint32) []byte { return u64(0x8000) }, u64(16), ""},
		{"uleb128", 0x01, func(uint32) []byte { return []byte{0x80, 0x80, 2} }, []byte{16}, ""},
		{"sleb128", 0x09, func(uint32) []byte { return []byte{0x80, 0x80, 2} }, []byte{16}, ""},
		{"pcrel sdata4", 0x1b, func(at uint32) []byte { return u32(0x8000 - at) }, u32(16), ""},
		{"pcrel sdata2", 0x1a, func(at uint32) []byte { return u32(0x8000 - at)[:2] }, []byte{16, 0}, ""},
		{"textrel", 0x2b, func(uint32) []byte { return u32(0x7000) }, u32(16), ""},
		{"datarel", 0x3b, func(uint32) []byte { return u32(^uint32(0x17fff)) }, u32(16), ""},
		{"indirect", 0x9b, func(uint32) []byte { return u32(0) }, u32(16), "the address is in memory"},
		{"funcrel", 0x4b, func(uint32) []byte { return u32(0) }, u32(16), "its base is unknown"},
		{"unknown format", 0x05, func(uint32) []byte { return u32(0) }, u32(16), "pointer encoding 0x5 is unknown"},
		{"too large", 0x04, func(uint32) []byte { return u64(1 << 32) }, u64(16), "does not fit 32 bits"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			common := entry(u32(0), []byte("\x01zPLR\x00\x02\x7c\x0e\x07\x00"), u32(0x8000), []byte{0x1b, tt.encoding}, defCFA)
			at := uint32(len(common)) + 8
			function := entry(u32(at-4), tt.start(base+at), tt.size, []byte{1, 0xaa}, []byte{0x41, 0x0e, 8})
			s := ehFrame(base, common, function, u32(0))
			s.TextBase, s.DataBase = 0x1000, 0x20000
			table, err := cfi.Parse(s)
			checkError(t, err, tt.err)
			if tt.err != "" {
				return
			}
			f, ok := table.Lookup(0x800e)
			if !ok {
				t.Fatalf("not found among %v", list(table))
			}
			if rows, err := f.Rows(); err != nil || len(rows) != 2 || rows[1].String() != "00008002 sp+8" {
				t.Errorf("rows %v, %v", rows, err)
			}
			if _, err := cfi.Parse(ehFrame(base, common, function)); (err != nil) != (tt.encoding&0x60 == 0x20) {
				t.Errorf("without bases: %v", err)
			}
		})
	}
}

// TestAugmentation covers what LSB and GNU define beside R.
func TestAugmentation(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, cie string // what follows the id, up to the instructions
		signal    bool
		err       string
	}{
		{"none", "\x01\x00\x02\x7c\x0e", false, ""},
		{"signal frame", "\x01zRS\x00\x02\x7c\x0e\x01\x00", true, ""},
		{"B key", "\x01zRB\x00\x02\x7c\x0e\x01\x00", false, ""},
		{"signal frame of .debug_frame", "\x01S\x00\x02\x7c\x0e", true, ""},
		{"personality omitted", "\x01zP\x00\x02\x7c\x0e\x01\xff", false, ""},
		{"aligned personality", "\x01zP\x00\x02\x7c\x0e\x08\x50\x00\x00\x00\x00\x00\x00\x00", false, ""},
		{"more data than letters", "\x01z\x00\x02\x7c\x0e\x03abc", false, ""},
		{"unknown letter", "\x01zRX\x00\x02\x7c\x0e\x01\x00", false, `augmentation "zRX" is unknown`},
		{"old gcc", "\x01eh\x00\x00\x00\x00\x00\x02\x7c\x0e", false, `augmentation "eh" is unknown`},
		{"data too short", "\x01zPLR\x00\x02\x7c\x0e\x02\x00\x00\x00\x00\x00\x00\x00", false, "augmentation data is longer than its size"},
		{"size too large", "\x01zR\x00\x02\x7c\x0e\x7f\x00", false, "augmentation data of 127 bytes, 4 left"},
	} {
		common := entry(u32(0), []byte(tt.cie), defCFA)
		parts := [][]byte{u32(uint32(len(common)) + 4), u32(0x8000), u32(0x10)}
		if strings.HasPrefix(tt.cie, "\x01z") {
			parts = append(parts, []byte{0})
		}
		table, err := cfi.Parse(ehFrame(0, common, entry(parts...)))
		checkError(t, err, tt.err)
		if tt.err != "" {
			continue
		}
		f, ok := table.Lookup(0x8000)
		if !ok || f.CIE.Signal != tt.signal || f.Section() != ".eh_frame" || f.Offset != len(common) {
			t.Errorf("%s: %+v, %v", tt.name, f, ok)
			continue
		}
		if r, err := f.RowAt(0x8000); err != nil || r.String() != "00008000 sp+0" {
			t.Errorf("%s: %v, %v", tt.name, r, err)
		}
	}
}

func TestLookup(t *testing.T) {
	t.Parallel()
	table, err := cfi.Parse(
		debugFrame(cie(defCFA...), fde(0, 0x9000), fde(0x8100, 0x10), fde(0x8000, 0x200, 0), fde(0x8180, 0), fde(0xfffffff0, 0xf)),
		debugFrame(cie(defCFA...), fde(0x8000, 0x200), fde(0x8300, 0x10)),
	)
	if err != nil {
		t.Fatal(err)
	}
	for pc, want := range map[uint32]string{
		0: "", 0x100: "", 0x7fff: "", 0x8000: "8000..8200", 0x8001: "8000..8200", 0x80ff: "8000..8200",
		0x8100: "8100..8110", 0x810f: "8100..8110", 0x8110: "8000..8200", 0x8180: "8000..8200", 0x81ff: "8000..8200",
		0x8200: "", 0x8300: "8300..8310", 0x8311: "", 0xffffffef: "", 0xfffffff0: "fffffff0..ffffffff", 0xffffffff: "fffffff0..ffffffff",
	} {
		got := ""
		f, ok := table.Lookup(pc)
		if ok {
			got = fmt.Sprintf("%x..%x", f.Start, f.End)
		}
		if got != want {
			t.Errorf("lookup of %#08x: %s, want %s", pc, got, want)
		}
		if ok && f.Start == 0x8000 && f.Offset != 48 {
			t.Errorf("lookup of %#08x: not the first of equal entries, offset %d", pc, f.Offset)
		}
	}
	var none *cfi.Table
	if f, ok := none.Lookup(0x8000); ok || none.FDEs() != nil {
		t.Errorf("nil table has %v", f)
	}
}

func TestRegisterNames(t *testing.T) {
	t.Parallel()
	var got []string
	for _, r := range []cfi.Register{0, 12, cfi.SP, cfi.LR, cfi.PC, 16, cfi.S0, cfi.S0 + 31, 96, cfi.RAAuthCode, cfi.D0 + 8, cfi.D0 + 31, 300} {
		got = append(got, r.String())
	}
	want := "r0 r12 sp lr pc reg16 s0 s31 reg96 ra_auth_code d8 d31 reg300"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("%s, want %s", s, want)
	}
}
