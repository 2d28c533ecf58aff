package unwind

import (
	"slices"

	"pushmask/core"
	"pushmask/elfsym"
)

// vector is an entry of a vector table.
type vector struct {
	number  int
	handler core.Addr
}

// vectorTable is the vector table of an image.
type vectorTable struct {
	of   *elfsym.Image // nil where the code is of no ELF
	top  core.Addr     // initial SP
	list []vector      // by number; empty ones are left out
}

// maxVectors is the largest vector table of ARMv8-M: 16 system exceptions and
// 480 interrupts (Armv8-M ARM B3.9).
const maxVectors = 496

// findVectorTables looks for the table of each image: at its lowest code, or,
// behind what boot ROMs read first, where another piece of its code begins with
// a table whose reset handler is the ELF's entry.
func (p *Program) findVectorTables() {
	var order imageText
	order = append(order, p.text...)
	slices.SortStableFunc(order, func(x, y extent) int { return int(int64(x.lo) - int64(y.lo)) })
	lowest := make(map[*elfsym.Image]bool)
	found := make(map[*elfsym.Image]bool)
	for _, e := range order {
		t, ok := p.vectorTableAt(&e)
		first := !lowest[e.of]
		lowest[e.of] = true
		if ok && !found[e.of] && (first || t.startsAtEntry()) {
			found[e.of] = true
			p.vectorTables = append(p.vectorTables, t)
		}
	}
}

// startsAtEntry reports whether the reset handler is the entry of the ELF.
func (t *vectorTable) startsAtEntry() bool {
	return t.of != nil && t.list[0] == vector{1, core.Addr(t.of.Entry() &^ 1)}
}

// vectorTableAt reads the vector table at the start of e, if there is one: an
// initial SP that is word aligned and no code, then odd addresses of code outside of
// the table (Armv7-M ARM B1.5.3).
func (p *Program) vectorTableAt(e *extent) (vectorTable, bool) {
	if len(e.data) < 8 {
		return vectorTable{}, false
	}
	sp := le32(e.data)
	if sp&3 != 0 || sp == 0 || len(p.text.at(core.Addr(sp))) > 0 {
		return vectorTable{}, false
	}
	t := vectorTable{of: e.of, top: core.Addr(sp)}
	first := ^core.Addr(0) // lowest handler: code follows the table
	for n := 1; n < maxVectors && e.lo+core.Addr(4*n) < first; n++ {
		if len(e.data) < 4*n+4 {
			break
		}
		w := le32(e.data[4*n:])
		a, odd := core.CodeAddr(w)
		if w == 0 && n > 1 {
			continue
		}
		inside := a >= e.lo && a <= e.lo+core.Addr(4*n)
		if !odd || inside || len(p.text.at(a)) < 2 {
			break // another table, of data, follows
		}
		t.list = append(t.list, vector{n, a})
		if a > e.lo {
			first = min(first, a)
		}
	}
	return t, len(t.list) > 0
}

// noteVectorTables notes what the tables say of functions.
func (p *Program) noteVectorTables() {
	for _, t := range p.vectorTables {
		for _, v := range t.list {
			if v.number == 1 {
				p.resets[v.handler] = true
			} else {
				p.handlers[v.handler] = true
			}
		}
	}
}

// stackTop is where the main stack ends that sp is on while code at pc runs: as
// the vector table of that code's image says, or, where it was left the stack of
// another image, the highest that one can have. It is 0 where no table tells.
func (p *Program) stackTop(pc, sp core.Addr) core.Addr {
	var highest core.Addr
	of := p.imageAt(pc)
	for _, t := range p.vectorTables {
		if t.of == of && t.top >= sp {
			return t.top
		}
		highest = max(highest, t.top)
	}
	return highest
}
