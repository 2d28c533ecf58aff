package inspect

import "strconv"

// Views of the containers of libstdc++ that are made of nodes. Elements are
// reached node by node: the first of a page costs the nodes before it.

func decimal(i int) string { return strconv.Itoa(i) }

// maxNodes bounds the nodes that one view follows.
const maxNodes = 1 << 16

// nodes is a view of n elements; next returns the address of the node after one,
// false where none is.
func (v *Value) nodes(n uint64, first uint32, elem *Type, header uint32, next func(uint32) (uint32, bool)) *view {
	if elem == nil {
		return nil
	}
	if n > maxCount {
		return &view{summary: damaged}
	}
	at := alignUp(header, alignOf(elem))
	return &view{count: int(n), elements: func(start, end int) []Child {
		var list []Child
		node, ok := first, true
		for i := 0; i < min(end, maxNodes) && ok && node != 0; i++ {
			if i >= start {
				list = append(list, Child{"[" + decimal(i) + "]", v.ctx.memory(elem, node+at)})
			}
			node, ok = next(node)
		}
		return list
	}}
}

func alignUp(n, align uint32) uint32 { return (n + align - 1) / align * align }

// word reads a pointer in memory.
func (c *context) word(addr uint32) (uint32, bool) {
	n, err := c.memory(typeUint, addr).bits()
	return uint32(n), err == nil
}

func viewList(v *Value) *view {
	head := v.path("_M_impl", "_M_node")
	n, ok := v.first("_M_impl _M_node _M_size", "_M_impl _M_node _M_storage").uint()
	if head == nil || !head.inMemory || !ok {
		return nil
	}
	first, ok := v.ctx.word(head.addr)
	if !ok {
		return nil
	}
	const header = 2 * pointerSize // _M_next, _M_prev
	return v.nodes(n, first, v.Type.parameter(0), header, func(node uint32) (uint32, bool) {
		next, ok := v.ctx.word(node)
		return next, ok && next != head.addr
	})
}

func viewHash(v *Value) *view {
	table := v.path("_M_h")
	if table == nil {
		return nil
	}
	n, ok := table.path("_M_element_count").uint()
	first, ok2 := table.path("_M_before_begin", "_M_nxt").uint()
	if !ok || !ok2 {
		return nil
	}
	const header = pointerSize // _M_nxt
	return v.nodes(n, uint32(first), table.Type.parameter(1), header, v.ctx.word)
}

// Offsets in _Rb_tree_node_base (bits/stl_tree.h): the color, then these.
const (
	treeParent = 4
	treeLeft   = 8
	treeRight  = 12
	treeHeader = 16
)

func viewTree(v *Value) *view {
	tree := v.path("_M_t")
	if tree == nil {
		return nil
	}
	n, ok := tree.path("_M_impl", "_M_node_count").uint()
	head := tree.path("_M_impl", "_M_header")
	if !ok || head == nil || !head.inMemory {
		return nil
	}
	first, ok := v.ctx.word(head.addr + treeLeft)
	if !ok {
		return nil
	}
	return v.nodes(n, first, tree.Type.parameter(1), treeHeader, func(node uint32) (uint32, bool) {
		next, ok := v.ctx.successor(node)
		return next, ok && next != head.addr
	})
}

// maxTreeDepth bounds the steps from a node of a tree to the next.
const maxTreeDepth = 64

// successor is the next node in the order of the keys.
func (c *context) successor(node uint32) (uint32, bool) {
	right, ok := c.word(node + treeRight)
	if !ok {
		return 0, false
	}
	if right != 0 {
		for range maxTreeDepth {
			left, ok := c.word(right + treeLeft)
			if !ok || left == 0 {
				return right, ok
			}
			right = left
		}
		return 0, false
	}
	for range maxTreeDepth {
		parent, ok := c.word(node + treeParent)
		if !ok {
			return 0, false
		}
		if r, ok := c.word(parent + treeRight); !ok || r != node {
			return parent, ok
		}
		node = parent
	}
	return 0, false
}
