package dump

import (
	"math"
	"slices"

	"pushmask/core"
	"pushmask/core/memmap"
)

// finish completes a dump whose memory and threads are in place: it lists the
// regions, makes the thread IDs valid and puts the crashed thread first.
func (d *Dump) finish() {
	d.listRegions(&d.mem)
	d.numberThreads()
	d.sortThreads()
}

// sortThreads puts the crashed thread first.
func (d *Dump) sortThreads() {
	slices.SortStableFunc(d.threads, func(a, b thread) int {
		switch {
		case a.Crashed == b.Crashed:
			return 0
		case a.Crashed:
			return -1
		}
		return 1
	})
}

func (d *Dump) listRegions(m *memmap.Map) {
	for _, r := range m.Regions() {
		d.Regions = append(d.Regions, Region{r.Addr, uint32(min(r.Size, math.MaxUint32))})
	}
}

// numberThreads makes thread IDs positive and unique. A thread keeps the ID
// of its system where that is positive and no earlier thread has it; the
// others (the idle task of NuttX has pid 0) get the smallest positive IDs
// that the file does not use.
func (d *Dump) numberThreads() {
	used := make(map[core.ThreadID]bool, len(d.threads))
	for _, t := range d.threads {
		used[t.ID] = true
	}
	kept := make(map[core.ThreadID]bool, len(d.threads))
	next := core.ThreadID(1)
	for i := range d.threads {
		t := &d.threads[i]
		if t.ID > 0 && !kept[t.ID] {
			kept[t.ID] = true
			continue
		}
		for used[next] {
			next++
		}
		t.ID, used[next] = next, true
	}
}
