package inspect

import (
	"errors"
	"fmt"

	"pushmask/elfsym/types"
)

// complexNumber is a value of a type that _Complex makes.
type complexNumber struct {
	typ    *Type
	re, im number
}

// complexPart returns the type of the parts of a complex type. DWARF does not
// say whether those of integers have a sign; gcc's are int where not stated.
func (t *Type) complexPart() *Type {
	size, _ := t.Size()
	switch {
	case t.encoding == types.ComplexInteger && size == 8:
		return typeInt
	case t.encoding == types.ComplexInteger:
		return &Type{kind: types.Base, encoding: types.Signed, name: "int", size: size / 2}
	case size == typeFloat.size*2:
		return typeFloat
	case size == typeDouble.size*2:
		return typeDouble
	}
	return &Type{kind: types.Base, encoding: types.Float, name: "float", size: size / 2}
}

// complexOf makes the type of complex numbers with parts of a type.
func complexOf(part *Type) *Type {
	encoding := types.ComplexInteger
	if part.isFloat() {
		encoding = types.ComplexFloat
	}
	size, _ := part.Size()
	return &Type{kind: types.Base, encoding: encoding, name: "complex " + part.Name(), size: 2 * size}
}

// complexParts returns the real and the imaginary part of a complex number.
func (v *Value) complexParts() (re, im *Value) {
	part := v.Type.underlying().complexPart()
	size, _ := part.Size()
	re, im = v.part(part, 0), v.part(part, size)
	if v.Expr != "" {
		operand := postfix(v.Expr)
		re.Expr, im.Expr = "__real__ "+operand, "__imag__ "+operand
	}
	return re, im
}

// complex returns v as a complex number; the imaginary part of a real one is 0.
func (v *Value) complex() (complexNumber, error) {
	v = v.referred()
	t := v.Type.underlying()
	if !t.isComplex() {
		n, err := v.number()
		if err != nil {
			return complexNumber{}, err
		}
		if n.typ.isPointer() {
			return complexNumber{}, fmt.Errorf("a pointer %w", errNoNumber)
		}
		n = n.promote()
		return complexNumber{complexOf(n.typ), n, number{typ: n.typ}}, nil
	}
	a, b := v.complexParts()
	re, err := a.number()
	if err != nil {
		return complexNumber{}, err
	}
	im, err := b.number()
	return complexNumber{t, re, im}, err
}

// to converts z to another complex type.
func (z complexNumber) to(t *Type) complexNumber {
	part := t.underlying().complexPart()
	return complexNumber{t, z.re.to(part), z.im.to(part)}
}

// encode returns z in the order of memory.
func (z complexNumber) encode() []byte { return append(z.re.encode(), z.im.encode()...) }

// complexOperands returns the sides of a binary operator as complex numbers.
func complexOperands(x, y *Value) (a, b complexNumber, err error) {
	if a, err = x.complex(); err != nil {
		return a, b, err
	}
	b, err = y.complex()
	return a, b, err
}

// complexArithmetic executes a binary operator where at least one side is a
// complex number (C17 6.3.1.8 and Annex G.5; without what that says of infinities).
func (c *context) complexArithmetic(op string, x, y *Value) (*Value, error) {
	a, b, err := complexOperands(x, y)
	if err != nil {
		return nil, err
	}
	var m partMath
	switch op {
	case "+", "-":
		m.re, m.im = m.do(op, a.re, b.re), m.do(op, a.im, b.im)
	case "*":
		m.re = m.do("-", m.do("*", a.re, b.re), m.do("*", a.im, b.im))
		m.im = m.do("+", m.do("*", a.re, b.im), m.do("*", a.im, b.re))
	case "/":
		norm := m.do("+", m.do("*", b.re, b.re), m.do("*", b.im, b.im))
		m.re = m.do("/", m.do("+", m.do("*", a.re, b.re), m.do("*", a.im, b.im)), norm)
		m.im = m.do("/", m.do("-", m.do("*", a.im, b.re), m.do("*", a.re, b.im)), norm)
	default:
		return nil, fmt.Errorf("%s takes no complex numbers", op)
	}
	if m.err != nil {
		return nil, m.err
	}
	t := complexOf(m.re.typ)
	for _, operand := range []*Type{a.typ, b.typ} { // by its own name where an operand is of it
		if operand.complexPart().Name() == m.re.typ.Name() {
			t = operand
			break
		}
	}
	return c.computed(t, complexNumber{t, m.re, m.im}.encode()), nil
}

// partMath computes the parts of a complex number, up to the first error.
type partMath struct {
	re, im number
	err    error
}

func (m *partMath) do(op string, a, b number) number {
	if m.err != nil {
		return a
	}
	n, err := arithmetic(op, a, b)
	m.err = err
	return n
}

var errComplexOrder = errors.New("complex numbers have no order")

// complexRelation compares complex numbers, which are equal or not.
func (c *context) complexRelation(op string, x, y *Value) (*Value, error) {
	if op != "==" && op != "!=" {
		return nil, errComplexOrder
	}
	a, b, err := complexOperands(x, y)
	if err != nil {
		return nil, err
	}
	isEqual := compare("==", a.re, b.re) && compare("==", a.im, b.im)
	return c.truth(isEqual == (op == "==")), nil
}

// complexUnary executes + and -, and ~, which GNU C has for the conjugate.
func (c *context) complexUnary(op string, x *Value) (*Value, error) {
	z, err := x.complex()
	if err != nil {
		return nil, err
	}
	if op == "-" {
		z.re = z.re.negated()
	}
	if op == "-" || op == "~" {
		z.im = z.im.negated()
	}
	return c.computed(x.Type, z.to(x.Type).encode()), nil
}

// complexPartOf executes __real__ and __imag__ of GNU C, also on real numbers.
func (c *context) complexPartOf(op string, x *Value) (*Value, error) {
	x = x.referred()
	if x.err != nil {
		return nil, x.err
	}
	if x.Type.underlying().isComplex() {
		re, im := x.complexParts()
		if op == "__imag__" {
			return im, nil
		}
		return re, nil
	}
	n, err := x.number()
	switch {
	case err != nil:
		return nil, err
	case op == "__imag__":
		return c.of(number{typ: n.typ}.to(n.typ)), nil
	}
	return x, nil
}

// castComplex converts a number to a complex type.
func (c *context) castComplex(x *Value, t *Type) (*Value, error) {
	z, err := x.complex()
	if err != nil {
		return nil, err
	}
	return c.computed(t, z.to(t).encode()), nil
}
