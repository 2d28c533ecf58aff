package unwind

import (
	"slices"

	"pushmask/core"
)

// codePointers returns, ascending, what the words of the image point to in its
// code, bit 0 dropped: functions whose address is taken, and what looks like
// it. Code that makes addresses otherwise (MOVW and MOVT, relative to PC) does
// not show here.
func (p *Program) codePointers() []core.Addr {
	p.pointersOnce.Do(func() {
		for _, e := range p.text {
			p.collectPointers(e.data)
		}
		if p.img != nil {
			for _, g := range p.img.Segments() {
				if g.Exec || g.FileSize > maxCode {
					continue
				}
				buf := make([]byte, g.FileSize)
				n, _ := p.img.ReadAt(g.Addr, buf)
				p.collectPointers(buf[:n])
			}
		}
		slices.Sort(p.pointers)
		p.pointers = slices.Compact(p.pointers)
	})
	return p.pointers
}

func (p *Program) collectPointers(data []byte) {
	for off := 0; off+4 <= len(data); off += 4 {
		if a := core.Addr(le32(data[off:]) &^ 1); len(p.text.at(a)) >= 2 {
			p.pointers = append(p.pointers, a)
		}
	}
}

// otherWays reports whether the function at entry can be entered otherwise
// than by a direct call: by a branch, or through a pointer that the image
// holds.
func (p *Program) otherWays(entry core.Addr) bool {
	_, pointed := slices.BinarySearch(p.codePointers(), entry)
	return pointed || p.discovered().jumps[entry]
}
