package inspect

import (
	"cmp"
	"errors"
	"fmt"

	"pushmask/core"
	"pushmask/elfsym"
	"pushmask/elfsym/expr"
	"pushmask/elfsym/types"
)

// Evaluate evaluates an expression in a frame. Its format, as ",x", is applied.
// An error in the expression is an [*ExprError]; the value of a variable that is
// not there is none, it says so itself.
func (p *Program) Evaluate(f *Frame, text string) (*Value, error) {
	body, format, err := cutFormat(text)
	if err != nil {
		return nil, err
	}
	e := &evaluation{context: p.context(f), expr: text}
	v, err := tryReadings(e, body, (*evaluation).whole)
	if err != nil {
		return nil, err
	}
	v.Expr = body
	return format.apply(v)
}

// evaluation is one expression in a frame.
type evaluation struct {
	*context
	expr string
	// foreign is whom the memory of a variable that was read belongs to, where
	// that is another image than the variable's, see Value.claimant.
	foreign *elfsym.Image
}

// whole evaluates an expression that is no part of another.
func (e *evaluation) whole(n node) (*Value, error) {
	v, err := e.eval(n)
	if err == nil && v.claimant() == nil && e.foreign != nil {
		v = v.computedFrom(e.foreign)
	}
	return v, err
}

func (e *evaluation) fail(n node, msg string, err error) error {
	return &ExprError{Expr: e.expr, Off: min(n.offset(), len(e.expr)), Msg: msg, Err: err}
}

// because makes an error of what n could not be evaluated for.
func (e *evaluation) because(n node, err error) error {
	if known, ok := errors.AsType[*ExprError](err); ok {
		return known
	}
	return e.fail(n, reason(err, e.frame), unreadable(err))
}

// unreadable keeps the errors that callers tell from others.
func unreadable(err error) error {
	if errors.Is(err, core.ErrNoMemory) {
		return err
	}
	return nil
}

func (e *evaluation) eval(n node) (*Value, error) {
	switch n := n.(type) {
	case *numberNode:
		v, err := e.literal(n)
		if err != nil {
			return nil, e.fail(n, err.Error(), nil)
		}
		return v, nil
	case *stringNode:
		return e.computed(arrayOf(typeChar, uint32(len(n.text)+1)), append([]byte(n.text), 0)), nil
	case *nameNode:
		v, err := e.name(n)
		if err == nil {
			e.foreign = cmp.Or(e.foreign, v.claimant())
		}
		return v, err
	case *registerNode:
		return e.registerNamed(n)
	case *unaryNode:
		return e.unary(n)
	case *binaryNode:
		v, err := e.binary(n)
		return e.orRegister(n, v, err)
	case *conditionNode:
		return e.condition(n)
	case *assignNode:
		return e.assign(n)
	case *memberNode:
		v, err := e.member(n)
		return e.orRegister(n, v, err)
	case *castNode:
		return e.castTo(n)
	case *sizeofNode:
		return e.sizeof(n)
	case *placeNode:
		return e.place(n)
	case *callNode:
		if _, err := e.eval(n.f); err != nil { // that of a macro, which is no function
			return nil, err
		}
	}
	return nil, e.fail(n, "a stopped program cannot be called", nil)
}

func (e *evaluation) unary(n *unaryNode) (*Value, error) {
	before := e.foreign
	x, err := e.eval(n.x)
	if err != nil {
		return nil, err
	}
	switch n.op {
	case "&":
		e.foreign = before // the address is no matter of what is there
		v, err := x.addressOf()
		if err != nil {
			return nil, e.because(n, err)
		}
		return v, nil
	case "*":
		v, err := e.dereference(x)
		if err != nil {
			return nil, e.because(n, err)
		}
		return v, nil
	case "!":
		truth, err := Truth(x)
		if err != nil {
			return nil, e.because(n.x, err)
		}
		return e.truth(!truth), nil
	}
	v, err := e.signed(n.op, x)
	if err != nil {
		return nil, e.because(n, err)
	}
	return v, nil
}

// signed executes the operators + - ~ and those for the parts of complex numbers.
func (e *evaluation) signed(op string, x *Value) (*Value, error) {
	switch {
	case op == "__real__" || op == "__imag__":
		return e.complexPartOf(op, x)
	case x.referred().Type.underlying().isComplex():
		return e.complexUnary(op, x.referred())
	}
	a, err := x.number()
	if err != nil {
		return nil, err
	}
	if a.typ.isPointer() && op == "+" {
		return x, nil
	}
	a = a.promote()
	switch {
	case op == "-":
		a = a.negated()
	case op == "~" && a.isFloat():
		return nil, errors.New("~ takes integers")
	case op == "~":
		a = a.complement()
	}
	return e.of(a), nil
}

// of makes a value of a number.
func (c *context) of(n number) *Value { return c.computed(n.typ, n.encode()) }

// truth makes a value of a comparison's result.
func (c *context) truth(b bool) *Value {
	n := number{typ: typeInt}
	if b {
		n.i = 1
	}
	return c.of(n.to(c.result))
}

// Truth reports whether a value counts as true in a condition, as in C: a number
// or a pointer that is not 0.
func Truth(v *Value) (bool, error) {
	v = v.referred()
	if t := v.Type.underlying(); t.kind == types.Array || t.kind == types.Function {
		return true, v.err
	}
	n, err := v.number()
	if err != nil {
		return false, err
	}
	return !n.isZero(), nil
}

func (e *evaluation) binary(n *binaryNode) (*Value, error) {
	x, err := e.eval(n.x)
	if err != nil {
		return nil, err
	}
	if n.op == "&&" || n.op == "||" {
		return e.logic(n, x)
	}
	y, err := e.eval(n.y)
	if err != nil {
		return nil, err
	}
	var v *Value
	switch n.op {
	case ",":
		return y, nil
	case "[":
		v, err = e.index(x, y)
	case "@":
		v, err = e.repeat(x, y)
	case "==", "!=", "<", ">", "<=", ">=":
		v, err = e.relation(n.op, x, y)
	default:
		v, err = e.arithmetic(n.op, x, y)
	}
	if err != nil {
		return nil, e.because(n, err)
	}
	return v, nil
}

func (e *evaluation) logic(n *binaryNode, x *Value) (*Value, error) {
	a, err := Truth(x)
	if err != nil {
		return nil, e.because(n.x, err)
	}
	if a == (n.op == "||") {
		return e.truth(a), nil
	}
	y, err := e.eval(n.y)
	if err != nil {
		return nil, err
	}
	b, err := Truth(y)
	if err != nil {
		return nil, e.because(n.y, err)
	}
	return e.truth(b), nil
}

func (e *evaluation) condition(n *conditionNode) (*Value, error) {
	x, err := e.eval(n.cond)
	if err != nil {
		return nil, err
	}
	truth, err := Truth(x)
	if err != nil {
		return nil, e.because(n.cond, err)
	}
	if truth {
		return e.eval(n.yes)
	}
	return e.eval(n.no)
}

func (e *evaluation) member(n *memberNode) (*Value, error) {
	x, err := e.eval(n.x)
	if err != nil {
		return nil, err
	}
	x = x.referred()
	k := x.Type.underlying()
	if k.isPointer() || k.kind == types.Array && n.arrow { // "." works on pointers too, as in gdb
		if x, err = e.dereference(x); err != nil {
			return nil, e.because(n.x, err)
		}
	} else if n.arrow {
		if x, err = smartPointer(x); err != nil {
			return nil, e.because(n.x, err)
		}
	}
	v, err := x.Member(n.name)
	if err != nil {
		return nil, e.because(n, err)
	}
	return v, nil
}

func (e *evaluation) sizeof(n *sizeofNode) (*Value, error) {
	defer func(before *elfsym.Image) { e.foreign = before }(e.foreign)
	var t *Type
	if n.typ != nil {
		var err error
		if t, err = e.typeOf(n.typ); err != nil {
			return nil, err
		}
	} else {
		x, err := e.eval(n.x)
		if err != nil {
			return nil, err
		}
		t = x.referred().Type
	}
	size, ok := t.Size()
	if u := t.underlying(); !ok && (u.kind == types.Void || u.kind == types.Function) {
		size, ok = 1, true // as in GNU C
	}
	if n.align {
		size = alignOf(t)
	}
	if !ok {
		return nil, e.fail(n, "the size of "+t.Name()+" is not known", nil)
	}
	return e.of(number{typ: typeUint, i: uint64(size)}).Plain(), nil // memory views read it
}

// alignOf is the alignment of a type by the AAPCS (4.1 and 4.3): that of its
// most aligned part.
func alignOf(t *Type) uint32 {
	for range maxHops {
		t = t.underlying()
		if t.kind != types.Array {
			break
		}
		t = t.Elem()
	}
	if !t.isRecord() {
		size, _ := t.Size()
		return max(min(size, 8), 1)
	}
	return recordAlign(t, 0)
}

func recordAlign(t *Type, depth int) uint32 {
	align := uint32(1)
	if depth > maxMembersDepth {
		return align
	}
	l, _ := t.layout()
	for _, m := range l.Members {
		mt := wrap(m.Type).underlying()
		for mt.kind == types.Array {
			mt = mt.Elem().underlying()
		}
		if mt.isRecord() {
			align = max(align, recordAlign(mt, depth+1))
		} else if size, ok := mt.Size(); ok {
			align = max(align, min(size, 8))
		}
	}
	return align
}

// place evaluates {type} address.
func (e *evaluation) place(n *placeNode) (*Value, error) {
	t, err := e.typeOf(n.typ)
	if err != nil {
		return nil, err
	}
	x, err := e.eval(n.x)
	if err != nil {
		return nil, err
	}
	a, err := x.decayed().number()
	if err != nil {
		return nil, e.because(n.x, err)
	}
	return e.memory(t, uint32(a.integer())), nil
}

// reason says for people why a value is not there.
func reason(err error, f *Frame) string {
	hole, isHole := errors.AsType[*core.ReadError](err)
	device, isDevice := errors.AsType[*core.DeviceError](err)
	where := "not in the dump"
	if f != nil && f.Writer != nil {
		where = "not readable"
	}
	switch {
	case errors.Is(err, expr.ErrOptimizedOut):
		return "optimized out"
	case isDevice:
		return fmt.Sprintf("not read: %v may be of a device that a read changes", device.Addr)
	case isHole && hole.Len > 1:
		return fmt.Sprintf("%s: %v..%v", where, hole.Addr, hole.Addr+core.Addr(hole.Len)-1)
	case isHole:
		return fmt.Sprintf("%s: %v", where, hole.Addr)
	}
	return err.Error()
}
