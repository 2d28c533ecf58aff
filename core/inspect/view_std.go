package inspect

// Views of the C++ standard library: libstdc++ (gcc 5 and later, the names with
// _M_) and libc++ (those that end in _). Layouts are those of the headers
// bits/basic_string.h, stl_vector.h, stl_deque.h, stl_list.h, stl_tree.h,
// hashtable.h, unique_ptr.h, shared_ptr_base.h and optional, and of libc++'s
// <string>, <vector>, <optional> and <memory>.

func viewString(v *Value) *view {
	if p := v.path("_M_dataplus", "_M_p"); p != nil {
		n, ok := v.path("_M_string_length").uint()
		if !ok {
			return nil
		}
		return v.textView(p, n)
	}
	r := v.first("__r_ __value_", "__rep_")
	if r == nil {
		return nil
	}
	if long, ok := r.path("__s", "__is_long_").uint(); ok && long == 0 {
		n, _ := r.path("__s", "__size_").uint()
		data := r.path("__s", "__data_")
		if data == nil || !data.inMemory {
			return nil
		}
		return v.textView(data.decayed(), n)
	} else if !ok {
		return nil
	}
	n, _ := r.path("__l", "__size_").uint()
	return v.textView(r.path("__l", "__data_"), n)
}

func viewStringView(v *Value) *view {
	n, ok := v.first("_M_len", "__size_", "__size").uint()
	if !ok {
		return nil
	}
	return v.textView(v.first("_M_str", "__data_", "__data"), n)
}

func viewVector(v *Value) *view {
	begin, end := v.first("_M_impl _M_start", "__begin_"), v.first("_M_impl _M_finish", "__end_")
	switch {
	case begin == nil || end == nil:
		return nil
	case begin.path("_M_p") != nil:
		return v.viewBits(begin, end)
	}
	return v.rangeView(begin, end)
}

// viewBits shows vector<bool>: words of bits between two iterators.
func (v *Value) viewBits(begin, end *Value) *view {
	from, ok := begin.path("_M_p").uint()
	to, ok2 := end.path("_M_p").uint()
	skip, ok3 := begin.path("_M_offset").uint()
	last, ok4 := end.path("_M_offset").uint()
	if !(ok && ok2 && ok3 && ok4) {
		return nil
	}
	n := (to-from)*8 + last - skip
	if to < from || n > maxCount {
		return &view{summary: damaged}
	}
	return &view{count: int(n), elements: func(start, end int) []Child {
		var list []Child
		for i := start; i < end; i++ {
			at := uint64(i) + skip
			bit := v.ctx.memory(typeBool, uint32(from+at/8))
			bit.bitOffset, bit.bitSize = uint8(at%8), 1
			list = append(list, v.numbered(i, bit))
		}
		return list
	}}
}

func viewTuple(v *Value) *view {
	var heads []*Value
	for {
		head := v.baseWithPrefix("_Head_base<"+decimal(len(heads))+",", 0)
		if head == nil {
			head = v.baseWithPrefix("_Head_base<"+decimal(len(heads))+"U,", 0) // as clang writes it
		}
		if head == nil {
			break
		}
		value := head.path("_M_head_impl")
		if value == nil { // an empty class is a base of it
			value = head
		}
		heads = append(heads, value)
	}
	if len(heads) == 0 {
		return nil
	}
	return &view{count: len(heads), elements: func(start, end int) []Child {
		var list []Child
		for i := start; i < end; i++ {
			list = append(list, v.numbered(i, heads[i]))
		}
		return list
	}}
}

// viewVariant shows what a variant holds: one of unions in unions.
func viewVariant(v *Value) *view {
	index, ok := v.path("_M_index").uint()
	u := v.path("_M_u")
	if !ok || u == nil {
		return nil
	}
	for range min(index, maxMembersDepth) {
		if u = u.path("_M_rest"); u == nil {
			return &view{summary: "valueless"}
		}
	}
	value := u.path("_M_first", "_M_storage")
	if value == nil || value.path("_M_storage") != nil { // bytes that hold an object with a destructor
		t := v.Type.parameter(int(index))
		if value == nil || t == nil {
			return nil
		}
		value = value.part(t, 0)
	}
	return v.holding("value", value)
}

func viewArray(v *Value) *view {
	a := v.first("_M_elems", "__elems_")
	if a == nil {
		return nil
	}
	return v.sequenceView(a)
}

func viewOptional(v *Value) *view {
	has, ok := v.first("_M_payload _M_engaged", "__engaged_").uint()
	value := v.first("_M_payload _M_payload _M_value", "__val_")
	switch {
	case !ok || value == nil:
		return nil
	case has == 0:
		return &view{summary: "nullopt"}
	}
	return v.holding("value", value)
}

func viewUnique(v *Value) *view {
	p := v.first("_M_t _M_t <_Head_base<0 _M_head_impl", "_M_t <_Head_base<0 _M_head_impl", "__ptr_ __value_", "__ptr_")
	if p == nil || !p.Type.underlying().isPointer() {
		return nil
	}
	return v.targetView(p)
}

func viewShared(v *Value) *view {
	p := v.first("_M_ptr", "__ptr_")
	if p == nil || !p.Type.underlying().isPointer() {
		return nil
	}
	out := v.targetView(p)
	if count := v.first("_M_refcount _M_pi"); out != nil && out.target != nil && count != nil {
		if block, err := v.ctx.dereference(count); err == nil {
			if uses := block.path("_M_use_count"); uses != nil {
				out.named = append(out.named, Child{"use_count", uses})
			}
		}
	}
	return out
}

// dequeNode is the size in bytes of a block of libstdc++'s deque.
const dequeNode = 512

func viewDeque(v *Value) *view {
	start, finish := v.path("_M_impl", "_M_start"), v.path("_M_impl", "_M_finish")
	if start == nil || finish == nil {
		return nil
	}
	current := start.path("_M_cur")
	if current == nil {
		return nil
	}
	elem := current.Type.underlying().Elem()
	size := uint64(elementSize(elem))
	first, ok := start.path("_M_first").uint()
	cur, ok2 := current.uint()
	node, ok3 := start.path("_M_node").uint()
	endNode, ok4 := finish.path("_M_node").uint()
	endCur, ok5 := finish.path("_M_cur").uint()
	endFirst, ok6 := finish.path("_M_first").uint()
	if size == 0 || !(ok && ok2 && ok3 && ok4 && ok5 && ok6) {
		return nil
	}
	perNode := max(dequeNode/size, 1)
	skip := (cur - first) / size
	n := (endNode-node)/pointerSize*perNode + (endCur-endFirst)/size - skip
	if endNode < node || cur < first || n > maxCount {
		return &view{summary: damaged}
	}
	return &view{count: int(n), elements: func(from, to int) []Child {
		var list []Child
		for i := from; i < to; i++ {
			at := uint64(i) + skip
			block, ok := v.ctx.memory(typeUint, uint32(node+at/perNode*pointerSize)).uint()
			if !ok {
				break
			}
			list = append(list, v.numbered(i, v.ctx.memory(elem, uint32(block+at%perNode*size))))
		}
		return list
	}}
}

// numbered is an element of a view, which [] of v means.
func (v *Value) numbered(i int, e *Value) Child {
	if v.Expr != "" {
		e.Expr = postfix(v.Expr) + "[" + decimal(i) + "]"
	}
	return Child{"[" + decimal(i) + "]", e}
}
