package inspect

import (
	"slices"
	"strconv"
	"strings"
)

// baseWords are the words that names of C's arithmetic types are made of.
var baseWords = []string{"void", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "_Bool", "_Complex"}

var qualifierWords = []string{"const", "volatile", "restrict", "__restrict", "typename", "_Atomic", "register"}

var tagWords = []string{"struct", "union", "enum", "class"}

// startsType reports whether the tokens from the nth on begin the name of a
// type.
func (p *parser) startsType(n int) bool {
	t := p.ahead(n)
	if t.is("::") {
		n++
		t = p.ahead(n)
	}
	switch {
	case t.isQuoted() && p.ahead(n+1).is("::"):
		return p.startsImageType(t, n+2)
	case t.kind == tokenQuoted:
		return p.names.isType(t.text)
	case t.kind != tokenName:
		return false
	case slices.Contains(baseWords, t.text), slices.Contains(qualifierWords, t.text), slices.Contains(tagWords, t.text):
		return true
	}
	ahead := &parser{expr: p.expr, tokens: p.tokens[min(n, len(p.tokens)-1):], names: p.names}
	name, err := ahead.qualifiedName()
	return err == nil && p.names.isType(name)
}

// startsImageType reports whether the tokens from the nth on, behind the name of
// an image, begin the name of a type.
func (p *parser) startsImageType(image token, n int) bool {
	if t := p.ahead(n); t.kind == tokenName && slices.Contains(tagWords, t.text) {
		return true
	}
	in, ok := p.names.imageNames(image.text)
	if !ok {
		return false
	}
	ahead := &parser{expr: p.expr, tokens: p.tokens[min(n, len(p.tokens)-1):], names: in}
	return !ahead.peek().isQuoted() && ahead.startsType(0)
}

// typeName reads the name of a type with an abstract declarator (C17 6.7.7).
func (p *parser) typeName() (*typeNode, error) {
	t, err := p.specifiers()
	if err == nil {
		t.derived, err = p.declarator()
	}
	return t, err
}

// specifiers reads the name of a type without a declarator.
func (p *parser) specifiers() (*typeNode, error) {
	t := &typeNode{at: at(p.peek().off)}
	var words []string
	for {
		w := p.peek()
		if t.image == "" && t.name == "" && len(words) == 0 && w.isQuoted() && p.ahead(1).is("::") {
			t.image = w.text
			p.next()
			p.next()
			if in, ok := p.names.imageNames(t.image); ok {
				defer func(outer names) { p.names = outer }(p.names)
				p.names = in
			}
			continue
		}
		if w.kind != tokenName && w.kind != tokenQuoted && !w.is("::") {
			break
		}
		if w.kind == tokenQuoted && len(words) == 0 && t.name == "" {
			t.name = p.next().text
			continue
		}
		switch {
		case slices.Contains(qualifierWords, w.text):
			p.next()
		case slices.Contains(tagWords, w.text) && t.word == "":
			t.word = p.next().text
		case slices.Contains(baseWords, w.text):
			words = append(words, p.next().text)
		case t.name == "" && len(words) == 0:
			name, err := p.qualifiedName()
			if err != nil {
				return nil, err
			}
			t.name = name
		default:
			return nil, p.fail(w, "unexpected "+w.describe()+" in the name of a type")
		}
	}
	if len(words) > 0 {
		if t.name = baseName(words); t.name == "" {
			return nil, p.fail(token{off: int(t.at)}, "no type "+strconv.Quote(strings.Join(words, " ")))
		}
	}
	if t.name == "" {
		return nil, p.fail(p.peek(), "expected the name of a type, not "+p.peek().describe())
	}
	return t, nil
}

// baseName returns the name of an arithmetic type with its words in the order
// of gcc; "" for words that are none.
func baseName(words []string) string {
	count := make(map[string]int)
	for _, w := range words {
		count[w]++
	}
	sign := ""
	if count["unsigned"] > 0 {
		sign = "unsigned "
	}
	switch {
	case count["char"] > 0 && count["signed"] > 0:
		return "signed char"
	case count["char"] > 0:
		return sign + "char"
	case count["short"] > 0:
		return "short " + sign + "int"
	case count["long"] > 1:
		return "long long " + sign + "int"
	case count["long"] == 1 && count["double"] > 0:
		return "long double"
	case count["long"] == 1:
		return "long " + sign + "int"
	case count["_Complex"] > 0:
		return "complex " + words[len(words)-1]
	}
	for _, w := range []string{"void", "float", "double", "_Bool"} {
		if count[w] > 0 {
			return w
		}
	}
	return sign + "int"
}

// declarator reads pointers, then a declarator in parentheses or the arrays and
// parameters of functions. What it returns applies from the first on.
func (p *parser) declarator() ([]derivation, error) {
	done, err := p.deeper()
	if err != nil {
		return nil, err
	}
	defer done()
	var list []derivation
	for {
		switch t := p.peek(); {
		case t.is("*"):
			list = append(list, derivation{kind: derivePointer})
		case t.is("&"), t.is("&&"):
			list = append(list, derivation{kind: deriveReference})
		case t.kind == tokenName && slices.Contains(qualifierWords, t.text):
		default:
			return p.declaratorTail(list)
		}
		p.next()
	}
}

func (p *parser) declaratorTail(list []derivation) ([]derivation, error) {
	var inner []derivation
	var err error
	if p.peek().is("(") && (p.ahead(1).is("*") || p.ahead(1).is("&") || p.ahead(1).is("[")) {
		p.next()
		if inner, err = p.declarator(); err == nil {
			err = p.expect(")")
		}
		if err != nil {
			return nil, err
		}
	}
	var tail []derivation
	for {
		t := p.peek()
		switch {
		case p.accept("["):
			d, err := p.arrayBound()
			if err != nil {
				return nil, err
			}
			tail = append(tail, d)
		case t.is("(") && (len(inner) > 0 || p.ahead(1).is(")")):
			p.next()
			if err := p.parameters(); err != nil {
				return nil, err
			}
			tail = append(tail, derivation{kind: deriveFunction})
		default:
			// int [2][3] is an array of 2 arrays of 3: the last applies first.
			slices.Reverse(tail)
			return slices.Concat(list, tail, inner), nil
		}
	}
}

func (p *parser) arrayBound() (derivation, error) {
	d := derivation{kind: deriveArray}
	if p.accept("]") {
		return d, nil
	}
	t := p.next()
	n, err := strconv.ParseUint(t.text, 0, 32)
	if t.kind != tokenNumber || err != nil {
		return d, p.fail(t, "expected the length of an array, not "+t.describe())
	}
	d.count, d.sized = uint32(n), true
	return d, p.expect("]")
}

// parameters reads the types of a function's parameters up to the parenthesis.
func (p *parser) parameters() error {
	for !p.accept(")") {
		if !p.accept(".") { // of "..."
			if _, err := p.typeName(); err != nil {
				return err
			}
		}
		if !p.peek().is(")") && !p.peek().is(".") {
			if err := p.expect(","); err != nil {
				return err
			}
		}
	}
	return nil
}

// namedCast reads reinterpret_cast<type>(x) and the like.
func (p *parser) namedCast() (node, error) {
	t := p.next()
	if err := p.expect("<"); err != nil {
		return nil, err
	}
	typ, err := p.typeName()
	if err == nil {
		err = p.expect(">")
	}
	if err == nil {
		err = p.expect("(")
	}
	if err != nil {
		return nil, err
	}
	x, err := p.comma()
	if err == nil {
		err = p.expect(")")
	}
	return &castNode{at(t.off), typ, x, t.text == "reinterpret_cast", t.text == "dynamic_cast"}, err
}

// functionCast reads T(x), which C++ and rustaceans write.
func (p *parser) functionCast() (node, error) {
	t := p.peek()
	typ, err := p.specifiers()
	if err != nil {
		return nil, err
	}
	if !p.accept("(") {
		return nil, p.fail(p.peek(), "a type has no value; sizeof and casts take one")
	}
	x, err := p.comma()
	if err == nil {
		err = p.expect(")")
	}
	return &castNode{at: at(t.off), typ: typ, x: x}, err
}
