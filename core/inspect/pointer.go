package inspect

import (
	"cmp"
	"errors"
	"fmt"

	"pushmask/elfsym/expr"
	"pushmask/elfsym/types"
)

// referred returns what a reference refers to, and v where it is none.
func (v *Value) referred() *Value {
	if !v.Type.underlying().isReference() {
		return v
	}
	to, err := v.ctx.dereference(v)
	if err != nil {
		return v.ctx.failed(v.Type.underlying().Elem(), err)
	}
	return to
}

// decayed makes a pointer to its first element of an array, and one to it of a
// function (C17 6.3.2.1).
func (v *Value) decayed() *Value {
	v = v.referred()
	t := v.Type.underlying()
	switch {
	case v.err != nil:
		return v
	case t.kind == types.Array && v.inMemory:
		return v.ctx.pointer(t.Elem(), v.addr)
	case t.kind == types.Function && v.inMemory:
		return v.ctx.pointer(v.Type, v.addr)
	}
	return v
}

// pointer is a pointer to a type.
func (c *context) pointer(to *Type, addr uint32) *Value {
	return c.computed(pointerTo(to), littleBytes(uint64(addr), pointerSize))
}

// addressOf is the operator &.
func (v *Value) addressOf() (*Value, error) {
	v = v.referred()
	switch {
	case v.symbol != "" && !v.inMemory:
		return v, nil
	case v.err != nil:
		return nil, v.err
	case v.device != nil:
		return v.device.addressOf(v.ctx)
	case v.bitSize > 0:
		return nil, errors.New("a bit field has no address")
	case v.inMemory:
		return v.ctx.pointer(v.Type, v.addr), nil
	case len(v.place) > 0 && v.place[0].Kind == expr.Register:
		return nil, errors.New("the value is in a register, it has no address")
	}
	return nil, errors.New("the value is not in memory, it has no address")
}

// dereference is the operator *. As in gdb an integer is the address of a word.
func (c *context) dereference(v *Value) (*Value, error) {
	to, err := c.pointedTo(v)
	if m := cmp.Or(v.claimant(), v.foreign); m != nil && err == nil {
		to = to.computedFrom(m)
	}
	return to, err
}

func (c *context) pointedTo(v *Value) (*Value, error) {
	if !v.Type.underlying().isReference() {
		v = v.decayed()
	}
	if v.err != nil {
		return nil, v.err
	}
	t := v.Type.underlying()
	if target := v.viewTarget(); target != nil {
		return target, nil
	}
	if v.pointer != nil {
		return c.implicit(v, t.Elem())
	}
	n, err := v.bits()
	if err != nil {
		return nil, err
	}
	switch {
	case t.isPointer() || t.isReference():
		to := t.Elem()
		switch k := to.underlying().kind; {
		case k == types.Void && v.Type == typeAddress:
			to = typeWord
		case k == types.Void:
			return nil, errors.New("a pointer to void points to nothing with a type, cast it: *(type *)p")
		case k == types.Function:
			n &^= 1
		}
		return c.memory(to, uint32(n)).settled(), nil
	case t.isInteger():
		word := v.ctx.memory(typeWord, uint32(n))
		word.isStatic = v.symbol != ""
		return word, nil
	}
	return nil, fmt.Errorf("a value of type %s is no pointer", v.Type.Name())
}

// implicit is what a pointer that was optimized out points to.
func (c *context) implicit(v *Value, t *Type) (*Value, error) {
	p := v.pointer
	if v.ctx.image != c.image {
		c = v.ctx
	}
	target, ok := c.decls.Describe(p.Target, c.scopes, uint32(c.frame.Lookup))
	if !ok {
		return nil, expr.ErrOptimizedOut
	}
	object := c.variable(target)
	if object.err != nil {
		return nil, object.err
	}
	if p.Offset == 0 && object.Type.Name() == t.Name() {
		return object, nil
	}
	if p.Offset < 0 || p.Offset >= 1<<31 {
		return nil, expr.ErrOptimizedOut
	}
	return object.part(t, uint32(p.Offset)), nil
}

// index is the operator [].
func (c *context) index(x, i *Value) (*Value, error) {
	x = x.referred()
	n, err := i.number()
	if err != nil {
		return nil, err
	}
	at := int64(n.integer())
	t := x.Type.underlying()
	if t.kind != types.Array {
		if view, ok := x.viewElement(at); ok {
			return view, nil
		}
		if elem := c.assumedElement(x); elem != nil {
			return elem, nil
		}
		sum, err := c.offset(x, at)
		if err != nil {
			return nil, err
		}
		return c.dereference(sum)
	}
	at -= t.dims[0].Lower
	size, _ := t.Elem().Size()
	if !x.inMemory && (at < 0 || uint64(at)*uint64(size) >= uint64(len(x.data))) {
		return nil, fmt.Errorf("index %d is outside of the array", at)
	}
	return x.elementAt(at)
}

// offset is a pointer that is n elements further.
func (c *context) offset(p *Value, n int64) (*Value, error) {
	p = p.decayed()
	t := p.Type.underlying()
	if !t.isPointer() {
		if p.err != nil {
			return nil, p.err
		}
		return nil, fmt.Errorf("a value of type %s is neither array nor pointer", p.Type.Name())
	}
	size := elementSize(t.Elem())
	if size == 0 {
		return nil, fmt.Errorf("%w: %s", errIncomplete, t.Elem().Name())
	}
	a, err := p.bits()
	if err != nil {
		return nil, err
	}
	return c.computed(p.Type, littleBytes(a+uint64(n)*uint64(size), pointerSize)), nil
}

// elementSize is the size that pointers are counted in; void and functions
// count as bytes (GNU C); 0 where the size is not known.
func elementSize(t *Type) uint32 {
	u := t.underlying()
	if u.kind == types.Void || u.kind == types.Function {
		return 1
	}
	size, _ := u.Size()
	return size
}

// maxRepeat bounds the elements of x@n: the address space has no more bytes.
const maxRepeat = 1 << 31

// repeat is gdb's operator @: n objects in a row, of which x is the first.
func (c *context) repeat(x, n *Value) (*Value, error) {
	x = x.referred()
	count, err := n.number()
	if err != nil {
		return nil, err
	}
	switch k := int64(count.integer()); {
	case k < 1 || k > maxRepeat:
		return nil, errors.New("the number of elements after @ has to be positive")
	case x.err != nil:
		return nil, x.err
	case !x.inMemory || x.bitSize > 0:
		return nil, errors.New("what is before @ has to be in memory")
	default:
		return c.memory(arrayOf(x.Type, uint32(k)), x.addr), nil
	}
}

// arithmetic executes + - * / % & | ^ << >>, on pointers too.
func (c *context) arithmetic(op string, x, y *Value) (*Value, error) {
	x, y = x.decayed(), y.decayed()
	if x.Type.underlying().isComplex() || y.Type.underlying().isComplex() {
		return c.complexArithmetic(op, x, y)
	}
	a, err := x.number()
	if err != nil {
		return nil, err
	}
	b, err := y.number()
	if err != nil {
		return nil, err
	}
	switch {
	case op == "+" && a.typ.isPointer() && !b.typ.isPointer():
		return c.offset(x, int64(b.integer()))
	case op == "+" && b.typ.isPointer() && !a.typ.isPointer():
		return c.offset(y, int64(a.integer()))
	case op == "-" && a.typ.isPointer() && b.typ.isPointer():
		size := elementSize(a.typ.Elem())
		if size == 0 || size != elementSize(b.typ.Elem()) {
			return nil, errors.New("pointers to types of different sizes have no difference")
		}
		return c.of(number{typ: typeLong, i: uint64(int64(int32(a.i-b.i)) / int64(size))}), nil
	case op == "-" && a.typ.isPointer():
		return c.offset(x, -int64(b.integer()))
	}
	n, err := arithmetic(op, asInteger(a), asInteger(b))
	if err != nil {
		return nil, err
	}
	if x.symbol != "" || y.symbol != "" {
		n.typ = typeWord // the address of a symbol and a distance is an address
	}
	return c.of(n), nil
}

// asInteger makes the unsigned integer of a pointer.
func asInteger(n number) number {
	if n.typ.isPointer() || n.typ.isReference() || n.typ.kind == types.Unspecified {
		return number{typ: typeUint, i: n.i}
	}
	return n
}

// relation executes a comparison: of numbers, pointers, and of text.
func (c *context) relation(op string, x, y *Value) (*Value, error) {
	x, y = x.referred(), y.referred()
	if isText(x) && isText(y) && (x.isLiteral() || y.isLiteral()) {
		return c.compareText(op, x, y)
	}
	if x.Type.underlying().isComplex() || y.Type.underlying().isComplex() {
		return c.complexRelation(op, x, y)
	}
	isFunction := x.isFunction() || y.isFunction()
	a, err := x.decayed().number()
	if err != nil {
		return nil, err
	}
	b, err := y.decayed().number()
	if err != nil {
		return nil, err
	}
	a, b = asInteger(a), asInteger(b)
	if isFunction { // bit 0 is the instruction set, not a part of the address
		a.i, b.i = a.i&^1, b.i&^1
	}
	return c.truth(compare(op, a, b)), nil
}

// isFunction reports whether v is a function or a pointer to one.
func (v *Value) isFunction() bool {
	t := v.Type.underlying()
	return t.kind == types.Function || t.isPointer() && t.Elem().underlying().kind == types.Function
}

// isLiteral reports whether v is a string in the expression.
func (v *Value) isLiteral() bool {
	return !v.inMemory && v.place == nil && v.err == nil && v.Type.kind == types.Array && v.Type.elem == typeChar
}

func isText(v *Value) bool {
	t := v.Type.underlying()
	switch t.kind {
	case types.Array, types.Pointer:
		return t.Elem().underlying().isChar() || v.isLiteral()
	}
	_, ok := v.viewText()
	return ok
}

// compareText compares text as strcmp does.
func (c *context) compareText(op string, x, y *Value) (*Value, error) {
	a, err := x.text()
	if err != nil {
		return nil, err
	}
	b, err := y.text()
	if err != nil {
		return nil, err
	}
	order := number{typ: typeInt}
	switch {
	case a < b:
		order.i = ^uint64(0)
	case a > b:
		order.i = 1
	}
	return c.truth(compare(op, order, number{typ: typeInt})), nil
}

// text returns the characters of a string up to the first NUL.
func (v *Value) text() (string, error) {
	if s, ok := v.viewText(); ok {
		return s.text, s.err
	}
	s := v.readString(maxText)
	if s.err != nil {
		return "", s.err
	}
	return s.text, nil
}
