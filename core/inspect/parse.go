package inspect

import (
	"slices"
	"strings"
)

// names tells the parser what C tells by declarations.
type names interface {
	// isType reports whether a qualified name is that of a type.
	isType(name string) bool
	// isName reports whether a name with characters that are no part of C's
	// names, as foo.part.0, is one of the program.
	isName(name string) bool
	// imageNames returns those of an image; false where none is called so.
	imageNames(image string) (names, bool)
}

// parser is a recursive descent over C's expressions with gdb's additions:
// p@4, {type} addr, 'file.c'::x, $register.
type parser struct {
	expr   string
	tokens []token // not empty, the last one tokenEnd
	names  names
	depth  int
}

// depthLimit bounds the nesting of an expression.
const depthLimit = 200

// parse reads a whole expression.
func parse(expr string, n names) (node, error) {
	tokens, err := lex(expr)
	if err != nil {
		return nil, err
	}
	p := &parser{expr: expr, tokens: tokens, names: n}
	x, err := p.comma()
	if err != nil {
		return nil, err
	}
	if t := p.peek(); t.kind != tokenEnd {
		return nil, p.fail(t, "unexpected "+t.describe())
	}
	return x, nil
}

func (p *parser) peek() token { return p.tokens[0] }

// ahead returns the token that is n tokens on.
func (p *parser) ahead(n int) token { return p.tokens[min(n, len(p.tokens)-1)] }

func (p *parser) next() token {
	t := p.tokens[0]
	if t.kind != tokenEnd {
		p.tokens = p.tokens[1:]
	}
	return t
}

// accept takes the next token if it is the given punctuation.
func (p *parser) accept(punct string) bool {
	if !p.peek().is(punct) {
		return false
	}
	p.next()
	return true
}

func (p *parser) expect(punct string) error {
	if !p.accept(punct) {
		return p.fail(p.peek(), `expected "`+punct+`", not `+p.peek().describe())
	}
	return nil
}

func (p *parser) fail(t token, msg string) error {
	return &ExprError{Expr: p.expr, Off: t.off, Msg: msg}
}

// deeper counts a level of nesting; the function it returns ends it.
func (p *parser) deeper() (func(), error) {
	if p.depth >= depthLimit {
		return nil, p.fail(p.peek(), "the expression is nested too deep")
	}
	p.depth++
	return func() { p.depth-- }, nil
}

func (p *parser) comma() (node, error) {
	x, err := p.assignment()
	for err == nil && p.peek().is(",") {
		t := p.next()
		var y node
		y, err = p.assignment()
		x = &binaryNode{at(t.off), ",", x, y}
	}
	return x, err
}

var assignments = []string{"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}

func (p *parser) assignment() (node, error) {
	done, err := p.deeper()
	if err != nil {
		return nil, err
	}
	defer done()
	x, err := p.conditional()
	if err != nil {
		return nil, err
	}
	t := p.peek()
	if t.kind != tokenPunct || !slices.Contains(assignments, t.text) {
		return x, nil
	}
	p.next()
	y, err := p.assignment()
	op := t.text
	if op != "=" {
		op = strings.TrimSuffix(op, "=")
	}
	return &assignNode{at(t.off), op, x, y}, err
}

func (p *parser) conditional() (node, error) {
	x, err := p.binary(0)
	if err != nil || !p.peek().is("?") {
		return x, err
	}
	t := p.next()
	c := &conditionNode{at: at(t.off), cond: x}
	if c.yes, err = p.comma(); err != nil {
		return nil, err
	}
	if err := p.expect(":"); err != nil {
		return nil, err
	}
	c.no, err = p.assignment()
	return c, err
}

// precedence lists the binary operators, the loosest first (C17 6.5.5 to
// 6.5.14); gdb puts @ between the shifts and the sums.
var precedence = [][]string{
	{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<", ">", "<=", ">="}, {"<<", ">>"}, {"@"}, {"+", "-"}, {"*", "/", "%"},
}

func (p *parser) binary(level int) (node, error) {
	if level == len(precedence) {
		return p.unary()
	}
	x, err := p.binary(level + 1)
	for err == nil {
		t := p.peek()
		if t.kind != tokenPunct || !slices.Contains(precedence[level], t.text) {
			return x, nil
		}
		p.next()
		var y node
		y, err = p.binary(level + 1)
		x = &binaryNode{at(t.off), t.text, x, y}
	}
	return nil, err
}

var prefixes = []string{"*", "&", "-", "+", "!", "~", "++", "--"}

// partOperators are GNU C's for the parts of complex numbers.
var partOperators = map[string]string{"__real__": "__real__", "__real": "__real__", "__imag__": "__imag__", "__imag": "__imag__"}

func (p *parser) unary() (node, error) {
	done, err := p.deeper()
	if err != nil {
		return nil, err
	}
	defer done()
	t := p.peek()
	switch {
	case t.kind == tokenPunct && slices.Contains(prefixes, t.text):
		p.next()
		x, err := p.unary()
		if t.text == "++" || t.text == "--" {
			return &assignNode{at(t.off), t.text[:1], x, &numberNode{at: at(t.off), text: "1"}}, err
		}
		return &unaryNode{at(t.off), t.text, x}, err
	case t.kind == tokenName && partOperators[t.text] != "":
		p.next()
		x, err := p.unary()
		return &unaryNode{at(t.off), partOperators[t.text], x}, err
	case t.kind == tokenName && (t.text == "sizeof" || t.text == "alignof" || t.text == "_Alignof"):
		p.next()
		return p.sizeof(t)
	case t.is("{"):
		p.next()
		typ, err := p.typeName()
		if err == nil {
			err = p.expect("}")
		}
		if err != nil {
			return nil, err
		}
		x, err := p.unary()
		return &placeNode{at(t.off), typ, x}, err
	case t.is("(") && p.startsType(1):
		p.next()
		typ, err := p.typeName()
		if err == nil {
			err = p.expect(")")
		}
		if err != nil {
			return nil, err
		}
		x, err := p.unary()
		return &castNode{at: at(t.off), typ: typ, x: x}, err
	}
	return p.postfix()
}

func (p *parser) sizeof(t token) (node, error) {
	s := &sizeofNode{at: at(t.off), align: t.text != "sizeof"}
	var err error
	if !p.peek().is("(") || !p.startsType(1) {
		s.x, err = p.unary()
		return s, err
	}
	p.next()
	if s.typ, err = p.typeName(); err == nil {
		err = p.expect(")")
	}
	return s, err
}

func (p *parser) postfix() (node, error) {
	x, err := p.primary()
	for err == nil {
		t := p.peek()
		switch {
		case p.accept("["):
			var i node
			if i, err = p.comma(); err == nil {
				err = p.expect("]")
			}
			x = &binaryNode{at(t.off), "[", x, i}
		case p.accept("."), p.accept("->"):
			x, err = p.member(x, t)
		case p.accept("("):
			x, err = &callNode{at(t.off), x}, p.skipArguments()
		case p.accept("++"), p.accept("--"):
			return nil, p.fail(t, t.text+" after a variable is not supported, use "+t.text[:1]+"=")
		default:
			return x, nil
		}
	}
	return nil, err
}

// member reads what follows the dot or the arrow t.
func (p *parser) member(x node, t token) (node, error) {
	name := p.next()
	m := &memberNode{at(name.off), x, name.text, t.text == "->"}
	switch name.kind {
	case tokenName:
		m.name += p.templateArguments(name)
		for p.peek().is("::") && p.ahead(1).kind == tokenName {
			p.next()
			n := p.next()
			m.name += "::" + n.text + p.templateArguments(n)
		}
	case tokenQuoted, tokenChar:
	case tokenNumber: // Rust's tuples
		m.name = "__" + name.text
	default:
		return nil, p.fail(name, "expected the name of a member, not "+name.describe())
	}
	return m, nil
}

// skipArguments reads the arguments of a call, which nothing can make.
func (p *parser) skipArguments() error {
	if p.accept(")") {
		return nil
	}
	if _, err := p.comma(); err != nil {
		return err
	}
	return p.expect(")")
}

func (p *parser) primary() (node, error) {
	t := p.peek()
	if t.kind == tokenName && (t.text == "reinterpret_cast" || t.text == "static_cast" || t.text == "const_cast" || t.text == "dynamic_cast") {
		return p.namedCast()
	}
	if p.startsType(0) {
		return p.functionCast()
	}
	switch t.kind {
	case tokenNumber:
		p.next()
		return &numberNode{at(t.off), t.text, false}, nil
	case tokenChar:
		if p.ahead(1).is("::") {
			return p.name()
		}
		p.next()
		return &numberNode{at(t.off), t.text, true}, nil
	case tokenString:
		text := ""
		for p.peek().kind == tokenString {
			text += p.next().text
		}
		return &stringNode{at(t.off), text}, nil
	case tokenRegister:
		p.next()
		return &registerNode{at(t.off), t.text}, nil
	case tokenName, tokenQuoted:
		return p.name()
	}
	if t.is("::") || t.is("(") && strings.HasPrefix(p.expr[t.off:], anonymousNamespace) {
		return p.name()
	}
	if p.accept("(") {
		x, err := p.comma()
		if err == nil {
			err = p.expect(")")
		}
		return x, err
	}
	return nil, p.fail(t, "expected a value, not "+t.describe())
}
