package inspect

// Views of the crate heapless, 0.7 to 0.9: what was a type of its own up to 0.8 is
// an alias of one that ends in Inner since.

func viewerHeapless(name string) func(*Value) *view {
	switch name {
	case "heapless::vec::Vec", "heapless::vec::VecInner":
		return viewHeaplessVec
	case "heapless::string::String", "heapless::string::StringInner":
		return viewHeaplessString
	case "heapless::deque::Deque", "heapless::deque::DequeInner":
		return viewHeaplessDeque
	case "heapless::spsc::Queue", "heapless::spsc::QueueInner":
		return viewHeaplessQueue
	case "heapless::binary_heap::BinaryHeap", "heapless::binary_heap::BinaryHeapInner":
		return viewHeaplessHeap
	case "heapless::linear_map::LinearMap", "heapless::linear_map::LinearMapInner":
		return viewLinearMap
	case "heapless::indexmap::IndexMap", "heapless::index_map::IndexMap":
		return viewIndexMap
	case "heapless::histbuf::HistoryBuffer", "heapless::history_buffer::HistoryBuffer", "heapless::history_buf::HistoryBufInner":
		return viewHistory
	}
	return nil
}

// heaplessBuffer returns the array that a container has in itself.
func heaplessBuffer(v *Value, name string) (buffer *Value, capacity uint64) {
	buffer = v.first(name+" buffer", name+" data", name)
	if buffer == nil || !buffer.inMemory {
		return nil, 0
	}
	n, ok := buffer.Type.underlying().count()
	if !ok {
		return nil, 0
	}
	return buffer, uint64(n)
}

func viewHeaplessVec(v *Value) *view {
	n, ok := v.path("len").uint()
	buffer, capacity := heaplessBuffer(v, "buffer")
	elem := v.Type.parameter(0)
	switch {
	case !ok || buffer == nil || elem == nil:
		return nil
	case n > capacity:
		return damaged("%d elements in a buffer for %d", n, capacity)
	}
	return v.arrayView(elem, uint64(buffer.addr), n)
}

func viewHeaplessString(v *Value) *view {
	bytes := v.path("vec")
	n, ok := bytes.path("len").uint()
	if !ok {
		return nil
	}
	buffer, capacity := heaplessBuffer(bytes, "buffer")
	switch {
	case buffer == nil:
		return nil
	case n > capacity:
		return damaged("%d bytes in a buffer for %d", n, capacity)
	}
	return v.rustText(bytes.Type.parameter(0), uint64(buffer.addr), n)
}

// heaplessRing is a view of n elements of a ring buffer that a container has in
// itself.
func heaplessRing(v *Value, name string, first, n uint64) *view {
	buffer, capacity := heaplessBuffer(v, name)
	elem := v.Type.parameter(0)
	if buffer == nil || elem == nil {
		return nil
	}
	return v.ringView(elem, uint64(buffer.addr), capacity, first, n)
}

func viewHeaplessDeque(v *Value) *view {
	front, ok := v.path("front").uint()
	back, ok2 := v.path("back").uint()
	full, ok3 := v.path("full").uint()
	_, capacity := heaplessBuffer(v, "buffer")
	switch {
	case !ok || !ok2 || !ok3 || capacity == 0:
		return nil
	case front >= capacity || back >= capacity || full > 1 || full == 1 && front != back:
		return damaged("elements %d to %d of %d", front, back, capacity)
	case full == 1:
		return heaplessRing(v, "buffer", front, capacity)
	}
	return heaplessRing(v, "buffer", front, (back+capacity-front)%capacity)
}

// viewHeaplessQueue shows a queue between two threads, one place of which stays
// empty.
func viewHeaplessQueue(v *Value) *view {
	head, ok := v.path("head").uint()
	tail, ok2 := v.path("tail").uint()
	_, capacity := heaplessBuffer(v, "buffer")
	switch {
	case !ok || !ok2 || capacity == 0:
		return nil
	case head >= capacity || tail >= capacity:
		return damaged("elements %d to %d of %d", head, tail, capacity)
	}
	return heaplessRing(v, "buffer", head, (tail+capacity-head)%capacity)
}

func viewHeaplessHeap(v *Value) *view {
	data := v.path("data")
	if data == nil {
		return nil
	}
	return viewHeaplessVec(data.named(v.Expr))
}

// pairsView is a view of the elements of a vector, of which members are the key
// and the value.
func (v *Value) pairsView(vec *Value, key, value string) *view {
	if vec == nil {
		return nil
	}
	elements := viewHeaplessVec(vec)
	if elements == nil || elements.elements == nil {
		return elements
	}
	return &view{count: elements.count, keyed: true, elements: func(start, end int) []Child {
		var list []Child
		for i, c := range elements.elements(start, end) {
			k, e := c.Value.path(key), c.Value.path(value)
			if k == nil || e == nil {
				break
			}
			list = append(list, v.keyed(start+i, k, e))
		}
		return list
	}}
}

func viewLinearMap(v *Value) *view { return v.pairsView(v.path("buffer"), "__0", "__1") }

func viewIndexMap(v *Value) *view { return v.pairsView(v.path("core", "entries"), "key", "value") }

// viewHistory shows a buffer that forgets its oldest elements, those first.
func viewHistory(v *Value) *view {
	at, ok := v.path("write_at").uint()
	filled, ok2 := v.path("filled").uint()
	_, capacity := heaplessBuffer(v, "data")
	switch {
	case !ok || !ok2 || capacity == 0:
		return nil
	case at >= capacity || filled > 1:
		return damaged("element %d of %d is written next", at, capacity)
	case filled == 0:
		return heaplessRing(v, "data", 0, at)
	}
	return heaplessRing(v, "data", at, capacity)
}
