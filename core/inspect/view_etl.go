package inspect

import "strings"

// Views of the Embedded Template Library (www.etlcpp.com), versions 20.20 to
// 20.48: of its containers, and of the interfaces through which programs pass
// them, as etl::ivector.

func viewerETL(name string) func(*Value) *view {
	name = strings.TrimSuffix(strings.TrimPrefix(name, "etl::"), "_ext")
	switch name {
	case "vector", "ivector":
		return viewETLVector
	case "ibasic_string", "istring", "string", "wstring", "u8string", "u16string", "u32string":
		return viewETLString
	case "basic_string_view":
		return viewETLStringView
	case "array":
		return viewETLArray
	case "span":
		return viewETLSpan
	case "optional":
		return viewETLOptional
	case "list", "ilist":
		return viewETLList
	case "deque", "ideque":
		return viewETLDeque
	case "queue", "iqueue":
		return viewETLQueue
	case "stack", "istack":
		return viewETLStack
	case "circular_buffer", "icircular_buffer":
		return viewETLRing
	case "map", "imap", "multimap", "imultimap":
		return viewETLMap
	case "set", "iset", "multiset", "imultiset":
		return viewETLSet
	case "flat_map", "iflat_map", "flat_multimap", "iflat_multimap", "flat_set", "iflat_set", "flat_multiset", "iflat_multiset",
		"reference_flat_map", "ireference_flat_map", "reference_flat_set", "ireference_flat_set":
		return viewETLFlat
	}
	return nil
}

// viewETLVector shows a vector. Those of pointers share their code: they hold
// pointers to void.
func viewETLVector(v *Value) *view {
	from, ok := v.path("p_buffer").uint()
	to, ok2 := v.path("p_end").uint()
	capacity, ok3 := v.path("CAPACITY").uint()
	elem := v.parameterOf("ivector<", 0)
	if !ok || !ok2 || !ok3 || elem == nil {
		return nil
	}
	size := uint64(elementSize(elem))
	switch {
	case size == 0:
		return nil
	case to < from || (to-from)%size != 0:
		return damaged("it begins at 0x%08x and ends at 0x%08x", from, to)
	case (to-from)/size > capacity:
		return damaged("%d elements in a buffer for %d", (to-from)/size, capacity)
	}
	return v.arrayView(elem, from, (to-from)/size)
}

func viewETLString(v *Value) *view {
	n, ok := v.path("current_size").uint()
	capacity, ok2 := v.path("CAPACITY").uint()
	p := v.path("p_buffer")
	if !ok || !ok2 || p == nil {
		return nil
	}
	return v.terminatedView(p, n, capacity)
}

func viewETLStringView(v *Value) *view {
	p := v.path("mbegin")
	from, ok := p.uint()
	to, ok2 := v.path("mend").uint()
	size := uint64(1)
	if p = p.pointerIn(); p != nil {
		size = max(uint64(elementSize(p.Type.underlying().Elem())), 1)
	}
	switch {
	case !ok || !ok2 || p == nil:
		return nil
	case to < from || (to-from)%size != 0:
		return damaged("it begins at 0x%08x and ends at 0x%08x", from, to)
	}
	return v.textView(p, (to-from)/size)
}

func viewETLArray(v *Value) *view {
	a := v.path("_buffer")
	if a == nil {
		return nil
	}
	return v.sequenceView(a)
}

// viewETLSpan shows a span, whose end is a member or whose length is in its type.
func viewETLSpan(v *Value) *view {
	begin := v.first("pbegin", "mbegin").pointerIn()
	if end := v.first("pend", "mend"); end != nil && begin != nil {
		return v.rangeView(begin, end, nil)
	}
	addr, ok := begin.uint()
	n, ok2 := v.Type.constant(1)
	if !ok || !ok2 {
		return nil
	}
	return v.arrayView(begin.Type.underlying().Elem(), addr, n)
}

func viewETLOptional(v *Value) *view {
	has, ok := v.first("storage valid", "valid").uint()
	value := v.first("storage u value", "storage value")
	if bytes, t := v.path("storage", "data"), v.Type.parameter(0); value == nil && bytes != nil && t != nil {
		value = bytes.part(t, 0) // before 20.36
	}
	return v.optionalView(has, ok, value)
}

// viewETLList shows a list, which counts its nodes only where it has a pool of its
// own: they are counted here.
func viewETLList(v *Value) *view {
	head := v.path("terminal_node")
	most, ok := v.path("MAX_SIZE").uint()
	elem := v.parameterOf("ilist<", 0)
	if head == nil || !head.inMemory || !ok || elem == nil {
		return nil
	}
	next := v.ctx.doubly(pointerSize, 0) // previous, next
	first, err := next(head.addr)
	if err != nil {
		return v.chainView(chain{elem: elem}, 0, err)
	}
	n, node := uint64(0), first
	for ; err == nil && node != head.addr && n <= min(most, maxNodes); n++ {
		node, err = next(node)
	}
	if n > most {
		return damaged("more than %d nodes in a list for %d", most, most)
	}
	if err != nil {
		n++ // the element that says how it is damaged
	}
	return v.chainView(chain{
		count: n, end: head.addr, offset: v.afterHeader(2*pointerSize, elem), elem: elem, next: next,
	}, first, nil)
}

func viewETLDeque(v *Value) *view {
	capacity, ok := v.first("Buffer_Size", "BUFFER_SIZE").uint()
	first, ok2 := v.path("_begin", "index").uint()
	if !ok || !ok2 {
		return nil
	}
	return v.etlRing(capacity, first)
}

func viewETLQueue(v *Value) *view {
	capacity, ok := v.path("CAPACITY").uint()
	out, ok2 := v.path("out").uint()
	if !ok || !ok2 {
		return nil
	}
	return v.etlRing(capacity, out)
}

// viewETLStack shows a stack, the oldest element first.
func viewETLStack(v *Value) *view {
	capacity, ok := v.path("CAPACITY").uint()
	if !ok {
		return nil
	}
	return v.etlRing(capacity, 0)
}

// etlRing shows the elements in a buffer, which begin with the element first.
func (v *Value) etlRing(capacity, first uint64) *view {
	p := v.path("p_buffer").pointerIn()
	addr, ok := p.uint()
	n, ok2 := v.path("current_size").uint()
	if !ok || !ok2 {
		return nil
	}
	return v.ringView(p.Type.underlying().Elem(), addr, capacity, first, n)
}

func viewETLRing(v *Value) *view {
	p := v.path("pbuffer").pointerIn()
	addr, ok := p.uint()
	size, ok2 := v.first("buffer_size", "BUFFER_SIZE").uint()
	in, ok3 := v.path("in").uint()
	out, ok4 := v.path("out").uint()
	switch {
	case !(ok && ok2 && ok3 && ok4):
		return nil
	case in >= size || out >= size:
		return damaged("elements %d to %d of %d", out, in, size)
	}
	return v.ringView(p.Type.underlying().Elem(), addr, size, out, (in+size-out)%size)
}

// viewETLFlat shows a sorted vector of pointers to elements.
func viewETLFlat(v *Value) *view {
	lookup := v.path("lookup")
	if lookup == nil {
		return nil
	}
	pointers := lookup.referred().view()
	if pointers == nil || pointers.elements == nil {
		return pointers
	}
	return &view{count: pointers.count, note: pointers.note, elements: func(start, end int) []Child {
		var list []Child
		for i, c := range pointers.elements(start, end) {
			e, err := v.ctx.dereference(c.Value)
			if err != nil {
				e = v.ctx.failed(typeVoid, err)
			}
			list = append(list, v.numbered(start+i, e))
		}
		return list
	}}
}
