package inspect

import (
	"strconv"
	"strings"

	"pushmask/elfsym/types"
)

// Child is a part of a value: a member, an element, what a pointer points to.
type Child struct {
	Name  string
	Value *Value
}

// Counts returns how many named and indexed children v has. It reads no more
// than a pointer.
func (v *Value) Counts() (named, indexed int) {
	if !v.raw {
		if view := v.view(); view != nil {
			return len(view.named) + 1, view.count
		}
	}
	room := v.flattened()
	v = v.container()
	if v == nil {
		return 0, 0
	}
	t := v.Type.underlying()
	switch {
	case t.kind == types.Array:
		n, _ := t.count()
		return 0, int(n)
	case t.isRecord():
		return len(v.fields(room)), 0
	case t.isComplex():
		return 2, 0
	}
	return len(v.pointee()), 0
}

// container is what the children of v are parts of: what a reference refers to,
// and the record that a pointer points to; nil where v has none.
func (v *Value) container() *Value {
	expression := v.Expr
	if v.Type.underlying().isReference() {
		v = v.referred()
	}
	if v.err != nil {
		return nil
	}
	v = v.named(expression)
	t := v.Type.underlying()
	if !t.isPointer() || !t.Elem().underlying().isRecord() {
		return v
	}
	if n, err := v.bits(); v.pointer == nil && (err != nil || n == 0) {
		return nil
	}
	to, err := v.ctx.dereference(v)
	if err != nil {
		return nil
	}
	if to.Expr = ""; expression != "" {
		to.Expr = "*" + postfix(expression)
	}
	return to
}

// named returns v with an expression.
func (v *Value) named(expression string) *Value {
	if v.Expr == expression {
		return v
	}
	out := *v
	out.Expr = expression
	return &out
}

// Named returns the named children from start on, count at most (0: all).
func (v *Value) Named(start, count int) []Child {
	var list []Child
	if view := v.viewUnlessRaw(); view != nil {
		raw := v.named(v.Expr)
		copied := *raw
		copied.raw = true
		if copied.Expr != "" {
			copied.Expr += ",r"
		}
		list = append(append(list, view.named...), Child{"[raw]", &copied})
		return v.inherit(page(list, start, count))
	}
	c := v.container()
	if c == nil {
		return nil
	}
	switch t := c.Type.underlying(); {
	case t.isRecord():
		list = c.fields(v.flattened())
	case t.isComplex():
		re, im := c.complexParts()
		list = []Child{{"real", re}, {"imag", im}}
	default:
		list = c.pointee()
	}
	return v.inherit(page(list, start, count))
}

func (v *Value) viewUnlessRaw() *view {
	if v.raw {
		return nil
	}
	return v.view()
}

func page(list []Child, start, count int) []Child {
	start = min(max(start, 0), len(list))
	end := len(list)
	if count > 0 {
		end = min(start+count, end)
	}
	return list[start:end]
}

// maxPage bounds the elements that one call returns.
const maxPage = 1 << 16

// Indexed returns the elements from start on, count at most (0: all up to a
// limit).
func (v *Value) Indexed(start, count int) []Child {
	_, n := v.Counts()
	if count <= 0 || count > maxPage {
		count = maxPage
	}
	start = min(max(start, 0), n)
	end := min(start+count, n)
	list := make([]Child, 0, end-start)
	if start >= end {
		return nil
	}
	if view := v.viewUnlessRaw(); view != nil {
		return v.inherit(view.elements(start, end))
	}
	c := v.container()
	for i := start; i < end; i++ {
		e, ok := c.element(uint32(i))
		if !ok {
			break
		}
		index := int64(i) + c.Type.underlying().dims[0].Lower
		list = append(list, Child{"[" + strconv.FormatInt(index, 10) + "]", e})
	}
	return v.inherit(list)
}

// element returns the nth element of an array, counted from 0.
func (v *Value) element(n uint32) (*Value, bool) {
	t := v.Type.underlying()
	e, err := v.elementAt(int64(n))
	if err != nil {
		return nil, false
	}
	if v.Expr != "" {
		e.Expr = postfix(v.plainExpr()) + "[" + strconv.FormatInt(int64(n)+t.dims[0].Lower, 10) + "]"
	}
	return e, true
}

// plainExpr is the expression of v without the suffix that shows it raw.
func (v *Value) plainExpr() string {
	if v.raw {
		return strings.TrimSuffix(v.Expr, ",r")
	}
	return v.Expr
}

// maxFlattened bounds the members that anonymous members give to what they are
// in: damaged types may be parts of themselves.
const maxFlattened = 1 << 12

// flattened is how many members of anonymous members may be listed as those of
// what they are in.
func (v *Value) flattened() *int {
	room := 0
	if v.format.plain {
		room = maxFlattened
	}
	return &room
}

// fields returns the members of a record: base classes, data members, those of
// the variant that is there, static ones. Members of anonymous members are among
// them as far as there is room, which it takes.
func (v *Value) fields(room *int) []Child {
	t := v.Type.underlying()
	l, _ := t.layout()
	expression := v.plainExpr()
	plain := *v
	plain.raw = false // what is in it is shown as usual
	var list []Child
	add := func(name, expr string, value *Value) {
		value.Expr = expr
		list = append(list, Child{name, value})
	}
	for i := range l.Members {
		m := &l.Members[i]
		value := plain.member(m)
		switch {
		case m.Base:
			add("<"+m.Type.Name()+">", v.ctx.baseExpr(expression, m.Type), value)
		case m.Name == "" && value.fits(room):
			list = append(list, value.inside(expression).fields(room)...)
		case m.Name == "":
			add("<anonymous "+kindWord(value.Type)+">", "", value.inside(expression))
		default:
			add(m.Name, memberExpr(expression, m.Name), value)
		}
	}
	for i := range l.Variants {
		if active, err := v.active(&l.Variants[i]); err == nil && active != nil {
			for j := range active.Members {
				m := &active.Members[j]
				add(m.Name, memberExpr(expression, m.Name), plain.member(m))
			}
		}
	}
	for i := range l.Statics {
		name := l.Statics[i].Name
		add(name, memberExpr(expression, name), v.ctx.static(t, &l.Statics[i]))
	}
	if v.outer != "" {
		for i := range list {
			if list[i].Value.Expr == "" && list[i].Value.outer == "" {
				list[i].Value.Expr = memberExpr(v.outer, list[i].Name)
			}
		}
	}
	return list
}

// fits reports whether there is room for the members of an anonymous member, and
// takes it.
func (v *Value) fits(room *int) bool {
	t := v.Type.underlying()
	if !t.isRecord() {
		return false
	}
	l, _ := t.layout()
	n := max(len(l.Members), 1)
	if n > *room {
		return false
	}
	*room -= n
	return true
}

// inside makes the members of an anonymous member reachable: they are those of
// what it is in.
func (v *Value) inside(outer string) *Value {
	v.outer = outer
	return v
}

func kindWord(t *Type) string {
	if t.underlying().kind == types.Union {
		return "union"
	}
	return "struct"
}

// memberExpr is the expression of a member; names that are not of the language,
// as "_vptr.Base", are quoted.
func memberExpr(of, name string) string {
	if of == "" {
		return ""
	}
	if nameLen(name) != len(name) {
		name = "'" + name + "'"
	}
	if p, ok := strings.CutPrefix(of, "*"); ok && isPostfix(p) {
		return p + "->" + name
	}
	return postfix(of) + "." + name
}

func (c *context) baseExpr(of string, t *types.Type) string {
	if of == "" {
		return ""
	}
	return "(" + c.inImage(t.Name()) + ")" + postfix(of)
}

// pointee returns what a pointer points to as its only child.
func (v *Value) pointee() []Child {
	t := v.Type.underlying()
	if !t.isPointer() {
		return nil
	}
	if k := t.Elem().underlying().kind; k == types.Void || k == types.Function || k == types.Unknown {
		return nil
	}
	if n, err := v.bits(); v.pointer == nil && (err != nil || n == 0) {
		return nil
	}
	to, err := v.ctx.dereference(v)
	if err != nil {
		return nil
	}
	name := "*"
	if v.Expr != "" {
		to.Expr = "*" + postfix(v.Expr)
		name = to.Expr
	}
	return []Child{{name, to}}
}

// postfix returns an expression that "." or "[" may follow.
func postfix(s string) string {
	if isPostfix(s) {
		return s
	}
	return "(" + s + ")"
}

// isPostfix reports whether an expression has no operator that binds looser
// than "." and "[".
func isPostfix(s string) bool {
	level, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\'':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '(' && i == 0 && strings.HasSuffix(s, ")") && strings.Count(s, "(") == 1:
			level++
		case c == ']' || c == ')' && level > 0:
			level--
		case level > 0:
		case c == '-' && i+1 < len(s) && s[i+1] == '>':
			i++
		case isNameByte(c) || c == '.' || c == ':' || c == '$' || c >= 0x80:
		default:
			return false
		}
	}
	return level == 0 && s != ""
}
