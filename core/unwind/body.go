package unwind

import (
	"slices"

	"pushmask/core"
)

// maxBodyRows bounds the rows tried for code that is not reached.
const maxBodyRows = 4

// bodyRows returns the rows that hold at most of the function's calls, the
// most frequent first: those of its body.
func (p *Plan) bodyRows() []Row {
	p.bodyOnce.Do(func() { p.body = p.countRows() })
	return p.body
}

func (p *Plan) countRows() []Row {
	type counted struct {
		row Row
		n   int
	}
	var all []counted
	for _, b := range p.blocks {
		for pc := b.addr; pc < b.end; {
			i, err := fetch(p.text, pc, b.thumb)
			if err != nil {
				break
			}
			if isCall(&i) {
				for _, r := range p.rowsAt(pc, true) {
					r.floats = floats{} // they are of that call
					k := slices.IndexFunc(all, func(c counted) bool { return c.row.same(&r) })
					if k < 0 {
						all = append(all, counted{row: r})
						k = len(all) - 1
					}
					all[k].n++
				}
			}
			pc = i.Next()
		}
	}
	slices.SortStableFunc(all, func(x, y counted) int { return y.n - x.n })
	var rows []Row
	for _, c := range all[:min(len(all), maxBodyRows)] {
		rows = append(rows, c.row)
	}
	return rows
}

// reachedBelow is the end of the reached code below pc.
func (p *Plan) reachedBelow(pc core.Addr) core.Addr {
	low := p.Func.Entry
	for _, b := range p.blocks {
		if b.end <= pc {
			low = max(low, b.end)
		}
	}
	return low
}
