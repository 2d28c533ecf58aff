package logtext

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHex(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]uint32{"0": 0, "1": 1, "0x1F": 0x1f, "0XdeadBEEF": 0xdeadbeef, "8002c5f": 0x8002c5f, "0000000A": 10} {
		if v, ok := Hex(s); !ok || v != want {
			t.Errorf("Hex(%q) = %#x, %v", s, v, ok)
		}
	}
	for _, s := range []string{"", "0x", "123456789", "12 ", "xyz", "12g", "0x1.", "-1", "0x0x1"} {
		if v, ok := Hex(s); ok {
			t.Errorf("Hex(%q) = %#x", s, v)
		}
	}
}

func TestDecimal(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]uint32{"0": 0, "00004048": 4048, "4294967295": 0xffffffff} {
		if v, ok := Decimal(s); !ok || v != want {
			t.Errorf("Decimal(%q) = %d, %v", s, v, ok)
		}
	}
	for _, s := range []string{"", "4294967296", "1f", "-1", "00000000001"} {
		if v, ok := Decimal(s); ok {
			t.Errorf("Decimal(%q) = %d", s, v)
		}
	}
}

func TestReadRow(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]Row{
		"20001000: 11111111 22222222":       {0x20001000, []uint32{0x11111111, 0x22222222}, ""},
		"  0x20001000: 0x1a2B3c4D  ....":    {0x20001000, []uint32{0x1a2b3c4d}, "...."},
		"20001000 = 11111111 2222222":       {0x20001000, []uint32{0x11111111}, "2222222"},
		"0x20001000 0x00000001<-- User sp":  {},
		"20001000:":                         {},
		"1000: 11111111":                    {},
		"20001000: 7f45 4c46":               {},
		"0x20001000 0x00000001 <-- User sp": {0x20001000, []uint32{1}, "<-- User sp"},
	} {
		got, ok := ReadRow(s)
		if ok != (want.Words != nil) {
			t.Errorf("ReadRow(%q): %v", s, ok)
		}
		if diff := cmp.Diff(want.Words, got.Words); ok && (diff != "" || want.Addr != got.Addr || want.Rest != got.Rest) {
			t.Errorf("ReadRow(%q) = %+v", s, got)
		}
	}
}

func TestPairs(t *testing.T) {
	t.Parallel()
	for s, want := range map[string][]Pair{
		"R0: 00000001 R1: 2  FP= 0x3":                   {{"R0", "00000001"}, {"R1", "2"}, {"FP", "0x3"}},
		"r0/a1:  0x00000001  r1/a2:  0x00000002":        {{"r0/a1", "0x00000001"}, {"r1/a2", "0x00000002"}},
		"s[ 0]:  0x00000001  s[10]:  0x2":               {{"s[ 0]", "0x00000001"}, {"s[10]", "0x2"}},
		"Faulting instruction address (r15/pc): 0x34a2": {{"Faulting instruction address (r15/pc)", "0x34a2"}},
		"BFAR: Not Valid":                               nil,
		"r0=1,r1=2, r2=3":                               {{"r0", "1"}, {"r1", "2"}, {"r2", "3"}},
		"file:a.c at line: 12 task: x sp: 0x1":          {{"a.c at line", "12"}, {"x sp", "0x1"}},
		"time 10:20:30":                                 {{"time 10", "20"}},
		"SCB->CFSR = 0x00000400":                        {{"SCB->CFSR", "0x00000400"}},
		"pc = 0x1234. next: 1.5":                        {{"pc", "0x1234"}},
		"  \t=: :":                                      nil,
		"R0: 123456789 R1: 1":                           {{"123456789 R1", "1"}},
	} {
		if diff := cmp.Diff(want, Pairs(s)); diff != "" {
			t.Errorf("Pairs(%q) (-want +got):\n%s", s, diff)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"R0: 1\r\n\x1b[0m[00:00:00.771,952] <err> os: x\n", "\xff\xfea\x00\n\x00", "\xfe\xff\x00a", "06-01 12:34:56.789  1  2 F D : x\n0> y",
		"Nov 30 12:01:02 host a: b", "\x1b]0;x\a\x1b(B\xd6\xf7",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		number, offset := 0, int64(-1)
		for _, l := range Parse(data).Lines {
			if l.Number < number || l.Offset <= offset || l.Offset >= int64(len(data)) || l.Text == "" {
				t.Fatalf("line %+v", l)
			}
			number, offset = l.Number, l.Offset
			Pairs(l.Text)
			ReadRow(l.Text)
		}
	})
}

func TestReadByteRow(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]*Row{
		"20001000: 78 56 34 12 01 00 00 20":                    {Addr: 0x20001000, Words: []uint32{0x12345678, 0x20000001}},
		"  20001002:  00 00 78 56  34 12 01 00 00 20 |..xV4.|": {Addr: 0x20001004, Words: []uint32{0x12345678, 0x20000001}},
		"20001000: 78 56 34 12 01 00 00":                       nil,
		"20001000: 78 56 34 12 01 00 00 20 x":                  nil,
		"20001000: 78 56 34 12 01 00 00 200":                   nil,
		"1000: 78 56 34 12 01 00 00 20":                        nil,
	} {
		got, ok := ReadByteRow(line)
		if ok != (want != nil) || ok && !cmp.Equal(got, *want) {
			t.Errorf("%q: %+v, %v", line, got, ok)
		}
	}
}
