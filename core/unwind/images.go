package unwind

import (
	"pushmask/core"
	"pushmask/elfsym"
)

// imageAt returns the image whose code is at a, nil where there is none.
func (p *Program) imageAt(a core.Addr) *elfsym.Image {
	for i := range p.text {
		if p.text[i].contains(a) {
			return p.text[i].of
		}
	}
	return nil
}

// symbolised reports whether functions at a would be known by symbols, if there
// were any. What lies outside of all images may be code of another one, but in
// RAM is taken for data of the program.
func (p *Program) symbolised(a core.Addr) bool {
	for _, m := range p.images.Images() {
		for _, g := range m.Segments() {
			if uint32(a)-g.Addr < g.MemSize {
				return m.HasSymbols()
			}
		}
	}
	return p.images.HasSymbols() && (p.profile != core.ProfileM || !isCodeRegion(a))
}

// isCodeRegion tells the addresses at which M-profile cores have their flash and
// ROM: the regions Code and RAM for external memories (Armv7-M ARM B3.1, table
// B3-1).
func isCodeRegion(a core.Addr) bool { return a < 0x20000000 || a >= 0x60000000 && a < 0xa0000000 }

// mayExecute tells the addresses that M-profile cores fetch instructions from: all
// regions but Peripheral, Device and System (Armv7-M ARM B3.1, table B3-1).
func mayExecute(a core.Addr) bool { return a < 0x40000000 || isCodeRegion(a) }
