package unwind

import (
	"slices"

	"pushmask/core"
)

// vector is an entry of a vector table.
type vector struct {
	number  int
	handler core.Addr
}

// maxVectors is the largest vector table of ARMv8-M: 16 system exceptions and
// 480 interrupts (Armv8-M ARM B3.9).
const maxVectors = 496

// vectors reads the vector table at the lowest address of code, if there is
// one: an initial SP that is word aligned and no code, then odd code addresses
// (Armv7-M ARM B1.5.3). It returns the handlers and the initial SP.
func (p *Program) vectors() (table []vector, top core.Addr) {
	if len(p.text) == 0 {
		return nil, 0
	}
	low := p.text[0]
	for _, e := range p.text {
		if e.lo < low.lo {
			low = e
		}
	}
	sp, ok := word(p.text, low.lo)
	if !ok || sp&3 != 0 || sp == 0 || len(p.text.at(core.Addr(sp))) > 0 {
		return nil, 0
	}
	for n := 1; n < maxVectors; n++ {
		w, ok := word(p.text, low.lo+core.Addr(4*n))
		if !ok {
			break
		}
		a, odd := core.CodeAddr(w)
		if w == 0 && n > 1 {
			continue
		}
		if !odd || len(p.text.at(a)) < 2 {
			break
		}
		table = append(table, vector{n, a})
		if lo := slices.MinFunc(table, func(x, y vector) int { return int(int64(x.handler) - int64(y.handler)) }); lo.handler > low.lo && low.lo+core.Addr(4*n+4) >= lo.handler {
			break
		}
	}
	return table, core.Addr(sp)
}
