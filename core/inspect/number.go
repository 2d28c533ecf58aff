package inspect

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/bits"

	"pushmask/elfsym/types"
)

// number is a value of an arithmetic type.
type number struct {
	typ  *Type    // underlying
	i    uint64   // of integers, sign- or zero-extended by the type
	wide *big.Int // of integers of more than 64 bits
	f    float64  // of floating-point numbers
}

var errNoNumber = errors.New("is no number")

// number returns v as a number; pointers are unsigned integers, and fixed-point
// numbers as near as double comes.
func (v *Value) number() (number, error) {
	v = v.referred()
	t := v.Type.underlying()
	if !t.isScalar() {
		return number{}, fmt.Errorf("a value of type %s %w", v.Type.Name(), errNoNumber)
	}
	switch {
	case t.isFixed():
		x, err := v.rational(t)
		if err != nil {
			return number{}, err
		}
		f, _ := x.Float64()
		return number{typ: typeDouble, f: f}, nil
	case t.isWide() && v.bitSize == 0:
		b, err := v.whole()
		if err != nil {
			return number{}, err
		}
		return number{typ: t, wide: wideNumber(t.ordered(b), t.isSigned())}, nil
	}
	n, err := v.bits()
	if err != nil {
		return number{}, err
	}
	if t.isFloat() {
		f, err := decodeFloat(n, t.floatFormat())
		return number{typ: t, f: f}, err
	}
	if t.isWide() {
		return number{typ: t, i: v.extended(n, t)}.toWide(t), nil
	}
	return number{typ: t, i: v.extended(n, t)}, nil
}

// extend extends a number of a width in bits to 64.
func extend(n uint64, width uint32, signed bool) uint64 {
	if width == 0 || width >= 64 {
		return n
	}
	shift := 64 - width
	if signed {
		return uint64(int64(n<<shift) >> shift)
	}
	return n << shift >> shift
}

func (n number) isFloat() bool { return n.typ.isFloat() }

func (n number) isZero() bool {
	switch {
	case n.isFloat():
		return n.f == 0
	case n.wide != nil:
		return n.wide.Sign() == 0
	}
	return n.i == 0
}

// float returns n as a floating-point number.
func (n number) float() float64 {
	switch {
	case n.isFloat():
		return n.f
	case n.wide != nil:
		f, _ := new(big.Float).SetInt(n.wide).Float64()
		return f
	case n.typ.isSigned():
		return float64(int64(n.i))
	}
	return float64(n.i)
}

// integer returns n as an integer of 64 bits (C17 6.3.1.4: the fraction is
// dropped; what does not fit is undefined there and 0 here).
func (n number) integer() uint64 {
	switch {
	case n.wide != nil:
		return little(wideBytes(n.wide, 8))
	case !n.isFloat():
		return n.i
	case n.f >= 0 && n.f < 1<<64:
		return uint64(n.f)
	case n.f < 0 && n.f >= -1<<63:
		return uint64(int64(n.f))
	}
	return 0
}

// to converts n to another arithmetic type (C17 6.3.1).
func (n number) to(t *Type) number {
	u := t.underlying()
	size, _ := u.Size()
	switch {
	case u.isFloat() && u.floatFormat() == types.NoFloat:
		return number{typ: u, f: n.float()}
	case u.isFloat():
		f, _ := decodeFloat(encodeFloat(n.float(), u.floatFormat()), u.floatFormat())
		return number{typ: u, f: f}
	case u.isWide():
		return n.toWide(u)
	case u.kind == types.Base && u.encoding == types.Boolean:
		v := uint64(1)
		if n.isZero() {
			v = 0
		}
		return number{typ: u, i: v}
	}
	return number{typ: u, i: extend(n.integer(), size*8, u.isSigned())}
}

// encode returns n in the order of memory.
func (n number) encode() []byte {
	size, _ := n.typ.Size()
	switch {
	case n.isFloat():
		return n.typ.ordered(littleBytes(encodeFloat(n.f, n.typ.floatFormat()), size))
	case n.wide != nil:
		return n.typ.ordered(wideBytes(n.wide, size))
	}
	return n.typ.ordered(littleBytes(n.i, min(size, 8)))
}

// promote is C's integer promotion (C17 6.3.1.1): all narrower types fit int.
func (n number) promote() number {
	if n.isFloat() {
		if size, _ := n.typ.Size(); size < typeFloat.size { // Arm's half floats compute as float
			return n.to(typeFloat)
		}
		return n
	}
	if n.typ.isPointer() || n.typ.isReference() {
		return n
	}
	size, _ := n.typ.Size()
	switch {
	case n.typ.word && !n.typ.isSigned():
		return n.to(typeUint)
	case n.typ.word:
		return n.to(typeInt)
	case size < 4, n.typ.encoding == types.Boolean:
		return number{typ: typeInt, i: n.i}
	case n.typ.kind == types.Enum && n.typ.isSigned() && size == 4:
		return n.to(typeInt)
	case n.typ.kind == types.Enum && size == 8 && n.typ.isSigned():
		return n.to(typeLlong)
	case n.typ.kind == types.Enum && size == 8:
		return n.to(typeUllong)
	case n.typ.kind == types.Enum && size == 4, n.typ.encoding == types.UTF && size == 4:
		return n.to(typeUint)
	}
	return n
}

// common converts two numbers to their common type (C17 6.3.1.8).
func common(a, b number) (number, number) {
	a, b = a.promote(), b.promote()
	sa, _ := a.typ.Size()
	sb, _ := b.typ.Size()
	switch {
	case a.isFloat() && b.isFloat() && sa < sb, !a.isFloat() && b.isFloat():
		return a.to(b.typ), b
	case a.isFloat():
		return a, b.to(a.typ)
	case sa < sb, sa == sb && a.typ.isSigned() && !b.typ.isSigned():
		return a.to(b.typ), b
	}
	return a, b.to(a.typ)
}

// negated returns -n.
func (n number) negated() number {
	switch {
	case n.isFloat():
		n.f = -n.f
		return n
	case n.wide != nil:
		return number{typ: n.typ, wide: new(big.Int).Neg(n.wide)}.toWide(n.typ)
	}
	n.i = -n.i
	return n.to(n.typ)
}

// complement returns ~n of an integer.
func (n number) complement() number {
	if n.wide != nil {
		return number{typ: n.typ, wide: new(big.Int).Not(n.wide)}.toWide(n.typ)
	}
	n.i = ^n.i
	return n.to(n.typ)
}

var errDivision = errors.New("division by zero")

// arithmetic executes a binary operator on two numbers that are no pointers.
func arithmetic(op string, a, b number) (number, error) {
	if op == "<<" || op == ">>" {
		return shift(op, a.promote(), b.promote())
	}
	a, b = common(a, b)
	if a.isFloat() {
		return floatArithmetic(op, a, b)
	}
	if a.wide != nil {
		return wideArithmetic(op, a, b)
	}
	n := number{typ: a.typ}
	switch op {
	case "+":
		n.i = a.i + b.i
	case "-":
		n.i = a.i - b.i
	case "*":
		n.i = a.i * b.i
	case "&":
		n.i = a.i & b.i
	case "|":
		n.i = a.i | b.i
	case "^":
		n.i = a.i ^ b.i
	case "/", "%":
		if b.i == 0 {
			return n, errDivision
		}
		n.i = divide(op, a, b)
	}
	return n.to(a.typ), nil
}

func divide(op string, a, b number) uint64 {
	switch x, y := int64(a.i), int64(b.i); {
	case !a.typ.isSigned() && op == "/":
		return a.i / b.i
	case !a.typ.isSigned():
		return a.i % b.i
	case y == -1 && op == "/":
		return -a.i
	case y == -1:
		return 0
	case op == "/":
		return uint64(x / y)
	default:
		return uint64(x % y)
	}
}

func floatArithmetic(op string, a, b number) (number, error) {
	n := number{typ: a.typ}
	switch op {
	case "+":
		n.f = a.f + b.f
	case "-":
		n.f = a.f - b.f
	case "*":
		n.f = a.f * b.f
	case "/":
		n.f = a.f / b.f
	default:
		return n, fmt.Errorf("%s takes integers", op)
	}
	return n.to(a.typ), nil
}

// shift executes << and >>. Amounts past the width of the type, which C does
// not define, shift everything out.
func shift(op string, a, b number) (number, error) {
	if a.isFloat() || b.isFloat() {
		return a, fmt.Errorf("%s takes integers", op)
	}
	amount := b.big()
	if amount.Sign() < 0 {
		return a, fmt.Errorf("%s by a negative number", op)
	}
	by := uint64(math.MaxUint64)
	if amount.IsUint64() {
		by = amount.Uint64()
	}
	size, _ := a.typ.Size()
	if a.wide != nil {
		return wideShift(op, a, min(by, uint64(size)*8)), nil
	}
	n := number{typ: a.typ}
	switch width := uint64(size) * 8; {
	case op == "<<" && by < width:
		n.i = a.i << by
	case op == ">>" && a.typ.isSigned():
		n.i = uint64(int64(a.i) >> min(by, 63))
	case op == ">>" && by < width:
		n.i = a.i >> by
	}
	return n.to(a.typ), nil
}

// compare executes a relation on two numbers.
func compare(op string, a, b number) bool {
	a, b = common(a, b)
	var less, equal bool
	switch {
	case a.isFloat():
		if math.IsNaN(a.f) || math.IsNaN(b.f) {
			return op == "!="
		}
		less, equal = a.f < b.f, a.f == b.f
	case a.wide != nil:
		order := a.wide.Cmp(b.wide)
		less, equal = order < 0, order == 0
	case a.typ.isSigned():
		less, equal = int64(a.i) < int64(b.i), a.i == b.i
	default:
		less, equal = a.i < b.i, a.i == b.i
	}
	switch op {
	case "==":
		return equal
	case "!=":
		return !equal
	case "<":
		return less
	case "<=":
		return less || equal
	case ">":
		return !less && !equal
	}
	return !less
}

// bitLen is the number of bits that n needs.
func bitLen(n uint64) int { return bits.Len64(n) }
