package session

import (
	"context"
	"fmt"
	"strconv"

	"pushmask/core"
)

// Value is the result of an expression.
type Value struct {
	Text    string    // natural form
	Type    string    // "register", "symbol", "address", "int"
	Addr    core.Addr // memory it refers to, when HasAddr
	HasAddr bool
	U32     uint32
}

// Evaluate evaluates registers ($sp, r0), addresses and numbers (0x20000000),
// symbols (main, &main), dereference (*0x20000000) and sums and products of
// them in the context of a frame (nil: the crashed thread's frame 0). All
// values are words; the value of a symbol is its address, as in an assembler,
// and * reads the little-endian word there. A register's name wins over a
// symbol of the same name; & asks for the symbol. An error in the expression
// is an [*ExprError].
func (s *Session) Evaluate(ctx context.Context, expr string, f *Frame) (Value, error) {
	tokens, err := lex(expr)
	if err != nil {
		return Value{}, err
	}
	e := &evaluator{expr: expr, tokens: tokens, session: s}
	if e.regs, err = s.frameRegs(ctx, f); err != nil {
		return Value{}, err
	}
	v, err := e.sum()
	if err != nil {
		return Value{}, err
	}
	if t := e.peek(); t.kind != tokenEnd {
		return Value{}, e.fail(t, "unexpected "+t.describe())
	}
	return v, nil
}

// frameRegs returns the registers that an expression sees.
func (s *Session) frameRegs(ctx context.Context, f *Frame) (*core.Regs, error) {
	if f != nil && f.Core != nil {
		return &f.Core.Regs, nil
	}
	if len(s.threads) == 0 {
		return new(core.Regs), nil
	}
	regs, err := s.Registers(ctx, s.threads[0].ID)
	if err != nil {
		return nil, fmt.Errorf("read registers of thread %d: %w", s.threads[0].ID, err)
	}
	return &regs, nil
}

// evaluator is a recursive descent over
//
//	sum     = product { ("+" | "-") product }
//	product = unary { "*" unary }
//	unary   = ("*" | "-" | "+") unary | "&" name | primary
//	primary = number | "$" register | name | "(" sum ")"
type evaluator struct {
	expr    string
	tokens  []token // not empty, the last one tokenEnd
	session *Session
	regs    *core.Regs
	depth   int
}

// depthLimit bounds the nesting of parentheses and prefix operators.
const depthLimit = 100

func (e *evaluator) peek() token { return e.tokens[0] }

func (e *evaluator) next() token {
	t := e.tokens[0]
	if t.kind != tokenEnd {
		e.tokens = e.tokens[1:]
	}
	return t
}

// accept takes the next token if it is the given punctuation.
func (e *evaluator) accept(punct string) bool {
	if t := e.peek(); t.kind != tokenPunct || t.text != punct {
		return false
	}
	e.next()
	return true
}

func (e *evaluator) fail(t token, msg string) error {
	return &ExprError{Expr: e.expr, Off: t.off, Msg: msg}
}

func (e *evaluator) sum() (Value, error) {
	v, err := e.product()
	for err == nil {
		var w Value
		switch {
		case e.accept("+"):
			w, err = e.product()
			v = combine(v, w, v.U32+w.U32)
		case e.accept("-"):
			w, err = e.product()
			v = combine(v, w, v.U32-w.U32)
		default:
			return v, nil
		}
	}
	return Value{}, err
}

func (e *evaluator) product() (Value, error) {
	v, err := e.unary()
	for err == nil && e.accept("*") {
		var w Value
		w, err = e.unary()
		v = number(v.U32 * w.U32)
	}
	return v, err
}

func (e *evaluator) unary() (Value, error) {
	t := e.peek()
	if e.depth++; e.depth > depthLimit {
		return Value{}, e.fail(t, "the expression is nested too deep")
	}
	defer func() { e.depth-- }()
	switch {
	case e.accept("*"):
		v, err := e.unary()
		if err != nil {
			return Value{}, err
		}
		return e.load(t, core.Addr(v.U32))
	case e.accept("-"):
		v, err := e.unary()
		return number(-v.U32), err
	case e.accept("+"):
		return e.unary()
	case e.accept("&"):
		name := e.next()
		if name.kind != tokenName {
			return Value{}, e.fail(name, "& needs the name of a symbol, not "+name.describe())
		}
		return e.symbol(name)
	}
	return e.primary()
}

func (e *evaluator) primary() (Value, error) {
	switch t := e.next(); {
	case t.kind == tokenNumber:
		return address(t.num), nil
	case t.kind == tokenRegister:
		r, ok := core.LookupReg(t.text)
		if !ok {
			return Value{}, e.fail(t, "no register "+strconv.Quote("$"+t.text))
		}
		return e.register(t, r)
	case t.kind == tokenName:
		if r, ok := core.LookupReg(t.text); ok {
			return e.register(t, r)
		}
		return e.symbol(t)
	case t.kind == tokenPunct && t.text == "(":
		v, err := e.sum()
		if err == nil && !e.accept(")") {
			err = e.fail(e.peek(), "expected \")\", not "+e.peek().describe())
		}
		return v, err
	default:
		return Value{}, e.fail(t, "expected a value, not "+t.describe())
	}
}
