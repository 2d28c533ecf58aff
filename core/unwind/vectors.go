package unwind

import "pushmask/core"

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
	if len(low.data) < 8 {
		return nil, 0
	}
	sp := le32(low.data)
	if sp&3 != 0 || sp == 0 || len(p.text.at(core.Addr(sp))) > 0 {
		return nil, 0
	}
	first := ^core.Addr(0) // lowest handler: code follows the table
	for n := 1; n < maxVectors && low.lo+core.Addr(4*n) < first; n++ {
		if len(low.data) < 4*n+4 {
			break
		}
		w := le32(low.data[4*n:])
		a, odd := core.CodeAddr(w)
		if w == 0 && n > 1 {
			continue
		}
		if !odd || len(p.text.at(a)) < 2 {
			break
		}
		table = append(table, vector{n, a})
		if a > low.lo {
			first = min(first, a)
		}
	}
	return table, core.Addr(sp)
}
