package dap

import "sync"

// breakpointIDs are the client's ids of a target's breakpoints: several targets
// share the breakpoints of a session, and the first gives out the ids. It is
// safe for concurrent use, as a running target reports on its breakpoints.
type breakpointIDs struct {
	mu  sync.Mutex
	ids map[int]int // by the target's own
}

func (b *breakpointIDs) set(own, client int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ids == nil {
		b.ids = map[int]int{}
	}
	b.ids[own] = client
}

// client returns the client's id. Those of the first target are its own.
func (b *breakpointIDs) client(own int) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if id, ok := b.ids[own]; ok {
		return id
	}
	return own
}

// clients converts a list.
func (b *breakpointIDs) clients(own []int) []int {
	var list []int
	for _, id := range own {
		list = append(list, b.client(id))
	}
	return list
}
