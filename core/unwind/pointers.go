package unwind

import (
	"slices"

	"pushmask/core"
	"pushmask/elfsym"
)

// codePointers returns, ascending, the words of the images that point to their
// code: to functions whose address is taken, and what looks like it. Code that
// makes addresses otherwise (MOVW and MOVT, relative to PC) does not show here.
func (p *Program) codePointers() []uint32 {
	p.pointersOnce.Do(func() {
		for _, e := range p.text {
			p.collectPointers(e.data, e.of)
		}
		if !p.images.Empty() {
			for _, g := range p.images.Segments() {
				if g.Exec || g.FileSize > maxCode {
					continue
				}
				buf := make([]byte, g.FileSize)
				n, _ := p.images.ReadAt(g.Addr, buf)
				p.collectPointers(buf[:n], p.images.At(g.Addr))
			}
		}
		for _, list := range []*[]uint32{&p.pointers, &p.ownPointers} {
			slices.Sort(*list)
			*list = slices.Compact(*list)
		}
	})
	return p.pointers
}

// pointersWithin returns, ascending, those of codePointers that an image holds to
// its own code. Only they tell where functions start: a number of one image is no
// function of another.
func (p *Program) pointersWithin() []uint32 {
	p.codePointers()
	return p.ownPointers
}

func (p *Program) collectPointers(data []byte, of *elfsym.Image) {
	for off := 0; off+4 <= len(data); off += 4 {
		w := le32(data[off:])
		if a := core.Addr(w &^ 1); p.HasCode(a) {
			p.pointers = append(p.pointers, w)
			if p.imageAt(a) == of {
				p.ownPointers = append(p.ownPointers, w)
			}
		}
	}
}

// pointedTo reports whether an image holds a pointer to entry.
func (p *Program) pointedTo(entry core.Addr) bool {
	all := p.codePointers()
	i, _ := slices.BinarySearch(all, uint32(entry))
	return i < len(all) && all[i]&^1 == uint32(entry)
}

// otherWays reports whether the function at entry can be entered otherwise
// than by a direct call: by a branch, or through a pointer that the image
// holds.
func (p *Program) otherWays(entry core.Addr) bool {
	return p.pointedTo(entry) || p.callSites().jumps[entry] > 0
}

// pointedRoots lists the code that something in the images points to and that
// keeps LR first.
func (p *Program) pointedRoots() []codePtr {
	var roots []codePtr
	for _, w := range p.pointersWithin() {
		a, th := core.CodeAddr(w)
		if first, err := fetch(p.text, a, th); err == nil && pushesLR(&first) && (th || a&3 == 0) {
			roots = append(roots, codePtr{a, th})
		}
	}
	return roots
}

// narrow bounds f, which was found around pc and starts at the target of a
// direct call, by the functions in it that are called through pointers alone:
// virtual ones, constructors of static objects, callbacks.
func (p *Program) narrow(f Func, pc core.Addr) Func {
	all := p.pointersWithin()
	at, _ := slices.BinarySearch(all, uint32(pc)+2)
	for i := at - 1; i >= 0 && core.Addr(all[i]) > f.Entry+1; i-- {
		if a, th := core.CodeAddr(all[i]); p.isPointee(a, th) {
			f.Entry, f.Thumb = a, th
			break
		}
	}
	for i := at; i < len(all) && core.Addr(all[i]) < f.End; i++ {
		if a, th := core.CodeAddr(all[i]); p.isPointee(a, th) {
			f.End = a
			break
		}
	}
	return f
}

// isPointee reports whether a function starts at a, to which something in the
// image points: code that keeps LR first, or comes back by the LR it was
// entered with and takes nobody's frame.
func (p *Program) isPointee(a core.Addr, th bool) bool {
	if p.profile == core.ProfileM && !th || !th && a&3 != 0 {
		return false
	}
	at := codePtr{a, th}
	p.mu.Lock()
	is, ok := p.pointees[at]
	p.mu.Unlock()
	if ok {
		return is
	}
	first, err := fetch(p.text, a, th)
	if is = err == nil && pushesLR(&first); !is && err == nil {
		e := escape{
			text: p.text, thumb: th, scout: new(scout),
			isEntry: func(b core.Addr) bool { f, ok := p.discovered().at(b); return ok && f.Entry == b },
			calls:   p,
		}
		e.enter(a)
		is = e.back && !e.above
	}
	p.mu.Lock()
	p.pointees[at] = is
	p.mu.Unlock()
	return is
}
