package inspect

import "pushmask/core"

// TypeOf returns the type that an expression has in a frame, or that text names:
// isName tells which it was. The expression is not evaluated: nothing is changed
// by it, and of the target nothing is read unless its type depends on what is
// there, as that of *p does where p is a pointer of a library.
func (p *Program) TypeOf(f *Frame, text string) (t *Type, isName bool, err error) {
	e := &evaluation{context: p.context(f), expr: text}
	if n, ok, err := e.parseType(); ok {
		if err == nil {
			t, err = e.typeOf(n)
		}
		return t, true, err
	}
	t, err = tryReadings(e, text, (*evaluation).typeOfExpr)
	return t, false, err
}

// parseType reads the whole expression as the name of a type; false where it is
// none.
func (e *evaluation) parseType() (*typeNode, bool, error) {
	tokens, err := lex(e.expr)
	if err != nil {
		return nil, false, nil // parse says it
	}
	p := &parser{expr: e.expr, tokens: tokens, names: e}
	if !p.startsType(0) {
		return nil, false, nil
	}
	n, err := p.typeName()
	if t := p.peek(); err == nil && t.kind != tokenEnd {
		// T(x) and T::x are expressions.
		return nil, !t.is("(") && !t.is("::"), p.fail(t, "unexpected "+t.describe())
	}
	return n, true, err
}

// typeOfExpr returns the type of an expression: what it comes to where all
// memory and all registers hold ones. Where that is no answer the expression is
// evaluated as it is, unless it would change something.
func (e *evaluation) typeOfExpr(n node) (*Type, error) {
	v, err := e.assumed().eval(n)
	if err != nil && !changes(n) {
		v, err = e.eval(n)
	}
	if err != nil {
		return nil, err
	}
	return v.Type, nil
}

// assumed returns the evaluation for a frame in which every byte is 1: no
// pointer is null, no divisor 0, and no variable optimized out.
func (e *evaluation) assumed() *evaluation {
	frame := *e.frame
	frame.Memory, frame.Quiet, frame.Writer = ones{}, nil, nil
	frame.Callee, frame.Caller = nil, nil
	c := *e.context
	c.frame, c.real = &frame, e.context
	c.machine = &machine{frame: &frame, program: e.program}
	return &evaluation{context: &c, expr: e.expr}
}

// assumedByte is what memory and registers hold in an evaluation for types.
const assumedByte = 1

// ones is memory whose bytes are all assumedByte; it implements core.Memory.
type ones struct{}

func (ones) ReadAt(_ core.Addr, p []byte) (int, error) {
	for i := range p {
		p[i] = assumedByte
	}
	return len(p), nil
}

// assumedWord is a word of such bytes.
const assumedWord = assumedByte * 0x01010101

// assumedElement is an element of a container of a library, which is empty in
// memory of ones; nil where x is none, and where types are not all that is asked.
func (c *context) assumedElement(x *Value) *Value {
	if c.real == nil {
		return nil
	}
	view, elem := x.view(), x.Type.parameter(0)
	if view == nil || view.elements == nil || elem == nil {
		return nil
	}
	return c.memory(elem, assumedWord)
}

// changes reports whether the evaluation of an expression changes something.
func changes(n node) bool {
	switch n := n.(type) {
	case *assignNode:
		return true
	case *unaryNode:
		return changes(n.x)
	case *binaryNode:
		return changes(n.x) || changes(n.y)
	case *conditionNode:
		return changes(n.cond) || changes(n.yes) || changes(n.no)
	case *memberNode:
		return changes(n.x)
	case *callNode:
		return changes(n.f)
	case *castNode:
		return changes(n.x)
	case *sizeofNode:
		return n.x != nil && changes(n.x)
	case *placeNode:
		return changes(n.x)
	}
	return false
}
