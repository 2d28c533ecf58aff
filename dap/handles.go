package dap

// handles gives positive ids to values: the same value always gets the same
// id, so that ids stay good for as long as the debuggee does.
type handles[T comparable] struct {
	ids    map[T]int
	values []T
	before int // ids that were given out before clear, and the base of all
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
	h.ids[v] = h.before + len(h.values)
	return h.before + len(h.values)
}

// value returns the value that id was given to.
func (h *handles[T]) value(id int) (T, bool) {
	i := id - h.before - 1
	if i < 0 || i >= len(h.values) {
		var none T
		return none, false
	}
	return h.values[i], true
}

// clear takes all ids back; none of them is given out again.
func (h *handles[T]) clear() {
	h.before += len(h.values)
	h.ids, h.values = nil, nil
}
