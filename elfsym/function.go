package elfsym

import (
	"cmp"
	"debug/elf"
	"slices"
	"sort"
)

// functionTable answers which function an address is in.
type functionTable struct {
	funcs []Func // sorted by Entry, one per entry
	// outer holds for each function the index of the nearest earlier function
	// that reaches past its end, -1 for none: sized functions may contain
	// further entries (__aeabi_memset4 inside memset).
	outer []int
}

// newFunctionTable sorts funcs, whose entries are distinct.
func newFunctionTable(funcs []Func) *functionTable {
	slices.SortFunc(funcs, func(a, b Func) int { return cmp.Compare(a.Entry, b.Entry) })
	t := &functionTable{funcs, make([]int, len(funcs))}
	for i, f := range funcs {
		o := i - 1
		for o >= 0 && funcs[o].End <= f.End {
			o = t.outer[o]
		}
		t.outer[i] = o
	}
	return t
}

// at returns the innermost function that contains pc.
func (t *functionTable) at(pc uint32) (Func, bool) {
	i := sort.Search(len(t.funcs), func(i int) bool { return t.funcs[i].Entry > pc }) - 1
	for i >= 0 && pc >= t.funcs[i].End {
		i = t.outer[i]
	}
	if i < 0 {
		return Func{}, false
	}
	return t.funcs[i], true
}

// entryGroup is the set of code symbols at one address.
type entryGroup struct {
	best   *symbol
	size   uint32 // largest of the aliases' sizes
	isFunc bool   // one of them is STT_FUNC, or a label with a size
	global bool
	region region
}

// symbolFunctions derives the functions from the symbol table:
//
//   - STT_FUNC symbols with a size are [value, value+size); addresses between
//     two of them belong to neither.
//   - STT_FUNC symbols without a size end at the next one, at the next joint
//     of input sections, or at the end of the section.
//   - Labels without type and size are functions of their own only where no
//     STT_FUNC covers them, and local ones only where no global one precedes
//     them in the same input section: assembler code uses them as jump targets.
func (m *Image) symbolFunctions(t *symbolTable) []Func {
	groups := m.entryGroups(t)
	starts := functionStarts(t, groups)
	funcs := make([]Func, 0, len(starts))
	for i, g := range starts {
		f := Func{Name: g.best.name, Entry: g.best.addr, Sized: g.size != 0}
		f.End = clampEnd(f.Entry, g.size)
		if !f.Sized {
			f.End = unsizedEnd(t, g, starts[i+1:])
		}
		f.End = min(f.End, max(g.region.end, f.Entry+1))
		if g.region.end == 0 {
			f.End = clampEnd(f.Entry, g.size)
		}
		f.Thumb = m.mProfile || m.thumbEntry(t, g)
		funcs = append(funcs, f)
	}
	return funcs
}

// thumbEntry tells the state a function starts in: bit 0 of an STT_FUNC value,
// the mapping symbols for labels.
func (m *Image) thumbEntry(t *symbolTable, g *entryGroup) bool {
	if g.best.isFunc() {
		return g.best.thumb
	}
	return t.stateAt(g.best.addr) == StateThumb
}

// entryGroups collects the addresses that may be functions, in order.
func (m *Image) entryGroups(t *symbolTable) []*entryGroup {
	var out []*entryGroup
	for i := 0; i < len(t.symbols); {
		j := i + 1
		for j < len(t.symbols) && t.symbols[j].addr == t.symbols[i].addr {
			j++
		}
		if g := m.entryGroup(t, t.symbols[i:j]); g != nil {
			out = append(out, g)
		}
		i = j
	}
	return out
}

// entryGroup returns nil when none of the symbols of one address can be code.
func (m *Image) entryGroup(t *symbolTable, group []symbol) *entryGroup {
	r, inRegion := m.regionAt(group[0].addr)
	code := make([]symbol, 0, len(group))
	g := &entryGroup{region: r}
	for _, s := range group {
		switch {
		case s.isFunc():
			// A function outside every section (ROM) needs a size of its own.
			if !inRegion && s.size == 0 {
				continue
			}
			g.isFunc = true
		case s.typ == elf.STT_NOTYPE && inRegion && r.exec && t.mayBeCode(s.addr) && elf.SectionIndex(s.section) != elf.SHN_ABS:
			g.isFunc = g.isFunc || s.size != 0
		default:
			continue
		}
		g.size = max(g.size, s.size)
		g.global = g.global || s.bind != elf.STB_LOCAL
		code = append(code, s)
	}
	if len(code) == 0 {
		return nil
	}
	g.best = bestAlias(code)
	return g
}

// mayBeCode reports whether a label at addr can be code: the mapping symbols
// say so, or there are none.
func (t *symbolTable) mayBeCode(addr uint32) bool {
	s := t.stateAt(addr)
	return s == StateThumb || s == StateARM || len(t.mapping) == 0
}

// functionStarts drops the labels that lie inside a function.
func functionStarts(t *symbolTable, groups []*entryGroup) []*entryGroup {
	var out []*entryGroup
	var covered uint32   // a sized function reaches up to here
	var open *entryGroup // unsized function or global label that is still running
	for _, g := range groups {
		addr := g.best.addr
		if open != nil && (addr >= open.region.end || t.jointBetween(open.best.addr, addr)) {
			open = nil
		}
		if !g.isFunc && (addr < covered || open != nil && (open.isFunc || !g.global)) {
			continue
		}
		out = append(out, g)
		switch {
		case g.size != 0:
			covered, open = max(covered, clampEnd(addr, g.size)), nil
		case g.isFunc || g.global:
			open = g
		}
	}
	return out
}

// jointBetween reports whether the linker joined two input sections at an
// address in (after, upTo].
func (t *symbolTable) jointBetween(after, upTo uint32) bool {
	j, ok := t.nextJoint(after)
	return ok && j <= upTo
}

func (t *symbolTable) nextJoint(after uint32) (uint32, bool) {
	i, found := slices.BinarySearch(t.joints, after)
	if found {
		i++
	}
	if i == len(t.joints) {
		return 0, false
	}
	return t.joints[i], true
}

// unsizedEnd bounds a function that has no size.
func unsizedEnd(t *symbolTable, g *entryGroup, later []*entryGroup) uint32 {
	end := g.region.end
	if len(later) > 0 {
		end = min(end, later[0].best.addr)
	}
	if j, ok := t.nextJoint(g.best.addr); ok {
		end = min(end, j)
	}
	return end
}
