package crashcatcher

import (
	"encoding/hex"
	"strings"

	"pushmask/core"
	"pushmask/core/dump/crash"
	"pushmask/core/dump/logtext"
	"pushmask/internal/cursor"
)

// What the text form begins and ends with.
var textSignatures = [...]string{"63430300", "63430200"}

const textEnd = "End of dump"

// maxBetween is how many lines of other output may come between two lines of a
// dump.
const maxBetween = 20

// FindLog returns the dumps that are printed in a log.
func FindLog(log *logtext.Log) []*crash.Crash {
	var found []*crash.Crash
	for i := 0; i < len(log.Lines); i++ {
		begin := beginning(log.Lines[i].Text)
		if begin == "" {
			continue
		}
		p := printed{lines: [][]byte{digits(begin)}}
		next := p.collect(log.Lines[i+1:])
		c := p.crash()
		c.Where = crash.Place{Offset: log.Lines[i].Offset, Line: log.Lines[i].Number}
		found = append(found, c)
		i += next
	}
	return found
}

// beginning returns the text of a line from the signature on, "" without one.
// Ports put marks of their own in front.
func beginning(text string) string {
	for _, s := range textSignatures {
		i := strings.Index(text, s)
		if i < 0 || i > 0 && isDigit(text[i-1]) {
			continue
		}
		if rest := text[i:]; len(digits(rest))*2 == len(rest) {
			return rest
		}
	}
	return ""
}

func isDigit(c byte) bool { return strings.IndexByte("0123456789abcdefABCDEF", c) >= 0 }

// digits decodes the hexadecimal digits that a text begins with.
func digits(text string) []byte {
	n := 0
	for n < len(text) && isDigit(text[n]) {
		n++
	}
	b, _ := hex.DecodeString(text[:n&^1])
	return b
}

// printed is a dump while its lines are collected.
type printed struct {
	lines [][]byte
	ended bool // its last line was there
	odd   int  // lines that lost digits
}

// collect takes the lines of the dump from those behind its first and returns
// how many it passed.
func (p *printed) collect(lines []logtext.Line) int {
	taken, between := 0, 0
	for i := range lines {
		text := strings.TrimSpace(lines[i].Text)
		switch word := lastWord(text); {
		case strings.Contains(text, textEnd):
			p.ended = true
			return i + 1
		case beginning(text) != "":
			return i
		case len(word) >= 8 && isHex(word):
			if len(word)%2 != 0 {
				p.odd++
			}
			p.lines = append(p.lines, digits(word))
			taken, between = i+1, 0
		case text != "":
			if between++; between > maxBetween {
				return taken
			}
		}
	}
	return taken
}

func lastWord(text string) string { return text[strings.LastIndexAny(text, " \t")+1:] }

func isHex(word string) bool {
	return strings.IndexFunc(word, func(r rune) bool { return r > 'f' || !isDigit(byte(r)) }) < 0
}

// crash reads the collected lines. The writer begins a line with each field and
// puts 16 bytes on one at most, so that a missing line shows. Text that was cut
// into other lines is read as a stream.
func (p *printed) crash() *crash.Crash {
	c := &crash.Crash{Format: name + " in a log", Truncated: !p.ended}
	if !p.ended {
		c.Warnf("the end of the dump is not in the log")
	}
	if p.odd > 0 {
		c.Warnf("%d lines of the dump have an odd number of digits: characters were lost", p.odd)
	}
	if len(p.lines[0]) != 4 {
		var all []byte
		for _, l := range p.lines {
			all = append(all, l...)
		}
		read(c, all)
		return c
	}
	head := p.head()
	p.registers(c, head)
	p.regions(c, p.lines[len(head):])
	return c
}

// Line lengths in bytes.
const (
	fullLine   = 16
	headerLine = 8 // start and end of a region; no line of the registers has it
)

// head returns the lines in front of the first region.
func (p *printed) head() [][]byte {
	for i, l := range p.lines {
		if len(l) == headerLine {
			return p.lines[:i]
		}
	}
	return p.lines
}

// registers reads the lines of the registers: flags; r0-r3, r4-r7 and r8-r11 on
// full lines; r12 and sp on lines of one word; lr, pc and xpsr on a line of
// three; in version 3 another of msp, psp and the handler's xpsr; then those of
// the FPU on eight full lines and one of a word. Of a group that misses a line
// none is taken.
func (p *printed) registers(c *crash.Crash, lines [][]byte) {
	c.Profile, c.ProfileKnown = core.ProfileM, true
	t := c.Crashed()
	t.Faulted, t.ID = true, 1
	groups := [...]group{
		{4, 2, core.NoReg, core.R0},
		{fullLine, 3, core.R0, core.R11},
		{4, 2, core.R12, core.SP},
		{12, 1, core.LR, core.PSR},
	}
	if lines[0][2] == version3 {
		groups[3] = group{12, 2, core.LR, core.PSP} // the handler's xPSR is of no use
	}
	missing := 0
	for _, g := range groups {
		n := 0
		for n < len(lines) && n < g.lines && len(lines[n]) == g.bytes {
			n++
		}
		if n == g.lines {
			g.set(&t.Regs, lines[:n])
		} else {
			missing += g.lines - n
		}
		lines = lines[n:]
	}
	if missing > 0 {
		c.Warnf("%d lines of the registers are missing: those that they may have been on are unknown", missing)
		c.Truncated = true
	} else {
		p.floats(c, t, lines)
	}
	settle(c, t)
}

// floats reads the registers of the FPU, which are there if the flags say so.
func (p *printed) floats(c *crash.Crash, t *crash.Thread, lines [][]byte) {
	const lineCount = 9
	if p.lines[1][0]&flagFP == 0 {
		return
	}
	var all []byte
	for _, l := range lines {
		all = append(all, l...)
	}
	if len(lines) != lineCount || len(all) != 33*4 {
		c.Warnf("lines of the floating-point registers are missing: these are unknown")
		return
	}
	cur := cursor.New(name, all)
	for i := range core.Reg(32) {
		t.Regs.Set(core.S0+i, cur.U32())
	}
	t.Regs.Set(core.FPSCR, cur.U32())
}

// group is registers that are printed on lines of one length.
type group struct {
	bytes, lines int
	first, last  core.Reg // nothing where first is NoReg
}

func (g *group) set(regs *core.Regs, lines [][]byte) {
	var all []byte
	for _, l := range lines {
		all = append(all, l...)
	}
	cur := cursor.New(name, all)
	for r := g.first; r <= g.last; r++ {
		regs.Set(r, cur.U32())
	}
}

// regions reads memory: a line with start and end, then full lines and one with
// the rest.
func (p *printed) regions(c *crash.Crash, lines [][]byte) {
	for len(lines) > 0 {
		if len(lines[0]) == len(overflowed) && string(lines[0]) == string(overflowed) {
			c.Warnf("the crash handler ran out of stack while it wrote the dump: memory may be damaged")
			return
		}
		if len(lines[0]) != headerLine {
			lines = lines[1:] // of a region whose first line is missing
			c.Warnf("a line belongs to no region of memory")
			continue
		}
		cur := cursor.New(name, lines[0])
		start, end := cur.U32(), cur.U32()
		if end <= start {
			c.Warnf("the region 0x%08x to 0x%08x of memory has no size", start, end)
			lines = lines[1:]
			continue
		}
		content, n := region(lines[1:], uint64(end-start))
		lines = lines[1+n:]
		switch {
		case uint64(len(content)) == uint64(end-start):
			c.AddMemory(core.Addr(start), content)
		case len(lines) == 0 && !p.ended:
			c.Warnf("the dump ends after %d of %d bytes of the memory at %v", len(content), end-start, core.Addr(start))
			c.AddMemory(core.Addr(start), content)
		default:
			c.Truncated = true
			c.AddShifted(core.Addr(start), int(end-start), content)
		}
	}
}

// region returns the content of a region of size bytes from its lines, and how
// many these are. Lines that are not of the length that they must have end it,
// and so does what can only be the next region.
func region(lines [][]byte, size uint64) (content []byte, n int) {
	for n < len(lines) {
		left := size - uint64(len(content))
		l := lines[n]
		if left == 0 || uint64(len(l)) > left || len(l) == headerLine && left != headerLine || string(l) == string(overflowed) && left != 4 {
			break
		}
		content = append(content, l...)
		n++
	}
	return content, n
}
