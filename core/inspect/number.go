package inspect

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"pushmask/elfsym/types"
)

// number is a value of an arithmetic type.
type number struct {
	typ *Type   // underlying
	i   uint64  // of integers, sign- or zero-extended by the type
	f   float64 // of floating-point numbers
}

var errNoNumber = errors.New("is no number")

// number returns v as a number; pointers are unsigned integers.
func (v *Value) number() (number, error) {
	v = v.referred()
	t := v.Type.underlying()
	if !t.isScalar() {
		return number{}, fmt.Errorf("a value of type %s %w", v.Type.Name(), errNoNumber)
	}
	n, err := v.bits()
	if err != nil {
		return number{}, err
	}
	size, _ := t.Size()
	if !t.isFloat() {
		width := size * 8
		if v.bitSize > 0 {
			width = uint32(v.bitSize)
		}
		return number{typ: t, i: extend(n, width, t.isSigned())}, nil
	}
	f, err := float(n, size)
	return number{typ: t, f: f}, err
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

// float decodes an IEEE 754 number.
func float(n uint64, size uint32) (float64, error) {
	switch size {
	case 2:
		return half(uint16(n)), nil
	case 4:
		return float64(math.Float32frombits(uint32(n))), nil
	case 8:
		return math.Float64frombits(n), nil
	}
	return 0, fmt.Errorf("floating-point numbers of %d bytes are not known", size)
}

// half decodes binary16 (IEEE 754-2008, 3.4).
func half(h uint16) float64 {
	exp, frac := int(h>>10&0x1f), float64(h&0x3ff)
	sign := 1.0
	if h>>15 != 0 {
		sign = -1
	}
	switch {
	case exp == 0x1f && frac != 0:
		return math.NaN()
	case exp == 0x1f:
		return math.Inf(int(sign))
	case exp == 0:
		return sign * math.Ldexp(frac, -24)
	}
	return sign * math.Ldexp(1+frac/1024, exp-15)
}

func (n number) isFloat() bool { return n.typ.isFloat() }

func (n number) isZero() bool {
	if n.isFloat() {
		return n.f == 0
	}
	return n.i == 0
}

// float returns n as a floating-point number.
func (n number) float() float64 {
	switch {
	case n.isFloat():
		return n.f
	case n.typ.isSigned():
		return float64(int64(n.i))
	}
	return float64(n.i)
}

// integer returns n as an integer of 64 bits (C17 6.3.1.4: the fraction is
// dropped; what does not fit is undefined there and 0 here).
func (n number) integer() uint64 {
	switch {
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
	case u.isFloat() && size == 4:
		return number{typ: u, f: float64(float32(n.float()))}
	case u.isFloat():
		return number{typ: u, f: n.float()}
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
	case n.isFloat() && size == 4:
		return littleBytes(uint64(math.Float32bits(float32(n.f))), size)
	case n.isFloat():
		return littleBytes(math.Float64bits(n.f), size)
	}
	return littleBytes(n.i, min(size, 8))
}

// promote is C's integer promotion (C17 6.3.1.1): all narrower types fit int.
func (n number) promote() number {
	if n.isFloat() || n.typ.isPointer() || n.typ.isReference() {
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
	case n.typ.kind == types.Enum && n.typ.isSigned():
		return n.to(typeInt)
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
	if b.typ.isSigned() && int64(b.i) < 0 {
		return a, fmt.Errorf("%s by a negative number", op)
	}
	size, _ := a.typ.Size()
	by := b.i
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
