package elfsym

import "slices"

// Range is the addresses [Lo, Hi).
type Range struct{ Lo, Hi uint32 }

// InlinedCode is the code of one inlined call.
type InlinedCode struct {
	ID       uint64  // tells it from all others of the image
	Function string  // that was inlined, demangled
	Entry    uint32  // its first instruction to run, not always the lowest
	Ranges   []Range // ascending
}

// Contains reports whether pc is in the code.
func (c *InlinedCode) Contains(pc uint32) bool {
	return slices.ContainsFunc(c.Ranges, func(r Range) bool { return pc >= r.Lo && pc < r.Hi })
}

// InlinedAt returns the inlined calls that pc is in, the outermost first: those
// that [Image.Locate] has in reverse.
func (m *Image) InlinedAt(pc uint32) []InlinedCode {
	d := m.debug()
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	fn, ok := d.functionAt(pc &^ 1)
	if !ok {
		return nil
	}
	var list []InlinedCode
	for _, c := range d.callsAt(fn.value, pc&^1) {
		list = append(list, d.inlinedCode(&c))
	}
	return list
}

// Inlined returns the inlined calls of the image whose name, demangled, match
// accepts. match must not ask the image.
func (m *Image) Inlined(match func(name string) bool) []InlinedCode {
	d := m.debug()
	if d == nil {
		return nil
	}
	var list []InlinedCode
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, u := range d.units {
		var last *subprogram
		for _, fn := range d.unitFunctions(u).list {
			if fn.value == last || !d.live(fn) {
				continue
			}
			last = fn.value
			for _, c := range d.inlinedCalls(fn.value) {
				if len(c.ranges) > 0 && match(Demangle(d.name(c.offset))) {
					list = append(list, d.inlinedCode(&c))
				}
			}
		}
	}
	return list
}

func (d *debugInfo) inlinedCode(c *inlinedCall) InlinedCode {
	code := InlinedCode{ID: uint64(c.offset), Function: Demangle(d.name(c.offset)), Entry: c.entry}
	for _, r := range c.ranges {
		code.Ranges = append(code.Ranges, Range{r.lo, r.hi})
	}
	slices.SortFunc(code.Ranges, func(a, b Range) int { return int(int64(a.Lo) - int64(b.Lo)) })
	return code
}
