package dap

// handles gives positive ids to values: the same value always gets the same
// id, so that ids stay good for as long as the debuggee does.
type handles[T comparable] struct {
	ids    map[T]int
	values []T
}

// id returns the id of v.
func (h *handles[T]) id(v T) int {
	if id, ok := h.ids[v]; ok {
		return id
	}
	if h.ids == nil {
		h.ids = map[T]int{}
	}
	h.values = append(h.values, v)
	h.ids[v] = len(h.values)
	return len(h.values)
}

// value returns the value that id was given to.
func (h *handles[T]) value(id int) (T, bool) {
	if id < 1 || id > len(h.values) {
		var none T
		return none, false
	}
	return h.values[id-1], true
}
