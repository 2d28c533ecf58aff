package elfsym

import (
	"cmp"
	"debug/dwarf"
	"fmt"
	"slices"
)

// inlinedCall is a DW_TAG_inlined_subroutine (DWARF 5, 3.3.8.2).
type inlinedCall struct {
	parent             int // index of the call it is nested in, -1 for none
	ranges             []pcRange
	entry              uint32 // the first instruction that runs, in ranges unless they are empty
	offset             dwarf.Offset
	file, line, column int64 // of the call
}

// inlinedCalls returns the calls inlined in a function, outer before inner.
func (d *debugInfo) inlinedCalls(fn *subprogram) []inlinedCall {
	if !fn.parsed {
		fn.parsed = true
		d.image.report(guard(func() error { return d.walkCalls(fn) }))
	}
	return fn.calls
}

func (d *debugInfo) walkCalls(fn *subprogram) error {
	w := d.walker(fn.unit, fn.offset)
	// parents[i] is the call that entries at level i are inlined in.
	parents := []int{-1, -1}
	for {
		e, err := w.next()
		if e == nil || err != nil {
			return err
		}
		level := w.level()
		if e.Children {
			level--
		}
		if level >= len(parents) {
			return fmt.Errorf("function entry %#x: siblings do not nest", fn.offset)
		}
		parents = parents[:level+1]
		enclosing := parents[level]
		switch e.Tag {
		case dwarf.TagInlinedSubroutine:
			ranges, err := d.pcRanges(e)
			if err != nil {
				return err
			}
			fn.calls = append(fn.calls, inlinedCall{
				parent: enclosing, ranges: ranges, entry: entryPC(e, ranges), offset: e.Offset,
				file: number(e, dwarf.AttrCallFile), line: number(e, dwarf.AttrCallLine),
				column: number(e, dwarf.AttrCallColumn),
			})
			parents = append(parents, len(fn.calls)-1)
		case dwarf.TagLexDwarfBlock, dwarf.TagTryDwarfBlock, dwarf.TagCatchDwarfBlock:
			parents = append(parents, enclosing)
		default:
			if err := w.skip(e); err != nil {
				return err
			}
		}
	}
}

// entryPC returns DW_AT_entry_pc, an address or an offset from the first range
// (DWARF 5, 2.18), which need not be the lowest address: compilers put code that
// is rarely run elsewhere. Without it the code begins at the lowest one.
func entryPC(e *dwarf.Entry, ranges []pcRange) uint32 {
	if len(ranges) == 0 {
		return 0
	}
	entry := slices.MinFunc(ranges, func(a, b pcRange) int { return cmp.Compare(a.lo, b.lo) }).lo
	var stated uint32
	switch v := e.Val(dwarf.AttrEntrypc).(type) {
	case uint64:
		stated = uint32(v)
	case int64:
		stated = ranges[0].lo + uint32(v)
	default:
		return entry
	}
	if slices.ContainsFunc(ranges, func(r pcRange) bool { return r.contains(stated) }) {
		return stated
	}
	return entry
}

// number returns an integer attribute, 0 when it is absent.
func number(e *dwarf.Entry, a dwarf.Attr) int64 {
	n, _ := e.Val(a).(int64)
	return max(n, 0)
}

// callsAt returns the inlined calls that contain pc, outermost first.
func (d *debugInfo) callsAt(fn *subprogram, pc uint32) []inlinedCall {
	var chain []inlinedCall
	last := -1
	for i, c := range d.inlinedCalls(fn) {
		if c.parent != last {
			continue
		}
		for _, r := range c.ranges {
			if r.contains(pc) {
				chain, last = append(chain, c), i
				break
			}
		}
	}
	return chain
}
