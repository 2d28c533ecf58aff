package unwind

import (
	"pushmask/core"
	"pushmask/core/insn"
)

// maxListed bounds the halfwords of a function that are listed. What lies
// beyond is decoded each time it is reached.
const maxListed = 1 << 14

// listing is the code of a function under analysis: each instruction decoded
// once, and where blocks start.
type listing struct {
	text  text
	entry core.Addr
	thumb bool
	lines []line // by halfword from entry
	leads int    // lines that start a block
}

// line is what is known of a halfword. The instruction that starts there has
// size 0 until it is asked for.
type line struct {
	inst   insn.Inst
	leader bool
}

// list looks at the function linearly for the targets of its direct branches,
// so that most blocks are split before states flow through them.
func list(f *Func, t text) listing {
	l := listing{text: t, entry: f.Entry, thumb: f.Thumb, lines: make([]line, min(uint32(f.End-f.Entry)/2, maxListed))}
	for pc := f.Entry; pc < f.End; {
		i := l.inst(pc)
		if i == nil {
			break
		}
		if i.Flow == insn.FlowBranch {
			l.lead(i.Target)
		}
		pc = i.Next()
	}
	return l
}

// line returns the line of pc, nil outside of the listing.
func (l *listing) line(pc core.Addr) *line {
	if n := uint32(pc-l.entry) / 2; n < uint32(len(l.lines)) {
		return &l.lines[n]
	}
	return nil
}

// inst returns the instruction at pc, nil outside of the listing and where
// there is none.
func (l *listing) inst(pc core.Addr) *insn.Inst {
	n := l.line(pc)
	if n == nil {
		return nil
	}
	if n.inst.Size == 0 {
		i, err := fetch(l.text, pc, l.thumb)
		if err != nil {
			return nil
		}
		n.inst = i
	}
	return &n.inst
}

// lead marks pc as the start of a block.
func (l *listing) lead(pc core.Addr) {
	if n := l.line(pc); n != nil && !n.leader {
		n.leader = true
		l.leads++
	}
}
