package inspect

import (
	"fmt"
	"strings"

	"pushmask/elfsym/expr"
)

// view is what a value of a type of a library means: its text, its elements,
// what it points to.
type view struct {
	text     *str    // of strings
	named    []Child // what a pointer or an optional holds
	count    int     // of indexed elements
	elements func(start, end int) []Child
	sequence *Value // the elements as an array, where they are one
	target   *Value // what * and -> of the value mean
	summary  string // all there is to say
}

// viewer returns what makes views of a type, by its name without the arguments
// of templates; nil for none. It returns nil for a layout that it does not know.
func viewer(name string) func(*Value) *view {
	switch name {
	case "std::basic_string":
		return viewString
	case "std::basic_string_view":
		return viewStringView
	case "std::vector":
		return viewVector
	case "std::array":
		return viewArray
	case "std::deque":
		return viewDeque
	case "std::list":
		return viewList
	case "std::map", "std::multimap", "std::set", "std::multiset":
		return viewTree
	case "std::unordered_map", "std::unordered_set", "std::unordered_multimap", "std::unordered_multiset":
		return viewHash
	case "std::tuple":
		return viewTuple
	case "std::variant":
		return viewVariant
	case "std::optional":
		return viewOptional
	case "std::unique_ptr":
		return viewUnique
	case "std::shared_ptr", "std::weak_ptr":
		return viewShared
	case "etl::vector", "etl::vector_ext", "etl::ivector":
		return viewETLVector
	case "etl::string", "etl::string_ext", "etl::istring":
		return viewETLString
	case "etl::array":
		return viewETLArray
	case "alloc::vec::Vec":
		return viewRustVec
	case "alloc::string::String", "heapless::string::String", "heapless::string::StringInner":
		return viewRustString
	case "alloc::rc::Rc", "alloc::sync::Arc":
		return viewRustRc
	case "core::cell::RefCell":
		return viewRefCell
	case "heapless::vec::Vec", "heapless::vec::VecInner":
		return viewHeaplessVec
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
	if t.isRust() && strings.HasPrefix(name, "&") {
		return viewSlice(v)
	}
	if i := strings.IndexByte(name, '<'); i >= 0 {
		name = name[:i]
	}
	for _, inline := range []string{"std::__cxx11::", "std::__1::", "std::__2::", "std::__ndk1::"} {
		if rest, ok := strings.CutPrefix(name, inline); ok {
			name = "std::" + rest
		}
	}
	if f := viewer(name); f != nil {
		return f(v)
	}
	return nil
}

// path follows members, nil where one is not there. A name "<X" is a base class
// whose name begins with X, at any depth.
func (v *Value) path(names ...string) *Value {
	for _, n := range names {
		base, isBase := strings.CutPrefix(n, "<")
		if isBase {
			if v = v.baseWithPrefix(base, 0); v == nil {
				return nil
			}
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

// uint returns a number of a value that may be nil.
func (v *Value) uint() (uint64, bool) {
	if v == nil {
		return 0, false
	}
	n, err := v.number()
	if err != nil {
		return 0, false
	}
	return n.integer(), true
}

// parameter returns the nth argument of a template that is a type, nil for none.
func (t *Type) parameter(n int) *Type {
	l, _ := t.underlying().layout()
	if n >= len(l.Params) {
		return nil
	}
	return wrap(l.Params[n].Type)
}

// damaged is what is shown of a container whose members contradict each other.
const damaged = "<not initialised or damaged>"

// maxCount bounds the elements of a view: more fit into no target.
const maxCount = 1 << 28

// arrayView is a view of n elements in a row at an address.
func (v *Value) arrayView(elem *Type, addr, n uint64) *view {
	if n > maxCount {
		return &view{summary: fmt.Sprintf("<%d elements: not initialised or damaged>", n)}
	}
	return v.sequenceView(v.ctx.memory(arrayOf(elem, uint32(n)), uint32(addr)))
}

// sequenceView is a view of the elements of an array.
func (v *Value) sequenceView(array *Value) *view {
	n, _ := array.Type.underlying().count()
	array.Expr = v.Expr
	return &view{count: int(n), sequence: array, elements: func(start, end int) []Child {
		var list []Child
		for i := start; i < end; i++ {
			e, ok := array.element(uint32(i))
			if !ok {
				break
			}
			list = append(list, Child{fmt.Sprintf("[%d]", i), e})
		}
		return list
	}}
}

// rangeView is a view of the elements between two pointers.
func (v *Value) rangeView(begin, end *Value) *view {
	from, ok := begin.uint()
	to, ok2 := end.uint()
	if !ok || !ok2 {
		return nil
	}
	elem := begin.Type.underlying().Elem()
	size := uint64(elementSize(elem))
	if size == 0 {
		return nil
	}
	if to < from || (to-from)%size != 0 {
		return &view{summary: damaged}
	}
	return v.arrayView(elem, from, (to-from)/size)
}

// textView is a view of n characters at a pointer.
func (v *Value) textView(p *Value, n uint64) *view {
	if p == nil {
		return nil
	}
	elem := p.Type.underlying().Elem()
	addr, ok := p.uint()
	size := elementSize(elem)
	if !ok || size == 0 || size > 4 {
		return nil
	}
	out := v.arrayView(elem, addr, n)
	if out.sequence != nil {
		s := out.sequence.counted(uint32(min(n, maxText)), size)
		out.text = &s
	}
	return out
}

// counted reads exactly n characters, NULs too.
func (v *Value) counted(n, width uint32) str {
	shown := min(n, maxText)
	c := v.read(0, shown*width)
	var b strings.Builder
	for i := range shown {
		if !c.complete(i*width, width) {
			return str{text: b.String(), err: c.reason()}
		}
		if x := little(c.data[i*width:][:width]); width == 1 {
			b.WriteByte(byte(x))
		} else {
			b.WriteRune(rune(min(x, 0x10ffff)))
		}
	}
	return str{text: b.String(), more: n > shown}
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

// viewElement is the element of a view that [] means.
func (v *Value) viewElement(i int64) (*Value, bool) {
	view := v.view()
	if view == nil || view.sequence == nil && view.elements == nil || i < 0 || i >= int64(view.count) {
		return nil, false
	}
	list := view.elements(int(i), int(i)+1)
	if len(list) == 0 {
		return nil, false
	}
	return list[0].Value, true
}

// viewText is the text of a string of a library.
func (v *Value) viewText() (str, bool) {
	if view := v.view(); view != nil && view.text != nil {
		return *view.text, true
	}
	return str{}, false
}

// smartPointer returns what -> of an object of a class means: for classes that
// are no pointers of a library, the object itself.
func smartPointer(v *Value) (*Value, error) {
	if view := v.view(); view != nil {
		switch {
		case view.target != nil:
			return view.target, nil
		case view.summary != "":
			return nil, fmt.Errorf("%w: it is %s", expr.ErrNoContext, view.summary)
		}
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
		w.elements(uint32(v.count), depth, func(i uint32) *Value {
			if list := v.elements(int(i), int(i)+1); len(list) > 0 {
				return list[0].Value
			}
			return nil
		})
	default:
		if depth >= maxNested {
			w.WriteString("{...}")
			return
		}
		w.value(v.named[0].Value, depth+1)
	}
}
