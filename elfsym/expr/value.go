package expr

import (
	"errors"
	"fmt"
	"math"
)

// value is an element of the stack: a number of a base type, its bits in the
// low end.
type value struct {
	bits uint64
	typ  BaseType
	// wide is the number in 64 bits where the value is a constant of the generic
	// type: clang describes variables of 8 bytes with operations of 4, as in
	// "DW_OP_consts -5, DW_OP_stack_value" for a long long.
	wide     uint64
	constant bool
}

// generic is a value of the generic type.
func generic(v uint64) value { return value{bits: v & 0xffffffff} }

// constant is an operand as a value of the generic type.
func constant(v uint64) value { return value{bits: v & 0xffffffff, wide: v, constant: true} }

// Encodings of base types (DWARF 5, 7.8).
const (
	ateAddress    = 0x01
	ateBoolean    = 0x02
	ateFloat      = 0x04
	ateSigned     = 0x05
	ateSignedChar = 0x06
)

// addrSize is the size of the generic type in bytes.
const addrSize = 4

func (t BaseType) size() uint8 {
	if t.Size == 0 {
		return addrSize
	}
	return min(t.Size, 8)
}

func (t BaseType) isFloat() bool  { return t.Encoding == ateFloat }
func (t BaseType) isSigned() bool { return t.Encoding == ateSigned || t.Encoding == ateSignedChar }

// isIntegral reports whether bitwise operations apply.
func (t BaseType) isIntegral() bool { return !t.isFloat() }

// usable reports whether arithmetic knows the type.
func (t BaseType) usable() bool {
	return t.Size <= 8 && (!t.isFloat() || t.Size == 4 || t.Size == 8)
}

func (t BaseType) mask() uint64 { return math.MaxUint64 >> (64 - 8*uint(t.size())) }

// of makes a value of the type from bits.
func (t BaseType) of(bits uint64) value { return value{bits: bits & t.mask(), typ: t} }

// signed returns the bits of v sign-extended.
func (v value) signed() int64 {
	shift := 64 - 8*uint(v.typ.size())
	return int64(v.bits<<shift) >> shift
}

func (v value) float() float64 {
	if v.typ.size() == 4 {
		return float64(math.Float32frombits(uint32(v.bits)))
	}
	return math.Float64frombits(v.bits)
}

func (t BaseType) ofFloat(f float64) value {
	if t.size() == 4 {
		return t.of(uint64(math.Float32bits(float32(f))))
	}
	return t.of(math.Float64bits(f))
}

// convert returns v as a value of another type (DW_OP_convert).
func (v value) convert(to BaseType) value {
	switch {
	case v.typ.isFloat() && to.isFloat():
		return to.ofFloat(v.float())
	case v.typ.isFloat():
		return to.ofTruncated(v.float())
	case to.isFloat() && v.typ.isSigned():
		return to.ofFloat(float64(v.signed()))
	case to.isFloat():
		return to.ofFloat(float64(v.bits))
	case v.typ.isSigned():
		return to.of(uint64(v.signed()))
	}
	return to.of(v.bits)
}

// ofTruncated makes an integer of a float, 0 where it has none: Go leaves that
// conversion to the machine.
func (t BaseType) ofTruncated(f float64) value {
	switch {
	case f >= 0 && f < 1<<64:
		return t.of(uint64(f))
	case f < 0 && f >= -1<<63:
		return t.of(uint64(int64(f)))
	}
	return t.of(0)
}

var errDivision = errors.New("division by zero")

// binary executes an operation on two values. They have to be of one type.
func binary(op uint8, a, b value) (value, error) {
	if op == opShl || op == opShr || op == opShra {
		return shift(op, a, b)
	}
	if a.typ != b.typ {
		return value{}, fmt.Errorf("%w: operation %#02x on values of different types", ErrMalformed, op)
	}
	if compare, ok := relations[op]; ok {
		v := generic(0)
		if compare(order(a, b)) {
			v.bits = 1
		}
		return v, nil
	}
	if a.typ.isFloat() {
		return floatOp(op, a, b)
	}
	return integerOp(op, a, b)
}

func integerOp(op uint8, a, b value) (value, error) {
	t := a.typ
	switch op {
	case opAnd:
		return t.of(a.bits & b.bits), nil
	case opOr:
		return t.of(a.bits | b.bits), nil
	case opXor:
		return t.of(a.bits ^ b.bits), nil
	case opPlus:
		return t.of(a.bits + b.bits), nil
	case opMinus:
		return t.of(a.bits - b.bits), nil
	case opMul:
		return t.of(a.bits * b.bits), nil
	}
	if b.bits == 0 {
		return value{}, errDivision
	}
	// DW_OP_div is signed for the generic type and DW_OP_mod is not (DWARF 5,
	// 2.5.1.4).
	generic := t == BaseType{}
	switch {
	case op == opDiv && (generic || t.isSigned()):
		if b.signed() == -1 {
			return t.of(-a.bits), nil
		}
		return t.of(uint64(a.signed() / b.signed())), nil
	case op == opDiv:
		return t.of(a.bits / b.bits), nil
	case t.isSigned():
		if b.signed() == -1 {
			return t.of(0), nil
		}
		return t.of(uint64(a.signed() % b.signed())), nil
	}
	return t.of(a.bits % b.bits), nil
}

func floatOp(op uint8, a, b value) (value, error) {
	x, y := a.float(), b.float()
	switch op {
	case opPlus:
		return a.typ.ofFloat(x + y), nil
	case opMinus:
		return a.typ.ofFloat(x - y), nil
	case opMul:
		return a.typ.ofFloat(x * y), nil
	case opDiv:
		return a.typ.ofFloat(x / y), nil
	}
	return value{}, fmt.Errorf("%w: operation %#02x on floating point", ErrMalformed, op)
}

// shift shifts a by b bits. Amounts of the size of the type and more shift
// everything out, negative ones of DW_OP_consts are such.
func shift(op uint8, a, b value) (value, error) {
	if !a.typ.isIntegral() || !b.typ.isIntegral() {
		return value{}, fmt.Errorf("%w: shift of floating point", ErrMalformed)
	}
	n := min(b.bits, 64)
	switch op {
	case opShl:
		return a.typ.of(a.bits << n), nil
	case opShr:
		return a.typ.of(a.bits >> n), nil
	}
	return a.typ.of(uint64(a.signed() >> n)), nil
}

// relations tell what operations of comparison make of an order.
var relations = map[uint8]func(order int) bool{
	opEq: func(o int) bool { return o == 0 },
	opGe: func(o int) bool { return o == 0 || o == 1 },
	opGt: func(o int) bool { return o == 1 },
	opLe: func(o int) bool { return o == 0 || o == -1 },
	opLt: func(o int) bool { return o == -1 },
	opNe: func(o int) bool { return o != 0 },
}

// unordered is the order of NaN and anything.
const unordered = 2

// order compares two values of one type. Those of the generic type are signed
// (DWARF 5, 2.5.1.5).
func order(a, b value) int {
	generic := a.typ == BaseType{}
	switch {
	case a.typ.isFloat():
		x, y := a.float(), b.float()
		if x != x || y != y {
			return unordered
		}
		return sign(x < y, x > y)
	case generic || a.typ.isSigned():
		return sign(a.signed() < b.signed(), a.signed() > b.signed())
	}
	return sign(a.bits < b.bits, a.bits > b.bits)
}

func sign(less, greater bool) int {
	switch {
	case less:
		return -1
	case greater:
		return 1
	}
	return 0
}

// unary executes an operation on one value.
func unary(op uint8, v value) (value, error) {
	t := v.typ
	switch {
	case op == opNeg && t.isFloat():
		return t.ofFloat(-v.float()), nil
	case op == opAbs && t.isFloat():
		return t.ofFloat(math.Abs(v.float())), nil
	case op == opNeg:
		return t.of(-v.bits), nil
	case op == opAbs && v.signed() < 0 && (t.isSigned() || t == BaseType{}):
		return t.of(-v.bits), nil
	case op == opAbs:
		return v, nil
	case t.isFloat():
		return value{}, fmt.Errorf("%w: complement of floating point", ErrMalformed)
	}
	return t.of(^v.bits), nil
}
