package inspect

import "strings"

// Views of Rust's core and alloc, of heapless and of the ETL. Layouts are those
// that rustc writes into DWARF, and of etl/vector.h, string.h and array.h.

// viewSlice shows &str and &[T]: the pointer with a length.
func viewSlice(v *Value) *view {
	p := v.path("data_ptr")
	n, ok := v.path("length").uint()
	if p == nil || !ok {
		return nil
	}
	if strings.HasSuffix(v.Type.qualifiedName(), "str") {
		return v.textView(p, n)
	}
	addr, ok := p.uint()
	if !ok {
		return nil
	}
	return v.arrayView(p.Type.underlying().Elem(), addr, n)
}

// pointerIn returns the pointer that wrappers of one member hold: RawVec,
// Unique, NonNull.
func pointerIn(v *Value) *Value {
	for range maxNested * 2 {
		if v == nil || v.Type.underlying().isPointer() {
			return v
		}
		v = v.first("ptr", "pointer", "inner", "__0")
	}
	return nil
}

func viewRustVec(v *Value) *view {
	n, ok := v.path("len").uint()
	p := pointerIn(v.path("buf"))
	elem := v.Type.parameter(0)
	addr, ok2 := p.uint()
	if !ok || !ok2 || elem == nil {
		return nil
	}
	return v.arrayView(elem, addr, n)
}

func viewRustString(v *Value) *view {
	bytes := v.path("vec")
	if bytes == nil {
		return nil
	}
	inner := bytes.view()
	if inner == nil || inner.sequence == nil {
		return nil
	}
	s := inner.sequence.counted(uint32(inner.count), 1)
	inner.text = &s
	return inner
}

func viewRustRc(v *Value) *view {
	p := pointerIn(v.path("ptr"))
	if p == nil {
		return nil
	}
	block, err := v.ctx.dereference(p)
	if err != nil {
		return nil
	}
	value := block.first("value", "data")
	if value == nil {
		return nil
	}
	out := v.holding("value", value)
	for _, name := range []string{"strong", "weak"} {
		if n := block.path(name); n != nil {
			out.named = append(out.named, Child{name, n})
		}
	}
	return out
}

func viewRefCell(v *Value) *view {
	borrow, value := v.path("borrow"), v.first("value value", "value")
	if borrow == nil || value == nil {
		return nil
	}
	value.Expr = memberExpr(v.Expr, "value")
	if v.path("value", "value") != nil {
		value.Expr = memberExpr(value.Expr, "value")
	}
	return &view{named: []Child{{"value", value}, {"borrow", borrow}}, target: value}
}

func viewHeaplessVec(v *Value) *view {
	n, ok := v.path("len").uint()
	buffer := v.first("buffer buffer", "buffer")
	elem := v.Type.parameter(0)
	if !ok || buffer == nil || elem == nil || !buffer.inMemory {
		return nil
	}
	if most, known := buffer.Type.underlying().count(); known && n > uint64(most) {
		return &view{summary: damaged}
	}
	return v.arrayView(elem, uint64(buffer.addr), n)
}

func viewETLVector(v *Value) *view {
	begin, end := v.path("p_buffer"), v.path("p_end")
	if begin == nil || end == nil {
		return nil
	}
	return v.rangeView(begin, end)
}

func viewETLString(v *Value) *view {
	n, ok := v.path("current_size").uint()
	if !ok {
		return nil
	}
	return v.textView(v.path("p_buffer"), n)
}

func viewETLArray(v *Value) *view {
	a := v.path("_buffer")
	if a == nil {
		return nil
	}
	return v.sequenceView(a)
}
