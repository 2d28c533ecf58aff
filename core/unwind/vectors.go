package unwind

import (
	"cmp"
	"slices"

	"pushmask/core"
	"pushmask/elfsym"
)

// VectorTable is a vector table of M-profile.
type VectorTable struct {
	Image   *elfsym.Image // that has it, nil where the code is of no ELF
	Addr    core.Addr
	Vectors []Handler // by number, without empty ones
	top     core.Addr // initial SP
}

// Handler is an entry of the vector table.
type Handler struct {
	Number int // of the exception: 1 is reset
	Entry  core.Addr
}

// VectorTables returns the vector tables of M-profile, at most one of each image,
// that at the lowest address first. Those of an image that is not at the place it
// is linked for are as they are when they have been relocated.
func (p *Program) VectorTables() []VectorTable { return p.vectorTables }

const (
	// maxVectors is the largest vector table of ARMv8-M: 16 system exceptions and
	// 480 interrupts (Armv8-M ARM B3.9).
	maxVectors = 496
	// tableAlign is what tables are aligned to at least, in bytes (Armv7-M ARM
	// B3.2.5).
	tableAlign = 0x80
	// maxHeader bounds what boot ROMs and boot loaders read in front of a table, in
	// bytes; the boot headers of i.MX RT parts are the largest.
	maxHeader = 0x2000
	// maxTablePieces bounds the pieces of an image that are looked at: linkers make a
	// handful.
	maxTablePieces = 64
)

// findVectorTables looks for the table of each image: at its lowest code, or
// where constants of it, maybe behind a header, are a table beyond doubt.
func (p *Program) findVectorTables() {
	lowest := make(map[*elfsym.Image]core.Addr)
	for i := range p.text {
		e := &p.text[i]
		if at, ok := lowest[e.of]; !ok || e.lo < at {
			lowest[e.of] = e.lo
		}
	}
	found, seen := make(map[*elfsym.Image]bool), make(map[*elfsym.Image]int)
	for _, e := range p.constants() {
		if seen[e.of]++; found[e.of] || seen[e.of] > maxTablePieces {
			continue
		}
		if e.data == nil {
			e.data = p.begin(e.lo)
		}
		first, hasCode := lowest[e.of]
		if t, ok := p.vectorTableIn(&e, hasCode && first == e.lo); ok {
			found[e.of] = true
			p.vectorTables = append(p.vectorTables, t)
		}
	}
}

// constants returns the pieces of the images that may begin with a table, by
// address: code, and, without data, what a program neither executes nor writes.
func (p *Program) constants() imageText {
	list := slices.Clone(p.text)
	for _, s := range p.images.Segments() {
		if s.Exec || s.Write || s.FileSize == 0 {
			continue
		}
		list = append(list, extent{lo: core.Addr(s.Addr), of: p.images.At(s.Addr)})
	}
	slices.SortStableFunc(list, func(x, y extent) int { return cmp.Compare(x.lo, y.lo) })
	return list
}

// begin reads as much of the images from lo on as a header and a table take.
func (p *Program) begin(lo core.Addr) []byte {
	buf := make([]byte, maxHeader+4*maxVectors)
	n, _ := p.images.ReadAt(uint32(lo), buf)
	return buf[:n]
}

// vectorTableIn looks for a table at the start of e and behind a header. That at
// the start of an image's lowest code need not be beyond doubt.
func (p *Program) vectorTableIn(e *extent, lowest bool) (VectorTable, bool) {
	if t, ok := p.vectorTableAt(e); ok && (lowest || p.isSure(&t)) {
		return t, true
	}
	for off := uint32(-e.lo) % tableAlign; off <= maxHeader && uint64(off) < uint64(len(e.data)); off += tableAlign {
		rest := extent{e.lo + core.Addr(off), e.data[off:], e.of}
		if t, ok := p.vectorTableAt(&rest); ok && p.isSure(&t) {
			return t, true
		}
	}
	return VectorTable{}, false
}

// isSure reports whether what has the form of a table is one: its reset handler is
// the entry of the ELF, or Reset, NMI and HardFault are functions by their symbols.
func (p *Program) isSure(t *VectorTable) bool {
	if t.Image != nil && t.Vectors[0] == (Handler{1, core.Addr(t.Image.Entry() &^ 1)}) {
		return true
	}
	const named = 3
	for i := range named {
		if i >= len(t.Vectors) || t.Vectors[i].Number != i+1 {
			return false
		}
		entry := uint32(t.Vectors[i].Entry)
		if f, ok := p.syms.FuncAt(entry); !ok || f.Entry != entry {
			return false
		}
	}
	return true
}

// vectorTableAt reads the vector table at the start of e, if there is one: an
// initial SP that is word aligned and no code, then odd addresses of code outside of
// the table (Armv7-M ARM B1.5.3).
func (p *Program) vectorTableAt(e *extent) (VectorTable, bool) {
	if len(e.data) < 8 {
		return VectorTable{}, false
	}
	var bias uint32
	if e.of != nil {
		bias = e.of.Bias()
	}
	sp := le32(e.data)
	top := core.Addr(sp + bias)
	if sp == 0 || top&3 != 0 || len(p.text.at(top)) > 0 {
		return VectorTable{}, false
	}
	t := VectorTable{Image: e.of, Addr: e.lo, top: top}
	first := ^core.Addr(0) // lowest handler: code follows the table
	for n := 1; n < maxVectors && e.lo+core.Addr(4*n) < first; n++ {
		if len(e.data) < 4*n+4 {
			break
		}
		w := le32(e.data[4*n:])
		if w == 0 && n > 1 {
			continue
		}
		a, odd := core.CodeAddr(w + bias)
		inside := a >= e.lo && a <= e.lo+core.Addr(4*n)
		if !odd || inside || len(p.text.at(a)) < 2 {
			break // another table, of data, follows
		}
		t.Vectors = append(t.Vectors, Handler{n, a})
		if a > e.lo {
			first = min(first, a)
		}
	}
	return t, len(t.Vectors) > 0
}

// noteVectorTables notes what the tables say of functions.
func (p *Program) noteVectorTables() {
	for _, t := range p.vectorTables {
		for _, v := range t.Vectors {
			if v.Number == 1 {
				p.resets[v.Entry] = true
			} else {
				p.handlers[v.Entry] = true
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
		if t.Image == of && t.top >= sp {
			return t.top
		}
		highest = max(highest, t.top)
	}
	return highest
}
