package inspect

// Views of the C++ standard library: types that libstdc++ and libc++ lay out
// alike but for names. libstdc++'s (gcc 5 and later) begin with _M_, libc++'s end
// with _.

func viewerStd(name string) func(*Value) *view {
	switch name {
	case "std::basic_string":
		return either(viewString, viewStringLLVM)
	case "std::basic_string_view":
		return viewStringView
	case "std::vector":
		return viewVector
	case "std::array":
		return viewArray
	case "std::span":
		return viewSpan
	case "std::deque":
		return either(viewDeque, viewDequeLLVM)
	case "std::list":
		return either(viewList, viewListLLVM)
	case "std::map", "std::multimap":
		return either(viewTree, viewMapLLVM)
	case "std::set", "std::multiset":
		return either(viewTree, viewSetLLVM)
	case "std::unordered_map", "std::unordered_multimap":
		return either(viewHash, viewHashMapLLVM)
	case "std::unordered_set", "std::unordered_multiset":
		return either(viewHash, viewHashSetLLVM)
	case "std::tuple":
		return either(viewTuple, viewTupleLLVM)
	case "std::variant":
		return either(viewVariant, viewVariantLLVM)
	case "std::optional":
		return viewOptional
	case "std::unique_ptr":
		return viewUnique
	case "std::shared_ptr":
		return viewShared
	case "std::weak_ptr":
		return viewWeak
	}
	return nil
}

// either is the first of two views that knows the layout.
func either(a, b func(*Value) *view) func(*Value) *view {
	return func(v *Value) *view {
		if out := a(v); out != nil {
			return out
		}
		return b(v)
	}
}

func viewStringView(v *Value) *view {
	n, ok := v.first("_M_len", "__size_", "__size").uint()
	if !ok {
		return nil
	}
	return v.textView(v.first("_M_str", "__data_", "__data"), n)
}

func viewVector(v *Value) *view {
	if p := v.path("__begin_"); p != nil && v.path("__end_") == nil {
		return v.viewBitsLLVM(p)
	}
	begin, end := v.first("_M_impl _M_start", "__begin_"), v.first("_M_impl _M_finish", "__end_")
	switch {
	case begin == nil || end == nil:
		return nil
	case begin.path("_M_p") != nil:
		return v.viewBits(begin, end)
	}
	return v.rangeView(begin, end, v.first("_M_impl _M_end_of_storage", "__end_cap_ __value_", "__cap_"))
}

func viewArray(v *Value) *view {
	a := v.first("_M_elems", "__elems_")
	if a == nil {
		return nil
	}
	return v.sequenceView(a)
}

// viewSpan shows a span, whose length is a member or in its type.
func viewSpan(v *Value) *view {
	p := v.first("_M_ptr", "__data_").pointerIn()
	addr, ok := p.uint()
	if !ok {
		return nil
	}
	n, ok := v.first("_M_extent _M_extent_value", "__size_", "__size").uint()
	if !ok {
		if n, ok = v.Type.constant(1); !ok {
			return nil
		}
	}
	return v.arrayView(p.Type.underlying().Elem(), addr, n)
}

func viewOptional(v *Value) *view {
	has, ok := v.first("_M_payload _M_engaged", "__engaged_").uint()
	return v.optionalView(has, ok, v.first("_M_payload _M_payload _M_value", "__val_"))
}

// optionalView shows an optional of which has says whether it holds value.
func (v *Value) optionalView(has uint64, ok bool, value *Value) *view {
	switch {
	case !ok || value == nil:
		return nil
	case has > 1:
		return damaged("%d says whether it holds a value", has)
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

// sharedCounts returns the owners of what a shared_ptr points to. libc++ counts
// those beyond the first.
func (v *Value) sharedCounts() (uses *Value, extra uint64) {
	count := v.first("_M_refcount _M_pi", "__cntrl_")
	if n, ok := count.uint(); !ok || n == 0 {
		return nil, 0
	}
	block, err := v.ctx.dereference(count)
	if err != nil {
		return nil, 0
	}
	if uses = block.path("__shared_owners_"); uses != nil {
		return uses, 1
	}
	return block.path("_M_use_count"), 0
}

func viewShared(v *Value) *view {
	p := v.first("_M_ptr", "__ptr_")
	if p == nil || !p.Type.underlying().isPointer() {
		return nil
	}
	out := v.targetView(p)
	uses, extra := v.sharedCounts()
	if out == nil || out.target == nil || uses == nil {
		return out
	}
	n, err := uses.number()
	if err != nil {
		out.note = "its owners are " + reason(err, v.ctx.frame)
		return out
	}
	owners := int64(n.integer()) + int64(extra)
	if owners <= 0 || owners > maxCount {
		return damaged("it has %d owners", owners)
	}
	out.named = append(out.named, Child{"use_count", v.ctx.of(number{typ: typeLong, i: uint64(owners)})})
	return out
}

// viewWeak shows a weak_ptr: what it pointed to is gone when nobody owns it.
func viewWeak(v *Value) *view {
	uses, extra := v.sharedCounts()
	if uses != nil {
		if n, err := uses.number(); err == nil && int64(n.integer())+int64(extra) == 0 {
			return &view{summary: "<expired>"}
		}
	}
	return viewShared(v)
}
