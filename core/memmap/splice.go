package memmap

import (
	"cmp"
	"container/heap"
	"slices"
)

// splice returns what is visible of regions, ascending: at each address the
// region with the highest index that covers it. It sweeps over the sorted
// bounds with the covering regions in a heap, n log n for n regions, so that
// a file with tens of thousands of segments in any order is no burden.
func splice(regions []region) []span {
	byStart := make([]int, len(regions)) // indices of regions
	bounds := make([]uint64, 0, 2*len(regions))
	for i, r := range regions {
		byStart[i] = i
		bounds = append(bounds, uint64(r.Addr), r.End())
	}
	slices.SortFunc(byStart, func(a, b int) int { return cmp.Compare(regions[a].Addr, regions[b].Addr) })
	slices.Sort(bounds)
	bounds = slices.Compact(bounds)

	var spans []span
	var covering newestFirst
	winner := -1 // region that the last span belongs to
	for i, pos := range bounds {
		for len(byStart) > 0 && uint64(regions[byStart[0]].Addr) == pos {
			heap.Push(&covering, byStart[0])
			byStart = byStart[1:]
		}
		for len(covering) > 0 && regions[covering[0]].End() <= pos {
			heap.Pop(&covering)
		}
		if len(covering) == 0 {
			winner = -1
			continue
		}
		if covering[0] == winner {
			spans[len(spans)-1].end = bounds[i+1]
			continue
		}
		winner = covering[0]
		spans = append(spans, span{pos, bounds[i+1], regions[winner].source})
	}
	return spans
}

// newestFirst is a heap of region indices, the highest on top.
type newestFirst []int

func (h newestFirst) Len() int           { return len(h) }
func (h newestFirst) Less(i, j int) bool { return h[i] > h[j] }
func (h newestFirst) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *newestFirst) Push(x any)        { *h = append(*h, x.(int)) }
func (h *newestFirst) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}
