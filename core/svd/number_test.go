package svd

import (
	"math"
	"slices"
	"testing"
)

func TestNumber(t *testing.T) {
	t.Parallel()
	good := map[string]uint64{
		"0": 0, "08": 8, " 12 ": 12, "+7": 7, "0x1F": 31, "0X1f": 31, "0x20UL": 32, "4u": 4, "#101": 5, "0b11": 3,
		"1k": 1 << 10, "0x2M": 2 << 20, "3g": 3 << 30, "1T": 1 << 40, "0xffffffffffffffff": math.MaxUint64, "18446744073709551615": math.MaxUint64,
	}
	for text, want := range good {
		if got, ok := number(text); !ok || got != want {
			t.Errorf("%q: %d, %v, want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "x", "0x", "#", "k", "-1", "+-1", "++1", "FF", "1.5", "#12", "0x1_0", "1 2", "18446744073709551616", "0xffffffffffffffffk"} {
		if got, ok := number(text); ok {
			t.Errorf("%q: %d", text, got)
		}
	}
}

func TestInteger(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"5": 5, "-15": -15, "0x10": 16} {
		if got, ok := integer(text); !ok || got != want {
			t.Errorf("%q: %d, %v, want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "-", "--1", "0x80000000"} {
		if got, ok := integer(text); ok {
			t.Errorf("%q: %d", text, got)
		}
	}
}

func TestPattern(t *testing.T) {
	t.Parallel()
	const all = math.MaxUint64
	cases := []struct {
		text        string
		value, mask uint64
	}{
		{"15", 15, all}, {"0xf", 15, all}, {"#1111", 15, all}, {"0b1111", 15, all},
		{"#111x", 14, all &^ 1}, {"0bX0x1", 1, all &^ 0xa}, {" +#x ", 0, all &^ 1},
	}
	for _, c := range cases {
		if value, mask, ok := pattern(c.text); !ok || value != c.value || mask != c.mask {
			t.Errorf("%q: %#x/%#x, %v", c.text, value, mask, ok)
		}
	}
	for _, text := range []string{"", "#", "#x2", "#-x", "x", "0xX", "#" + string(slices.Repeat([]byte{'x'}, 65))} {
		if value, mask, ok := pattern(text); ok {
			t.Errorf("%q: %#x/%#x", text, value, mask)
		}
	}
}

func TestBitRange(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]uint64{"[7:0]": {7, 0}, " [31:16] ": {31, 16}, "[3]": {3, 3}, "5:4": {5, 4}, "[0x7 : 0]": {7, 0}} {
		if msb, lsb, ok := bitRange(text); !ok || msb != want[0] || lsb != want[1] {
			t.Errorf("%q: %d %d %v", text, msb, lsb, ok)
		}
	}
	for _, text := range []string{"", "[]", "[:]", "[7:]", "[:0]", "[7-0]", "[7:0:1]"} {
		if msb, lsb, ok := bitRange(text); ok {
			t.Errorf("%q: %d %d", text, msb, lsb)
		}
	}
}

// TestWords: words of the schema are found however they are written.
func TestWords(t *testing.T) {
	t.Parallel()
	for _, a := range []Access{ReadWrite, ReadOnly, WriteOnly, WriteOnce, ReadWriteOnce} {
		if got, ok := accessOf(a.String()); !ok || got != a {
			t.Errorf("%v: %v, %v", a, got, ok)
		}
	}
	for text, want := range map[string]Access{"Read-Only": ReadOnly, "readWrite": ReadWrite, "WRITEONCE": WriteOnce, "read-write-once": ReadWriteOnce, "write": WriteOnly} {
		if got, ok := accessOf(text); !ok || got != want {
			t.Errorf("%q: %v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "-", "r", "rw", "none"} {
		if got, ok := valueOf[ReadAction](readActionNames, text); ok {
			t.Errorf("%q: %v", text, got)
		}
	}
	if a, ok := accessOf("rumour"); ok || a.Readable() || a.Writable() || a.String() != "unknown" {
		t.Errorf("a word that means nothing: %v, %v", a, ok)
	}
}

func TestDimIndices(t *testing.T) {
	t.Parallel()
	cases := []struct {
		index string
		want  []string
	}{
		{"", []string{"0", "1", "2"}},
		{"3-6", []string{"3", "4", "5"}},
		{"3-4", []string{"3", "4"}},
		{"A-C", []string{"A", "B", "C"}},
		{"a - b", []string{"a", "b"}},
		{"A,B, Z,Q", []string{"A", "B", "Z"}},
		{"x", []string{"x"}},
		{"7-3", nil},
		{"A-3", nil},
		{"é-z", nil},
	}
	for _, c := range cases {
		n := &node{tag: "register", kids: []*node{{tag: "dimIndex", text: c.index}}}
		if got := dimIndices(n, 3); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.index, got, c.want)
		}
	}
}
