package inspect

import (
	"math/big"
	"testing"

	"pushmask/elfsym/types"
)

// TestWideShift shifts by amounts of more than 64 bits.
func TestWideShift(t *testing.T) {
	t.Parallel()
	signed := &Type{kind: types.Base, encoding: types.Signed, name: "__int128", size: 16}
	wide := func(shift uint, sign int64) number {
		return number{typ: signed, wide: new(big.Int).Lsh(big.NewInt(sign), shift)}
	}
	one, word := wide(0, 1), number{typ: typeUint, i: 1}
	for _, c := range []struct {
		op   string
		a, b number
		want string // "" for an error
	}{
		{"<<", one, wide(2, 1), "16"},
		{"<<", one, wide(64, 1), "0"},
		{"<<", word, wide(64, 1), "0"},
		{">>", word, wide(64, 1), "0"},
		{">>", wide(0, -5), wide(64, 1), "-1"},
		{"<<", one, wide(0, -1), ""},
		{"<<", word, wide(64, -1), ""},
	} {
		n, err := arithmetic(c.op, c.a, c.b)
		got := ""
		if err == nil {
			got = n.big().String()
		}
		if got != c.want {
			t.Errorf("%v %s %v: %s (%v), want %q", c.a.big(), c.op, c.b.big(), got, err, c.want)
		}
	}
}

// TestWideDivision rounds to zero, as C does.
func TestWideDivision(t *testing.T) {
	t.Parallel()
	signed := &Type{kind: types.Base, encoding: types.Signed, name: "__int128", size: 16}
	of := func(n int64) number { return number{typ: signed, wide: big.NewInt(n)} }
	for _, c := range []struct {
		op   string
		a, b int64
		want int64
	}{{"/", -7, 2, -3}, {"%", -7, 2, -1}, {"/", 7, -2, -3}, {"%", 7, -2, 1}, {"-", 1, 3, -2}, {"&", -1, 6, 6}} {
		if n, err := arithmetic(c.op, of(c.a), of(c.b)); err != nil || n.wide.Cmp(big.NewInt(c.want)) != 0 {
			t.Errorf("%d %s %d: %v (%v), want %d", c.a, c.op, c.b, n.wide, err, c.want)
		}
	}
	if _, err := arithmetic("%", of(1), of(0)); err == nil {
		t.Error("a remainder of a division by zero")
	}
}
