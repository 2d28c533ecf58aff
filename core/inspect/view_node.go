package inspect

import (
	"fmt"
	"strconv"
	"strings"
)

// Views of containers that are made of nodes. Elements are reached node by node:
// the first of a page costs the nodes before it.

func decimal(i int) string { return strconv.Itoa(i) }

// maxNodes bounds the nodes that one view follows.
const maxNodes = 1 << 16

// chain is how elements in nodes are reached.
type chain struct {
	count  uint64
	first  uint32 // address of the first node; end where there is none
	end    uint32 // what follows the last: 0 or the address of a head
	offset uint32 // of the element in a node
	elem   *Type
	// next returns the address of the node after one, or how it is damaged.
	next func(node uint32) (uint32, error)
}

// chainView is a view of the elements of a chain, or says what is wrong with its
// first node.
func (v *Value) chainView(c chain, first uint32, err error) *view {
	if c.elem == nil {
		return nil
	}
	if err != nil {
		return damaged("%s", strings.TrimPrefix(reason(err, v.ctx.frame), "damaged: "))
	}
	if c.first = first; c.count > maxCount {
		return damaged("%d elements", c.count)
	}
	out := &view{count: int(c.count), elements: func(start, end int) []Child { return v.page(c, start, end) }}
	if c.count <= maxMembers && c.goesOn() {
		out.note = fmt.Sprintf("damaged: there are more than %d nodes", c.count)
	}
	return out
}

// goesOn reports whether another node follows the last element.
func (c *chain) goesOn() bool {
	node, seen := c.first, make(map[uint32]bool)
	for range c.count {
		next, err := c.next(node)
		if err != nil || node == c.end || seen[node] {
			return false // elements say so
		}
		seen[node] = true
		node = next
	}
	return node != c.end && !seen[node]
}

// page returns the elements of a chain from start up to end. Where it is damaged,
// the last one says how.
func (v *Value) page(c chain, start, end int) []Child {
	var list []Child
	seen := make(map[uint32]bool)
	node := c.first
	for i := range end {
		e := v.ctx.memory(c.elem, node+c.offset)
		switch {
		case node == c.end:
			e = v.broken("the nodes end after %d of %d elements", i, c.count)
		case seen[node]:
			e = v.broken("the nodes of %d elements go round in a circle of %d", c.count, len(seen))
		case i >= maxNodes:
			e = v.ctx.failed(typeVoid, fmt.Errorf("%d nodes are followed at most", maxNodes))
		}
		if e.err != nil {
			return append(list, Child{"[" + decimal(max(i, start)) + "]", e})
		}
		if i >= start {
			list = append(list, v.numbered(i, e))
		}
		seen[node] = true
		next, err := c.next(node)
		if err != nil && i+1 < end {
			return append(list, Child{"[" + decimal(max(i+1, start)) + "]", v.ctx.failed(typeVoid, err)})
		}
		node = next
	}
	return list
}

func alignUp(n, align uint32) uint32 { return (n + align - 1) / align * align }

// word reads a pointer in memory.
func (c *context) word(addr uint32) (uint32, error) {
	n, err := c.memory(typeUint, addr).bits()
	return uint32(n), err
}

// notLinked tells that a node does not point back to the one that points to it.
func notLinked(node, from uint32) error {
	return fmt.Errorf("damaged: node 0x%08x, which 0x%08x leads to, does not lead back", node, from)
}

// doubly returns the next function of nodes that are linked both ways.
func (c *context) doubly(next, previous uint32) func(uint32) (uint32, error) {
	return func(node uint32) (uint32, error) {
		to, err := c.word(node + next)
		if err != nil {
			return 0, err
		}
		back, err := c.word(to + previous)
		if err == nil && back != node {
			err = notLinked(to, node)
		}
		return to, err
	}
}

// treeLinks are the offsets of the pointers of a node of a binary tree.
type treeLinks struct{ parent, left, right uint32 }

// maxTreeDepth bounds the steps from a node of a tree to the next.
const maxTreeDepth = 64

// successor is the next node in the order of the keys, end after the last.
func (c *context) successor(l treeLinks, node, end uint32) (uint32, error) {
	right, err := c.word(node + l.right)
	if err != nil {
		return 0, err
	}
	if right != 0 {
		return c.leftmost(l, node, right)
	}
	for range maxTreeDepth {
		parent, err := c.word(node + l.parent)
		if err != nil || parent == end {
			return parent, err
		}
		left, err := c.word(parent + l.left)
		if err != nil {
			return 0, err
		}
		if left == node {
			return parent, nil
		}
		if right, err := c.word(parent + l.right); err != nil || right != node {
			return 0, notLinked(parent, node)
		}
		node = parent
	}
	return 0, errDeepTree
}

var errDeepTree = fmt.Errorf("damaged: a tree of more than %d levels", maxTreeDepth)

// leftmost is the first node below one that is a child of another.
func (c *context) leftmost(l treeLinks, from, node uint32) (uint32, error) {
	for range maxTreeDepth {
		parent, err := c.word(node + l.parent)
		if err == nil && parent != from {
			err = notLinked(node, from)
		}
		if err != nil {
			return 0, err
		}
		left, err := c.word(node + l.left)
		if err != nil || left == 0 {
			return node, err
		}
		from, node = node, left
	}
	return 0, errDeepTree
}

// tree returns the next function of a tree whose head is at end.
func (c *context) tree(l treeLinks, end uint32) func(uint32) (uint32, error) {
	return func(node uint32) (uint32, error) { return c.successor(l, node, end) }
}
