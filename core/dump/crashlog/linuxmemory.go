package crashlog

import (
	"strings"

	"pushmask/core"
	"pushmask/core/dump/logtext"
)

// linuxBlock is a block of memory that is being printed by dump_mem
// (arch/arm/kernel/traps.c): its bounds, then rows of eight words whose labels
// are the low sixteen bits of the address. Rows begin at multiples of 32; words
// outside of the bounds are blank.
type linuxBlock struct {
	low, high core.Addr // bounds; both 0 before a block begins
	words     *[]word
}

// begin takes "Stack: (0xc5a1be40 to 0xc5a1c000)" or "Exception stack(0xc5a1bfa8
// to 0xc5a1bff0)".
func (b *linuxBlock) begin(text string, words *[]word) bool {
	_, rest, ok := strings.Cut(text, "(0x")
	low, rest, found := strings.Cut(rest, " to 0x")
	high, _, closed := strings.Cut(rest, ")")
	from, okLow := logtext.Hex(low)
	to, okHigh := logtext.Hex(high)
	if !ok || !found || !closed || !okLow || !okHigh || to <= from || from&3 != 0 {
		return false
	}
	*b = linuxBlock{core.Addr(from), core.Addr(to), words}
	return true
}

// maxBlock bounds a block, in bytes: the stack of a kernel thread has 8 or 16
// KiB. A wider one would have labels that mean two addresses.
const maxBlock = 1 << 16

// row takes "be40: 00000000 c0a00000". The column of a word tells its address
// where the first words of a row are blank.
func (b *linuxBlock) row(text string) bool {
	label, rest, ok := strings.Cut(text, ":")
	v, isHex := logtext.Hex(label)
	if !ok || !isHex || len(label) != 4 || b.words == nil || b.high-b.low > maxBlock || v&31 != 0 {
		return false
	}
	a := b.low&^0xffff | core.Addr(v)
	if a+32 <= b.low {
		a += 0x10000
	}
	if a >= b.high {
		return false
	}
	const column = 9 // a blank and eight digits
	words := 0
	for i := range core.Addr(8) {
		at := int(i) * column
		if at+column > len(rest) {
			break
		}
		w, ok := logtext.Word(rest[at+1 : at+column])
		if ok && rest[at] == ' ' && a+4*i >= b.low && a+4*i < b.high && len(*b.words) < maxWords {
			*b.words = append(*b.words, word{a + 4*i, w})
			words++
		}
	}
	return words > 0
}

// stackLine takes the line that begins a block of memory.
func (l *linux) stackLine(text string) bool {
	if !strings.HasPrefix(text, "Stack: (") && !strings.HasPrefix(text, "Exception stack(") {
		return false
	}
	l.sorted = false
	return l.block.begin(text, &l.words)
}

// backtraceLine takes a call that the kernel's unwinder found, which has had
// four forms:
//
//	[<c010aff0>] (unwind_backtrace+0x0/0xe0) from [<c01092ec>] (show_stack+0x10/0x14)
//	[<c010aff0>] (unwind_backtrace) from [<c01092ec>] (show_stack+0x10/0x14)
//	Function entered at [<c010aff0>] from [<c01092ec>]
//	unwind_backtrace from show_stack+0x10/0x14
//
// What is called is the function of the line before, so that the callers alone
// are new.
func (l *linux) backtraceLine(text string) bool {
	callee, caller, ok := strings.Cut(text, " from ")
	if !ok || !l.regsOf {
		return false
	}
	address, name, _ := strings.Cut(caller, ">] (")
	name = strings.TrimSuffix(name, ")")
	digits, bracketed := strings.CutPrefix(strings.TrimSuffix(address, ">]"), "[<")
	switch v, isHex := logtext.Word(digits); {
	case bracketed && isHex:
		l.youngest()
		l.AddCall(v, name)
	case !strings.ContainsAny(callee, " \t") && strings.Contains(caller, "+0x") && !strings.ContainsAny(caller, "[("):
		l.youngest()
		l.AddName(caller, "")
	default:
		return false
	}
	return true
}

// youngest adds the PC to a printed stack that has no call yet: the lines name
// it by the start of its function.
func (l *linux) youngest() {
	if pc, ok := l.regs.Get(core.PC); ok && l.Backtrace == nil {
		l.AddCall(pc, "")
	}
}

// codeLine takes "Code: e1a00000 e5932000 (e5921000)": words before the PC, and
// in parentheses the one at it. T32 code is printed in halfwords. They are
// memory where they make whole words.
func (l *linux) codeLine(text string) bool {
	rest, ok := strings.CutPrefix(text, "Code: ")
	pc, hasPC := l.regs.Get(core.PC)
	psr, hasPSR := l.regs.Get(core.PSR)
	if !ok {
		return false
	}
	const thumb = 1 << 5 // CPSR.T
	fields := strings.Fields(rest)
	for i, f := range fields {
		if f[0] != '(' || !hasPC || !hasPSR || psr&thumb != 0 {
			continue
		}
		for j, f := range fields {
			if w, ok := logtext.Word(strings.Trim(f, "()")); ok {
				l.memory(core.Addr(pc)+4*core.Addr(j-i), []uint32{w})
			}
		}
		return true
	}
	l.Details = append(l.Details, text)
	return true
}
