package inspect

import "strings"

// Views of libc++, whose layouts are those of its <string>, <vector>, <deque>,
// <list>, <map>, <__tree>, <__hash_table>, <variant> and <tuple>. Up to 19 a member
// is paired with an allocator or a comparison, and is __value_ in the pair; by the
// headers of 20 (__memory/compressed_pair.h) it is a member like others since.

// viewStringLLVM shows a string: one bit of it says which of two layouts it has.
func viewStringLLVM(v *Value) *view {
	r := v.first("__r_ __value_", "__rep_")
	short, long := r.path("__s"), r.path("__l")
	data := short.path("__data_")
	isLong, ok := short.path("__is_long_").uint()
	if !ok || long == nil || data == nil || !data.inMemory {
		return nil
	}
	if isLong == 0 {
		n, ok := short.path("__size_").uint()
		capacity, ok2 := data.Type.underlying().count()
		if !ok || !ok2 || capacity == 0 {
			return nil
		}
		return v.terminatedView(data.decayed(), n, uint64(capacity)-1)
	}
	n, ok := long.path("__size_").uint()
	capacity, ok2 := long.path("__cap_").uint()
	if !ok || !ok2 {
		return nil
	}
	// The capacity, which is even, counts the NUL; where its lowest bit says
	// which layout it is, half of it is stored.
	if flag := long.path("__is_long_"); flag != nil && flag.bitSize == 1 && flag.bitOffset == 0 && flag.addr == long.addr {
		capacity *= 2
	}
	return v.terminatedView(long.path("__data_"), n, max(capacity, 1)-1)
}

// viewBitsLLVM shows vector<bool>: words of bits and their number.
func (v *Value) viewBitsLLVM(begin *Value) *view {
	addr, ok := begin.uint()
	n, ok2 := v.path("__size_").uint()
	words, ok3 := v.first("__cap_alloc_ __value_", "__cap_").uint()
	if !ok || !ok2 || !ok3 {
		return nil
	}
	if n > words*32 {
		return damaged("%d bits in %d words", n, words)
	}
	return v.bitsView(addr, 0, n)
}

func viewDequeLLVM(v *Value) *view {
	blocks, end := v.path("__map_", "__begin_"), v.path("__map_", "__end_")
	start, ok := v.path("__start_").uint()
	n, ok2 := v.first("__size_ __value_", "__size_").uint()
	first, ok3 := blocks.uint()
	last, ok4 := end.uint()
	elem := v.Type.parameter(0)
	if !(ok && ok2 && ok3 && ok4) || elem == nil {
		return nil
	}
	size := uint64(elementSize(elem))
	perBlock := uint64(16)
	if size > 0 && size < 256 { // __deque_block_size
		perBlock = 4096 / size
	}
	if last < first || start+n > (last-first)/pointerSize*perBlock {
		return damaged("%d elements from %d on in %d blocks of %d", n, start, int64(last-first)/pointerSize, perBlock)
	}
	return v.blocksView(elem, first, perBlock, start, n)
}

func viewListLLVM(v *Value) *view {
	head := v.path("__end_")
	n, ok := v.first("__size_alloc_ __value_", "__size_").uint()
	elem := v.Type.parameter(0)
	if head == nil || !head.inMemory || !ok || elem == nil {
		return nil
	}
	next := v.ctx.doubly(pointerSize, 0) // __prev_, __next_
	first, err := next(head.addr)
	return v.chainView(chain{
		count: n, end: head.addr, offset: v.afterHeader(2*pointerSize, elem), elem: elem, next: next,
	}, first, err)
}

// Offsets in __tree_node_base; the color, one byte, is behind them.
var llvmTree = treeLinks{left: 0, right: 4, parent: 8}

const llvmTreeHeader = 13

// viewMapLLVM shows a map, of whose nodes the allocator names the type.
func viewMapLLVM(v *Value) *view { return v.treeLLVM(v.Type.parameter(3)) }

func viewSetLLVM(v *Value) *view { return v.treeLLVM(v.Type.parameter(2)) }

func (v *Value) treeLLVM(allocator *Type) *view {
	tree := v.path("__tree_")
	first, ok := tree.path("__begin_node_").uint()
	head := tree.first("__pair1_ __value_", "__end_node_")
	n, ok2 := tree.first("__pair3_ __value_", "__size_").uint()
	if !ok || !ok2 || head == nil || !head.inMemory || allocator == nil {
		return nil
	}
	elem := allocator.parameter(0)
	return v.chainView(chain{
		count: n, end: head.addr, offset: v.afterHeader(llvmTreeHeader, elem), elem: elem,
		next: v.ctx.tree(llvmTree, head.addr),
	}, uint32(first), nil)
}

func viewHashMapLLVM(v *Value) *view { return v.hashLLVM(v.Type.parameter(4)) }

func viewHashSetLLVM(v *Value) *view { return v.hashLLVM(v.Type.parameter(3)) }

func (v *Value) hashLLVM(allocator *Type) *view {
	table := v.path("__table_")
	first, ok := table.first("__p1_ __value_ __next_", "__first_node_ __next_").uint()
	n, ok2 := table.first("__p2_ __value_", "__size_").uint()
	if !ok || !ok2 || allocator == nil {
		return nil
	}
	elem := allocator.parameter(0)
	const header = 2 * pointerSize // __next_, __hash_
	return v.chainView(chain{
		count: n, offset: v.afterHeader(header, elem), elem: elem, next: v.ctx.word,
	}, uint32(first), nil)
}

// viewTupleLLVM shows a tuple, which has a base class for each element.
func viewTupleLLVM(v *Value) *view {
	base := v.path("__base_")
	if base == nil {
		return nil
	}
	l, _ := base.Type.underlying().layout()
	var leaves []*Value
	for i := range l.Members {
		m := &l.Members[i]
		if !m.Base || !strings.HasPrefix(m.Type.TagName(), "__tuple_leaf<") {
			continue
		}
		leaf := base.member(m)
		leaves = append(leaves, leaf.memberOrBase("__value_"))
	}
	if len(leaves) == 0 {
		return nil
	}
	return v.listView(leaves)
}

// viewVariantLLVM shows what a variant holds: one of unions in unions.
func viewVariantLLVM(v *Value) *view {
	impl := v.first("__impl_", "__impl")
	number := impl.first("__index", "__index_")
	index, ok := number.uint()
	u := impl.first("__data", "__data_")
	if !ok || u == nil {
		return nil
	}
	if none := v.withoutAlternative(number, index); none != nil {
		return none
	}
	for range index {
		if u = u.first("__tail", "__tail_"); u == nil {
			return nil
		}
	}
	value := u.first("__head __value", "__head_ __value_")
	if value == nil {
		return nil
	}
	return v.holding("value", value)
}
