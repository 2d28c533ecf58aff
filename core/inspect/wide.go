package inspect

import (
	"math/big"
	"slices"
)

// isWide reports whether t is an integer of more than 64 bits: Rust's i128, a
// _BitInt of C.
func (t *Type) isWide() bool {
	size, ok := t.Size()
	return ok && size > 8 && size <= maxWide && t.isInteger()
}

// maxWide bounds integers that are numbers, in bytes.
const maxWide = 1 << 10

// wideNumber decodes a little-endian integer.
func wideNumber(b []byte, signed bool) *big.Int {
	order := slices.Clone(b)
	slices.Reverse(order)
	n := new(big.Int).SetBytes(order)
	if signed && len(order) > 0 && order[0]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(order))))
	}
	return n
}

// wideBytes is the inverse of wideNumber; what does not fit wraps.
func wideBytes(n *big.Int, size uint32) []byte {
	modulus := new(big.Int).Lsh(big.NewInt(1), uint(8*size))
	b := new(big.Int).Mod(n, modulus).FillBytes(make([]byte, size))
	slices.Reverse(b)
	return b
}

// big returns an integer of any width.
func (n number) big() *big.Int {
	switch {
	case n.wide != nil:
		return n.wide
	case n.isFloat():
		whole, _ := big.NewFloat(finite(n.f)).Int(nil)
		return whole
	case n.typ.isSigned():
		return big.NewInt(int64(n.i))
	}
	return new(big.Int).SetUint64(n.i)
}

// finite is 0 for what is no number, which integers do not have.
func finite(x float64) float64 {
	if x-x != 0 {
		return 0
	}
	return x
}

// toWide converts n to an integer of more than 64 bits.
func (n number) toWide(t *Type) number {
	size, _ := t.Size()
	return number{typ: t, wide: wideNumber(wideBytes(n.big(), size), t.isSigned())}
}

// wideOperators compute z of x and y, with the remainder of C (C17 6.5.5).
var wideOperators = map[string]func(z, x, y *big.Int) *big.Int{
	"+": (*big.Int).Add, "-": (*big.Int).Sub, "*": (*big.Int).Mul, "/": (*big.Int).Quo, "%": (*big.Int).Rem,
	"&": (*big.Int).And, "|": (*big.Int).Or, "^": (*big.Int).Xor,
}

// wideArithmetic executes a binary operator on two integers of one type that has
// more than 64 bits.
func wideArithmetic(op string, a, b number) (number, error) {
	if (op == "/" || op == "%") && b.isZero() {
		return a, errDivision
	}
	z := wideOperators[op](new(big.Int), a.wide, b.wide)
	return number{typ: a.typ, wide: z}.toWide(a.typ), nil
}

// wideShift shifts an integer of more than 64 bits; by is less than its width.
func wideShift(op string, a number, by uint64) number {
	z := new(big.Int)
	if op == "<<" {
		z.Lsh(a.wide, uint(by))
	} else {
		z.Rsh(a.wide, uint(by))
	}
	return number{typ: a.typ, wide: z}.toWide(a.typ)
}
