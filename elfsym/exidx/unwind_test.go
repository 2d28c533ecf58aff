package exidx_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/elfsym/exidx"
)

// Where the tables of these tests lie.
const (
	indexAddr = 0x9000
	tableAddr = 0xa000
)

func words(list ...uint32) []byte {
	var b []byte
	for _, w := range list {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// rel31 is the word at addr that leads to target.
func rel31(addr, target uint32) uint32 { return (target - addr) & 0x7fffffff }

// personality1 writes instructions as an entry of personality 1.
func personality1(code ...byte) []byte {
	for len(code)%4 != 2 {
		code = append(code, 0xb0)
	}
	first := append([]byte{0x81, byte((len(code) - 2) / 4)}, code[:2]...)
	var out []byte
	for b := append(first, code[2:]...); len(b) > 0; b = b[4:] {
		out = append(out, b[3], b[2], b[1], b[0])
	}
	return out
}

// parseOne makes a table with one entry, for the function at 0x8000, whose
// description is in .ARM.extab.
func parseOne(t testing.TB, extab []byte) exidx.Entry {
	t.Helper()
	index := words(rel31(indexAddr, 0x8000), rel31(indexAddr+4, tableAddr))
	table, err := exidx.Parse(index, indexAddr, readBytes(tableAddr, extab))
	if err != nil {
		t.Fatal(err)
	}
	e, ok := table.Lookup(0x8004)
	if !ok {
		t.Fatal("not found")
	}
	return e
}

// summary writes what an entry says: the frame, the saved registers, the
// instructions.
func summary(u exidx.Unwind) string {
	var b strings.Builder
	switch {
	case u.CantUnwind:
		return "cantunwind"
	case u.Refuses:
		b.WriteString("refuses")
	case u.Constant:
		fmt.Fprintf(&b, "%v%+d", u.CFAReg, u.CFAOffset)
		for _, s := range u.Saved {
			fmt.Fprintf(&b, " %v=c%+d", s.Reg, s.Offset)
		}
	default:
		b.WriteString("not constant")
	}
	for _, op := range u.Ops {
		fmt.Fprintf(&b, "; %v", op)
	}
	return b.String()
}

// TestInstructions covers each row of the EHABI's table 4.
func TestInstructions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		code []byte
		want string // without the finishes
		err  string
	}{
		{"nothing", nil, "r13+0", ""},
		{"vsp up and down", []byte{0x00, 0x3f, 0x41}, "r13+252; vsp = vsp + 4; vsp = vsp + 256; vsp = vsp - 8", ""},
		{"refuse", []byte{0x80, 0x00}, "refuses; Refuse to unwind", ""},
		{"mask r4-r15", []byte{0x84, 0x81}, "r13+12 r4=c-12 r11=c-8 r14=c-4; pop {r4, r11, r14}", ""},
		{"mask with r12 and r15", []byte{0x89, 0x00}, "r13+8 r12=c-8 r15=c-4; pop {r12, r15}", ""},
		{"popped sp", []byte{0x86, 0x00}, "not constant; pop {r13, r14}", ""},
		{"vsp = r7", []byte{0x97, 0x41, 0x84, 0x08}, "r7+0 r7=c-8 r14=c-4; vsp = r7; vsp = vsp - 8; pop {r7, r14}", ""},
		{"vsp = r11 after an adjustment", []byte{0x05, 0x9b, 0x00}, "r11+4; vsp = vsp + 24; vsp = r11; vsp = vsp + 4", ""},
		{"vsp = r4 after a pop", []byte{0xa0, 0x94}, "not constant; pop {r4}; vsp = r4", ""},
		{"move reserved for Arm", []byte{0x9d}, "not constant; [Spare]", "unwinding instruction 9d is unknown"},
		{"move reserved for WMMX", []byte{0x9f}, "not constant; [Spare]", "unwinding instruction 9f is unknown"},
		{"r4-r7", []byte{0xa3}, "r13+16 r4=c-16 r5=c-12 r6=c-8 r7=c-4; pop {r4, r5, r6, r7}", ""},
		{"r4-r5 and lr", []byte{0xa9}, "r13+12 r4=c-12 r5=c-8 r14=c-4; pop {r4, r5, r14}", ""},
		{"instructions after finish", []byte{0xa8, 0xb0, 0x9d}, "r13+8 r4=c-8 r14=c-4; pop {r4, r14}", ""},
		{"r0-r3", []byte{0xb1, 0x0a}, "r13+8 r1=c-8 r3=c-4; pop {r1, r3}", ""},
		{"b1 00", []byte{0xb1, 0x00}, "not constant; [Spare]", "unwinding instruction b1 00 is unknown"},
		{"b1 10", []byte{0xb1, 0x10}, "not constant; [Spare]", "unwinding instruction b1 10 is unknown"},
		{"large vsp", []byte{0xb2, 0x81, 0x01}, "r13+1032; vsp = vsp + 1032", ""},
		{"too large vsp", []byte{0xb2, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, "not constant", "does not fit 32 bits"},
		{"vsp past 32 bits", []byte{0xb2, 0x80, 0xfe, 0xff, 0xff, 0x01, 0xb2, 0x01}, "not constant; vsp = vsp + 2147483140; vsp = vsp + 520", ""},
		{"d4-d6 by fstmx", []byte{0xb3, 0x42}, "r13+28 D4=c-28 D5=c-20 D6=c-12; pop {D4-D6}", ""},
		{"d15-d16 by fstmx", []byte{0xb3, 0xf1}, "not constant; [Spare]", "unwinding instruction b3 f1 is unknown"},
		{"return address signature", []byte{0xb4, 0xb5}, "r13+4 ra_auth_code=c-4; pop {ra_auth_code}; vsp as modifier for PAC validation", ""},
		{"was pop of FPA", []byte{0xb6}, "not constant; [Spare]", "unwinding instruction b6 is unknown"},
		{"d8-d9 by fstmx", []byte{0xb9}, "r13+20 D8=c-20 D9=c-12; pop {D8-D9}", ""},
		{"wR10-wR11", []byte{0xc1}, "r13+16 wR10=c-16 wR11=c-8; pop {wR10-wR11}", ""},
		{"wR3", []byte{0xc6, 0x30}, "r13+8 wR3=c-8; pop {wR3}", ""},
		{"wR15-wR16", []byte{0xc6, 0xf1}, "not constant; [Spare]", "unwinding instruction c6 f1 is unknown"},
		{"wCGR", []byte{0xc7, 0x09}, "r13+8 wCGR0=c-8 wCGR3=c-4; pop {wCGR0, wCGR3}", ""},
		{"c7 00", []byte{0xc7, 0x00}, "not constant; [Spare]", "unwinding instruction c7 00 is unknown"},
		{"d20-d21", []byte{0xc8, 0x41}, "r13+16 D20=c-16 D21=c-8; pop {D20-D21}", ""},
		{"d31-d32", []byte{0xc8, 0xf1}, "not constant; [Spare]", "unwinding instruction c8 f1 is unknown"},
		{"d15-d16", []byte{0xc9, 0xf1}, "r13+16 D15=c-16 D16=c-8; pop {D15-D16}", ""},
		{"ca", []byte{0xca}, "not constant; [Spare]", "unwinding instruction ca is unknown"},
		{"d8-d10", []byte{0xd2}, "r13+24 D8=c-24 D9=c-16 D10=c-8; pop {D8-D10}", ""},
		{"e0", []byte{0xe0}, "not constant; [Spare]", "unwinding instruction e0 is unknown"},
		{"popped twice", []byte{0xa8, 0x84, 0x00}, "r13+12 r4=c-12 r14=c-4; pop {r4, r14}; pop {r14}", ""},
		{
			"variadic with floats", []byte{0x03, 0xd0, 0xab, 0x03},
			"r13+60 D8=c-44 r4=c-36 r5=c-32 r6=c-28 r7=c-24 r14=c-20; vsp = vsp + 16; pop {D8}; pop {r4, r5, r6, r7, r14}; vsp = vsp + 16", "",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			u, err := parseOne(t, personality1(tt.code...)).Unwind()
			checkError(t, err, tt.err)
			if got := strings.ReplaceAll(summary(u), "; finish", ""); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// checkError expects an error with the given text that wraps ErrMalformed,
// none for "".
func checkError(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("error %v", err)
	case want != "" && (!errors.Is(err, exidx.ErrMalformed) || !strings.Contains(err.Error(), want)):
		t.Errorf("error %v, want %q", err, want)
	}
}

// TestModels reads entries of every model.
func TestModels(t *testing.T) {
	t.Parallel()
	routine := rel31(tableAddr, 0x8801)
	for _, tt := range []struct {
		name  string
		value uint32 // 0: in .ARM.extab
		extab []byte
		want  string
		err   string
	}{
		{name: "cannot unwind", value: 1, want: "cantunwind"},
		{name: "inline", value: 0x8001a8b0, want: "r13+16 r4=c-8 r14=c-4; vsp = vsp + 8; pop {r4, r14}; finish"},
		{name: "inline, full", value: 0x80a80000, want: "r13+16 r4=c-16 r14=c-12; pop {r4, r14}; vsp = vsp + 4; vsp = vsp + 4"},
		{name: "inline of personality 1", value: 0x8100a8b0, want: "r13+0", err: "inline entry 0x8100a8b0"},
		{name: "personality 0", extab: words(0x80a8b0b0, 0), want: "r13+8 r4=c-8 r14=c-4; pop {r4, r14}; finish"},
		{name: "personality 1", extab: words(0x8101b108, 0x8400b0b0), want: "r13+8 r3=c-8 r14=c-4; pop {r3}; pop {r14}; finish"},
		{name: "personality 2", extab: words(0x8200a8b0), want: "r13+8 r4=c-8 r14=c-4; pop {r4, r14}; finish"},
		{name: "personality 3", extab: words(0x83b0b0b0), err: "personality 3"},
		{name: "routine of its own", extab: words(routine, 0x01b108a9, 0xb0b0b0b0, 0), want: "r13+16 r3=c-16 r4=c-12 r5=c-8 r14=c-4; pop {r3}; pop {r4, r5, r14}; finish"},
		{name: "instruction cut by the end", extab: words(0x80b0b0b0&^0xffffff | 0x0000b1), want: "not constant; vsp = vsp + 4; vsp = vsp + 4", err: "1 bytes expected, 0 left"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			value := tt.value
			if value == 0 {
				value = rel31(indexAddr+4, tableAddr)
			}
			table, err := exidx.Parse(words(rel31(indexAddr, 0x8000), value), indexAddr, readBytes(tableAddr, tt.extab))
			if err != nil {
				t.Fatal(err)
			}
			u, err := table.Entries()[0].Unwind()
			checkError(t, err, tt.err)
			if err == nil || len(u.Ops) > 0 {
				if got := summary(u); got != tt.want {
					t.Errorf("got  %s\nwant %s", got, tt.want)
				}
			}
			if own := tt.name == "routine of its own"; (u.Personality == exidx.Generic) != own || (u.Routine == 0x8801) != own {
				t.Errorf("personality %d, routine %#08x", u.Personality, u.Routine)
			}
		})
	}
}

// TestUnreadable cuts .ARM.extab off at each length.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	for _, extab := range [][]byte{words(0x8101b108, 0x8400b0b0), words(rel31(tableAddr, 0x8800), 0x01b108a9, 0xb0b0b0b0)} {
		for n := range extab {
			u, err := parseOne(t, extab[:n]).Unwind()
			if !errors.Is(err, errHole) || u.Constant {
				t.Errorf("%d of %d bytes: %s, %v", n, len(extab), summary(u), err)
			}
		}
		if u, err := parseOne(t, extab).Unwind(); err != nil || !u.Constant {
			t.Errorf("all of it: %s, %v", summary(u), err)
		}
	}
	short, err := exidx.Parse(words(rel31(indexAddr, 0x8000), rel31(indexAddr+4, tableAddr)), indexAddr,
		func(uint32, int) ([]byte, error) { return []byte{1}, nil })
	if err != nil {
		t.Fatal(err)
	}
	_, err = short.Entries()[0].Unwind()
	checkError(t, err, "read .ARM.extab at 0x0000a000: malformed exception table: 1 of 4 bytes")
}

func TestLookup(t *testing.T) {
	t.Parallel()
	index := words(
		rel31(indexAddr, 0x8200), 1,
		rel31(indexAddr+8, 0x8001), 0x80b0b0b0,
		rel31(indexAddr+16, 0x8100), 0x80a8b0b0,
		rel31(indexAddr+24, 0xfffffff0), 1,
	)
	table, err := exidx.Parse(index, indexAddr, readBytes(0, nil))
	if err != nil {
		t.Fatal(err)
	}
	got := map[uint32]string{}
	for _, pc := range []uint32{0, 0x7ffe, 0x8000, 0x80ff, 0x8100, 0x8101, 0x81ff, 0x8200, 0xffffffef, 0xfffffff0, 0xffffffff} {
		got[pc] = "none"
		if e, ok := table.Lookup(pc); ok {
			got[pc] = fmt.Sprintf("%x..%x", e.Start, e.End)
		}
	}
	want := map[uint32]string{
		0: "none", 0x7ffe: "none", 0x8000: "8000..8100", 0x80ff: "8000..8100", 0x8100: "8100..8200", 0x8101: "8100..8200",
		0x81ff: "8100..8200", 0x8200: "8200..fffffff0", 0xffffffef: "8200..fffffff0",
		0xfffffff0: "fffffff0..ffffffff", 0xffffffff: "fffffff0..ffffffff",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lookups (-want +got):\n%s", diff)
	}
	var none *exidx.Table
	if e, ok := none.Lookup(0x8000); ok || none.Entries() != nil {
		t.Errorf("nil table has %v", e)
	}
	cut, err := exidx.Parse(index[:12], indexAddr, readBytes(0, nil))
	checkError(t, err, "4 bytes after the last entry")
	if len(cut.Entries()) != 1 {
		t.Errorf("%d entries of 12 bytes", len(cut.Entries()))
	}
}

func ExampleEntry_Unwind() {
	// The function at 0x8000: push {r3, r4, r5, lr}; its table pops them.
	table, err := exidx.Parse(words(rel31(0x9000, 0x8000), 0x80b108a9), 0x9000, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	if e, ok := table.Lookup(0x8010); ok {
		u, err := e.Unwind()
		fmt.Println(u.CFAReg, u.CFAOffset, u.Saved, err)
	}
	// Output: r13 16 [{r3 -16} {r4 -12} {r5 -8} {r14 -4}] <nil>
}
