package elfsym

import (
	"cmp"
	"slices"
)

// interval is the address range [lo, hi) of something.
type interval[T any] struct {
	lo, hi uint32
	value  T
}

// intervals finds the ranges that contain an address; ranges may overlap.
type intervals[T any] struct {
	list  []interval[T] // sorted by lo
	reach []uint32      // largest hi up to and including this index
}

func newIntervals[T any](list []interval[T]) intervals[T] {
	slices.SortStableFunc(list, func(a, b interval[T]) int { return cmp.Compare(a.lo, b.lo) })
	x := intervals[T]{list, make([]uint32, len(list))}
	var reach uint32
	for i := range list {
		reach = max(reach, list[i].hi)
		x.reach[i] = reach
	}
	return x
}

// containing returns the ranges that contain pc, the one that begins last first.
func (x intervals[T]) containing(pc uint32) []interval[T] {
	i, _ := slices.BinarySearchFunc(x.list, uint64(pc)+1, func(v interval[T], a uint64) int {
		return cmp.Compare(uint64(v.lo), a)
	})
	var out []interval[T]
	for i--; i >= 0 && x.reach[i] > pc; i-- {
		if x.list[i].hi > pc {
			out = append(out, x.list[i])
		}
	}
	return out
}
