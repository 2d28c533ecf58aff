package inspect

import (
	"errors"
	"fmt"

	"pushmask/core"
	"pushmask/elfsym/expr"
	"pushmask/elfsym/types"
)

// castTo evaluates (type)x and the casts of C++.
func (e *evaluation) castTo(n *castNode) (*Value, error) {
	t, err := e.typeOf(n.typ)
	if err != nil {
		return nil, err
	}
	x, err := e.eval(n.x)
	if err != nil {
		return nil, err
	}
	if p := x.decayed(); n.asIs && p.Type.underlying().isPointer() && p.pointer == nil {
		x = e.computed(typeUint, nil)
		if x.data, err = p.whole(); err != nil {
			return nil, e.because(n.x, err)
		}
	}
	cast := e.cast
	switch u := t.underlying(); {
	case n.dynamic && (u.isPointer() || u.isReference()):
		cast = e.dynamicCast
	case n.asIs && u.isReference():
		cast = func(x *Value, t *Type) (*Value, error) { return x.referred().reinterpret(t.underlying().Elem()) }
	}
	v, err := cast(x, t)
	if err != nil {
		return nil, e.because(n, err)
	}
	return v, nil
}

// cast converts a value to a type. Beyond C, what lies in memory may be taken
// for an array or a structure of the same size, as in gdb.
func (c *context) cast(x *Value, t *Type) (*Value, error) {
	u := t.underlying()
	if u.isReference() {
		return c.castReference(x, u.Elem())
	}
	x = x.referred()
	if x.err != nil {
		return nil, x.err
	}
	from := x.Type.underlying()
	switch {
	case u.kind == types.Void:
		return nil, errors.New("a value of type void is none")
	case u.isRecord() && from.isRecord():
		return x.convertRecord(t)
	case u.isRecord() || u.kind == types.Array || u.kind == types.Function:
		return x.reinterpret(t)
	case u.isPointer() && from.isPointer():
		return c.castPointer(x, t)
	}
	switch {
	case u.isComplex():
		return c.castComplex(x, t)
	case from.isComplex(): // the imaginary part is lost (C17 6.3.1.7)
		x, _ = x.complexParts()
	}
	n, err := x.decayed().number()
	if err != nil {
		return nil, err
	}
	if u.isPointer() || u.kind == types.MemberPointer || u.kind == types.Unspecified {
		v := c.computed(t, littleBytes(n.integer(), pointerSize))
		return v, nil
	}
	n = asInteger(n)
	if u.isFixed() {
		if n, err = toFixed(n, u); err != nil {
			return nil, err
		}
	} else {
		n = n.to(u)
	}
	v := c.of(n)
	v.Type = t
	return v, nil
}

// castPointer converts pointers; those to objects of classes move to their parts.
func (c *context) castPointer(x *Value, t *Type) (*Value, error) {
	if x.pointer != nil {
		v := *x
		v.Type = t
		return &v, nil
	}
	b, err := x.whole()
	if err != nil {
		return nil, err
	}
	to, from := t.underlying().Elem().underlying(), x.Type.underlying().Elem().underlying()
	if to.isRecord() && from.isRecord() && little(b) != 0 {
		addr, err := c.castObject(uint32(little(b)), from, to)
		if err != nil {
			return nil, err
		}
		b = littleBytes(uint64(addr), pointerSize)
	}
	return c.computed(t, b), nil
}

// reinterpret takes the bytes of v for a value of another type.
func (v *Value) reinterpret(t *Type) (*Value, error) {
	size, ok := t.Size()
	have, _ := v.Type.Size()
	switch {
	case v.err != nil:
		return nil, v.err
	case v.bitSize > 0:
		return nil, errors.New("a bit field cannot be taken for something else")
	case v.inMemory && t.kind == types.Array && !ok:
		// "(unsigned char[])x" is all of x.
		if elem, known := t.Elem().Size(); known && elem > 0 {
			return v.part(arrayOf(t.Elem(), have/elem), 0), nil
		}
	case v.inMemory:
		return v.part(t, 0), nil
	case ok && size <= uint32(len(v.data)):
		return v.part(t, 0), nil
	}
	return nil, fmt.Errorf("a value of type %s is not of the size of %s", v.Type.Name(), t.Name())
}

// convertRecord converts an object to a base class of it, or to another type
// that its bytes are taken for.
func (v *Value) convertRecord(t *Type) (*Value, error) {
	if part, ok := v.base(t.underlying(), 0); ok {
		return part, part.err
	}
	return v.reinterpret(t)
}

// base returns the part of an object that is of a base class, which is not there
// where the place of a virtual one is not known.
func (v *Value) base(t *Type, depth int) (*Value, bool) {
	from := v.Type.underlying()
	if !from.isRecord() || depth > maxMembersDepth {
		return nil, false
	}
	l, _ := from.layout()
	for i := range l.Members {
		m := &l.Members[i]
		if !m.Base {
			continue
		}
		part := v.member(m)
		if part.Type.underlying().Name() == t.Name() {
			return part, true
		}
		if found, ok := part.base(t, depth+1); ok {
			return found, true
		}
	}
	return nil, false
}

// assign evaluates x = y and the like on live targets.
func (e *evaluation) assign(n *assignNode) (*Value, error) {
	if e.real != nil {
		return e.eval(n.x)
	}
	if e.frame.Writer == nil {
		return nil, e.fail(n, "nothing can be changed in a dump", nil)
	}
	x, err := e.eval(n.x)
	if err != nil {
		return nil, err
	}
	y, err := e.eval(n.y)
	if err != nil {
		return nil, err
	}
	if n.op != "=" {
		if y, err = e.arithmetic(n.op, x, y); err != nil {
			return nil, e.because(n, err)
		}
	}
	x = x.referred()
	if err := x.Set(y); err != nil {
		return nil, e.because(n, err)
	}
	return e.eval(n.x)
}

// Errors of [Value.Set].
var (
	ErrReadOnly = errors.New("the target cannot be changed")
	errNoPlace  = errors.New("the value has no place that could be changed")
)

// Set changes v in a live target to the value of y, converted to its type.
func (v *Value) Set(y *Value) error {
	w := v.ctx.frame.Writer
	if w == nil {
		return ErrReadOnly
	}
	if v.hasRegister {
		t := typeUint
		if v.Type.underlying().isFloat() {
			t = v.Type
		}
		n, err := v.ctx.cast(y, t)
		if err != nil {
			return err
		}
		return w.WriteRegister(v.register, uint32(little(n.data)))
	}
	c, err := v.ctx.cast(y, v.Type)
	if err != nil {
		return err
	}
	b, err := c.whole()
	if err != nil {
		return err
	}
	if v.bitSize > 0 {
		if b, err = v.insertField(b); err != nil {
			return err
		}
	}
	switch {
	case v.err != nil:
		return v.err
	case v.device != nil:
		return v.device.set(b)
	case v.inMemory:
		return w.WriteMemory(core.Addr(v.addr), b)
	case len(v.place) == 1 && v.place[0].Kind == expr.Register && v.bitSize == 0 && len(b) <= 8:
		return v.setRegisters(w, b)
	}
	return errNoPlace
}

// setRegisters changes a variable that lies in one register, or in two in a row.
func (v *Value) setRegisters(w Writer, b []byte) error {
	n := v.place[0].Register
	first := core.Reg(n)
	switch {
	case n >= dwarfS0 && n < dwarfS0+32:
		first = core.S0 + core.Reg(n-dwarfS0)
	case n >= dwarfD0 && n < dwarfD0+16:
		first = core.S0 + core.Reg(2*(n-dwarfD0))
	case n > dwarfPC:
		return errNoPlace
	}
	if v.place[0].BitOffset != 0 || len(b) > len(v.data) {
		return errNoPlace
	}
	for i := 0; i < len(b); i += 4 {
		word := little(b[i:min(i+4, len(b))])
		if len(b)-i < 4 { // the rest of the register is not of the variable
			word = extend(word, uint32(len(b)-i)*8, v.Type.underlying().isSigned()) & (1<<32 - 1)
		}
		if err := w.WriteRegister(first+core.Reg(i/4), uint32(word)); err != nil {
			return err
		}
	}
	return nil
}

// insertField returns the bytes around a bit field with the field changed.
func (v *Value) insertField(b []byte) ([]byte, error) {
	last := uint32(v.bitOffset) + uint32(v.bitSize)
	old := v.read(0, (last+7)/8)
	if !old.complete(0, (last+7)/8) {
		return nil, old.reason()
	}
	out := append([]byte(nil), old.data...)
	b = v.Type.underlying().ordered(b)
	for i := range uint32(v.bitSize) {
		at, mask := v.fieldBit(i)
		out[at] &^= mask
		if i/8 < uint32(len(b)) && b[i/8]>>(i%8)&1 != 0 {
			out[at] |= mask
		}
	}
	return out, nil
}
