package crashlog

import (
	"slices"
	"strings"

	"pushmask/core"
	"pushmask/core/dump/logtext"
)

// nuttxStack is a stack as NuttX describes it: "User Stack:", then base, size
// and SP, then its words.
type nuttxStack struct {
	name    string // "User", "IRQ", "Kernel", "" where there is one only
	base    uint32
	hasBase bool
	// size is in bytes. Its digits are decimal since 2023 and hexadecimal
	// before; base has 0x since the same change.
	size   string
	prefix bool // base is printed with 0x
}

// maxStacks bounds the stacks of a report: interrupt, kernel, user.
const maxStacks = 8

// stackLine takes a line that describes a stack.
func (n *nuttx) stackLine(text string) bool {
	lower := strings.ToLower(text)
	if name, ok := strings.CutSuffix(lower, " stack:"); ok && !strings.Contains(name, " ") {
		n.endStack()
		n.stack = nuttxStack{name: name}
		return true
	}
	lower = strings.TrimPrefix(lower, "stack ")
	pairs := logtext.Pairs(lower)
	if len(pairs) != 1 {
		return false
	}
	switch p := pairs[0]; p.Name {
	case "base":
		n.stack.base, n.stack.hasBase = p.Hex(), true
		n.stack.prefix = strings.HasPrefix(p.Digits, "0x")
	case "size":
		n.stack.size = p.Digits
	case "sp", "used", "current sp", "current sp is user thread sp", "current sp is irq sp":
		// SP of the code that prints, except where the registers tell the same.
	default:
		return false
	}
	return true
}

// maskedRow takes a row whose words below SP TizenRT does not show: "60001520:
// xxxxxxxx xxxxxxxx 0e0adae4" (os/arch/arm/src/*/up_assert.c,
// github.com/Samsung/TizenRT).
func (n *nuttx) maskedRow(text string) bool {
	at, rest, ok := strings.Cut(text, ": ")
	first, isAddress := logtext.Word(at)
	if !ok || !isAddress {
		return false
	}
	addr := first
	for {
		after, masked := strings.CutPrefix(strings.TrimLeft(rest, " "), "xxxxxxxx")
		if !masked {
			break
		}
		addr, rest = addr+4, after
	}
	words, more := logtext.Words(rest)
	if addr == first || more != "" {
		return false
	}
	n.memory(core.Addr(addr), words)
	return true
}

// endStack keeps the stack that was described.
func (n *nuttx) endStack() {
	if n.stack.hasBase && len(n.stacks) < maxStacks {
		n.stacks = append(n.stacks, n.stack)
	}
	n.stack = nuttxStack{}
}

// bounds returns the stack's memory. Until 2021 base was the end of the stack;
// down says so.
func (s *nuttxStack) bounds(down bool) core.Stack {
	size, ok := logtext.Hex(s.size)
	if s.prefix {
		size, ok = logtext.Decimal(s.size)
	}
	low, high := core.Addr(s.base), core.Addr(s.base)+core.Addr(size)
	if down {
		low, high = core.Addr(s.base)-core.Addr(size), core.Addr(s.base)
	}
	if !ok || high <= low {
		return core.Stack{}
	}
	return core.Stack{Low: low, High: high}
}

// downwards reports whether the bases of stacks are their ends, as most of the
// words show: the last row of a stack may pass its end.
func (n *nuttx) downwards() (down, known bool) {
	above, below := 0, 0
	for i := range n.stacks {
		up, d := n.stacks[i].bounds(false), n.stacks[i].bounds(true)
		for _, w := range n.report.words {
			switch {
			case w.addr >= up.Low && w.addr < up.High:
				above++
			case w.addr >= d.Low && w.addr < d.High:
				below++
			}
		}
	}
	return below > above, below != above
}

// placeStacks gives the crashed thread its stack, and takes away the words that
// the last row of a stack shows past its end: NuttX prints them as zeros.
func (n *nuttx) placeStacks() {
	sp, hasSP := n.regs.Get(core.SP)
	down, known := n.downwards()
	var all []core.Stack
	for i := range n.stacks {
		b := n.stacks[i].bounds(down)
		if !known && hasSP { // no words: the stack that holds SP tells
			if d := n.stacks[i].bounds(true); core.Addr(sp) > d.Low && core.Addr(sp) < d.High {
				b = d
			} else if core.Addr(sp) < b.Low || core.Addr(sp) >= b.High {
				continue
			}
		}
		all = append(all, b)
		if n.stacks[i].name != "irq" && !n.thread.Stack.Known() {
			n.thread.Stack = b
		}
	}
	n.trimRows(all)
	if _, held := n.wordAt(core.Addr(sp)); hasSP && !held && len(n.report.words) > 0 {
		n.Warnf("the words of the stack at SP, %v, are not in the log", core.Addr(sp))
	}
	if n.System == "" {
		n.System = "NuttX"
	}
}

// trimRows forgets the zeros at the end of each last row, unless they lie in
// one of the stacks.
func (n *nuttx) trimRows(stacks []core.Stack) {
	keep := func(w word) bool {
		return slices.ContainsFunc(stacks, func(s core.Stack) bool { return w.addr >= s.Low && w.addr < s.High })
	}
	const rowWords = 8
	kept := n.report.words[:0]
	for i := 0; i < len(n.report.words); {
		row := n.report.words[i:min(i+rowWords, len(n.report.words))]
		i += len(row)
		if i == len(n.report.words) || n.report.words[i].addr != row[len(row)-1].addr+4 {
			for len(row) > 0 && row[len(row)-1].v == 0 && !keep(row[len(row)-1]) {
				row = row[:len(row)-1]
			}
		}
		kept = append(kept, row...)
	}
	n.report.words = kept
}
