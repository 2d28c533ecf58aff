package inspect

import (
	"strings"
)

// name reads the name of a variable, a function or a constant: x, ns::x, ::x,
// foo<int>::x, 'file.c'::x, func::x, foo.part.0, core::foo::BAR, 'boot.elf'::x,
// 'boot.elf'::'file.c'::x.
func (p *parser) name() (node, error) {
	t := p.peek()
	if t.isQuoted() {
		return p.quotedName()
	}
	if s, ok := p.symbolName(); ok {
		return &nameNode{at: at(t.off), name: s}, nil
	}
	name, err := p.qualifiedName()
	return &nameNode{at: at(t.off), name: name}, err
}

// maxScopes are the quoted scopes that a name may have.
const maxScopes = 2

// quotedName reads 'name' and 'scope'::name with one or two scopes, where the
// name may be quoted too.
func (p *parser) quotedName() (node, error) {
	t := p.next()
	n := &nameNode{at: at(t.off), name: t.text}
	for p.accept("::") {
		if n.scopes = append(n.scopes, n.name); len(n.scopes) > maxScopes {
			return nil, p.fail(p.peek(), "expected a name: it has an image and a file before it at most")
		}
		if q := p.peek(); q.isQuoted() {
			p.next()
			n.name = q.text
			continue
		}
		var err error
		n.name, err = p.scopedName(n.scopes)
		return n, err
	}
	return n, nil
}

// scopedName reads the name that follows quoted scopes. Symbols of an image may
// follow its name.
func (p *parser) scopedName(scopes []string) (string, error) {
	in, ok := p.names.imageNames(scopes[0])
	if !ok {
		return p.qualifiedName()
	}
	defer func(outer names) { p.names = outer }(p.names)
	p.names = in
	if len(scopes) == 1 {
		if s, ok := p.symbolName(); ok {
			return s, nil
		}
	}
	return p.qualifiedName()
}

// symbolName reads a name that is not one of C but of the program: compilers
// append ".part.0" and the like.
func (p *parser) symbolName() (string, bool) {
	t := p.peek()
	rest := p.expr[t.off:]
	n := len(rest) - len(strings.TrimLeftFunc(rest, func(r rune) bool { return r == '.' || r == '@' || r == '$' || nameLen("_"+string(r)) > 1 }))
	name := strings.TrimRight(rest[:n], ".@")
	if t.kind != tokenName || name == t.text || !p.names.isName(name) {
		return "", false
	}
	for p.peek().kind != tokenEnd && p.peek().off < t.off+len(name) {
		p.next()
	}
	return name, true
}

// qualifiedName reads names joined by "::", with arguments of templates.
func (p *parser) qualifiedName() (string, error) {
	name := ""
	if p.accept("::") {
		name = "::"
	}
	for {
		t := p.peek()
		switch {
		case t.is("~") && p.ahead(1).kind == tokenName:
			p.next()
			name += "~" + p.next().text
		case t.is("{"): // {impl#0}, {closure_env#0}, {{closure}}
			name += p.braced()
		case t.kind == tokenName && t.text == "operator":
			name += p.operatorName()
		case t.kind == tokenName:
			p.next()
			name += t.text
			name += p.templateArguments(token{off: t.end - len(name), end: t.end, text: name})
		case t.is("(") && strings.HasPrefix(p.expr[t.off:], anonymousNamespace):
			for p.peek().kind != tokenEnd && p.peek().off < t.off+len(anonymousNamespace) {
				p.next()
			}
			name += anonymousNamespace
		default:
			return "", p.fail(t, "expected a name, not "+t.describe())
		}
		if !p.peek().is("::") {
			return name, nil
		}
		p.next()
		name += "::"
	}
}

// anonymousNamespace is how gdb and the demanglers write one.
const anonymousNamespace = "(anonymous namespace)"

// braced reads a component of a name in braces, as rustc makes them.
func (p *parser) braced() string {
	from, level := p.peek().off, 0
	for {
		t := p.next()
		switch {
		case t.is("{"):
			level++
		case t.is("}"):
			level--
		}
		if level == 0 || t.kind == tokenEnd {
			return p.expr[from:t.end]
		}
	}
}

// operatorName reads the name of an overloaded operator.
func (p *parser) operatorName() string {
	name := p.next().text
	t := p.next()
	name += t.text
	if t.is("(") || t.is("[") {
		name += p.next().text
	}
	return name
}

// templateArguments reads "<...>" after a name where the whole is a name of
// the program or "::" follows; else the "<" is an operator and "" comes back.
func (p *parser) templateArguments(name token) string {
	if !p.peek().is("<") || p.peek().off != name.end {
		return ""
	}
	level := 0
	for i := range p.tokens {
		t := p.tokens[i]
		switch {
		case t.kind == tokenEnd, t.is(";"):
			return ""
		case t.is("<"), t.is("("), t.is("["):
			level++
		case t.is(">"), t.is(")"), t.is("]"):
			level--
		case t.is(">>"):
			level -= 2
		}
		if level > 0 || t.off == name.end {
			continue
		}
		args := p.expr[name.end:t.end]
		if full := name.text + args; level < 0 || !p.ahead(i+1).is("::") && !p.names.isType(full) && !p.names.isName(full) {
			return ""
		}
		p.tokens = p.tokens[i+1:]
		return args
	}
	return ""
}
