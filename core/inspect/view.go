package inspect

import (
	"fmt"
	"strings"

	"pushmask/elfsym/expr"
)

// view is what a value of a type of a library means: its text, its elements,
// what it points to. All that its functions read is quiet: what a damaged object
// leads to is not read where a read may change something.
type view struct {
	text     *str    // of strings
	named    []Child // what a pointer or an optional holds
	count    int     // of indexed elements
	elements func(start, end int) []Child
	keyed    bool   // names of elements have their keys behind the index
	target   *Value // what * and -> of the value mean
	summary  string // all there is to say
	note     string // what is to be said beside it
}

// viewer returns what makes views of a type, by its name without the arguments
// of templates; nil for none. It returns nil for a layout that it does not know.
func viewer(name string) func(*Value) *view {
	library, _, _ := strings.Cut(name, "::")
	switch library {
	case "std":
		if f := viewerRust(name); f != nil {
			return f
		}
		return viewerStd(name)
	case "etl":
		return viewerETL(name)
	case "core", "alloc", "hashbrown":
		return viewerRust(name)
	case "heapless":
		return viewerHeapless(name)
	}
	return nil
}

// view returns what v means, nil where it is what its layout says.
func (v *Value) view() *view {
	t := v.Type.underlying()
	if v.raw || !t.isRecord() || v.err != nil || t.dwarf == nil {
		return nil
	}
	name := t.qualifiedName()
	v = v.quietly()
	if t.isRust() {
		if strings.HasPrefix(name, "&") || strings.HasPrefix(name, "*") || strings.HasPrefix(name, "alloc::boxed::Box<") {
			return viewFatPointer(v)
		}
	}
	if i := strings.IndexByte(name, '<'); i >= 0 {
		name = name[:i]
	}
	if f := viewer(withoutABI(name)); f != nil {
		return f(v)
	}
	return nil
}

// withoutABI leaves out the namespace that tells the layouts of one library
// apart: "std::__1::vector", "std::__cxx11::list".
func withoutABI(name string) string {
	if rest, ok := strings.CutPrefix(name, "std::__"); ok {
		if _, class, ok := strings.Cut(rest, "::"); ok {
			return "std::" + class
		}
	}
	return name
}

// quietly is v without what a read of memory may change.
func (v *Value) quietly() *Value {
	quiet := v.ctx.frame.Quiet
	if quiet == nil {
		return v
	}
	frame := *v.ctx.frame
	frame.Memory = quiet
	c := *v.ctx
	c.frame = &frame
	return v.in(&c)
}

// in is v evaluated in another context.
func (v *Value) in(c *context) *Value {
	out := *v
	out.ctx = c
	return &out
}

// damaged is a view of an object whose members contradict each other, and says
// how.
func damaged(format string, args ...any) *view {
	return &view{summary: "<not initialised or damaged: " + fmt.Sprintf(format, args...) + ">"}
}

// broken is an element that is not there because the elements are damaged.
func (v *Value) broken(format string, args ...any) *Value {
	return v.ctx.failed(typeVoid, fmt.Errorf("damaged: "+format, args...))
}

// path follows members, nil where one is not there. A name "<X" is a base class
// whose name begins with X, at any depth.
func (v *Value) path(names ...string) *Value {
	for _, n := range names {
		if v == nil {
			return nil
		}
		base, isBase := strings.CutPrefix(n, "<")
		if isBase {
			v = v.baseWithPrefix(base, 0)
			continue
		}
		m, err := v.Member(n)
		if err != nil || m.err != nil {
			return nil
		}
		v = m
	}
	return v
}

// first returns the first of several paths, separated by spaces, that exists:
// libraries lay out the same type in different ways.
func (v *Value) first(paths ...string) *Value {
	for _, p := range paths {
		if found := v.path(strings.Fields(p)...); found != nil {
			return found
		}
	}
	return nil
}

func (v *Value) baseWithPrefix(prefix string, depth int) *Value {
	l, _ := v.Type.underlying().layout()
	if depth > maxMembersDepth {
		return nil
	}
	for i := range l.Members {
		m := &l.Members[i]
		if !m.Base {
			continue
		}
		part := v.member(m)
		if strings.HasPrefix(m.Type.TagName(), prefix) {
			return part
		}
		if found := part.baseWithPrefix(prefix, depth+1); found != nil {
			return found
		}
	}
	return nil
}

// uint returns a number of a value that may be nil. Wrappers of one member are
// seen through.
func (v *Value) uint() (uint64, bool) {
	v = v.unwrapped()
	if v == nil {
		return 0, false
	}
	n, err := v.number()
	if err != nil {
		return 0, false
	}
	return n.integer(), true
}

// unwrapped is what records hold that have one member with a size: NonNull,
// UnsafeCell, std::atomic.
func (v *Value) unwrapped() *Value {
	for range maxNested * 2 {
		if v == nil || !v.Type.underlying().isRecord() {
			return v
		}
		l, _ := v.Type.underlying().layout()
		var only *Value
		for i := range l.Members {
			part := v.member(&l.Members[i])
			if size, ok := part.Type.Size(); ok && (size == 0 || l.Members[i].Base && isEmpty(l.Members[i].Type)) {
				continue
			}
			if only != nil {
				return nil
			}
			only = part
		}
		v = only
	}
	return nil
}

// pointerIn returns the pointer that v is or wraps, nil for none.
func (v *Value) pointerIn() *Value {
	v = v.unwrapped()
	if v == nil || !v.Type.underlying().isPointer() {
		return nil
	}
	return v
}

// parameter returns the nth argument of a template that is a type, nil for none.
func (t *Type) parameter(n int) *Type {
	l, _ := t.underlying().layout()
	if n >= len(l.Params) {
		return nil
	}
	return wrap(l.Params[n].Type)
}

// constant returns the nth argument of a template that is a number.
func (t *Type) constant(n int) (uint64, bool) {
	l, _ := t.underlying().layout()
	if n >= len(l.Params) {
		return 0, false
	}
	i, ok := l.Params[n].Value.Int()
	return uint64(i), ok && i >= 0
}

// targetView is a view of what a pointer of a library points to.
func (v *Value) targetView(p *Value) *view {
	addr, ok := p.uint()
	if !ok {
		return nil
	}
	if addr == 0 {
		return &view{summary: "nullptr"}
	}
	to, err := v.ctx.dereference(p)
	if err != nil {
		return nil
	}
	return v.holding("*", to)
}

// holding is a view of one value, which * of v means.
func (v *Value) holding(name string, to *Value) *view {
	if to.Expr = ""; v.Expr != "" {
		to.Expr = "*" + postfix(v.Expr)
	}
	return &view{named: []Child{{name, to}}, target: to}
}

// holdingMember is a view of a member, which expressions reach by names.
func (v *Value) holdingMember(value *Value, names ...string) *view {
	out := v.holding("value", value)
	value.Expr = v.Expr
	for _, n := range names {
		value.Expr = memberExpr(value.Expr, n)
	}
	return out
}

// viewElement is the element of a view that [] means.
func (v *Value) viewElement(i int64) (*Value, bool) {
	view := v.view()
	if view == nil || view.elements == nil || i < 0 || i >= int64(view.count) {
		return nil, false
	}
	list := view.elements(int(i), int(i)+1)
	if len(list) == 0 {
		return nil, false
	}
	return list[0].Value.in(v.ctx), true
}

// viewText is the text of a string of a library.
func (v *Value) viewText() (str, bool) {
	if view := v.view(); view != nil && view.text != nil {
		return *view.text, true
	}
	return str{}, false
}

// viewTarget is what * of a pointer of a library means, nil for what is none.
func (v *Value) viewTarget() *Value {
	if view := v.view(); view != nil && view.target != nil {
		return view.target.in(v.ctx)
	}
	return nil
}

// smartPointer returns what -> of an object of a class means: for classes that
// are no pointers of a library, the object itself.
func smartPointer(v *Value) (*Value, error) {
	if target := v.viewTarget(); target != nil {
		return target, nil
	}
	if view := v.view(); view != nil && view.summary != "" {
		return nil, fmt.Errorf("%w: it is %s", expr.ErrNoContext, view.summary)
	}
	return v, nil
}

// view writes what a value means.
func (w *writer) view(v *view, depth int) {
	switch {
	case v.text != nil:
		s := *v.text
		if len(s.text) > maxString {
			s.text, s.more = s.text[:maxString], true
		}
		w.WriteString(s.quote())
	case v.summary != "":
		w.WriteString(v.summary)
	case v.elements != nil:
		fmt.Fprintf(w, "[%d] ", v.count)
		shown := v.elements(0, min(v.count, maxMembers))
		w.elements(uint32(v.count), depth, func(i uint32) *Value {
			if int(i) >= len(shown) {
				return nil
			}
			if _, key, ok := strings.Cut(shown[i].Name, "] "); ok && v.keyed {
				w.WriteString(key + ": ")
			}
			return shown[i].Value
		})
	case depth >= maxNested:
		w.WriteString("{...}")
	default:
		w.value(v.named[0].Value, depth+1)
	}
	if v.note != "" {
		w.WriteString(" <" + v.note + ">")
	}
}
