package inspect

import "strings"

// Views of the maps and sets of the Embedded Template Library: binary trees whose
// nodes do not know their parents.

// etlTree is how the nodes of a tree are laid out, and what is collected of it.
type etlTree struct {
	v          *Value
	key, value *Type // value is nil in a set
	children   uint32
	keyAt      uint32 // offsets of the element in a node
	valueAt    uint32
	start, end int
	at         int // the index of the next element
	list       []Child
	seen       map[uint32]bool
	broken     bool
}

func viewETLMap(v *Value) *view { return viewETLTree(v, true) }

func viewETLSet(v *Value) *view { return viewETLTree(v, false) }

func viewETLTree(v *Value, isMap bool) *view {
	n, ok := v.path("current_size").uint()
	most, ok2 := v.path("CAPACITY").uint()
	p := v.path("root_node").pointerIn()
	root, ok3 := p.uint()
	tree := etlTree{v: v}
	switch {
	case !ok || !ok2 || !ok3 || !tree.layout(p.Type.underlying().Elem(), isMap):
		return nil
	case n > most || n > maxCount:
		return damaged("%d elements in a tree for %d", n, most)
	}
	return &view{count: int(n), keyed: isMap, elements: func(start, end int) []Child {
		w := tree
		w.start, w.end, w.seen = start, end, make(map[uint32]bool)
		w.below(uint32(root), 0)
		if w.at < w.end && !w.broken {
			w.fail("the nodes end after %d of %d elements", w.at, n)
		}
		return w.list
	}}
}

// layout computes where a node has its element: in a class derived from that of
// nodes without one, which clang does not describe. The element begins behind the
// last member of the base, without its padding (Itanium C++ ABI 2.4).
func (w *etlTree) layout(node *Type, isMap bool) bool {
	for _, name := range []string{"imap<", "imultimap<", "iset<", "imultiset<"} {
		if w.key = w.v.parameterOf(name, 0); w.key != nil {
			if isMap {
				w.value = w.v.parameterOf(name, 1)
			}
			break
		}
	}
	if w.key == nil || isMap && w.value == nil {
		return false
	}
	end := w.links(node)
	align := alignOf(w.key)
	if isMap {
		align = max(align, alignOf(w.value))
	}
	w.keyAt = alignUp(end, align)
	if isMap {
		w.valueAt = alignUp(w.keyAt+elementSize(w.key), alignOf(w.value))
	}
	return true
}

// links finds the pointers to the nodes below a node, and returns where its last
// member ends. What clang does not describe is as in etl/map.h: the parent in a
// multimap, two children, two bytes.
func (w *etlTree) links(node *Type) (end uint32) {
	l, err := node.underlying().layout()
	if err != nil {
		if strings.HasPrefix(node.underlying().qualifiedName(), "etl::multi") {
			w.children = pointerSize
		}
		return w.children + 2*pointerSize + 2
	}
	for i := range l.Members {
		m := &l.Members[i]
		size, _ := m.Type.Size()
		if m.Name == "children" {
			w.children = m.Offset
		}
		end = max(end, m.Offset+size)
	}
	return end
}

// parameterOf is an argument of the template that v or a base class of it is, nil
// where neither has the name.
func (v *Value) parameterOf(name string, n int) *Type {
	if !strings.HasPrefix(v.Type.underlying().dwarf.TagName(), name) {
		if v = v.baseWithPrefix(name, 0); v == nil {
			return nil
		}
	}
	return v.Type.parameter(n)
}

// fail ends the walk with an element that says why.
func (w *etlTree) fail(format string, args ...any) {
	w.broken = true
	w.list = append(w.list, Child{"[" + decimal(max(w.at, w.start)) + "]", w.v.broken(format, args...)})
}

// below collects the elements of a node and of those below it in order.
func (w *etlTree) below(addr uint32, depth int) {
	if addr == 0 || w.broken || w.at >= w.end {
		return
	}
	left, err := w.v.ctx.word(addr + w.children)
	right, err2 := w.v.ctx.word(addr + w.children + pointerSize)
	switch {
	case err != nil || err2 != nil:
		w.fail("node 0x%08x is not there", addr)
		return
	case w.seen[addr] || depth > maxTreeDepth || len(w.seen) > maxNodes:
		w.fail("node 0x%08x is met a second time, or is too deep in the tree", addr)
		return
	}
	w.seen[addr] = true
	if w.below(left, depth+1); w.broken || w.at >= w.end {
		return
	}
	if w.at >= w.start {
		w.element(addr)
	}
	w.at++
	w.below(right, depth+1)
}

func (w *etlTree) element(addr uint32) {
	key := w.v.ctx.memory(w.key, addr+w.keyAt)
	if w.value == nil {
		w.list = append(w.list, w.v.numbered(w.at, key))
		return
	}
	w.list = append(w.list, w.v.keyed(w.at, key, w.v.ctx.memory(w.value, addr+w.valueAt)))
}
