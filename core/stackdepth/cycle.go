package stackdepth

// group is a strongly connected component of the call graph: one function, or
// functions that call each other in cycles.
type group struct {
	members []*Function
	grows   bool // a call between members has stack in use
	cut     bool // not all ways through the group were tried
}

// tarjan finds the groups of a call graph (R. Tarjan, Depth-first search and
// linear graph algorithms, 1972), without recursion: call chains of generated
// code are long.
type tarjan struct {
	index map[*Function]int
	low   map[*Function]int
	stack []*Function
	found []*group // callees before callers
}

// components returns the groups of a call graph, callees before callers.
func components(all []*Function) []*group {
	t := tarjan{index: make(map[*Function]int, len(all)), low: make(map[*Function]int, len(all))}
	for _, f := range all {
		if f.group == nil {
			t.visit(f)
		}
	}
	return t.found
}

// step is a function that is being visited, and the call it is at.
type step struct {
	f    *Function
	next int
}

// visit finds the groups of everything that can be reached from root.
func (t *tarjan) visit(root *Function) {
	path := []step{t.enter(root)}
	for len(path) > 0 {
		s := &path[len(path)-1]
		if s.next < len(s.f.calls) {
			to := s.f.calls[s.next].to
			s.next++
			if to == nil || to.group != nil {
				continue
			}
			if i, seen := t.index[to]; seen {
				t.low[s.f] = min(t.low[s.f], i)
			} else {
				path = append(path, t.enter(to))
			}
			continue
		}
		f := s.f
		path = path[:len(path)-1]
		if len(path) > 0 {
			up := path[len(path)-1].f
			t.low[up] = min(t.low[up], t.low[f])
		}
		if t.low[f] == t.index[f] {
			t.close(f)
		}
	}
}

func (t *tarjan) enter(f *Function) step {
	n := len(t.index)
	t.index[f], t.low[f] = n, n
	t.stack = append(t.stack, f)
	return step{f: f}
}

// close makes a group of f and what was found after it.
func (t *tarjan) close(f *Function) {
	g := new(group)
	for f.group == nil {
		last := len(t.stack) - 1
		t.stack[last].group = g
		g.members = append(g.members, t.stack[last])
		t.stack = t.stack[:last]
	}
	t.found = append(t.found, g)
}
