package inspect

import (
	"fmt"
	"math/bits"
)

// Views of Rust's maps and sets: B-trees (alloc/src/collections/btree/node.rs) and
// the hash tables of hashbrown, which std's are.

// Limits of B-trees: a node holds 11 keys (CAPACITY), and no address space has one
// of more levels.
const (
	btreeCapacity = 11
	btreeHeight   = 16
)

// btree is how the keys and values of a B-tree are laid out.
type btree struct {
	ctx                      *context
	key, value               *Type
	keys, vals, length       uint32 // offsets in a leaf
	parent, edges            uint32 // of the parent, and of the children of an inner node
	keySize, valSize, height uint32
	count                    uint64
}

func viewBTreeSet(v *Value) *view {
	tree := v.path("map")
	if tree == nil {
		return nil
	}
	return viewBTreeMap(tree.named(v.Expr))
}

func viewBTreeMap(v *Value) *view {
	n, ok := v.path("length").uint()
	root := v.path("root")
	if !ok || root == nil {
		return nil
	}
	t := btree{ctx: v.ctx, key: v.Type.parameter(0), value: v.Type.parameter(1), count: n}
	ref := root.first("Some __0", "__0")
	if ref == nil {
		if n > 0 {
			return damaged("%d elements without a node", n)
		}
		return &view{elements: func(int, int) []Child { return nil }}
	}
	height, ok := ref.path("height").uint()
	node := ref.path("node").pointerIn()
	first, ok2 := node.uint()
	if !ok || !ok2 || !t.layout(node.Type.underlying().Elem()) {
		return nil
	}
	if height > btreeHeight || n > maxCount {
		return damaged("%d elements in a tree of %d levels", n, height+1)
	}
	t.height = uint32(height)
	isSet := elementSize(t.value) == 0 && t.value.dwarf != nil && t.value.dwarf.TagName() == "SetValZST"
	return &view{count: int(n), keyed: !isSet, elements: func(start, end int) []Child {
		w := btreeWalk{btree: &t, v: v, start: start, end: end, isSet: isSet, seen: make(map[uint32]bool)}
		w.node(uint32(first), 0, t.height)
		return w.list
	}}
}

// layout reads the offsets from the type of a leaf.
func (t *btree) layout(leaf *Type) bool {
	l, _ := leaf.underlying().layout()
	size, ok := leaf.Size()
	found := 0
	for i := range l.Members {
		at := l.Members[i].Offset
		switch l.Members[i].Name {
		case "parent":
			t.parent = at
		case "keys":
			t.keys = at
		case "vals":
			t.vals = at
		case "len":
			t.length = at
		default:
			continue
		}
		found++
	}
	t.edges = alignUp(size, pointerSize) // InternalNode is a LeafNode and edges
	if t.key == nil || t.value == nil {
		return false
	}
	t.keySize, t.valSize = elementSize(t.key), elementSize(t.value)
	return ok && found == 4
}

// btreeWalk collects elements in the order of the keys.
type btreeWalk struct {
	*btree
	v          *Value
	start, end int
	isSet      bool
	at         int // the index of the next element
	list       []Child
	seen       map[uint32]bool
	broken     bool
}

// fail ends the walk with an element that says why.
func (w *btreeWalk) fail(err error) {
	w.broken = true
	w.list = append(w.list, Child{"[" + decimal(max(w.at, w.start)) + "]", w.ctx.failed(typeVoid, err)})
}

// done reports whether there is nothing more to collect.
func (w *btreeWalk) done() bool { return w.broken || w.at >= w.end }

// node collects the elements of a node and of those below it.
func (w *btreeWalk) node(addr, parent, height uint32) {
	n, err := w.ctx.memory(typeUshort, addr+w.length).bits()
	up, err2 := w.ctx.word(addr + w.parent)
	switch {
	case err != nil:
		w.fail(err)
	case err2 != nil:
		w.fail(err2)
	case n > btreeCapacity || n == 0 && w.count > 0:
		w.fail(fmt.Errorf("damaged: node 0x%08x has %d keys", addr, n))
	case up != parent:
		w.fail(notLinked(addr, parent))
	case w.seen[addr] || len(w.seen) > maxNodes:
		w.fail(fmt.Errorf("damaged: more than %d nodes", len(w.seen)))
	default:
		w.seen[addr] = true
		w.keysOf(addr, height, uint32(n))
	}
	if height == w.height && !w.done() {
		w.fail(fmt.Errorf("damaged: the nodes end after %d of %d elements", w.at, w.count))
	}
}

// keysOf collects the n elements of a node and those between them.
func (w *btreeWalk) keysOf(addr, height, n uint32) {
	for i := range n + 1 {
		if height > 0 && !w.done() {
			child, err := w.ctx.word(addr + w.edges + i*pointerSize)
			if err != nil {
				w.fail(err)
				return
			}
			w.node(child, addr, height-1)
		}
		if w.done() || i == n {
			return
		}
		w.element(addr, i)
	}
}

func (w *btreeWalk) element(addr, i uint32) {
	if w.at >= w.start {
		key := w.ctx.memory(w.key, addr+w.keys+i*w.keySize)
		if w.isSet {
			w.list = append(w.list, w.v.numbered(w.at, key))
		} else {
			w.list = append(w.list, w.v.keyed(w.at, key, w.ctx.memory(w.value, addr+w.vals+i*w.valSize)))
		}
	}
	w.at++
}

// keyed is an element of a map that has a key.
func (v *Value) keyed(i int, key, value *Value) Child {
	var w writer
	w.value(key, 1)
	c := v.numbered(i, value)
	c.Name += " " + w.String()
	return c
}

func viewHashSet(v *Value) *view {
	return v.hashbrown(v.first("base map table", "map table", "base table"), true)
}

func viewHashMap(v *Value) *view { return v.hashbrown(v.first("base table", "table"), false) }

// hashbrown is a view of a table: a control byte for each bucket, whose top bit is
// clear where the bucket is full; the buckets lie before them, the first next to
// them.
func (v *Value) hashbrown(raw *Value, isSet bool) *view {
	inner := raw.first("table")
	ctrl, ok := inner.path("ctrl").uint()
	mask, ok2 := inner.path("bucket_mask").uint()
	items, ok3 := inner.path("items").uint()
	if !ok || !ok2 || !ok3 {
		return nil
	}
	pair := raw.Type.parameter(0)
	size := uint64(elementSize(pair))
	buckets := mask + 1
	switch {
	case bits.OnesCount64(buckets) != 1 || items > buckets || buckets > maxCount:
		return damaged("%d elements in %d buckets", items, buckets)
	case items > 0 && ctrl < buckets*size:
		return damaged("%d buckets before 0x%08x", buckets, ctrl)
	}
	return &view{count: int(items), keyed: !isSet, elements: func(start, end int) []Child {
		var list []Child
		full := fullBuckets{ctx: v.ctx, ctrl: uint32(ctrl), buckets: uint32(buckets)}
		for i := 0; i < end; i++ {
			bucket, err := full.next()
			if err != nil {
				return append(list, Child{"[" + decimal(max(i, start)) + "]", v.ctx.failed(typeVoid, err)})
			}
			if i < start {
				continue
			}
			e := v.ctx.memory(pair, uint32(ctrl-uint64(bucket+1)*size))
			key, value := e.path("__0"), e.path("__1")
			switch {
			case key == nil || value == nil:
				list = append(list, v.numbered(i, e))
			case isSet:
				list = append(list, v.numbered(i, key))
			default:
				list = append(list, v.keyed(i, key, value))
			}
		}
		return list
	}}
}

// fullBuckets finds the full buckets of a table.
type fullBuckets struct {
	ctx           *context
	ctrl, buckets uint32
	at            uint32
	chunk         content
}

// next returns the number of the next full bucket.
func (f *fullBuckets) next() (uint32, error) {
	const chunk = 64
	for ; f.at < f.buckets; f.at++ {
		if i := f.at % chunk; i == 0 || f.chunk.data == nil {
			f.chunk = readMemory(f.ctx.frame.Memory, f.ctrl+f.at-i, min(chunk, f.buckets))
		}
		if i := f.at % chunk; !f.chunk.complete(i, 1) {
			return 0, f.chunk.reason()
		} else if f.chunk.data[i] < 0x80 {
			f.at++
			return f.at - 1, nil
		}
		if f.at >= maxNodes {
			return 0, fmt.Errorf("%d buckets are looked at at most", maxNodes)
		}
	}
	return 0, fmt.Errorf("damaged: fewer buckets are full than there are elements")
}
