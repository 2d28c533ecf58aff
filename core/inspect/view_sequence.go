package inspect

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Views of text and of elements in a row.

// maxCount bounds the elements of a view: more fit into no target.
const maxCount = 1 << 28

// arrayView is a view of n elements in a row at an address.
func (v *Value) arrayView(elem *Type, addr, n uint64) *view {
	size := uint64(elementSize(elem))
	if n > maxCount || addr+n*size > 1<<32 {
		return damaged("%d elements of %d bytes", n, size)
	}
	out := v.sequenceView(v.ctx.memory(arrayOf(elem, uint32(n)), uint32(addr)))
	if n*size > 0 {
		out.note = v.missingEnd(addr, addr+n*size-1)
	}
	return out
}

// missingEnd says so where memory at an address can be read, and not that at the
// end of what is said to begin there.
func (v *Value) missingEnd(first, last uint64) string {
	if v.readable(first) != nil {
		return ""
	}
	if err := v.readable(last); err != nil {
		return "its end is " + reason(err, v.ctx.frame)
	}
	return ""
}

// readable returns why a byte of memory cannot be read.
func (v *Value) readable(addr uint64) error {
	c := v.ctx.memory(typeChar, uint32(addr)).read(0, 1)
	if c.complete(0, 1) {
		return nil
	}
	return c.reason()
}

// sequenceView is a view of the elements of an array.
func (v *Value) sequenceView(array *Value) *view {
	n, _ := array.Type.underlying().count()
	array.Expr = v.Expr
	return &view{count: int(n), elements: func(start, end int) []Child {
		var list []Child
		for i := start; i < end; i++ {
			e, ok := array.element(uint32(i))
			if !ok {
				break
			}
			list = append(list, Child{fmt.Sprintf("[%d]", i), e})
		}
		return list
	}}
}

// rangeView is a view of the elements between two pointers of a buffer that ends
// at limit; limit may be nil.
func (v *Value) rangeView(begin, end, limit *Value) *view {
	begin = begin.pointerIn()
	from, ok := begin.uint()
	to, ok2 := end.uint()
	if !ok || !ok2 {
		return nil
	}
	elem := begin.Type.underlying().Elem()
	size := uint64(elementSize(elem))
	if size == 0 {
		return nil
	}
	most, limited := limit.uint()
	switch {
	case to < from:
		return damaged("it ends at 0x%08x, before it begins at 0x%08x", to, from)
	case (to-from)%size != 0:
		return damaged("%d bytes are no elements of %d bytes", to-from, size)
	case limited && to > most:
		return damaged("it ends at 0x%08x, behind its buffer, which ends at 0x%08x", to, most)
	case limited && (most-from)%size != 0:
		return damaged("a buffer of %d bytes is for no elements of %d bytes", most-from, size)
	case from == 0 && to != 0:
		return damaged("it begins at 0")
	}
	return v.arrayView(elem, from, (to-from)/size)
}

// bitsView is a view of n bits, the first of them bit skip of the word at an
// address.
func (v *Value) bitsView(addr, skip, n uint64) *view {
	if n > maxCount || addr+(skip+n+7)/8 > 1<<32 {
		return damaged("%d bits", n)
	}
	return &view{count: int(n), elements: func(start, end int) []Child {
		var list []Child
		for i := start; i < end; i++ {
			at := uint64(i) + skip
			bit := v.ctx.memory(typeBool, uint32(addr+at/8))
			bit.bitOffset, bit.bitSize = uint8(at%8), 1
			list = append(list, v.numbered(i, bit))
		}
		return list
	}}
}

// listView is a view of values that are at different places.
func (v *Value) listView(values []*Value) *view {
	return &view{count: len(values), elements: func(start, end int) []Child {
		var list []Child
		for i := start; i < end; i++ {
			list = append(list, v.numbered(i, values[i]))
		}
		return list
	}}
}

// numbered is an element of a view, which [] of v means.
func (v *Value) numbered(i int, e *Value) Child {
	if v.Expr != "" {
		e.Expr = postfix(v.Expr) + "[" + decimal(i) + "]"
	}
	return Child{"[" + decimal(i) + "]", e}
}

// textView is a view of n characters at a pointer.
func (v *Value) textView(p *Value, n uint64) *view {
	p = p.pointerIn()
	if p == nil {
		return nil
	}
	elem := p.Type.underlying().Elem()
	addr, ok := p.uint()
	size := elementSize(elem)
	if !ok || size == 0 || size > 4 {
		return nil
	}
	return v.charactersView(elem, addr, n)
}

// charactersView is a view of n characters at an address.
func (v *Value) charactersView(elem *Type, addr, n uint64) *view {
	out := v.arrayView(elem, addr, n)
	if out.elements == nil {
		return out
	}
	text := v.ctx.memory(elem, uint32(addr)).counted(uint32(min(n, maxText)), elementSize(elem))
	text.more = text.more || n > maxText
	if text.err != nil && text.text == "" {
		out.elements, out.count = nil, 0
		out.summary = "<" + reason(text.err, v.ctx.frame) + ">"
		return out
	}
	out.text = &text
	return out
}

// terminatedView is a view of n characters at a pointer behind which a NUL has
// to be, in a buffer for capacity of them and the NUL.
func (v *Value) terminatedView(p *Value, n, capacity uint64) *view {
	if n > capacity {
		return damaged("%d characters in a buffer for %d", n, capacity)
	}
	p = p.pointerIn()
	addr, ok := p.uint()
	if !ok {
		return nil
	}
	if addr == 0 {
		return damaged("its characters are at 0")
	}
	elem := p.Type.underlying().Elem()
	end := addr + n*uint64(elementSize(elem))
	if nul, err := v.ctx.memory(elem, uint32(end)).bits(); err == nil && nul != 0 {
		return damaged("no NUL behind its %d characters", n)
	}
	return v.textView(p, n)
}

// rustText is a view of n bytes of UTF-8.
func (v *Value) rustText(elem *Type, addr, n uint64) *view {
	out := v.charactersView(elem, addr, n)
	if out.text != nil && out.note == "" && !out.text.more && out.text.err == nil && !utf8.ValidString(out.text.text) {
		out.note = "not UTF-8: not initialised or damaged"
	}
	return out
}

// counted reads exactly n characters, NULs too.
func (v *Value) counted(n, width uint32) str {
	shown := min(n, maxText)
	c := v.read(0, shown*width)
	var b strings.Builder
	for i := range shown {
		if !c.complete(i*width, width) {
			return str{text: b.String(), err: c.reason()}
		}
		if x := little(c.data[i*width:][:width]); width == 1 {
			b.WriteByte(byte(x))
		} else {
			b.WriteRune(rune(min(x, utf8.MaxRune)))
		}
	}
	return str{text: b.String(), more: n > shown}
}
