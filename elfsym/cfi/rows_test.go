package cfi_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/elfsym/cfi"
)

// TestRows executes instructions of each kind in a function of 0x100 bytes at
// 0x8000.
func TestRows(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		cie  []byte // defCFA when nil
		fde  []byte
		want []string
		err  string
	}{
		{name: "nothing", want: []string{"00008000 sp+0"}},
		{
			name: "push {r4, lr}; add sp",
			fde:  []byte{0x41, 0x0e, 8, 0x84, 2, 0x8e, 1, 0x4f, 0x0e, 0},
			want: []string{"00008000 sp+0", "00008002 sp+8 r4=c-8 lr=c-4", "00008020 sp+0 r4=c-8 lr=c-4"},
		},
		{
			name: "all widths of advance_loc",
			fde:  []byte{0x02, 1, 0x0e, 4, 0x03, 1, 0, 0x0e, 8, 0x04, 1, 0, 0, 0, 0x0e, 12, 0x01, 0x80, 0x80, 0, 0, 0x0e, 16},
			want: []string{"00008000 sp+0", "00008002 sp+4", "00008004 sp+8", "00008006 sp+12", "00008080 sp+16"},
		},
		{
			name: "advance by nothing makes no row",
			fde:  []byte{0x40, 0x0e, 4, 0x02, 0, 0x0e, 8},
			want: []string{"00008000 sp+8"},
		},
		{
			name: "rows past the end are cut",
			fde:  []byte{0x7f, 0x0e, 4, 0x04, 0xff, 0xff, 0xff, 0xff, 0x0e, 8},
			want: []string{"00008000 sp+0", "0000807e sp+4"},
		},
		{
			name: "remember and restore, with the CFA",
			fde:  []byte{0x41, 0x0e, 8, 0x8e, 1, 0x0a, 0x41, 0x0c, 7, 16, 0xce, 0x07, 4, 0x41, 0x0b, 0x41, 0x8e, 2},
			want: []string{"00008000 sp+0", "00008002 sp+8 lr=c-4", "00008004 r7+16 r4=u", "00008006 sp+8 lr=c-4", "00008008 sp+8 lr=c-8"},
		},
		{
			name: "restore to the CIE's rule",
			cie:  []byte{0x0c, 13, 0, 0x08, 4},
			fde:  []byte{0x84, 1, 0x41, 0xc4, 0x41, 0x84, 1, 0x41, 0x06, 4},
			want: []string{"00008000 sp+0 r4=c-4", "00008002 sp+0 r4=s", "00008004 sp+0 r4=c-4", "00008006 sp+0 r4=s"},
		},
		{
			name: "def_cfa_register, def_cfa_sf, def_cfa_offset_sf",
			fde:  []byte{0x0e, 8, 0x0d, 11, 0x41, 0x12, 13, 0x7e, 0x41, 0x13, 0x01},
			want: []string{"00008000 r11+8", "00008002 sp+8", "00008004 sp-4"},
		},
		{
			name: "rules of every kind",
			fde: []byte{
				0x05, 0x88, 0x02, 4, // offset_extended d8
				0x07, 0, 0x08, 1, 0x09, 14, 12, // undefined r0, same_value r1, register lr in r12
				0x11, 2, 0x7f, 0x14, 3, 2, 0x15, 13, 0x7f, // offset_extended_sf, val_offset, val_offset_sf
				0x10, 5, 1, 0x30, 0x16, 6, 1, 0x31, // expression, val_expression
				0x2f, 4, 2, 0x2e, 0x10, // GNU_negative_offset_extended, GNU_args_size
				0x09, 0x8f, 0x01, 12, // ra_auth_code in r12
			},
			want: []string{"00008000 sp+0 r0=u r1=s r2=c+4 r3=v-8 r4=c+8 r5=exp r6=vexp sp=v+4 lr=r12 ra_auth_code=r12 d8=c-16"},
		},
		{
			name: "expression for the CFA",
			fde:  []byte{0x0f, 2, 0x7d, 0, 0x41, 0x0c, 13, 4},
			want: []string{"00008000 exp", "00008002 sp+4"},
		},
		{name: "no CFA", cie: []byte{0}, fde: []byte{0x41}, err: "no rule for the CFA"},
		{name: "offset without register", cie: []byte{0}, fde: []byte{0x0e, 8}, err: "the CFA is not register and offset"},
		{name: "offset after expression", fde: []byte{0x0f, 1, 0x30, 0x0e, 8}, err: "the CFA is not register and offset"},
		{name: "restore without remember", fde: []byte{0x0b}, err: "no state is remembered"},
		{name: "endless remember", fde: []byte(strings.Repeat("\x0a", 100)), err: "too many remembered"},
		{name: "location moves back", fde: []byte{0x41, 0x01, 0, 0x80, 0, 0}, want: []string{"00008000 sp+0"}, err: "location moves back from 0x00008002 to 0x00008000"},
		{name: "unknown instruction", fde: []byte{0x3f, 0}, err: "call frame instruction 0x3f at 0x20 is unknown"},
		{name: "unknown register", fde: []byte{0x07, 0x80, 0x04}, err: "register 512 is unknown"},
		{name: "offset overflows", fde: []byte{0x84, 0xff, 0xff, 0xff, 0xff, 7}, err: "does not fit 32 bits"},
		{name: "negative overflow", fde: []byte{0x11, 4, 0x80, 0x80, 0x80, 0x80, 0x78}, err: "does not fit 32 bits"},
		{
			name: "rows before the damage stay", fde: []byte{0x41, 0x0e, 8, 0x41, 0x0f, 9, 1},
			want: []string{"00008000 sp+0", "00008002 sp+8"}, err: "9 bytes expected, 1 left",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.cie == nil {
				tt.cie = defCFA
			}
			table, err := cfi.Parse(debugFrame(cie(tt.cie...), fde(0x8000, 0x100, tt.fde...)))
			if err != nil {
				t.Fatal(err)
			}
			f, ok := table.Lookup(0x8010)
			if !ok {
				t.Fatal("not found")
			}
			rows, err := f.Rows()
			checkError(t, err, tt.err)
			var got []string
			for i, r := range rows {
				got = append(got, r.String())
				if i > 0 && r.Start != rows[i-1].End || r.ReturnReg != cfi.LR {
					t.Errorf("row %v after %#08x, return address in %v", r, rows[i-1].End, r.ReturnReg)
				}
				if at, err := f.RowAt(r.End - 1); err != nil || at.String() != r.String() {
					t.Errorf("row at %#08x: %v, %v", r.End-1, at, err)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			if err == nil && rows[len(rows)-1].End != f.End {
				t.Errorf("last row ends at %#08x", rows[len(rows)-1].End)
			}
		})
	}
}

// checkError expects an error with the given text, none for "".
func checkError(t *testing.T, err error, want string) {
	t.Helper()
	if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}

// TestSharedRules changes a rule after a row with it was handed out.
func TestSharedRules(t *testing.T) {
	t.Parallel()
	table, err := cfi.Parse(debugFrame(cie(0x0c, 13, 0, 0x84, 1),
		fde(0x8000, 0x100, 0x84, 2, 0x0a, 0x41, 0x84, 3, 0x41, 0x0b, 0x84, 4), fde(0x9000, 0x100)))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range table.FDEs() {
		rows, err := f.Rows()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			got = append(got, r.String())
		}
	}
	want := []string{"00008000 sp+0 r4=c-8", "00008002 sp+0 r4=c-12", "00008004 sp+0 r4=c-16", "00009000 sp+0 r4=c-4"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func TestRowAt(t *testing.T) {
	t.Parallel()
	table, err := cfi.Parse(debugFrame(cie(defCFA...), fde(0x8000, 8, 0x41, 0x0e, 8, 0x8e, 1, 0x41, 0x0f, 9)))
	if err != nil {
		t.Fatal(err)
	}
	f := table.FDEs()[0]
	row, err := f.RowAt(0x8003)
	if err != nil || row.Start != 0x8002 || row.End != 0x8004 {
		t.Errorf("row with damage behind it: %v, %v", row, err)
	}
	if r, ok := row.Rule(cfi.LR); !ok || r.Kind != cfi.Offset || r.Offset != -4 {
		t.Errorf("rule of lr: %v, %v", r, ok)
	}
	if r, ok := row.Rule(cfi.PC); ok {
		t.Errorf("rule of pc: %v", r)
	}
	if _, err := f.RowAt(0x8004); err == nil || !strings.Contains(err.Error(), "run call frame instructions of 0x00008000: .debug_frame: offset") {
		t.Errorf("damaged row: %v", err)
	}
	for _, pc := range []uint32{0, 0x7fff, 0x8008, 0xffffffff} {
		table, err := cfi.Parse(debugFrame(cie(defCFA...), fde(0x8000, 8, 0x42, 0x0e, 8)))
		if err != nil {
			t.Fatal(err)
		}
		if row, err := table.FDEs()[0].RowAt(pc); !errors.Is(err, cfi.ErrOutside) {
			t.Errorf("row at %#08x: %v, %v", pc, row, err)
		}
	}
}

// TestLimits gives entries that no compiler writes.
func TestLimits(t *testing.T) {
	t.Parallel()
	for name, instructions := range map[string]string{
		"rows":         strings.Repeat("\x41\x84\x01", 5000),
		"instructions": strings.Repeat("\x00", 70000),
	} {
		table, err := cfi.Parse(debugFrame(cie(defCFA...), fde(0x8000, 0x100000, []byte(instructions)...)))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := table.FDEs()[0].Rows()
		if !errors.Is(err, cfi.ErrTooLong) || len(rows) > 4096 {
			t.Errorf("too many %s: %d rows, %v", name, len(rows), err)
		}
	}
}

func ExampleFDE_RowAt() {
	// push {r7, lr}; add r7, sp, #0
	table, err := cfi.Parse(debugFrame(cie(defCFA...),
		fde(0x08000100, 0x20, 0x41, 0x0e, 8, 0x87, 2, 0x8e, 1, 0x41, 0x0d, 7)))
	if err != nil {
		fmt.Println(err)
		return
	}
	if f, ok := table.Lookup(0x08000110); ok {
		row, err := f.RowAt(0x08000110)
		fmt.Println(row, err)
	}
	// Output: 08000104 r7+8 r7=c-8 lr=c-4 <nil>
}
