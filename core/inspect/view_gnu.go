package inspect

// Views of libstdc++, whose layouts are those of bits/basic_string.h,
// stl_vector.h, stl_bvector.h, stl_deque.h, stl_list.h, stl_tree.h, hashtable.h,
// unique_ptr.h, shared_ptr_base.h, and of tuple, variant, optional and span.

func viewString(v *Value) *view {
	p := v.path("_M_dataplus", "_M_p")
	n, ok := v.path("_M_string_length").uint()
	addr, ok2 := p.uint()
	local := v.path("_M_local_buf")
	if !ok || !ok2 || local == nil {
		return nil
	}
	capacity, _ := v.path("_M_allocated_capacity").uint()
	if local.inMemory && addr == uint64(local.addr) {
		most, _ := local.Type.underlying().count()
		capacity = uint64(most) - 1
	}
	return v.terminatedView(p, n, capacity)
}

// viewBits shows vector<bool>: words of bits between two iterators.
func (v *Value) viewBits(begin, end *Value) *view {
	from, ok := begin.path("_M_p").uint()
	to, ok2 := end.path("_M_p").uint()
	skip, ok3 := begin.path("_M_offset").uint()
	last, ok4 := end.path("_M_offset").uint()
	limit, ok5 := v.path("_M_impl", "_M_end_of_storage").uint()
	if !(ok && ok2 && ok3 && ok4 && ok5) {
		return nil
	}
	const wordBits = 32
	switch {
	case to < from || to == from && last < skip:
		return damaged("it ends at 0x%08x, before it begins at 0x%08x", to, from)
	case skip >= wordBits || last >= wordBits:
		return damaged("bit %d of a word", max(skip, last))
	case to > limit:
		return damaged("it ends at 0x%08x, behind its buffer, which ends at 0x%08x", to, limit)
	}
	return v.bitsView(from, skip, (to-from)*8+last-skip)
}

func viewTuple(v *Value) *view {
	var heads []*Value
	for {
		head := v.baseWithPrefix("_Head_base<"+decimal(len(heads))+",", 0)
		if head == nil {
			head = v.baseWithPrefix("_Head_base<"+decimal(len(heads))+"U,", 0) // as clang writes it
		}
		if head == nil {
			break
		}
		heads = append(heads, head.memberOrBase("_M_head_impl"))
	}
	if len(heads) == 0 {
		return nil
	}
	return v.listView(heads)
}

// memberOrBase returns the element of a tuple that is a member of v or, of an empty
// class, a base of it.
func (v *Value) memberOrBase(name string) *Value {
	if m := v.path(name); m != nil {
		return m
	}
	return v
}

// viewVariant shows what a variant holds: one of unions in unions.
func viewVariant(v *Value) *view {
	number := v.path("_M_index")
	index, ok := number.uint()
	u := v.path("_M_u")
	if !ok || u == nil {
		return nil
	}
	if none := v.withoutAlternative(number, index); none != nil {
		return none
	}
	for range index {
		if u = u.path("_M_rest"); u == nil {
			return nil
		}
	}
	value := u.path("_M_first", "_M_storage")
	if value == nil || value.path("_M_storage") != nil { // bytes that hold an object with a destructor
		t := v.Type.parameter(int(index))
		if value == nil || t == nil {
			return nil
		}
		value = value.part(t, 0)
	}
	return v.holding("value", value)
}

// withoutAlternative returns the view of a variant that holds none of its
// alternatives, nil where it holds one. All bits of its index are set where it holds
// no value.
func (v *Value) withoutAlternative(number *Value, index uint64) *view {
	size, _ := number.Type.Size()
	switch {
	case extend(index, size*8, false) == extend(^uint64(0), size*8, false):
		return &view{summary: "valueless"}
	case index > maxAlternatives || v.Type.parameter(int(index)) == nil:
		return damaged("it holds alternative %d", index)
	}
	return nil
}

// maxAlternatives bounds the alternatives of a variant, each of which is in the
// union of those that follow it.
const maxAlternatives = 1 << 10

func viewList(v *Value) *view {
	head := v.path("_M_impl", "_M_node")
	n, ok := v.first("_M_impl _M_node _M_size", "_M_impl _M_node _M_storage").uint()
	if head == nil || !head.inMemory || !ok {
		return nil
	}
	elem := v.Type.parameter(0)
	next := v.ctx.doubly(0, pointerSize) // _M_next, _M_prev
	first, err := next(head.addr)
	return v.chainView(chain{
		count: n, end: head.addr, offset: v.afterHeader(2*pointerSize, elem), elem: elem, next: next,
	}, first, err)
}

// afterHeader is the offset of an element behind the pointers of a node.
func (v *Value) afterHeader(header uint32, elem *Type) uint32 {
	if elem == nil {
		return 0
	}
	return alignUp(header, alignOf(elem))
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
	elem := table.Type.parameter(1)
	return v.chainView(chain{
		count: n, offset: v.afterHeader(pointerSize, elem), elem: elem, next: v.ctx.word,
	}, uint32(first), nil)
}

// Offsets in _Rb_tree_node_base (bits/stl_tree.h): the color, then these.
var gnuTree = treeLinks{parent: 4, left: 8, right: 12}

const gnuTreeHeader = 16

func viewTree(v *Value) *view {
	tree := v.path("_M_t")
	n, ok := tree.path("_M_impl", "_M_node_count").uint()
	head := tree.path("_M_impl", "_M_header")
	if !ok || head == nil || !head.inMemory {
		return nil
	}
	elem := tree.Type.parameter(1)
	first, err := v.ctx.word(head.addr + gnuTree.left)
	return v.chainView(chain{
		count: n, end: head.addr, offset: v.afterHeader(gnuTreeHeader, elem), elem: elem,
		next: v.ctx.tree(gnuTree, head.addr),
	}, first, err)
}

// dequeNode is the size in bytes of a block of libstdc++'s deque.
const dequeNode = 512

func viewDeque(v *Value) *view {
	start, finish := v.path("_M_impl", "_M_start"), v.path("_M_impl", "_M_finish")
	current := start.path("_M_cur")
	if current == nil || finish == nil {
		return nil
	}
	elem := current.Type.underlying().Elem()
	size := uint64(elementSize(elem))
	first, ok := start.path("_M_first").uint()
	cur, ok2 := current.uint()
	node, ok3 := start.path("_M_node").uint()
	endNode, ok4 := finish.path("_M_node").uint()
	endCur, ok5 := finish.path("_M_cur").uint()
	endFirst, ok6 := finish.path("_M_first").uint()
	if size == 0 || !(ok && ok2 && ok3 && ok4 && ok5 && ok6) {
		return nil
	}
	perNode := max(dequeNode/size, 1)
	skip, behind := (cur-first)/size, (endCur-endFirst)/size
	switch {
	case cur < first || skip > perNode || endCur < endFirst || behind > perNode:
		return damaged("an end of it is in no block")
	case endNode < node || endNode == node && behind < skip:
		return damaged("it ends before it begins")
	}
	n := (endNode-node)/pointerSize*perNode + behind - skip
	return v.blocksView(elem, node, perNode, skip, n)
}

// blocksView is a view of n elements in blocks of perBlock, whose addresses are
// in a row; skip elements of the first are not there.
func (v *Value) blocksView(elem *Type, blocks, perBlock, skip, n uint64) *view {
	size := uint64(elementSize(elem))
	if n > maxCount {
		return damaged("%d elements", n)
	}
	return &view{count: int(n), elements: func(start, end int) []Child {
		var list []Child
		for i := start; i < end; i++ {
			at := uint64(i) + skip
			block, err := v.ctx.word(uint32(blocks + at/perBlock*pointerSize))
			e := v.ctx.memory(elem, block+uint32(at%perBlock*size))
			if err != nil {
				e = v.ctx.failed(elem, err)
			}
			list = append(list, v.numbered(i, e))
		}
		return list
	}}
}
